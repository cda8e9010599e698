//! What the user may ask of the preparation, and what it comes to for a format.

use std::path::{Path, PathBuf};

use super::intended::{Intended, Open};
use super::language::Language;
use super::settings::{Bigrams, Preparation, TextPreparation};
use super::split::{RULES, SEGMENTER};
use super::stem;
use super::stopwords::{self, StopwordSource};
use super::thresholds::OF_PAPER;
use crate::corpus::Format;
use crate::corpus::documents::TextOptions;
use crate::error::{Error, Result};
use crate::params::Preset;

/// What was asked for; the rest has defaults, which for counts leave everything as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrepareOptions {
    /// `language` of the text; recognised when not given.
    pub language: Option<Language>,
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
    /// `stem`: a stemmer, or `auto` for that of the language.
    pub stem: Option<String>,
    /// `preset`: with the paper's, thresholds of text are the paper's; else they go by the size of the corpus.
    pub preset: Preset,
    /// How the corpus of a run that goes on was prepared: what is left out is as it was.
    pub before: Option<Preparation>,
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
            ("language", self.language.is_some()),
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
    pub(in crate::corpus) fn check_for_counts(&self, name: &str) -> Result<Intended> {
        let settings = [
            ("language", self.language.is_some(), "has its words already"),
            ("token_pattern", self.token_pattern.is_some(), "has its words already"),
            ("keep_case", self.keep_case, "has its words already"),
            ("stem", self.stem.is_some(), "has its words already"),
            ("bigrams", self.bigrams.is_some(), "has counts of words and not their order"),
        ];
        refuse(name, &settings)?;
        let options = self.beside_before();
        options.check(StopwordSource::None, [0, 0], None).map(Intended::from)
    }

    /// Refuses what says how words are cut, for a corpus called `name` whose words have been.
    pub(in crate::corpus) fn check_for_tokens(&self, name: &str) -> Result<()> {
        refuse(name, &[("token_pattern", self.token_pattern.is_some(), "has its words already")])
    }

    /// The settings for text, as far as they are known before the text is read.
    pub(in crate::corpus) fn check_for_text(&self, text: &TextOptions) -> Result<Intended> {
        self.check_beside_before()?;
        let options = self.beside_before();
        let mut text = options.text(text);
        stem::check(&text)?;
        if let Some(threshold) = options.bigrams {
            check_share("bigrams", threshold)?;
            text.bigrams = Some(Bigrams { threshold, least_count: 0, pairs: Vec::new() });
        }
        let is_new = options.before.is_none();
        let is_paper = options.preset == Preset::Paper;
        let open = Open {
            is_new_text: is_new,
            language: is_new && text.language.is_none(),
            stopwords: is_new && options.stopwords.is_none(),
            stem: text.stem.as_deref() == Some(stem::AUTO),
            min_count: options.min_count.is_none() && !is_paper,
            min_doc_length: options.min_doc_length.is_none() && !is_paper,
        };
        let settings = options.check(StopwordSource::None, [OF_PAPER; 2], Some(text))?;
        Ok(Intended { open, ..Intended::from(settings) })
    }

    /// How text becomes words: by the rules of the run that goes on, or else by the newest.
    fn text(&self, text: &TextOptions) -> TextPreparation {
        let before = self.before.as_ref().and_then(|before| before.text.as_ref());
        let named = match &self.language {
            Some(Language::Code(code)) => Some(code.clone()),
            Some(Language::Auto) | None => None,
        };
        let can_segment = cfg!(feature = "segmentation") && self.token_pattern.is_none();
        let newest = || can_segment.then(|| SEGMENTER.to_owned());
        TextPreparation {
            rules: before.map_or(RULES, |before| before.rules),
            language: named.or_else(|| before?.language.clone()),
            segmenter: before.map_or_else(newest, |before| before.segmenter.clone()),
            encoding: text.encoding().to_string(),
            text_column: text.text_column.clone(),
            id_column: text.id_column.clone(),
            delimiter: text.delimiter.map(|delimiter| delimiter.to_string()),
            token_pattern: self.token_pattern.clone(),
            lowercase: !self.keep_case,
            stem: self.stem.clone(),
            bigrams: None,
        }
    }

    /// Refuses what would have the run that goes on say that its text was prepared otherwise than it was.
    fn check_beside_before(&self) -> Result<()> {
        let Some(before) = self.before.as_ref().and_then(|before| before.text.as_ref()) else {
            return Ok(());
        };
        let language = match &self.language {
            Some(Language::Code(code)) => Some(code.clone()),
            Some(Language::Auto) | None => None,
        };
        let stem = self.stem.clone().filter(|stem| stem != stem::AUTO || before.stem.is_none());
        let joined = before.bigrams.as_ref().map(|bigrams| bigrams.threshold.to_string());
        let settings = [
            ("language", language, before.language.clone()),
            ("stem", stem, before.stem.clone()),
            ("bigrams", self.bigrams.map(|threshold| threshold.to_string()), joined),
        ];
        match settings.into_iter().find(|(_, asked, has)| asked.is_some() && asked != has) {
            Some((setting, asked, has)) => Err(Error::setting(
                setting,
                format!(
                    "{} is asked for, and the run that goes on has {}",
                    asked.unwrap_or_default(),
                    has.unwrap_or_else(|| "none".into())
                ),
                format!("leave out `{setting}`, or begin another run"),
            )),
            None => Ok(()),
        }
    }

    /// These options with those of the run that goes on where they are left out.
    fn beside_before(&self) -> Self {
        let Some(before) = &self.before else { return self.clone() };
        let text = before.text.as_ref();
        let is_as_before = self.stopwords.is_none() && self.extra_stopwords.is_empty();
        Self {
            token_pattern: self.token_pattern.clone().or_else(|| text?.token_pattern.clone()),
            keep_case: self.keep_case || text.is_some_and(|text| !text.lowercase),
            // What `auto` came to is what the run has.
            stem: self.stem.clone().filter(|stem| stem != stem::AUTO).or_else(|| text?.stem.clone()),
            bigrams: self.bigrams.or_else(|| Some(text?.bigrams.as_ref()?.threshold)),
            stopwords: match &self.stopwords {
                None if is_as_before => Some(StopwordSource::Known(before.stopwords.clone())),
                None => before.stopwords.language.clone().map(StopwordSource::Language),
                given => given.clone(),
            },
            min_count: self.min_count.or(Some(before.min_count)),
            max_doc_share: self.max_doc_share.or(before.max_doc_share),
            min_doc_length: self.min_doc_length.or(Some(before.min_doc_length)),
            min_word_length: self.min_word_length.or(Some(before.min_word_length)),
            ..self.clone()
        }
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
        let has_columns = format.has_columns();
        let name = format!("{} is read as {format}, which", path.display());
        let settings = [
            ("text_column", self.text_column.is_some() && !has_columns, "has no columns"),
            ("id_column", self.id_column.is_some() && !has_columns, "has no columns"),
            ("delimiter", self.delimiter.is_some() && !format.is_table(), "is no table"),
            ("skip_bad", self.skip_bad && format != Format::Folder, "is no folder"),
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
