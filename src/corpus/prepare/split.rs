//! Cuts text into words: Unicode's, or those that a pattern finds.

use regex::Regex;
use unicode_segmentation::UnicodeSegmentation;

use super::settings::Preparation;
use crate::error::{Error, Result};

/// Cuts text into words.
pub(in crate::corpus) struct Splitter {
    pattern: Option<Regex>,
    letters: Letters,
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
    /// [`Error::Setting`] when the pattern is none.
    pub(in crate::corpus) fn new(settings: &Preparation) -> Result<Self> {
        let text = settings.text.as_ref();
        let pattern = text
            .and_then(|text| text.token_pattern.as_deref())
            .map(Regex::new)
            .transpose()
            .map_err(|error| {
                // The parser draws several lines; the last one says what is wrong.
                let message = error.to_string();
                let problem =
                    message.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                Error::setting("token_pattern", problem, r"give a regular expression, for example '\p{L}+'")
            })?;
        let lowercase = text.is_none_or(|text| text.lowercase);
        Ok(Self { pattern, letters: Letters { lowercase, word: String::new() } })
    }

    /// Hands over each word of `text`, in its order. A pattern sees the text as it is written.
    pub(in crate::corpus) fn each_word(
        &mut self,
        text: &str,
        mut each: impl FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        let Self { pattern, letters } = self;
        match pattern {
            Some(pattern) => {
                // A word that went on after a line end would take two lines of vocab.txt, whose lines are read trimmed.
                let words = pattern.find_iter(text).flat_map(|found| found.as_str().split(['\n', '\r']));
                let mut words = words.map(str::trim).filter(|word| !word.is_empty());
                words.try_for_each(|word| each(letters.of(word)))
            }
            None => unicode_words(text).try_for_each(|word| each(letters.of(word))),
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
}

/// Unicode's words that have a letter. White space ends every word, and between white space most pieces are
/// ASCII, which is cut several times as fast.
fn unicode_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_ascii_whitespace().flat_map(UnicodeSegmentation::unicode_words);
    words.filter(|word| word.contains(char::is_alphabetic))
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
