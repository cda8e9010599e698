//! What the content of a corpus decided about its preparation, in numbers and in words.

use serde::{Deserialize, Serialize};

use super::dropped::Dropped;
use super::language::name;
use super::settings::Preparation;

/// What was decided for the user, and what that went by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Chosen {
    /// The language that the text was recognised as, by its two letters.
    pub recognised: Option<String>,
    /// The language whose stop words are left out.
    pub stopwords: Option<String>,
    /// The language was not named.
    pub language: bool,
    /// `min_count` was not given.
    pub min_count: bool,
    /// `min_doc_length` was not given.
    pub min_doc_length: bool,
    /// Documents with tokens before anything was left out.
    pub documents: u64,
    /// Tokens when stop words and short words had gone.
    pub tokens: u64,
    /// There is text without spaces between words, and this build of the program has no dictionaries to find them.
    pub without_dictionaries: bool,
}

impl Chosen {
    /// What was decided.
    pub fn lines(&self, settings: &Preparation) -> Vec<String> {
        self.language_line(settings).into_iter().chain(self.thresholds_line(settings)).collect()
    }

    fn language_line(&self, settings: &Preparation) -> Option<String> {
        let language = settings.text.as_ref()?.language.as_deref().filter(|_| self.language)?;
        let shown = shown(language);
        Some(match self.recognised.as_deref() {
            Some(recognised) if recognised == language && settings.stopwords.language.is_some() => {
                format!("language: {shown}, recognised; `language` names another")
            }
            Some(recognised) if recognised == language => {
                format!(
                    "language: {shown}, recognised, without a list of its stop words; `language` names another"
                )
            }
            _ => format!("language: none was recognised, and {shown} is assumed; `language` names another"),
        })
    }

    fn thresholds_line(&self, settings: &Preparation) -> Option<String> {
        let Preparation { min_count, min_doc_length, .. } = settings;
        let count = self.min_count.then(|| format!("`min_count` {min_count}"));
        let length = self.min_doc_length.then(|| format!("`min_doc_length` {min_doc_length}"));
        let least: Vec<String> = [count, length].into_iter().flatten().collect();
        let Self { tokens, documents, .. } = self;
        let least = (!least.is_empty()).then(|| least.join(" and "))?;
        Some(format!(
            "chosen: {least}, for {documents} documents with {tokens} tokens that are no stop words"
        ))
    }

    /// A sentence for all that is worth a warning.
    pub(in crate::corpus) fn warnings(&self, dropped: &Dropped) -> Vec<String> {
        let words = self.without_dictionaries.then(|| {
            "some of the text has no spaces between words, and this build of the program has no dictionaries to find \
             them: take one with the feature segmentation, or put spaces in"
                .to_owned()
        });
        self.other_language().into_iter().chain(words).chain(self.losses(dropped)).collect()
    }

    fn other_language(&self) -> Option<String> {
        let recognised = self.recognised.as_deref()?;
        let in_force = self.stopwords.as_deref().filter(|language| *language != recognised)?;
        Some(format!(
            "the text looks {}, and the stop words left out are {}: check `language` and `stopwords`",
            shown(recognised),
            shown(in_force)
        ))
    }

    /// What is said when most of a corpus has gone.
    fn losses(&self, dropped: &Dropped) -> Vec<String> {
        const REMEDY: &str = "lower `min_count` or `min_doc_length` if that is too many";
        let Self { documents, tokens, .. } = *self;
        let emptied = dropped.documents.len() as u64;
        let Dropped { rare_words, common_words, in_dropped_documents, .. } = dropped;
        let lost = rare_words.tokens.saturating_add(common_words.tokens);
        let lost = lost.saturating_add(in_dropped_documents.tokens);
        if documents == 0 {
            // Prepared before these were counted.
            return Vec::new();
        }
        let documents = (emptied > documents / 2)
            .then(|| format!("{emptied} of {documents} documents were emptied; {REMEDY}"));
        let tokens = (lost > tokens / 2)
            .then(|| format!("{lost} of {tokens} tokens that are no stop words were left out; {REMEDY}"));
        documents.into_iter().chain(tokens).collect()
    }
}

/// `French (fr)`.
fn shown(code: &str) -> String {
    match name(code) {
        name if name == code => code.to_owned(),
        name => format!("{name} ({code})"),
    }
}
