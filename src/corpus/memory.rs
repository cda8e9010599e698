//! Refuses sizes that the machine's memory cannot hold, before anything is allocated for them.

use std::path::Path;

use super::Corpus;
use crate::error::{Error, Result};
use crate::heap::Heap;
use crate::machine::Memory;

/// A document's place in `doc_start`.
const DOC_BYTES: u64 = size_of::<usize>() as u64;
/// The small block that an allocator gives a string, at least.
const TEXT_BYTES: u64 = 32;
/// A word or a name.
pub(super) const STRING_BYTES: u64 = size_of::<String>() as u64 + TEXT_BYTES;
/// A token's word.
const WORD_BYTES: u64 = size_of::<u32>() as u64;
/// A token's word, and in training its topic.
pub(super) const TOKEN_BYTES: u64 = WORD_BYTES + MAPPED_TOKEN_BYTES;
/// The same for a token whose word stays in a mapped file: its topic twice, in place and sorted by word.
pub(super) const MAPPED_TOKEN_BYTES: u64 = 2 * size_of::<u16>() as u64;

/// What to do about a corpus that is too large.
const REMEDY: &str = "correct the numbers if they are wrong, else train on a part of the corpus";

/// The sizes of a corpus, or of what has been read of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) docs: u64,
    pub(super) words: u64,
    pub(super) tokens: u64,
}

impl Sizes {
    /// Bytes, with so many a token.
    fn bytes(&self, token_bytes: u64) -> u64 {
        let docs = self.docs.saturating_mul(DOC_BYTES);
        let words = self.words.saturating_mul(STRING_BYTES);
        docs.saturating_add(words).saturating_add(self.tokens.saturating_mul(token_bytes))
    }
}

impl Corpus {
    /// What it takes at least; the words of a mapped file take nothing.
    pub(crate) fn least_bytes(&self) -> f64 {
        let names = self.doc_names.as_ref().map_or(0, Vec::len);
        let values = self.metadata.columns.len() * self.num_docs();
        let tokens = if self.w.is_mapped() { 0 } else { self.num_tokens() as u64 * WORD_BYTES };
        let docs = self.num_docs() as u64 * DOC_BYTES;
        (tokens + docs + (self.vocab.len() + names + values) as u64 * STRING_BYTES) as f64
    }
}

/// What so many strings take, with so many bytes of text.
pub(crate) fn strings_bytes(strings: f64, text: f64) -> Heap {
    let blocks = Heap::bytes(strings * TEXT_BYTES as f64).at_most();
    Heap::exact::<String>(strings) + Heap::bytes(text) + blocks
}

impl Memory {
    /// Refuses `sizes` that do not fit, or that 32-bit numbers cannot count; the blame is on `line` of `path`.
    pub(super) fn check(&self, path: &Path, line: Option<u64>, sizes: Sizes) -> Result<()> {
        self.check_with(path, line, sizes, 0)
    }

    /// As [`Self::check`] for a whole file, with so many bytes a token.
    pub(super) fn check_tokens(&self, path: &Path, sizes: Sizes, token_bytes: u64) -> Result<()> {
        self.check_bytes(path, None, sizes, sizes.bytes(token_bytes))
    }

    /// As [`Self::check`], with `more` bytes for names and metadata.
    pub(super) fn check_with(&self, path: &Path, line: Option<u64>, sizes: Sizes, more: u64) -> Result<()> {
        self.check_bytes(path, line, sizes, sizes.bytes(TOKEN_BYTES).saturating_add(more))
    }

    fn check_bytes(&self, path: &Path, line: Option<u64>, sizes: Sizes, bytes: u64) -> Result<()> {
        let Sizes { docs, words, tokens } = sizes;
        let most = u64::from(u32::MAX);
        if bytes <= self.total && docs <= most && words <= most {
            return Ok(());
        }
        let problem = if bytes > self.total {
            format!(
                "{docs} documents, {words} words and {tokens} tokens need {} MB of memory, and there are {} MB",
                bytes.div_ceil(1_000_000),
                self.total / 1_000_000
            )
        } else {
            format!("{docs} documents and {words} words are too many: the most is {most} of each")
        };
        Err(Error::Input { path: path.to_owned(), line, problem, remedy: REMEDY.into() })
    }
}

/// Makes room for `additional` items, or says that `path` is too large.
pub(super) fn reserve<T>(items: &mut Vec<T>, additional: usize, path: &Path) -> Result<()> {
    items.try_reserve(additional).map_err(|_| refused(items.len() + additional, path))
}

/// Makes room for exactly `additional` items, or says that `path` is too large.
pub(super) fn reserve_exact<T>(items: &mut Vec<T>, additional: usize, path: &Path) -> Result<()> {
    items.try_reserve_exact(additional).map_err(|_| refused(items.len() + additional, path))
}

fn refused(items: usize, path: &Path) -> Error {
    Error::input(path, format!("the system refuses the memory for {items} tokens or documents"), REMEDY)
}
