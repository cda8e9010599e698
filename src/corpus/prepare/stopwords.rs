//! Stop words: the program's own lists by language, or the user's files.
//!
//! English has a list of function words in the manner of MALLET's. The crate `stop-words` has one too, of
//! 1,300 words, which would take "state", "system", "world" and "research" out of a corpus unasked.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::settings::{Preparation, StopWords};
use super::split::{FIRST_RULES, Splitter};
use crate::corpus::open::Lines;
use crate::error::{Error, Result};

const ENGLISH: &str = include_str!("english.txt");
/// Without their dots these are in the list.
const ENGLISH_INITIALS: [&str; 2] = ["e.g", "i.e"];

/// Where stop words come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopwordSource {
    /// The program's list for a language, by its two-letter code.
    Language(String),
    /// A file, words separated by white space.
    File(PathBuf),
    /// Those of another corpus.
    Known(StopWords),
    /// There are none.
    None,
}

impl FromStr for StopwordSource {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name == "none" {
            return Ok(Self::None);
        }
        if of_language(name).is_some() {
            return Ok(Self::Language(name.to_owned()));
        }
        if Path::new(name).exists() {
            return Ok(Self::File(name.into()));
        }
        let languages = stop_words::available_languages().join(" ");
        Err(format!("'{name}' is neither none, nor a file, nor a language with a list: {languages}"))
    }
}

/// The list for a language.
pub(super) fn of_language(code: &str) -> Option<Vec<&'static str>> {
    match code {
        "en" => Some(ENGLISH.split_whitespace().collect()),
        _ => stop_words::lookup(code).map(<[_]>::to_vec),
    }
}

/// Reads the user's files, the `extra` ones too.
pub(super) fn read(source: &StopwordSource, extra: &[PathBuf]) -> Result<StopWords> {
    let mut stopwords = StopWords::default();
    match source {
        StopwordSource::None => {}
        StopwordSource::Language(code) => stopwords.language = Some(code.clone()),
        StopwordSource::Known(known) => stopwords = known.clone(),
        StopwordSource::File(file) => read_file(file, &mut stopwords.words)?,
    }
    for file in extra {
        read_file(file, &mut stopwords.words)?;
    }
    Ok(stopwords)
}

fn read_file(file: &Path, words: &mut Vec<String>) -> Result<()> {
    let before = words.len();
    let mut lines = Lines::open(file)?;
    while let Some(line) = lines.next()? {
        words.extend(line.text(file)?.split_whitespace().map(str::to_owned));
    }
    if words.len() > before {
        return Ok(());
    }
    Err(Error::input(file, "has no words", "give stop words separated by white space, or leave it out"))
}

/// Stop words that can be looked up, whatever their case and their apostrophes.
pub(super) struct StopSet(HashSet<String>);

impl StopSet {
    /// The words of `settings`, and what becomes of them where text is cut into words by these settings: what the list
    /// has as `boss's` is in the text as `boss`.
    pub(super) fn new(settings: &Preparation) -> Self {
        let StopWords { language, words } = &settings.stopwords;
        let listed = language.as_deref().and_then(of_language).unwrap_or_default();
        let listed = listed.into_iter().chain(words.iter().map(String::as_str));
        let mut set: HashSet<String> = listed.clone().map(|word| folded(word).into_owned()).collect();
        let has_new_rules = settings.text.as_ref().is_some_and(|text| text.rules > FIRST_RULES);
        if let Some(mut splitter) = has_new_rules.then(|| Splitter::new(settings).ok()).flatten() {
            set.extend(listed.filter_map(|word| Some(folded(&splitter.only_word(word)?).into_owned())));
            if language.as_deref() == Some("en") {
                set.extend(ENGLISH_INITIALS.map(str::to_owned));
            }
        }
        Self(set)
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        !self.0.is_empty() && self.0.contains(folded(word).as_ref())
    }
}

/// `Don’t` as `don't`.
fn folded(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.to_lowercase().replace('’', "'"))
}
