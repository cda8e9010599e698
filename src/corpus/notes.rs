//! What a reader noticed about a corpus that it could use all the same.

use std::path::PathBuf;

use serde::{Deserialize, Serialize, Serializer};

use super::{Chosen, Dropped};
use crate::error::shown;

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
    /// Files of a folder that were left out because nothing here reads their kind.
    pub skipped_files: Vec<SkippedFiles>,
    /// Files of a folder that could not be read and were left out.
    pub bad_files: u64,
    /// The first of them, with what is wrong with them.
    pub named_bad_files: String,
    /// The column or field with the text, when it was not the one that is usual or was named.
    pub text_column: Option<String>,
    /// Documents with a name that an earlier one has.
    pub repeated_names: u64,
    /// The name of the first of them.
    pub first_repeated_name: Option<String>,
    /// Rows of the table of metadata that no document has.
    pub unjoined_rows: u64,
    /// The name in the first of them.
    pub first_unjoined_row: Option<String>,
    /// Documents without a row in it.
    pub unjoined_docs: u64,
    /// The name of the first of them.
    pub first_unjoined_doc: Option<String>,
    /// Documents whose names the pattern for names does not fit.
    pub unfit_names: u64,
    /// The first of them.
    pub first_unfit_name: Option<String>,
    /// The corpus to be trained on is a file that is one document.
    pub is_one_document: bool,
    /// What preparation left out.
    pub dropped: Dropped,
    /// What the content of the corpus decided about it.
    pub chosen: Chosen,
}

/// Files of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedFiles {
    /// What they are.
    pub what: String,
    /// How many there are.
    pub files: u64,
    /// The first of them, by name.
    pub first: String,
    /// How their text is got out of them.
    pub remedy: String,
}

/// A path need not be UTF-8, and here it is only to be shown.
fn lossy<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(serializer)
}

impl LoadNotes {
    /// A sentence for all that is worth a warning.
    pub fn warnings(&self) -> Vec<String> {
        let counted = self.of_counts().into_iter().chain(self.of_documents()).chain(self.of_metadata());
        let noticed = counted.filter(|(number, ..)| *number > 0);
        let noticed = noticed.map(|(number, what, meaning)| format!("{what}: {number}; {meaning}"));
        noticed.chain(self.skipped()).chain(self.taken()).chain(self.chosen.warnings(&self.dropped)).collect()
    }

    /// What was noticed of counts and their vocabulary: how often, what, and what it means.
    fn of_counts(&self) -> [Counted; 5] {
        let vocab = self.vocab_file.as_ref();
        let vocab = vocab.map_or_else(|| "the vocabulary".to_owned(), |file| file.display().to_string());
        [
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
        ]
    }

    /// What was noticed of files and names.
    fn of_documents(&self) -> [Counted; 4] {
        let first = self.first_repeated_name.as_deref().map(|name| shown(name.as_bytes()));
        [
            (self.hidden_files, "hidden files or folders", "they were left out".into()),
            (
                self.skipped_links,
                "links to folders or out of the corpus folder",
                "they were left out; put the files themselves there".into(),
            ),
            (
                self.bad_files,
                "files that could not be read",
                format!("they were left out: {}", self.named_bad_files),
            ),
            (
                self.repeated_names,
                "documents with a name that an earlier one has",
                format!(
                    "the first is '{}'; the results have several rows of that name",
                    first.unwrap_or_default()
                ),
            ),
        ]
    }

    /// What was noticed of metadata that is not in the corpus.
    fn of_metadata(&self) -> [Counted; 3] {
        let first = |name: &Option<String>| shown(name.as_deref().unwrap_or_default().as_bytes());
        let [row, doc] = [&self.first_unjoined_row, &self.first_unjoined_doc].map(first);
        let unfit = first(&self.first_unfit_name);
        [
            (
                self.unjoined_rows,
                "rows of `metadata` that no document has",
                format!("they were left out, the first of '{row}'"),
            ),
            (
                self.unjoined_docs,
                "documents without a row in `metadata`",
                format!("they have no values in its columns; the first is '{doc}'"),
            ),
            (
                self.unfit_names,
                "names that `name_pattern` does not fit",
                format!("their documents have no values in its columns; the first is '{unfit}'"),
            ),
        ]
    }

    /// Sentences on files that are of no use here.
    fn skipped(&self) -> impl Iterator<Item = String> {
        self.skipped_files.iter().map(|SkippedFiles { what, files, first, remedy }| {
            let which = if *files == 1 { first.clone() } else { format!("{first} and others") };
            format!("{what}: {files} ({which}); they were left out; to have them read: {remedy}")
        })
    }

    /// Sentences on what was taken for granted.
    fn taken(&self) -> impl Iterator<Item = String> {
        let guessed = "no word has the number 0, so they are taken to count from 1; check with `index_base`";
        let guessed = self.guessed_index_base.then(|| guessed.to_owned());
        let column = self.text_column.as_ref().map(|name| {
            let name = shown(name.as_bytes());
            format!(
                "nothing is called 'text', so the text is taken from '{name}'; `text_column` names another"
            )
        });
        let single = "the corpus is one document, and topics are what documents share; give a folder of many, or text with \
                      a document per line";
        guessed.into_iter().chain(column).chain(self.is_one_document.then(|| single.to_owned()))
    }
}

/// How often something was noticed, what it is, and what it means.
type Counted = (u64, &'static str, String);
