//! What preparation left out, in numbers and in words.

use serde::{Deserialize, Serialize};

use super::settings::Preparation;

/// What preparation left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Stop words.
    pub stop_words: Tally,
    /// Words with too few characters.
    pub short_words: Tally,
    /// Words with too few tokens.
    pub rare_words: Tally,
    /// Words in too many documents.
    pub common_words: Tally,
    /// What was left in documents that were emptied: words that no other document has, and all tokens.
    pub in_dropped_documents: Tally,
    /// Documents that were emptied.
    pub documents: Vec<DroppedDocument>,
}

/// Words that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Different ones.
    pub words: u64,
    /// Their tokens.
    pub tokens: u64,
}

/// A document that was emptied: it keeps its row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedDocument {
    /// Its number in the input, from 1.
    pub number: u64,
    /// Its words in the input.
    pub tokens: u64,
    /// What was left of them.
    pub left: u64,
}

impl DroppedDocument {
    /// Why it was emptied.
    pub fn reason(&self, settings: &Preparation) -> String {
        match self.left {
            0 => "no words left".to_owned(),
            left => format!("{left} words left, fewer than {}", settings.min_doc_length),
        }
    }
}

impl Dropped {
    /// A line on words and one on documents, each when there is something to say.
    pub fn lines(&self, settings: &Preparation) -> Vec<String> {
        let rare = format!("with fewer than {} tokens", settings.min_count);
        let share = 100.0 * settings.max_doc_share.unwrap_or_default();
        let words = [
            (self.stop_words, "in the list of stop words".to_owned()),
            (self.short_words, format!("with fewer than {} characters", settings.min_word_length)),
            (self.rare_words, rare),
            (self.common_words, format!("in more than {share} % of documents")),
        ];
        let words: Vec<String> = words
            .iter()
            .filter(|(tally, _)| tally.words > 0)
            .map(|(Tally { words, tokens }, which)| format!("{words} words {which} ({tokens} tokens)"))
            .collect();
        let mut lines = Vec::new();
        if !words.is_empty() {
            lines.push(format!("left out: {}", words.join(", ")));
        }
        if !self.documents.is_empty() {
            lines.push(self.documents_line(settings));
        }
        lines
    }

    fn documents_line(&self, settings: &Preparation) -> String {
        const SHOWN: usize = 10;
        let numbers: Vec<String> =
            self.documents.iter().take(SHOWN).map(|doc| doc.number.to_string()).collect();
        format!(
            "emptied: {} documents with fewer than {} tokens left ({}{}); they keep their rows",
            self.documents.len(),
            settings.min_doc_length.max(1),
            numbers.join(", "),
            if self.documents.len() > SHOWN { ", …" } else { "" },
        )
    }
}
