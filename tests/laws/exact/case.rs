//! Tiny corpora under some priors, and what there is to say about a z, by definition.

use std::fmt;
use std::sync::Arc;

use hdp_gpu::params::{Algorithm, PhiLaw};
use hdp_gpu::{Corpus, Params, Settings};

/// A corpus of a few tokens and its priors.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) corpus: Arc<Corpus>,
    pub(crate) settings: Settings,
}

impl Case {
    /// Documents of words 0, 1, …, V − 1, and (α, β, γ).
    pub(crate) fn new(docs: &[&[u32]], (alpha, beta, gamma): (f64, f64, f64), max_topics: u32) -> Self {
        let w = docs.concat();
        let words = w.iter().max().expect("there are tokens") + 1;
        let mut doc_start = vec![0];
        for doc in docs {
            doc_start.push(doc_start[doc_start.len() - 1] + doc.len());
        }
        let vocab = (0..words).map(|v| v.to_string()).collect();
        let sampler = Algorithm::Ppu { phi: PhiLaw::Dirichlet };
        let settings = Settings { alpha, beta, gamma, max_topics, sampler, ..Settings::paper() };
        Self { corpus: Arc::new(Corpus::new(w, doc_start, vocab).expect("a corpus")), settings }
    }

    /// The same but for a change.
    pub(crate) fn with(&self, change: impl FnOnce(&mut Settings)) -> Self {
        let mut case = self.clone();
        change(&mut case.settings);
        case
    }

    /// The parameters with a seed.
    pub(crate) fn params(&self, seed: u64) -> Params {
        Settings { seed, ..self.settings.clone() }.check().expect("good settings")
    }

    /// ln p(w | z) = Σ_k [ln Γ(Vβ) − ln Γ(Vβ + n_k) + Σ_v (ln Γ(β + n_kv) − ln Γ(β))].
    pub(crate) fn ln_words(&self, z: &[u16]) -> f64 {
        let beta = self.settings.beta;
        let vocab_beta = beta * self.corpus.vocab_size() as f64;
        let mut n = vec![vec![0; self.corpus.vocab_size()]; topics(z)];
        z.iter().zip(&self.corpus.w).for_each(|(&k, &v)| n[usize::from(k)][v as usize] += 1);
        let topic = |n: &Vec<u32>| -> f64 {
            n.iter().map(|&n| ln_rising(beta, n)).sum::<f64>() - ln_rising(vocab_beta, n.iter().sum())
        };
        n.iter().map(topic).sum()
    }

    /// ln p(z | Ψ) = Σ_d [ln Γ(α) − ln Γ(α + N_d) + Σ_k (ln Γ(αΨ_k + m_dk) − ln Γ(αΨ_k))].
    pub(crate) fn ln_topics(&self, m: &[Vec<u32>], psi: &[f64]) -> f64 {
        let alpha = self.settings.alpha;
        let topics = m.iter().zip(psi).map(|(m, psi)| ln_topic(m, alpha * psi));
        topics.sum::<f64>() - self.ln_lengths(alpha)
    }

    /// log_likelihood: ln p(w | z) + ln p(z | Ψ).
    pub(crate) fn model(&self, z: &[u16], psi: &[f64]) -> f64 {
        self.ln_words(z) + self.ln_topics(&self.m(z), psi)
    }

    /// log_likelihood_lda: ln p(w | z) and ln p(z) of a symmetric LDA with K* topics.
    pub(crate) fn lda(&self, z: &[u16]) -> f64 {
        let alpha = self.settings.alpha;
        let topics = self.m(z).iter().map(|m| ln_topic(m, alpha)).sum::<f64>();
        self.ln_words(z) + topics - self.ln_lengths(alpha * f64::from(self.settings.max_topics))
    }

    /// Σ_d ln a(a + 1)⋯(a + N_d − 1).
    pub(crate) fn ln_lengths(&self, a: f64) -> f64 {
        self.corpus.doc_lengths().map(|length| ln_rising(a, length as u32)).sum()
    }

    /// m_dk, by topic.
    pub(crate) fn m(&self, z: &[u16]) -> Vec<Vec<u32>> {
        let mut m = vec![vec![0; self.corpus.num_docs()]; topics(z)];
        for d in 0..self.corpus.num_docs() {
            z[self.corpus.doc(d)].iter().for_each(|&k| m[usize::from(k)][d] += 1);
        }
        m
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let docs = (0..self.corpus.num_docs()).map(|d| &self.corpus.w[self.corpus.doc(d)]);
        write!(f, "{:?}, K* = {}", docs.collect::<Vec<_>>(), self.settings.max_topics)
    }
}

/// One more than the largest topic.
fn topics(z: &[u16]) -> usize {
    z.iter().max().map_or(0, |&k| usize::from(k) + 1)
}

/// Σ_d ln a(a + 1)⋯(a + m_d − 1).
pub(crate) fn ln_topic(m: &[u32], a: f64) -> f64 {
    m.iter().map(|&m| ln_rising(a, m)).sum()
}

/// ln a(a + 1)⋯(a + m − 1).
fn ln_rising(a: f64, m: u32) -> f64 {
    (0..m).map(|j| (a + f64::from(j)).ln()).sum()
}

/// The partition of the tokens that z makes: topics are numbered anew as they appear.
pub(crate) fn partition(z: &[u16]) -> Vec<u16> {
    let mut seen = Vec::new();
    let mut number = |k: u16| {
        let at = seen.iter().position(|&known| known == k).unwrap_or(seen.len());
        if at == seen.len() {
            seen.push(k);
        }
        at as u16
    };
    z.iter().map(|&k| number(k)).collect()
}

#[test]
fn partitions_know_no_labels() {
    assert_eq!(partition(&[4, 2, 4, 0, 2]), [0, 1, 0, 2, 1]);
    assert_eq!(partition(&[1, 1]), [0, 0]);
}
