//! The two log-likelihoods of the trace, collapsed over Φ and θ, from the counts alone.
//!
//! Every sum runs over integers' histograms in a fixed order, so the result is the same bits however the
//! counts were made.

use std::collections::BTreeMap;

use super::counts::Counts;
use super::psi::Psi;
use crate::corpus::Corpus;
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

/// The parts that depend on the corpus and the priors only.
#[derive(Debug)]
pub struct Likelihood {
    vocab_beta: f64,
    /// Σ_d [ln Γ(α) − ln Γ(α + N_d)].
    model_lengths: f64,
    /// Σ_d [ln Γ(αK*) − ln Γ(αK* + N_d)].
    lda_lengths: f64,
}

impl Likelihood {
    /// Prepares the likelihood of a corpus under some priors.
    pub fn new(corpus: &Corpus, params: &Params) -> Self {
        let mut lengths = BTreeMap::<usize, u64>::new();
        for length in corpus.doc_lengths() {
            *lengths.entry(length).or_default() += 1;
        }
        let over_lengths = |concentration: f64| -> f64 {
            lengths
                .iter()
                .map(|(&length, &docs)| -(docs as f64) * ln_rising(concentration, length as f64))
                .sum()
        };
        Self {
            vocab_beta: corpus.vocab_size() as f64 * params.beta,
            model_lengths: over_lengths(params.alpha),
            lda_lengths: over_lengths(params.alpha * f64::from(params.max_topics)),
        }
    }

    /// The likelihoods of z, known by its counts, under Ψ.
    pub fn of(&self, counts: &Counts, psi: &Psi, params: &Params) -> LogLikelihood {
        let words = self.words(counts, params.beta);
        let mut model = words + self.model_lengths;
        let mut lda = words + self.lda_lengths;
        for k in 0..params.max_topics as u16 {
            let at = usize::from(k);
            let ln_alpha_psi = libm::log(params.alpha) + psi.ln_psi[at];
            let alpha_psi = params.alpha * psi.psi[at];
            for (p, docs) in counts.d.topic(k) {
                let (p, docs) = (f64::from(p), docs as f64);
                model += docs
                    * if alpha_psi < TINY { ln_alpha_psi + libm::lgamma(p) } else { ln_rising(alpha_psi, p) };
                lda += docs * ln_rising(params.alpha, p);
            }
        }
        LogLikelihood { model, lda }
    }

    /// Σ_k [ln Γ(Vβ) − ln Γ(Vβ + n_k) + Σ_v (ln Γ(β + n_kv) − ln Γ(β))].
    fn words(&self, counts: &Counts, beta: f64) -> f64 {
        let topics: f64 = counts
            .n
            .topic_tokens
            .iter()
            .filter(|&&tokens| tokens > 0)
            .map(|&tokens| -ln_rising(self.vocab_beta, tokens as f64))
            .sum();
        let cells: f64 = count_of_counts(counts)
            .iter()
            .map(|(&count, &cells)| cells as f64 * ln_rising(beta, f64::from(count)))
            .sum();
        topics + cells
    }
}

/// How many cells (k, v) have n_kv = n, for every n > 0 that occurs.
fn count_of_counts(counts: &Counts) -> BTreeMap<u32, u64> {
    const DENSE: usize = 1 << 12;
    let mut small = vec![0u64; DENSE];
    let mut cells = BTreeMap::new();
    for column in counts.n.columns() {
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
