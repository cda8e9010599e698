//! What the user may ask of the preparation, and what it comes to for a format.

use std::path::{Path, PathBuf};

use super::settings::{Bigrams, Preparation, TextPreparation};
use super::stem;
use super::stopwords::{self, StopwordSource};
use crate::corpus::Format;
use crate::corpus::documents::TextOptions;
use crate::error::{Error, Result};

/// The stop words of text, unless others are asked for.
const DEFAULT_LANGUAGE: &str = "en";
/// The paper leaves out words with fewer tokens, and documents with fewer of what remains.
const DEFAULT_MIN_COUNT: u64 = 10;
const DEFAULT_MIN_DOC_LENGTH: u64 = 10;
/// A pair that occurs less often says little about its words.
const LEAST_PAIRS: u64 = 5;

/// What was asked for; the rest has defaults, which for counts leave everything as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrepareOptions {
    /// `token_pattern`: a regular expression for words.
    pub token_pattern: Option<String>,
    /// `keep_case`: words stay as they are written.
    pub keep_case: bool,
    /// `stopwords`.
    pub stopwords: Option<StopwordSource>,
    /// `extra_stopwords`: files with more of them.
    pub extra_stopwords: Vec<PathBuf>,
    /// `min_count`.
    pub min_count: Option<u64>,
    /// `max_doc_share`.
    pub max_doc_share: Option<f64>,
    /// `min_doc_length`.
    pub min_doc_length: Option<u64>,
    /// `min_word_length`.
    pub min_word_length: Option<u64>,
    /// `bigrams`: a threshold.
    pub bigrams: Option<f64>,
    /// `stem`: a language.
    pub stem: Option<String>,
}

impl PrepareOptions {
    /// Nothing is left out, of text either.
    pub fn keep_all() -> Self {
        Self {
            stopwords: Some(StopwordSource::None),
            min_count: Some(0),
            min_doc_length: Some(0),
            ..Self::default()
        }
    }

    /// Refuses every option, for a corpus that is prepared already.
    pub(in crate::corpus) fn check_none(&self, name: &str) -> Result<()> {
        let settings = [
            ("stopwords", self.stopwords.is_some()),
            ("extra_stopwords", !self.extra_stopwords.is_empty()),
            ("min_count", self.min_count.is_some()),
            ("max_doc_share", self.max_doc_share.is_some()),
            ("min_doc_length", self.min_doc_length.is_some()),
            ("min_word_length", self.min_word_length.is_some()),
        ];
        refuse(name, &settings.map(|(setting, given)| (setting, given, "was prepared already")))
    }

    /// The settings for counts, or a corpus that has its tokens already, called `name`.
    pub(in crate::corpus) fn check_for_counts(&self, name: &str) -> Result<Preparation> {
        let settings = [
            ("token_pattern", self.token_pattern.is_some(), "has its words already"),
            ("keep_case", self.keep_case, "has its words already"),
            ("stem", self.stem.is_some(), "has its words already"),
            ("bigrams", self.bigrams.is_some(), "has counts of words and not their order"),
        ];
        refuse(name, &settings)?;
        self.check(StopwordSource::None, [0, 0], None)
    }

    /// Refuses what says how words are cut, for a corpus called `name` whose words have been.
    pub(in crate::corpus) fn check_for_tokens(&self, name: &str) -> Result<()> {
        refuse(name, &[("token_pattern", self.token_pattern.is_some(), "has its words already")])
    }

    /// The settings for text.
    pub(in crate::corpus) fn check_for_text(&self, text: &TextOptions) -> Result<Preparation> {
        let text = TextPreparation {
            encoding: text.encoding().to_string(),
            text_column: text.text_column.clone(),
            id_column: text.id_column.clone(),
            token_pattern: self.token_pattern.clone(),
            lowercase: !self.keep_case,
            stem: self.stem.clone(),
            bigrams: None,
        };
        stem::check(&text)?;
        let stopwords = StopwordSource::Language(DEFAULT_LANGUAGE.into());
        let mut preparation =
            self.check(stopwords, [DEFAULT_MIN_COUNT, DEFAULT_MIN_DOC_LENGTH], Some(text))?;
        if let (Some(threshold), Some(text)) = (self.bigrams, &mut preparation.text) {
            check_share("bigrams", threshold)?;
            let least_count = preparation.min_count.max(LEAST_PAIRS);
            text.bigrams = Some(Bigrams { threshold, least_count, pairs: Vec::new() });
        }
        Ok(preparation)
    }

    fn check(
        &self,
        stopwords: StopwordSource,
        [min_count, min_doc_length]: [u64; 2],
        text: Option<TextPreparation>,
    ) -> Result<Preparation> {
        if let Some(share) = self.max_doc_share {
            check_share("max_doc_share", share)?;
        }
        let source = self.stopwords.as_ref().unwrap_or(&stopwords);
        Ok(Preparation {
            text,
            stopwords: stopwords::read(source, &self.extra_stopwords)?,
            min_word_length: self.min_word_length.unwrap_or(1),
            min_count: self.min_count.unwrap_or(min_count),
            max_doc_share: self.max_doc_share,
            min_doc_length: self.min_doc_length.unwrap_or(min_doc_length),
        })
    }
}

impl TextOptions {
    /// Refuses settings that say nothing about `path`, which is read as `format`.
    pub(in crate::corpus) fn check_for(&self, path: &Path, format: Format) -> Result<()> {
        let is_table = format.is_table();
        let name = format!("{} is read as {format}, which", path.display());
        let settings = [
            ("text_column", self.text_column.is_some() && !is_table, "has no columns"),
            ("id_column", self.id_column.is_some() && !is_table, "has no columns"),
            ("encoding", self.encoding.is_some() && !format.is_text(), "is no text"),
        ];
        refuse(&name, &settings)?;
        if self.id_column.is_some() && self.id_column.as_deref() == Some(self.text_column()) {
            let problem = "the same column cannot have both the text and the names";
            return Err(Error::setting("id_column", problem, "name another, or leave it out"));
        }
        Ok(())
    }
}

/// Refuses the first setting that was given and cannot be used.
fn refuse(name: &str, settings: &[(&'static str, bool, &str)]) -> Result<()> {
    match settings.iter().find(|&&(_, given, _)| given) {
        Some(&(setting, _, why)) => Err(Error::setting(
            setting,
            format!("{name} {why}"),
            "leave it out, or give another corpus or `format`",
        )),
        None => Ok(()),
    }
}

fn check_share(setting: &'static str, share: f64) -> Result<()> {
    if share > 0.0 && share <= 1.0 {
        return Ok(());
    }
    Err(Error::setting(setting, format!("{share} cannot be used"), "give a number above 0, and at most 1"))
}
