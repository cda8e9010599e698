//! The vocabulary file of a bag of words: where it is, what it holds, and names for words without one.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::LoadNotes;
use super::memory::{Memory, Sizes};
use super::open::Lines;
use crate::error::{Error, Result};

/// Where the words of a bag of words are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum VocabSource {
    /// In a file beside the corpus, found by its name.
    #[default]
    Beside,
    /// In this file.
    File(PathBuf),
    /// Nowhere: words are named by their number.
    None,
}

/// A vocabulary file's content.
pub(super) struct Vocab {
    pub(super) file: PathBuf,
    words: Vec<String>,
    /// Lines past the size that was asked for.
    unused_lines: u64,
    repeated_words: u64,
}

impl Vocab {
    /// The number of words.
    pub(super) fn size(&self) -> u64 {
        self.words.len() as u64
    }

    /// Refuses a vocabulary that is shorter than `corpus` needs.
    pub(super) fn check_size(&self, words: u64, corpus: &Path) -> Result<()> {
        if self.size() >= words {
            return Ok(());
        }
        Err(Error::input(
            &self.file,
            format!("has {} words, but {} has {words}", self.size(), corpus.display()),
            "give the right vocabulary with --vocab FILE, or --vocab none to name words by their number",
        ))
    }
}

/// The vocabulary file for `corpus`; `None` when words shall be named by their number.
pub(super) fn find(corpus: &Path, source: &VocabSource) -> Result<Option<PathBuf>> {
    match source {
        VocabSource::None => Ok(None),
        VocabSource::File(file) => Ok(Some(file.clone())),
        VocabSource::Beside => {
            let names = names_beside(corpus);
            let paths = names.iter().flat_map(|name| [name.clone(), format!("{name}.gz")]);
            let mut paths = paths.map(|name| corpus.with_file_name(name));
            let found = paths.find(|path| path != corpus && path.is_file());
            found.map(Some).ok_or_else(|| {
                Error::input(
                    corpus,
                    format!("no vocabulary beside it: looked for {} (also with .gz)", names.join(", ")),
                    "give one with --vocab FILE, or --vocab none to name words by their number",
                )
            })
        }
    }
}

/// The names that the vocabulary of `docword.NAME.txt` or `NAME.dat` may have, the most particular first.
fn names_beside(corpus: &Path) -> [String; 3] {
    let file = corpus.file_name().unwrap_or_default().to_string_lossy();
    let unpacked = file.strip_suffix(".gz").unwrap_or(&file);
    let stem = Path::new(unpacked).file_stem().unwrap_or_default().to_string_lossy();
    let name = stem.strip_prefix("docword.").unwrap_or(&stem);
    [format!("vocab.{name}.txt"), format!("{name}.vocab"), "vocab.txt".into()]
}

/// Reads a word a line: the first `size` when that is given, else all.
pub(super) fn read(file: &Path, size: Option<u64>, memory: &Memory) -> Result<Vocab> {
    let mut words: Vec<String> = Vec::new();
    let mut unused_lines = 0;
    let mut lines = Lines::open(file)?;
    while let Some(line) = lines.next_filled("give a word on every line")? {
        if size.is_some_and(|size| words.len() as u64 == size) {
            unused_lines += 1;
            continue;
        }
        let word = line.text(file)?.trim();
        if word.is_empty() {
            return Err(Error::input_at(
                file,
                line.number,
                "has only white space",
                "give a word on every line",
            ));
        }
        words.push(word.into());
        let sizes = Sizes { docs: 0, words: words.len() as u64, tokens: 0 };
        memory.check(file, Some(line.number), sizes)?;
    }
    if words.is_empty() && size != Some(0) {
        return Err(Error::input(file, "has no words", "give a vocabulary with a word a line"));
    }
    words.shrink_to_fit();
    let distinct = words.iter().collect::<HashSet<_>>().len();
    let repeated_words = (words.len() - distinct) as u64;
    Ok(Vocab { file: file.to_owned(), words, unused_lines, repeated_words })
}

/// The vocabulary as it was read, or `words` numbers from `first` in its place; and the notes on it.
pub(super) fn words_and_notes(named: Option<Vocab>, words: u64, first: u64) -> (Vec<String>, LoadNotes) {
    match named {
        Some(Vocab { file, words, unused_lines, repeated_words }) => {
            let notes = LoadNotes { unused_lines, repeated_words, ..LoadNotes::default() };
            (words, LoadNotes { vocab_file: Some(file), ..notes })
        }
        None => ((first..first + words).map(|v| v.to_string()).collect(), LoadNotes::default()),
    }
}
