//! Corpora of what is in memory already: the same tokens, words and preparation as files of the same content give.

mod csr;
mod texts;
mod tokens;

use std::path::Path;

pub use csr::{Csr, from_csr};
pub use texts::from_texts;
pub use tokens::from_tokens;

use super::check::Flaw;
use super::loaded::{Loaded, Raw};
use super::prepare::Intended;
use super::{Corpus, LoadNotes, Metadata, Preparation, PrepareOptions, SpooledText};
use crate::error::{Error, Result, shown};

/// Stands for the file where there is none; [`blame`] takes it out of errors.
const NOWHERE: &str = "";

/// What may be said about documents in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentOptions {
    /// The documents' names, one per document; they are numbered from 1 when not given.
    pub names: Option<Vec<String>>,
    /// What else is known of them, one value per document and column.
    pub metadata: Metadata,
    /// Which words are kept, and in which form.
    pub prepare: PrepareOptions,
    /// Documents are prepared as others were, in place of `prepare`, and may have no tokens.
    pub like: Option<Preparation>,
    /// The documents' own text is kept, in a temporary file, if they are texts.
    pub keep_text: bool,
}

impl DocumentOptions {
    /// The settings of the documents these are like, or those that `check` finds.
    fn intended(
        &self,
        is_text: bool,
        check: impl FnOnce(&PrepareOptions) -> Result<Intended>,
    ) -> Result<Intended> {
        self.like.as_ref().map_or_else(|| check(&self.prepare), |like| Ok(like.for_other(is_text).into()))
    }

    /// Adds names and metadata to `corpus` and prepares it.
    fn finish(
        &self,
        format: &'static str,
        corpus: Corpus,
        notes: LoadNotes,
        intended: Intended,
        kept_text: Option<SpooledText>,
    ) -> Result<Loaded> {
        let corpus = Corpus { doc_names: self.names.clone(), metadata: self.metadata.clone(), ..corpus };
        corpus.check_parts()?;
        let remedy = "give documents with words".into();
        let (path, source) = (Path::new(NOWHERE), "memory".into());
        let raw = Raw { path, source, format, corpus, notes, kept_text, remedy };
        raw.prepare(intended, self.like.is_some()).map_err(blame)
    }
}

/// Blames the corpus where `error` names no file.
fn blame(error: Error) -> Error {
    match error {
        Error::Input { path, problem, remedy, .. } if path.as_os_str() == NOWHERE => {
            Error::Corpus { problem, remedy }
        }
        other => other,
    }
}

/// Refuses a word that vocab.txt, which has a word per line and is read trimmed, could not hold; `place` says where it is.
fn check_word(word: &str, place: impl FnOnce() -> String) -> Result<()> {
    let why = if word.is_empty() {
        "is empty"
    } else if word.contains(['\n', '\r']) {
        "has a line end in it"
    } else if word.trim() != word {
        "has white space at an end"
    } else {
        return Ok(());
    };
    let problem = format!("{}, '{}', {why}", place(), shown(word.as_bytes()));
    Err(Flaw::new(problem, "leave it out, or take the white space away").into())
}
