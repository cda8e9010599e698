//! What a reader noticed about a corpus that it could use all the same.

use std::path::PathBuf;

use serde::{Deserialize, Serialize, Serializer};

use super::Dropped;

/// Numbers that the user may want to know before trusting a result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadNotes {
    /// The vocabulary file, when there is one.
    #[serde(serialize_with = "lossy")]
    pub vocab_file: Option<PathBuf>,
    /// Entries of a bag of words that repeat an earlier (document, word): their counts were added up.
    pub merged_entries: u64,
    /// Documents without tokens.
    pub empty_docs: u64,
    /// Words of the vocabulary without tokens.
    pub unseen_words: u64,
    /// Lines of the vocabulary file past the V words of the corpus.
    pub unused_lines: u64,
    /// Lines of the vocabulary file that repeat an earlier one.
    pub repeated_words: u64,
    /// Words were taken to be numbered from 1 because none has the number 0.
    pub guessed_index_base: bool,
    /// Hidden files and folders of a folder, which were left out.
    pub hidden_files: u64,
    /// Links in a folder that lead out of it or to a folder, which were left out.
    pub skipped_links: u64,
    /// What preparation left out.
    pub dropped: Dropped,
}

/// A path need not be UTF-8, and here it is only to be shown.
fn lossy<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(serializer)
}

impl LoadNotes {
    /// A sentence for all that is worth a warning.
    pub fn warnings(&self) -> Vec<String> {
        let vocab = self.vocab_file.as_ref();
        let vocab = vocab.map_or_else(|| "the vocabulary".to_owned(), |file| file.display().to_string());
        let sentences = [
            (
                self.merged_entries,
                "entries that repeat a word of their document",
                "their counts were added up".into(),
            ),
            (
                // Those that preparation emptied are told of elsewhere.
                self.empty_docs.saturating_sub(self.dropped.documents.len() as u64),
                "documents without tokens",
                "they keep their rows in the results".into(),
            ),
            (
                self.unseen_words,
                "words of the vocabulary without tokens",
                "they count in V all the same".into(),
            ),
            (
                self.unused_lines,
                "vocabulary lines too many",
                format!("check that {vocab} belongs to this corpus"),
            ),
            (
                self.repeated_words,
                "vocabulary lines that repeat a word",
                format!("check {vocab}; they stay apart"),
            ),
            (self.hidden_files, "hidden files or folders", "they were left out".into()),
            (
                self.skipped_links,
                "links to folders or out of the corpus folder",
                "they were left out; put the files themselves there".into(),
            ),
        ];
        let noticed = sentences.into_iter().filter(|(number, ..)| *number > 0);
        let noticed = noticed.map(|(number, what, meaning)| format!("{what}: {number}; {meaning}"));
        let guessed = "no word has the number 0, so they are taken to count from 1; check with `index_base`";
        noticed.chain(self.guessed_index_base.then(|| guessed.to_owned())).collect()
    }
}
