//! Documents of text, whatever file they come from: each format hands them over one by one, and their words
//! become tokens at once.

mod folder;
mod interner;
mod jsonl;
mod lines;
mod mallet;
mod metadata;
mod table;

use std::path::Path;

use super::bag::check_length;
use super::decode::TextEncoding;
use super::memory::{Sizes, reserve};
use super::prepare::Splitter;
use super::{Corpus, Format, LoadNotes};
use crate::error::{Error, Result};
use crate::machine::Memory;
use interner::Interner;
use metadata::MetadataBuilder;

/// What the user may say about text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// The encoding; UTF-8 when not given.
    pub encoding: Option<TextEncoding>,
    /// The column of a table, or the field of a JSON object, with the text; `text` when not given.
    pub text_column: Option<String>,
    /// The one with the documents' names.
    pub id_column: Option<String>,
}

impl TextOptions {
    pub(super) fn encoding(&self) -> TextEncoding {
        self.encoding.unwrap_or_default()
    }

    pub(super) fn text_column(&self) -> &str {
        self.text_column.as_deref().unwrap_or("text")
    }
}

/// A document as its file has it.
pub(super) struct RawDoc<'a> {
    /// The file to blame.
    pub(super) path: &'a Path,
    /// Its first line there; a file that is one document has none.
    pub(super) line: Option<u64>,
    pub(super) name: Option<&'a str>,
    pub(super) text: &'a str,
}

/// Reads `path` in one of the text formats. The vocabulary is in the order in which its words first occur, and
/// nothing is left out.
pub(super) fn read(
    path: &Path,
    format: Format,
    options: &TextOptions,
    splitter: Splitter,
    memory: &Memory,
) -> Result<(Corpus, LoadNotes)> {
    let mut docs = Documents::new(splitter, memory);
    let mut notes = LoadNotes::default();
    match format {
        Format::Mallet => mallet::read(path, options, &mut docs)?,
        Format::Folder => notes = folder::read(path, options, &mut docs)?,
        Format::Csv => table::read(path, b',', options, &mut docs)?,
        Format::Tsv => table::read(path, b'\t', options, &mut docs)?,
        Format::Jsonl => jsonl::read(path, options, &mut docs)?,
        Format::Text => lines::read(path, options, &mut docs)?,
        Format::Uci
        | Format::Ldac
        | Format::Mm
        | Format::Svmlight
        | Format::Npz
        | Format::State
        | Format::Prepared => return Err(Error::internal("counts are not read as text")),
    }
    Ok((docs.finish(), notes))
}

/// Tokens as far as they have been read, and their words.
struct WordTokens {
    words: Interner,
    w: Vec<u32>,
    /// Where the documents begin that have ended, and the current one.
    doc_start: Vec<usize>,
}

impl WordTokens {
    /// Adds a word to the current document.
    #[inline]
    fn add(&mut self, word: &str, path: &Path, line: Option<u64>) -> Result<()> {
        let d = self.doc_start.len() - 1;
        check_length(path, line, d, self.w.len() - self.doc_start[d], 1)?;
        reserve(&mut self.w, 1, path)?;
        self.w.push(self.words.number(word));
        Ok(())
    }
}

/// Makes a corpus from documents in their order.
pub(super) struct Documents<'a> {
    memory: &'a Memory,
    splitter: Splitter,
    tokens: WordTokens,
    /// As many as there are documents, or none.
    names: Vec<String>,
    name_bytes: u64,
    /// Values for the document that is pushed next.
    metadata: MetadataBuilder,
}

impl<'a> Documents<'a> {
    pub(super) fn new(splitter: Splitter, memory: &'a Memory) -> Self {
        Self {
            memory,
            splitter,
            tokens: WordTokens { words: Interner::default(), w: Vec::new(), doc_start: vec![0] },
            names: Vec::new(),
            name_bytes: 0,
            metadata: MetadataBuilder::default(),
        }
    }

    /// Adds the next document. Either all of them have names or none.
    pub(super) fn push(&mut self, doc: &RawDoc<'_>) -> Result<()> {
        let RawDoc { path, line, name, text } = *doc;
        let Self { splitter, tokens, .. } = self;
        splitter.each_word(text, |word| tokens.add(word, path, line))?;
        if let Some(name) = name {
            self.name_bytes += name.len() as u64;
            self.names.push(name.to_owned());
        }
        self.end_doc(path, line)
    }

    /// Adds the next document, without a name, whose words are cut already.
    pub(super) fn push_words<'w>(&mut self, path: &Path, words: impl Iterator<Item = &'w str>) -> Result<()> {
        let Self { splitter, tokens, .. } = self;
        splitter.each_of(words, |word| tokens.add(word, path, None))?;
        self.end_doc(path, None)
    }

    fn end_doc(&mut self, path: &Path, line: Option<u64>) -> Result<()> {
        self.tokens.doc_start.push(self.tokens.w.len());
        self.metadata.end_doc();
        self.check_memory(path, line)
    }

    fn check_memory(&self, path: &Path, line: Option<u64>) -> Result<()> {
        let Self { memory, tokens: WordTokens { words, w, doc_start }, names, name_bytes, metadata, .. } =
            self;
        let docs = doc_start.len() as u64 - 1;
        let sizes = Sizes { docs, words: words.len() as u64, tokens: w.len() as u64 };
        let strings = (names.len() * size_of::<String>()) as u64 + name_bytes + metadata.bytes();
        memory.check_with(path, line, sizes, strings)
    }

    pub(super) fn finish(self) -> Corpus {
        let WordTokens { words, mut w, mut doc_start } = self.tokens;
        w.shrink_to_fit();
        doc_start.shrink_to_fit();
        let doc_names = (!self.names.is_empty()).then_some(self.names);
        let metadata = self.metadata.finish();
        let corpus = Corpus::from_checked(w, doc_start, words.into_words());
        Corpus { doc_names, metadata, ..corpus }
    }
}
