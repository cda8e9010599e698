//! How a corpus was prepared: everything that is needed to do the same to other text, as run.json keeps it.

use serde::{Deserialize, Serialize};

use super::split;

/// Settings with every default filled in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Preparation {
    /// How text becomes words; nothing for counts, whose words are given.
    pub text: Option<TextPreparation>,
    /// Words that are left out.
    pub stopwords: StopWords,
    /// Words with fewer characters are left out.
    pub min_word_length: u64,
    /// Words with fewer tokens in the corpus are left out.
    pub min_count: u64,
    /// Words in more than this share of the documents are left out.
    pub max_doc_share: Option<f64>,
    /// Documents with fewer tokens, after all else is left out, are emptied.
    pub min_doc_length: u64,
}

/// How text becomes words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextPreparation {
    /// The version of the rules by which words are cut: 1, Unicode's words as they are; 2, what is done now.
    #[serde(default = "first_rules")]
    pub rules: u32,
    /// The language of the text, by its two letters, in version 2 of the rules.
    #[serde(default)]
    pub language: Option<String>,
    /// What found the words of text that has no spaces between them, if there was any.
    #[serde(default)]
    pub segmenter: Option<String>,
    /// The encoding of the text.
    pub encoding: String,
    /// The column or field with the text, when it was named.
    pub text_column: Option<String>,
    /// The column or field with the documents' names.
    pub id_column: Option<String>,
    /// What separates the fields of a table, when it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// What is a word; nothing for Unicode's words that have a letter.
    pub token_pattern: Option<String>,
    /// Whether words are put into lower case.
    pub lowercase: bool,
    /// The Snowball stemmer that words go through.
    pub stem: Option<String>,
    /// Pairs of words that became one.
    pub bigrams: Option<Bigrams>,
}

/// Runs from before there were versions.
fn first_rules() -> u32 {
    split::FIRST_RULES
}

/// Words that are left out, in any case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopWords {
    /// The language of the program's own list, when one was taken.
    pub language: Option<String>,
    /// The words of the user's files.
    pub words: Vec<String>,
}

/// Pairs of neighbouring words that became one, with `_` between.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bigrams {
    /// The least normalised pointwise mutual information of a pair.
    pub threshold: f64,
    /// The least number of times that a pair occurs.
    pub least_count: u64,
    /// The pairs found, in byte order.
    pub pairs: Vec<[String; 2]>,
}

impl Preparation {
    /// The settings for other documents, text or counts; words and pairs that were left out or joined are so again.
    pub(in crate::corpus) fn for_other(&self, is_text: bool) -> Self {
        let text = if is_text { self.text.clone() } else { None };
        Self { text, min_count: 0, max_doc_share: None, min_doc_length: 0, ..self.clone() }
    }

    /// Whether counts come out as they went in.
    pub(super) fn keeps_all(&self) -> bool {
        let Self { text, stopwords, min_word_length, min_count, max_doc_share, min_doc_length } = self;
        text.is_none()
            && *stopwords == StopWords::default()
            && *min_word_length <= 1
            && *min_count == 0
            && max_doc_share.is_none()
            && *min_doc_length <= 1
    }
}
