//! The second version of the rules: Unicode's words that have a letter, with these differences.
//!
//! - Addresses of pages and of mail go.
//! - All apostrophes are `'`; what French, Italian and Catalan elide before a word goes, and so does what English puts behind
//!   it: `l'homme` is `homme`, and `africa’s` is `africa`.
//! - A hyphen between two parts of a word stays there, `co-operation`; a soft one goes.
//! - Initials lose their dots, `U.K.` is `uk`, unless that is another word: `u.s`.
//! - What stands around a word for emphasis goes: `_the_`.
//! - Dictionaries find the words of text without spaces.

use std::borrow::Cow;
use std::collections::HashSet;

use unicode_segmentation::UnicodeSegmentation;

use super::Letters;
use super::addresses::each_part;
use super::elision::{elided, without_elision};
use super::segment::{SEGMENTER, Segmenter, has_no_spaces, is_mark, may_have_no_spaces};
use crate::corpus::prepare::settings::TextPreparation;
use crate::corpus::prepare::stopwords;
use crate::error::{Error, Result};

/// Cuts text by the second version of the rules.
pub(super) struct Cutter {
    is_english: bool,
    elided: &'static [&'static str],
    /// Words that initials without their dots must not become.
    taken: HashSet<&'static str>,
    segmenter: Option<Segmenter>,
    has_seen_no_spaces: bool,
    /// The last word, as the rules have it.
    word: String,
}

impl Cutter {
    /// # Errors
    /// [`Error::Corpus`] when the words were found by dictionaries that this build has not.
    pub(super) fn new(text: &TextPreparation) -> Result<Self> {
        let language = text.language.as_deref();
        let lists = ["en"].into_iter().chain(language).filter_map(stopwords::of_language);
        Ok(Self {
            is_english: language == Some("en"),
            elided: elided(language),
            taken: lists.flatten().collect(),
            segmenter: text.segmenter.as_deref().map(segmenter).transpose()?,
            has_seen_no_spaces: false,
            word: String::new(),
        })
    }

    /// Hands over each word of `text`. White space ends every word, and most pieces between it are a word with or without
    /// punctuation around it.
    #[inline]
    pub(super) fn each_word<'t>(
        &mut self,
        text: &'t str,
        letters: &mut Letters,
        each: &mut impl FnMut(&'t str, &str) -> Result<()>,
    ) -> Result<()> {
        for piece in text.split_ascii_whitespace() {
            match plain_word(piece) {
                Some("") => {}
                Some(word) => each(word, letters.of(word))?,
                None => each_part(piece, |part| self.cut(part, letters, each))?,
            }
        }
        Ok(())
    }

    /// Whether text without spaces came by, and whether its words were found.
    pub(super) fn seen_without_spaces(&self) -> (bool, bool) {
        (self.has_seen_no_spaces, self.has_seen_no_spaces && self.segmenter.is_some())
    }

    /// Hands over the words of a piece without addresses.
    fn cut<'t>(
        &mut self,
        piece: &'t str,
        letters: &mut Letters,
        each: &mut impl FnMut(&'t str, &str) -> Result<()>,
    ) -> Result<()> {
        if !may_have_no_spaces(piece) {
            return self.cut_by_unicode(piece, letters, each);
        }
        self.has_seen_no_spaces = true;
        let mut rest = piece;
        while let Some(first) = rest.chars().next() {
            let is_run = has_no_spaces(first);
            let ends = |c| if is_run { !has_no_spaces(c) && !is_mark(c) } else { has_no_spaces(c) };
            let end = rest.find(ends).unwrap_or(rest.len());
            match &self.segmenter {
                Some(segmenter) if is_run => {
                    let mut words = segmenter.words(&rest[..end]).filter(|word| has_letter(word));
                    words.try_for_each(|word| each(word, letters.of(word)))?;
                }
                _ => self.cut_by_unicode(&rest[..end], letters, each)?,
            }
            rest = &rest[end..];
        }
        Ok(())
    }

    /// Unicode's words, those together that a hyphen or an apostrophe joins.
    fn cut_by_unicode<'t>(
        &mut self,
        piece: &'t str,
        letters: &mut Letters,
        each: &mut impl FnMut(&'t str, &str) -> Result<()>,
    ) -> Result<()> {
        let mut words = piece.unicode_word_indices().peekable();
        while let Some((start, word)) = words.next() {
            let mut end = start + word.len();
            while let Some((next, word)) = words.next_if(|&(next, _)| joins(&piece[end..next])) {
                end = next + word.len();
            }
            let found = &piece[start..end];
            if let Some(word) = self.of(found) {
                each(found, letters.of(&word))?;
            }
        }
        Ok(())
    }

    /// What is left of a word, if that has a letter.
    fn of<'w>(&'w mut self, found: &'w str) -> Option<Cow<'w, str>> {
        if !found.bytes().any(may_change) {
            return has_letter(found).then_some(Cow::Borrowed(found));
        }
        self.word.clear();
        self.word.extend(found.chars().filter(|&c| c != SOFT_HYPHEN).map(|c| match c {
            c if is_apostrophe(c) => '\'',
            c if is_hyphen(c) => '-',
            c => c,
        }));
        let word = bare(without_elision(bare(&self.word), self.elided));
        let word = if self.is_english { bare(without_possessive(word)) } else { word };
        if !has_letter(word) {
            return None;
        }
        Some(self.joined_initials(word).map_or(Cow::Borrowed(word), Cow::Owned))
    }

    /// `U.K` as `UK`, unless that is another word.
    fn joined_initials(&self, word: &str) -> Option<String> {
        let is_initial = |part: &str| part.chars().count() == 1 && has_letter(part);
        if !word.contains('.') || !word.split('.').all(is_initial) {
            return None;
        }
        let joined = word.replace('.', "");
        (!self.taken.contains(joined.to_lowercase().as_str())).then_some(joined)
    }
}

const SOFT_HYPHEN: char = '\u{AD}';

/// The one word of a piece that is ASCII and has letters in one place only, with nothing but punctuation around them; nothing
/// for others, and an empty word where there is no letter.
#[inline]
fn plain_word(piece: &str) -> Option<&str> {
    let bytes = piece.as_bytes();
    let start = bytes.iter().position(u8::is_ascii_alphabetic).unwrap_or(bytes.len());
    let length = bytes[start..].iter().position(|byte| !byte.is_ascii_alphabetic());
    let end = length.map_or(bytes.len(), |length| start + length);
    let (before, after) = (&bytes[..start], &bytes[end..]);
    let is_around = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
    let has_word = end > start && before.iter().all(is_around) && after.iter().all(is_around);
    let has_none = end == start && before.is_ascii();
    (has_word || has_none).then(|| &piece[start..end])
}

/// Whether a character with this byte, the first of its UTF-8, may be one that the rules are about.
fn may_change(byte: u8) -> bool {
    matches!(byte, b'\'' | b'.' | b'_' | b'-' | 0xC2 | 0xCA | 0xE2 | 0xEF)
}

/// A word without what is only ever inside one, or around it for emphasis.
fn bare(word: &str) -> &str {
    word.trim_matches(['\'', '_', '-', '.'])
}

fn has_letter(word: &str) -> bool {
    word.contains(char::is_alphabetic)
}

/// Whether what stands between two parts makes one word of them.
fn joins(between: &str) -> bool {
    let mut chars = between.chars();
    matches!((chars.next(), chars.next()), (Some(c), None) if is_apostrophe(c) || is_hyphen(c))
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{2BC}' | '\u{FF07}')
}

fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}')
}

/// `africa's` as `africa`.
fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("'S")).unwrap_or(word)
}

/// The dictionaries that a run calls `name`.
fn segmenter(name: &str) -> Result<Segmenter> {
    Segmenter::new().filter(|_| name == SEGMENTER).ok_or_else(|| Error::Corpus {
        problem: format!(
            "its words are to be found by the dictionaries {name}, which this build of the program has not"
        ),
        remedy: "use a build with the feature `segmentation`".into(),
    })
}
