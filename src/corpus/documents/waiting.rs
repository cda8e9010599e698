//! The first documents wait to be cut into words until their language is known.

use std::path::{Path, PathBuf};

use crate::corpus::prepare::Sample;

/// How many may wait, and how many bytes of them.
const MOST_DOCS: usize = 1_000;
const MOST_BYTES: usize = 4 << 20;

/// Documents that wait, and what their language is told from.
#[derive(Default)]
pub(super) struct Waiting {
    pub(super) docs: Vec<WaitingDoc>,
    pub(super) sample: Sample,
    bytes: usize,
}

/// A document that waits.
pub(super) struct WaitingDoc {
    pub(super) path: PathBuf,
    pub(super) line: Option<u64>,
    pub(super) content: Content,
}

/// What is in it.
pub(super) enum Content {
    Text(String),
    Words(Vec<String>),
}

impl Waiting {
    /// Adds a document that is text.
    pub(super) fn add_text(&mut self, path: &Path, line: Option<u64>, text: &str) {
        self.sample.add(text.split_whitespace());
        self.add(path, line, text.len(), Content::Text(text.to_owned()));
    }

    /// Adds a document that has been cut into words.
    pub(super) fn add_words<'w>(&mut self, path: &Path, words: impl Iterator<Item = &'w str>) {
        let words: Vec<String> = words.map(str::to_owned).collect();
        self.sample.add(words.iter().flat_map(|word| word.split_whitespace()));
        self.add(path, None, words.iter().map(String::len).sum(), Content::Words(words));
    }

    fn add(&mut self, path: &Path, line: Option<u64>, bytes: usize, content: Content) {
        self.bytes += bytes;
        self.docs.push(WaitingDoc { path: path.to_owned(), line, content });
    }

    /// Whether they have waited long enough.
    pub(super) fn is_full(&self) -> bool {
        self.sample.is_full() || self.docs.len() >= MOST_DOCS || self.bytes >= MOST_BYTES
    }
}
