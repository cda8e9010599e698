//! A corpus as it was loaded, and the last steps to it that all roads share: preparation, and a look at what is left.

use std::collections::HashSet;
use std::path::Path;

use super::prepare::{Intended, prepare, prepare_alike};
use super::{Corpus, LoadNotes, Preparation, SpooledText};
use crate::error::{Error, Result};
use crate::watch::go_on_here;

/// A corpus as it was loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// Where it came from: the path that was read, `sample`, or `memory`.
    pub source: String,
    /// The format that was given or recognised, by its name; `sample`, `texts`, `tokens` or `csr` for what was no file.
    pub format: String,
    /// The corpus, with at least one token unless it was prepared like another.
    pub corpus: Corpus,
    /// How it was prepared.
    pub preparation: Preparation,
    /// What was noticed on the way.
    pub notes: LoadNotes,
    /// The documents' own text, if it was to be kept and there is any.
    pub kept_text: Option<SpooledText>,
}

/// What was read, before its preparation.
pub(super) struct Raw<'a> {
    /// What errors blame.
    pub(super) path: &'a Path,
    pub(super) source: String,
    pub(super) format: &'static str,
    pub(super) corpus: Corpus,
    pub(super) notes: LoadNotes,
    pub(super) kept_text: Option<SpooledText>,
    /// What to do when there are no tokens.
    pub(super) remedy: String,
}

impl Raw<'_> {
    /// Prepares it as `intended`, or like others when `is_like` them; refuses what cannot be trained on, unless it is
    /// like others.
    pub(super) fn prepare(mut self, mut intended: Intended, is_like: bool) -> Result<Loaded> {
        go_on_here()?;
        let names = self.corpus.doc_names.as_deref().unwrap_or_default();
        (self.notes.repeated_names, self.notes.first_repeated_name) = repeated(names);
        if is_like {
            return Ok(self.prepare_alike(intended.settings));
        }
        if self.corpus.w.is_empty() {
            return Err(no_tokens(self.path, &self.remedy));
        }
        let Self { path, source, format, corpus, mut notes, kept_text, .. } = self;
        let corpus = prepare_into(path, corpus, &mut intended, &mut notes)?;
        corpus.check_word_tokens().map_err(|flaw| Error::input(path, flaw.problem, flaw.remedy))?;
        notes.unseen_words = corpus.word_tokens().iter().filter(|&&tokens| tokens == 0).count() as u64;
        notes.empty_docs = empty_docs(&corpus);
        let (format, preparation) = (format.into(), intended.settings);
        Ok(Loaded { source, format, corpus, preparation, notes, kept_text })
    }

    fn prepare_alike(self, preparation: Preparation) -> Loaded {
        let (corpus, dropped) = prepare_alike(self.corpus, &preparation);
        let notes = LoadNotes { dropped, empty_docs: empty_docs(&corpus), ..self.notes };
        let (source, format, kept_text) = (self.source, self.format.into(), self.kept_text);
        Loaded { source, format, corpus, preparation, notes, kept_text }
    }
}

/// How many names an earlier one is equal to, and the first of them.
fn repeated(names: &[String]) -> (u64, Option<String>) {
    let mut seen = HashSet::with_capacity(names.len());
    let mut repeats = names.iter().filter(|name| !seen.insert(name.as_str()));
    let first = repeats.next().cloned();
    (u64::from(first.is_some()) + repeats.count() as u64, first)
}

fn empty_docs(corpus: &Corpus) -> u64 {
    corpus.doc_lengths().filter(|&length| length == 0).count() as u64
}

/// Prepares what was read from `path` and notes what was left out.
fn prepare_into(
    path: &Path,
    corpus: Corpus,
    intended: &mut Intended,
    notes: &mut LoadNotes,
) -> Result<Corpus> {
    let tokens = corpus.num_tokens();
    let (corpus, dropped) = prepare(corpus, intended);
    if corpus.w.is_empty() {
        let told = dropped.lines(&intended.settings).join("; ");
        let problem = format!("none of its {tokens} tokens is left after preparation: {told}");
        return Err(Error::input(path, problem, "lower `min_count` or `min_doc_length`, or leave less out"));
    }
    notes.dropped = dropped;
    notes.chosen = intended.chosen.clone();
    Ok(corpus)
}

/// A corpus with nothing to train on.
pub(super) fn no_tokens(path: &Path, remedy: &str) -> Error {
    Error::input(path, "has no tokens", remedy)
}
