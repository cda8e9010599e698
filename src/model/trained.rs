//! A trained model: what is kept of a chain, and what it says about the words of its topics.

use super::counts::TopicWordCounts;
use crate::corpus::strings_bytes;
use crate::heap::{Heap, Sizes};

/// All that new documents, scores and reports need of a chain's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// α.
    pub alpha: f64,
    /// β.
    pub beta: f64,
    /// γ.
    pub gamma: f64,
    /// Ψ_k for every topic up to K*.
    pub psi: Vec<f64>,
    /// n_kv and n_k.
    pub n: TopicWordCounts,
    /// The words, by number.
    pub vocab: Vec<String>,
}

impl Model {
    /// What it takes.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        TopicWordCounts::bytes(sizes)
            + Heap::exact::<f64>(sizes.k_star)
            + strings_bytes(sizes.words, sizes.vocab_bytes)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { alpha: _, beta: _, gamma: _, psi, n, vocab } = self;
        let text: usize = vocab.iter().map(String::capacity).sum();
        held(psi) + n.heap_bytes() + held(vocab) + Heap::bytes(text as f64)
    }

    /// The topics with tokens, ascending.
    pub fn active_topics(&self) -> Vec<u16> {
        active_topics(&self.n)
    }

    /// Φ given n, in the mean.
    pub fn mean_phi(&self) -> MeanPhi {
        MeanPhi::new(&self.n, self.vocab.len(), self.beta)
    }
}

/// The topics with tokens, ascending.
pub(crate) fn active_topics(n: &TopicWordCounts) -> Vec<u16> {
    (0..n.topic_tokens.len()).filter(|&k| n.topic_tokens[k] > 0).map(|k| k as u16).collect()
}

/// φ_kv = (n_kv + β) / (n_k + Vβ).
#[derive(Clone, Debug, PartialEq)]
pub struct MeanPhi {
    beta: f64,
    /// 1 / (n_k + Vβ).
    inverse: Vec<f64>,
    /// Σ_k β / (n_k + Vβ) over topics with tokens.
    floor_sum: f64,
}

impl MeanPhi {
    /// Φ of `vocab_size` words given n.
    pub fn new(n: &TopicWordCounts, vocab_size: usize, beta: f64) -> Self {
        let vocab_beta = vocab_size as f64 * beta;
        let inverse: Vec<f64> =
            n.topic_tokens.iter().map(|&tokens| 1.0 / (tokens as f64 + vocab_beta)).collect();
        let active = inverse.iter().zip(&n.topic_tokens).filter(|&(_, &tokens)| tokens > 0);
        Self { floor_sum: active.map(|(inverse, _)| beta * inverse).sum(), beta, inverse }
    }

    /// φ_kv of a word with `n_kv` tokens in topic `k`.
    pub fn of(&self, k: u16, n_kv: u32) -> f64 {
        (f64::from(n_kv) + self.beta) * self.inverse[usize::from(k)]
    }

    /// Σ_k φ_kv over topics with tokens, for a word with these (k, n_kv).
    pub fn sum(&self, column: impl Iterator<Item = (u16, u32)>) -> f64 {
        self.floor_sum + column.map(|(k, n_kv)| f64::from(n_kv) * self.inverse[usize::from(k)]).sum::<f64>()
    }
}
