//! Bags of words become tokens: counts are expanded, repeated words added up, and each document shuffled.

use std::path::Path;

use super::MAX_DOC_TOKENS;
use super::memory::{Sizes, reserve, reserve_exact};
use crate::error::{Error, Result};
use crate::machine::Memory;
use crate::rng::{Step, Stream};
use crate::watch::go_on_here;

/// The seed of the order of tokens in a bag: a constant, so that the corpus is the same for all seeds.
const BAG_ORDER_SEED: u64 = 0;

/// Tokens of bags, document by document, and what was added up on the way.
pub(super) struct Bags {
    pub(super) w: Vec<u32>,
    pub(super) doc_start: Vec<usize>,
    /// Entries (a word of a document with its count) that repeat an earlier one.
    pub(super) merged_entries: u64,
}

/// Makes [`Bags`] from documents in order; only the corpus itself is held.
pub(super) struct BagBuilder<'a> {
    path: &'a Path,
    memory: &'a Memory,
    bags: Bags,
    /// Entries of the current document.
    entries: u64,
}

impl<'a> BagBuilder<'a> {
    /// A builder with room for `docs` documents, as far as that is known.
    pub(super) fn new(path: &'a Path, memory: &'a Memory, docs: usize) -> Result<Self> {
        let mut doc_start = Vec::new();
        reserve_exact(&mut doc_start, docs + 1, path)?;
        doc_start.push(0);
        Ok(Self { path, memory, bags: Bags { w: Vec::new(), doc_start, merged_entries: 0 }, entries: 0 })
    }

    /// Documents that have ended.
    pub(super) fn num_docs(&self) -> usize {
        self.bags.doc_start.len() - 1
    }

    /// Adds `count` tokens of word `v` to the current document.
    #[inline]
    pub(super) fn add(&mut self, line: impl Into<Option<u64>>, v: u32, count: u64) -> Result<()> {
        let d = self.num_docs();
        let Bags { w, doc_start, .. } = &mut self.bags;
        check_length(self.path, line, d, w.len() - doc_start[d], count)?;
        reserve(w, count as usize, self.path)?;
        w.extend(std::iter::repeat_n(v, count as usize));
        self.entries += 1;
        Ok(())
    }

    /// Ends the current document, whose last entry is on `line`, when `words` word types are known.
    pub(super) fn end_doc(&mut self, line: impl Into<Option<u64>>, words: u64) -> Result<()> {
        go_on_here()?;
        let d = self.num_docs();
        let Bags { w, doc_start, merged_entries } = &mut self.bags;
        let distinct = order(&mut w[doc_start[d]..], d);
        *merged_entries += self.entries - distinct;
        self.entries = 0;
        reserve(doc_start, 1, self.path)?;
        doc_start.push(w.len());
        let sizes = Sizes { docs: d as u64 + 1, words, tokens: w.len() as u64 };
        self.memory.check(self.path, line.into(), sizes)
    }

    /// The bags, without spare room.
    pub(super) fn finish(mut self) -> Bags {
        self.bags.w.shrink_to_fit();
        self.bags.doc_start.shrink_to_fit();
        self.bags
    }
}

/// Refuses `count` more tokens for document `d` of `length` when that makes it too long.
#[inline]
pub(super) fn check_length(
    path: &Path,
    line: impl Into<Option<u64>>,
    d: usize,
    length: usize,
    count: u64,
) -> Result<()> {
    if count <= (MAX_DOC_TOKENS - length) as u64 {
        return Ok(());
    }
    Err(Error::Input {
        path: path.to_owned(),
        line: line.into(),
        problem: format!("document {} has more than {MAX_DOC_TOKENS} tokens", d + 1),
        remedy: "split it into several documents".into(),
    })
}

/// Puts the tokens of document `d` into their order, which depends on nothing but the counts and `d`;
/// returns the number of word types among them.
pub(super) fn order(tokens: &mut [u32], d: usize) -> u64 {
    if !tokens.is_sorted() {
        tokens.sort_unstable();
    }
    let distinct = tokens.chunk_by(|a, b| a == b).count() as u64;
    // A file of a few bytes may promise millions of tokens; those of one word have one order only.
    if distinct > 1 {
        shuffle(tokens, d);
    }
    distinct
}

/// Puts the tokens of document `d`, each with something of its own, where reading it as a bag would put their
/// words.
pub(crate) fn order_with<T>(tokens: &mut [(u32, T)], d: usize) {
    tokens.sort_by_key(|&(v, _)| v);
    shuffle(tokens, d);
}

/// Shuffles what has been sorted by word, in a document that is known by its number.
fn shuffle<T>(tokens: &mut [T], d: usize) {
    Stream::new(BAG_ORDER_SEED, Step::BagOrder, 0, d as u32).shuffle(tokens);
}

/// Shuffles what has been sorted by word, in a document that is known by a digest of its words.
pub(crate) fn shuffle_by<T>(digest: u64, tokens: &mut [T]) {
    let [high, low] = [(digest >> 32) as u32, digest as u32];
    Stream::new(BAG_ORDER_SEED, Step::BagOrderByDigest, high, low).shuffle(tokens);
}
