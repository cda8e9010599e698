//! A score of held-out documents: log-probability a word, and how sure it is.

use serde::{Deserialize, Serialize};

/// ln p of tokens, in nats a token.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Σ ln p / Σ tokens; higher is better, and e to the power of minus it is the perplexity.
    pub per_word: f64,
    /// Its standard error, from the differences between documents; one document has none.
    pub standard_error: Option<f64>,
    /// Documents with tokens to score.
    pub documents: u64,
    /// Tokens scored.
    pub tokens: u64,
    /// Tokens of words that the model does not know, which have no score.
    pub unknown_tokens: u64,
}

/// What a document adds to a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DocScore {
    /// ln p of its tokens.
    pub log_probability: f64,
    /// The tokens scored.
    pub tokens: u64,
    /// Those of words that the model does not know.
    pub unknown: u64,
}

impl Score {
    /// The score of documents; none when nothing could be scored.
    pub fn of(docs: &[DocScore]) -> Option<Self> {
        let scored: Vec<&DocScore> = docs.iter().filter(|doc| doc.tokens > 0).collect();
        let tokens: u64 = scored.iter().map(|doc| doc.tokens).sum();
        if tokens == 0 {
            return None;
        }
        let per_word = scored.iter().map(|doc| doc.log_probability).sum::<f64>() / tokens as f64;
        // A ratio of sums over documents, linearised: Σ_d (L_d − r·n_d)² · D / (D − 1) / (Σ_d n_d)².
        let residual = |doc: &&DocScore| (doc.log_probability - per_word * doc.tokens as f64).powi(2);
        let residuals: f64 = scored.iter().map(residual).sum();
        let documents = scored.len() as f64;
        let variance = residuals * documents / (documents - 1.0);
        Some(Self {
            per_word,
            standard_error: (scored.len() > 1).then(|| variance.sqrt() / tokens as f64),
            documents: scored.len() as u64,
            tokens,
            unknown_tokens: docs.iter().map(|doc| doc.unknown).sum(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_alike_and_documents_differ() {
        let doc = |log_probability, tokens| DocScore { log_probability, tokens, unknown: 1 };
        let score = Score::of(&[doc(-7.0, 1), doc(-15.0, 3), doc(0.0, 0)]).expect("tokens");
        assert_eq!((score.documents, score.tokens, score.unknown_tokens), (2, 4, 3));
        approx::assert_relative_eq!(score.per_word, -5.5);
        // Residuals −1.5 and 1.5.
        approx::assert_relative_eq!(score.standard_error.expect("two documents"), 9.0f64.sqrt() / 4.0);
        assert_eq!(Score::of(&[doc(-7.0, 1)]).and_then(|score| score.standard_error), None);
        assert_eq!(Score::of(&[doc(0.0, 0)]), None);
    }
}
