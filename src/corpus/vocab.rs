//! The vocabulary file of a bag of words: where it is, what it holds, and names for words without one.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::bag::Bags;
use super::memory::Sizes;
use super::open::Lines;
use super::{Corpus, LoadNotes, gensim_dict};
use crate::error::{Error, Result};
use crate::machine::Memory;

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

    /// Word number `v`, from 0.
    pub(super) fn word(&self, v: usize) -> Option<&str> {
        self.words.get(v).map(String::as_str)
    }

    /// Refuses a vocabulary that is shorter than `corpus` needs.
    pub(super) fn check_size(&self, words: u64, corpus: &Path) -> Result<()> {
        if self.size() >= words {
            return Ok(());
        }
        Err(Error::input(
            &self.file,
            format!("has {} words, but {} has {words}", self.size(), corpus.display()),
            "give the right vocabulary with `vocab` FILE, or `vocab` none to name words by their number",
        ))
    }
}

/// The vocabulary of a corpus that says that it has `words` words; `None` when they are named by their number.
pub(super) fn of_size(
    corpus: &Path,
    source: &VocabSource,
    words: u64,
    memory: &Memory,
) -> Result<Option<Vocab>> {
    let named = find(corpus, source)?.map(|file| read(&file, Some(words), memory)).transpose()?;
    if let Some(vocab) = &named {
        vocab.check_size(words, corpus)?;
    }
    Ok(named)
}

/// The vocabulary file for `corpus`; `None` when words shall be named by their number.
pub(super) fn find(corpus: &Path, source: &VocabSource) -> Result<Option<PathBuf>> {
    match source {
        VocabSource::None => Ok(None),
        VocabSource::File(file) => Ok(Some(file.clone())),
        VocabSource::Beside => beside(corpus).map(Some).ok_or_else(|| {
            let names = names_beside(corpus).join(", ");
            Error::input(
                corpus,
                format!("no vocabulary beside it: looked for {names} (also with .gz)"),
                "give one with `vocab` FILE, or `vocab` none to name words by their number",
            )
        }),
    }
}

/// The vocabulary file beside `corpus`, if there is one.
pub(super) fn beside(corpus: &Path) -> Option<PathBuf> {
    let names = names_beside(corpus);
    let paths = names.iter().flat_map(|name| [name.clone(), format!("{name}.gz")]);
    paths.map(|name| renamed(corpus, &name)).find(|path| path != corpus && path.is_file())
}

/// `corpus` with another file name. Separators stay as they were typed: a run's record has the path, the same on every system.
fn renamed(corpus: &Path, name: &str) -> PathBuf {
    let typed = corpus.to_str().zip(corpus.file_name().and_then(OsStr::to_str));
    match typed.and_then(|(path, file)| path.strip_suffix(file)) {
        Some(folder) => format!("{folder}{name}").into(),
        None => corpus.with_file_name(name),
    }
}

/// The names that the vocabulary of `docword.NAME.txt` or `NAME.dat` may have, the most particular first; gensim
/// writes `NAME.dat.vocab`.
fn names_beside(corpus: &Path) -> [String; 4] {
    let file = corpus.file_name().unwrap_or_default().to_string_lossy();
    let unpacked = file.strip_suffix(".gz").unwrap_or(&file);
    let stem = Path::new(unpacked).file_stem().unwrap_or_default().to_string_lossy();
    let name = stem.strip_prefix("docword.").unwrap_or(&stem);
    [format!("{unpacked}.vocab"), format!("vocab.{name}.txt"), format!("{name}.vocab"), "vocab.txt".into()]
}

/// Reads the words, a line each or as gensim writes them: the first `size` when that is given, else all.
pub(super) fn read(file: &Path, size: Option<u64>, memory: &Memory) -> Result<Vocab> {
    let (mut words, unused_lines) = if gensim_dict::is_dict(file)? {
        let mut words = gensim_dict::read(file, memory)?;
        let used = size.map_or(words.len(), |size| words.len().min(size as usize));
        let unused = words.split_off(used).len();
        (words, unused as u64)
    } else {
        read_lines(file, size, memory)?
    };
    if words.is_empty() && size != Some(0) {
        return Err(Error::input(file, "has no words", "give a vocabulary with a word a line"));
    }
    words.shrink_to_fit();
    let distinct = words.iter().collect::<HashSet<_>>().len();
    let repeated_words = (words.len() - distinct) as u64;
    Ok(Vocab { file: file.to_owned(), words, unused_lines, repeated_words })
}

/// Reads a word a line, the first `size` when that is given; returns the number of lines past them too.
fn read_lines(file: &Path, size: Option<u64>, memory: &Memory) -> Result<(Vec<String>, u64)> {
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
    Ok((words, unused_lines))
}

/// A corpus of `bags` with `words` words, which are `named` or numbered from `first`.
pub(super) fn corpus_and_notes(
    bags: Bags,
    named: Option<Vocab>,
    words: u64,
    first: u64,
) -> (Corpus, LoadNotes) {
    let (vocab, notes) = words_and_notes(named, words, first);
    let notes = LoadNotes { merged_entries: bags.merged_entries, ..notes };
    (Corpus::from_checked(bags.w, bags.doc_start, vocab), notes)
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
