//! The two log-likelihoods of the trace, collapsed over Φ and θ, from the counts alone.
//!
//! Every sum runs over integers' histograms in a fixed order, so the result is the same bits however the
//! counts were made.

use std::collections::BTreeMap;

use super::counts::{Counts, TopicWordCounts};
use super::lengths::Lengths;
use super::psi::Psi;
use crate::params::Params;

/// Below this αΨ_k, ln Γ(αΨ_k + m) − ln Γ(αΨ_k) is ln α + ln Ψ_k + ln Γ(m) to all digits of f64 that a trace
/// shows: the next term is αΨ_k·(ψ(m) − ψ(1)).
const TINY: f64 = 1e-12;

/// Both columns of the trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogLikelihood {
    /// log p(w | z) + log p(z | Ψ): the model's own.
    pub model: f64,
    /// The same word part with the document part of a symmetric LDA of K* topics, as the authors' program
    /// printed it.
    pub lda: f64,
}

impl LogLikelihood {
    /// The likelihoods of z, known by its counts, under Ψ, for documents of these lengths and `vocab_size` words.
    pub fn new(counts: &Counts, psi: &Psi, lengths: &Lengths, vocab_size: usize, params: &Params) -> Self {
        // Σ_d [ln Γ(a) − ln Γ(a + N_d)].
        let over_lengths = |concentration: f64| -> f64 {
            lengths
                .iter()
                .map(|(length, docs)| -(docs as f64) * ln_rising(concentration, length as f64))
                .sum()
        };
        let words = WordLikelihood::new(&counts.n, vocab_size).given(params.beta());
        let mut model = words + over_lengths(params.alpha());
        let mut lda = words + over_lengths(params.alpha() * f64::from(params.max_topics()));
        for k in 0..params.max_topics() as u16 {
            let at = usize::from(k);
            let ln_alpha_psi = libm::log(params.alpha()) + psi.ln_psi[at];
            let alpha_psi = params.alpha() * psi.psi[at];
            for (p, docs) in counts.d.topic(k) {
                let (p, docs) = (f64::from(p), docs as f64);
                model += docs
                    * if alpha_psi < TINY { ln_alpha_psi + libm::lgamma(p) } else { ln_rising(alpha_psi, p) };
                lda += docs * ln_rising(params.alpha(), p);
            }
        }
        Self { model, lda }
    }
}

/// ln p(w | z) as a function of β.
pub(super) struct WordLikelihood<'a> {
    topic_tokens: &'a [u64],
    cells: BTreeMap<u32, u64>,
    vocab_size: f64,
}

impl<'a> WordLikelihood<'a> {
    pub(super) fn new(n: &'a TopicWordCounts, vocab_size: usize) -> Self {
        Self { topic_tokens: &n.topic_tokens, cells: count_of_counts(n), vocab_size: vocab_size as f64 }
    }

    /// Σ_k [ln Γ(Vβ) − ln Γ(Vβ + n_k) + Σ_v (ln Γ(β + n_kv) − ln Γ(β))].
    pub(super) fn given(&self, beta: f64) -> f64 {
        let active = self.topic_tokens.iter().filter(|&&tokens| tokens > 0);
        let topics: f64 = active.map(|&tokens| -ln_rising(self.vocab_size * beta, tokens as f64)).sum();
        let cells: f64 =
            self.cells.iter().map(|(&count, &cells)| cells as f64 * ln_rising(beta, f64::from(count))).sum();
        topics + cells
    }
}

/// How many cells (k, v) have n_kv = n, for every n > 0 that occurs.
fn count_of_counts(n: &TopicWordCounts) -> BTreeMap<u32, u64> {
    const DENSE: usize = 1 << 12;
    let mut small = vec![0u64; DENSE];
    let mut cells = BTreeMap::new();
    for column in n.columns() {
        for &count in column.count {
            match small.get_mut(count as usize) {
                Some(cell) => *cell += 1,
                None => *cells.entry(count).or_default() += 1,
            }
        }
    }
    cells.extend((0..).zip(small).filter(|&(_, cells)| cells > 0));
    cells
}

/// ln Γ(a + m) − ln Γ(a).
fn ln_rising(a: f64, m: f64) -> f64 {
    libm::lgamma(a + m) - libm::lgamma(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ln of a·(a+1)·…·(a+m−1), term by term.
    fn ln_rising_plain(a: f64, m: u32) -> f64 {
        (0..m).map(|i| libm::log(a + f64::from(i))).sum()
    }

    #[test]
    fn ln_rising_agrees_with_the_product() {
        for a in [1e-10, 1e-3, 0.1, 1.0, 70.74, 1e6] {
            for m in [1, 2, 17, 1000] {
                let (fast, plain) = (ln_rising(a, f64::from(m)), ln_rising_plain(a, m));
                approx::assert_relative_eq!(fast, plain, max_relative = 1e-9, epsilon = 1e-9);
            }
        }
    }

    #[test]
    fn the_tiny_form_meets_the_exact_one() {
        for p in [1u32, 2, 100, 10_000] {
            let tiny = libm::log(TINY) + libm::lgamma(f64::from(p));
            approx::assert_relative_eq!(
                tiny,
                ln_rising(TINY, f64::from(p)),
                max_relative = 1e-10,
                epsilon = 1e-10
            );
        }
    }
}
