//! Documents of text, whatever file they come from: each format hands them over one by one, and their words
//! become tokens at once.

mod bad_files;
mod columns;
mod delimiter;
mod docx;
mod file;
mod folder;
mod html;
mod interner;
mod json;
mod jsonl;
mod lines;
mod mallet;
mod metadata;
mod objects;
mod rows;
mod table;
mod waiting;

use std::path::Path;

use super::bag::check_length;
use super::decode::TextEncoding;
use super::kept_text::{Keeper, SpooledText};
use super::memory::{Sizes, reserve};
use super::prepare::{Intended, Splitter};
use super::{Corpus, Format, LoadNotes};
use crate::error::{Error, Result};
use crate::machine::Memory;
use crate::watch::go_on_here;
pub use delimiter::Delimiter;
pub(super) use file::is_document;
pub(super) use interner::Interner;
use metadata::MetadataBuilder;
pub(super) use rows::{Row, each_row};
use waiting::{Content, Waiting, WaitingDoc};

/// What the user may say about text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// The encoding; UTF-8 when not given.
    pub encoding: Option<TextEncoding>,
    /// The column of a table, or the field of a JSON object, with the text; `text` when not given.
    pub text_column: Option<String>,
    /// The one with the documents' names.
    pub id_column: Option<String>,
    /// What separates the fields of a table; recognised from its first rows when not given.
    pub delimiter: Option<Delimiter>,
    /// Files of a folder that cannot be read are left out.
    pub skip_bad: bool,
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

/// What was read, and how it is to be prepared now that its language is known.
pub(super) struct Read {
    pub(super) corpus: Corpus,
    pub(super) notes: LoadNotes,
    pub(super) intended: Intended,
    /// The documents' own text, if it was to be kept.
    pub(super) kept_text: Option<SpooledText>,
}

/// Reads `path` in one of the text formats. The vocabulary is in the order in which its words first occur, and
/// nothing is left out. With `keep_text` their own text is kept.
pub(super) fn read(
    path: &Path,
    format: Format,
    options: &TextOptions,
    intended: Intended,
    keep_text: bool,
    memory: &Memory,
) -> Result<Read> {
    let mut docs = Documents::new(intended, keep_text, memory)?;
    let mut notes = LoadNotes::default();
    match format {
        Format::Mallet => mallet::read(path, options, &mut docs)?,
        Format::Folder => notes = folder::read(path, options, &mut docs)?,
        Format::Csv => notes = table::read(path, Delimiter::COMMA, options, &mut docs)?,
        Format::Tsv => notes = table::read(path, Delimiter::TAB, options, &mut docs)?,
        Format::Jsonl => notes = jsonl::read(path, options, &mut docs)?,
        Format::Json => notes = json::read(path, options, &mut docs)?,
        Format::Text => lines::read(path, options, &mut docs)?,
        Format::Uci
        | Format::Ldac
        | Format::Mm
        | Format::Svmlight
        | Format::Npz
        | Format::State
        | Format::Prepared => return Err(Error::internal("counts are not read as text")),
    }
    Ok(Read { notes, ..docs.finish()? })
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
    intended: Intended,
    splitter: Splitter,
    /// The first documents, as long as their language is not known.
    waiting: Option<Waiting>,
    tokens: WordTokens,
    /// As many as there are documents, or none.
    names: Vec<String>,
    name_bytes: u64,
    /// Values for the document that is pushed next.
    metadata: MetadataBuilder,
    /// Keeps the documents' own text.
    keeper: Option<Keeper>,
}

impl<'a> Documents<'a> {
    pub(super) fn new(intended: Intended, keep_text: bool, memory: &'a Memory) -> Result<Self> {
        Ok(Self {
            memory,
            splitter: Splitter::new(&intended.settings)?,
            waiting: intended.wants_sample().then(Waiting::default),
            intended,
            tokens: WordTokens { words: Interner::default(), w: Vec::new(), doc_start: vec![0] },
            names: Vec::new(),
            name_bytes: 0,
            metadata: MetadataBuilder::default(),
            keeper: keep_text.then(Keeper::new).transpose()?,
        })
    }

    /// Adds the next document. Either all of them have names or none.
    pub(super) fn push(&mut self, doc: &RawDoc<'_>) -> Result<()> {
        let RawDoc { path, line, name, text } = *doc;
        if let Some(name) = name {
            self.name_bytes += name.len() as u64;
            self.names.push(name.to_owned());
        }
        self.metadata.end_doc();
        if let Some(keeper) = &mut self.keeper {
            keeper.add(text)?;
        }
        match &mut self.waiting {
            Some(waiting) => waiting.add_text(path, line, text),
            None => return self.cut(path, line, text),
        }
        self.check_memory(path, line)?;
        self.end_of_wait()
    }

    /// Adds the next document, without a name, whose words are cut already.
    pub(super) fn push_words<'w>(&mut self, path: &Path, words: impl Iterator<Item = &'w str>) -> Result<()> {
        self.metadata.end_doc();
        match &mut self.waiting {
            Some(waiting) => waiting.add_words(path, words),
            None => return self.add_words(path, words),
        }
        self.end_of_wait()
    }

    /// Cuts what waits, once enough does.
    fn end_of_wait(&mut self) -> Result<()> {
        if self.waiting.as_ref().is_some_and(Waiting::is_full) { self.cut_waiting() } else { Ok(()) }
    }

    /// Cuts what waits, in the language that it is now known to be in.
    fn cut_waiting(&mut self) -> Result<()> {
        let Some(Waiting { docs, sample, .. }) = self.waiting.take() else { return Ok(()) };
        self.intended.decide_language(&sample)?;
        self.splitter = Splitter::new(&self.intended.settings)?;
        docs.iter().try_for_each(|WaitingDoc { path, line, content }| match content {
            Content::Text(text) => self.cut(path, *line, text),
            Content::Words(words) => self.add_words(path, words.iter().map(String::as_str)),
        })
    }

    /// Cuts the next document into words.
    fn cut(&mut self, path: &Path, line: Option<u64>, text: &str) -> Result<()> {
        let Self { splitter, tokens, .. } = self;
        splitter.each_word(text, |_, word| tokens.add(word, path, line))?;
        self.end_doc(path, line)
    }

    fn add_words<'w>(&mut self, path: &Path, words: impl Iterator<Item = &'w str>) -> Result<()> {
        let Self { splitter, tokens, .. } = self;
        splitter.each_of(words, |word| tokens.add(word, path, None))?;
        self.end_doc(path, None)
    }

    fn end_doc(&mut self, path: &Path, line: Option<u64>) -> Result<()> {
        self.tokens.doc_start.push(self.tokens.w.len());
        self.check_memory(path, line)
    }

    /// Whether to go on, after each document.
    fn check_memory(&self, path: &Path, line: Option<u64>) -> Result<()> {
        go_on_here()?;
        let Self {
            memory,
            tokens: WordTokens { words, w, doc_start },
            names,
            name_bytes,
            metadata,
            keeper,
            ..
        } = self;
        let docs = doc_start.len() as u64 - 1;
        let sizes = Sizes { docs, words: words.len() as u64, tokens: w.len() as u64 };
        let strings = (names.len() * size_of::<String>()) as u64 + name_bytes + metadata.bytes();
        let strings = strings + keeper.as_ref().map_or(0, Keeper::bytes);
        memory.check_with(path, line, sizes, strings)
    }

    /// The corpus, and how it is to be prepared.
    pub(super) fn finish(mut self) -> Result<Read> {
        self.cut_waiting()?;
        self.intended.note_segmentation(&self.splitter);
        let WordTokens { words, mut w, mut doc_start } = self.tokens;
        w.shrink_to_fit();
        doc_start.shrink_to_fit();
        let doc_names = (!self.names.is_empty()).then_some(self.names);
        let metadata = self.metadata.finish();
        let corpus = Corpus::from_checked(w, doc_start, words.into_words());
        let corpus = Corpus { doc_names, metadata, ..corpus };
        let kept_text = self.keeper.map(Keeper::finish).transpose()?;
        Ok(Read { corpus, notes: LoadNotes::default(), intended: self.intended, kept_text })
    }
}
