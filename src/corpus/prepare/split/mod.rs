//! Cuts text into words: by the rules of their version, or where a pattern finds them.

mod addresses;
mod elision;
mod plain;
mod segment;
mod words;

use regex::Regex;

use super::settings::{Preparation, TextPreparation};
use crate::error::{Error, Result};
use plain::unicode_words;
pub(super) use segment::{SEGMENTER, has_no_spaces};
use words::Cutter;

/// Unicode's words as they are.
pub(super) const FIRST_RULES: u32 = 1;
/// What new runs have: apostrophes are one, possessives and elisions go, hyphens stay inside words, addresses go.
pub(super) const RULES: u32 = 2;

/// Cuts text into words.
pub(in crate::corpus) struct Splitter {
    rules: Rules,
    letters: Letters,
}

/// What is a word.
enum Rules {
    /// What a pattern finds.
    Pattern(Regex),
    /// Unicode's words that have a letter.
    Unicode,
    /// The second version.
    Words(Box<Cutter>),
}

/// The form of words: in lower case, or as they are written.
struct Letters {
    lowercase: bool,
    /// The last word that was put into lower case.
    word: String,
}

impl Letters {
    #[inline]
    fn of<'a>(&'a mut self, segment: &'a str) -> &'a str {
        if !self.lowercase {
            return segment;
        }
        lower_case(segment, &mut self.word);
        &self.word
    }
}

impl Splitter {
    /// The splitter for these settings.
    ///
    /// # Errors
    /// [`Error::Setting`] when the pattern is none, [`Error::Corpus`] when this program cannot cut text so.
    pub(in crate::corpus) fn new(settings: &Preparation) -> Result<Self> {
        let lowercase = settings.text.as_ref().is_none_or(|text| text.lowercase);
        let rules = settings.text.as_ref().map_or(Ok(Rules::Unicode), Rules::new)?;
        Ok(Self { rules, letters: Letters { lowercase, word: String::new() } })
    }

    /// Hands over each word of `text`, in its order: the part of `text` that it is in, and the form that it has here. A pattern sees the
    /// text as it is written.
    pub(in crate::corpus) fn each_word<'t>(
        &mut self,
        text: &'t str,
        mut each: impl FnMut(&'t str, &str) -> Result<()>,
    ) -> Result<()> {
        let Self { rules, letters } = self;
        match rules {
            Rules::Pattern(pattern) => {
                // A word that went on after a line end would take two lines of vocab.txt, whose lines are read trimmed.
                let words = pattern.find_iter(text).flat_map(|found| found.as_str().split(['\n', '\r']));
                let mut words = words.map(str::trim).filter(|word| !word.is_empty());
                words.try_for_each(|word| each(word, letters.of(word)))
            }
            Rules::Unicode => unicode_words(text).try_for_each(|word| each(word, letters.of(word))),
            Rules::Words(cutter) => cutter.each_word(text, letters, &mut each),
        }
    }

    /// Hands over `words`, which were cut elsewhere, in the form that words have here.
    pub(in crate::corpus) fn each_of<'w>(
        &mut self,
        mut words: impl Iterator<Item = &'w str>,
        mut each: impl FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        words.try_for_each(|word| each(self.letters.of(word)))
    }

    /// The one word that `word` is by these rules, if it is one.
    pub(super) fn only_word(&mut self, word: &str) -> Option<String> {
        let mut words = Vec::new();
        let pushed = self.each_word(word, |_, word| {
            words.push(word.to_owned());
            Ok(())
        });
        pushed.ok().and(words.pop()).filter(|_| words.is_empty())
    }

    /// Whether text without spaces between its words came by, and whether its words were found.
    pub(super) fn seen_without_spaces(&self) -> (bool, bool) {
        match &self.rules {
            Rules::Words(cutter) => cutter.seen_without_spaces(),
            Rules::Pattern(_) | Rules::Unicode => (false, false),
        }
    }
}

impl Rules {
    fn new(text: &TextPreparation) -> Result<Self> {
        match (text.token_pattern.as_deref(), text.rules) {
            (Some(pattern), _) => pattern_of(pattern).map(Self::Pattern),
            (None, FIRST_RULES) => Ok(Self::Unicode),
            (None, RULES) => Cutter::new(text).map(|cutter| Self::Words(Box::new(cutter))),
            (None, other) => Err(Error::Corpus {
                problem: format!(
                    "its words are to be cut by version {other} of the rules, and {RULES} is the last one here"
                ),
                remedy: "use the version of the program that trained the run, or a newer one".into(),
            }),
        }
    }
}

fn pattern_of(pattern: &str) -> Result<Regex> {
    Regex::new(pattern).map_err(|error| {
        // The parser draws several lines; the last one says what is wrong.
        let message = error.to_string();
        let problem = message.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Error::setting("token_pattern", problem, r"give a regular expression, for example '\p{L}+'")
    })
}

/// Writes `segment` into `word`, in lower case.
fn lower_case(segment: &str, word: &mut String) {
    word.clear();
    if segment.is_ascii() {
        word.push_str(segment);
        word.make_ascii_lowercase();
    } else {
        // Not letter by letter: a Greek sigma at the end of a word has a form of its own.
        word.push_str(&segment.to_lowercase());
    }
}
