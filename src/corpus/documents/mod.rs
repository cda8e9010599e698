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
use crate::error::Result;
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
struct RawDoc<'a> {
    /// The file to blame.
    path: &'a Path,
    /// Its first line there; a file that is one document has none.
    line: Option<u64>,
    name: Option<&'a str>,
    text: &'a str,
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
        _ => lines::read(path, options, &mut docs)?,
    }
    Ok((docs.finish(), notes))
}

/// Makes a corpus from documents in their order.
struct Documents<'a> {
    memory: &'a Memory,
    splitter: Splitter,
    words: Interner,
    w: Vec<u32>,
    doc_start: Vec<usize>,
    /// As many as there are documents, or none.
    names: Vec<String>,
    name_bytes: u64,
    /// Values for the document that is pushed next.
    metadata: MetadataBuilder,
}

impl<'a> Documents<'a> {
    fn new(splitter: Splitter, memory: &'a Memory) -> Self {
        Self {
            memory,
            splitter,
            words: Interner::default(),
            w: Vec::new(),
            doc_start: vec![0],
            names: Vec::new(),
            name_bytes: 0,
            metadata: MetadataBuilder::default(),
        }
    }

    /// Adds the next document. Either all of them have names or none.
    fn push(&mut self, doc: &RawDoc<'_>) -> Result<()> {
        let Self { splitter, words, w, doc_start, .. } = self;
        let d = doc_start.len() - 1;
        splitter.each_word(doc.text, |word| {
            check_length(doc.path, doc.line, d, w.len() - doc_start[d], 1)?;
            reserve(w, 1, doc.path)?;
            w.push(words.number(word));
            Ok(())
        })?;
        doc_start.push(w.len());
        if let Some(name) = doc.name {
            self.name_bytes += name.len() as u64;
            self.names.push(name.to_owned());
        }
        self.metadata.end_doc();
        self.check_memory(doc)
    }

    fn check_memory(&self, doc: &RawDoc<'_>) -> Result<()> {
        let Self { memory, words, w, doc_start, names, name_bytes, metadata, .. } = self;
        let docs = doc_start.len() as u64 - 1;
        let sizes = Sizes { docs, words: words.len() as u64, tokens: w.len() as u64 };
        let strings = (names.len() * size_of::<String>()) as u64 + name_bytes + metadata.bytes();
        memory.check_with(doc.path, doc.line, sizes, strings)
    }

    fn finish(mut self) -> Corpus {
        self.w.shrink_to_fit();
        self.doc_start.shrink_to_fit();
        let doc_names = (!self.names.is_empty()).then_some(self.names);
        let metadata = self.metadata.finish();
        let corpus = Corpus::from_checked(self.w, self.doc_start, self.words.into_words());
        Corpus { doc_names, metadata, ..corpus }
    }
}
