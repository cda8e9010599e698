//! The sizes of a run that the topics to be found decide: what is certain of them, and what they are at most.

use super::Workload;
use crate::heap::{Heap, Sizes};
use crate::params::{Algorithm, PhiLaw};

/// Empty topics within reach of an exact Φ, for γ = 1: Ψ falls by about e from one to the next, to 2^−200.
const REACH: f64 = 140.0;

/// Standard deviations that the points of ϕ(β) stay within.
const SPREAD: f64 = 6.0;

impl Workload {
    /// What is certain of the sizes. What topics without tokens, threads and blocks of words take is left out: it is little.
    pub(super) fn least(&self) -> Sizes {
        Sizes {
            docs: self.docs,
            words: self.words,
            vocab_bytes: self.vocab_bytes,
            tokens: self.tokens,
            shards: self.shards,
            word_topics: self.used_words,
            phi_cells: self.phi_cells().0,
            ..Sizes::default()
        }
    }

    /// The most that the sizes come to while training.
    pub(super) fn most(&self) -> Sizes {
        Sizes {
            longest_doc: self.longest_doc,
            threads: self.threads,
            k_star: self.k_star(),
            topics: self.topics(),
            word_topics: self.word_topics,
            doc_topics: self.last_doc_topics(),
            phi_cells: self.phi_cells().1,
            prior_points: self.prior_points(),
            ..self.least()
        }
    }

    /// The most that they are at the end.
    pub(super) fn last(&self) -> Sizes {
        Sizes { word_topics: self.last_word_topics(), ..self.most() }
    }

    /// What `bytes` says of the sizes, from what is certain to the most.
    pub(super) fn range(&self, bytes: impl Fn(&Sizes) -> Heap) -> Heap {
        Heap { least: bytes(&self.least()).least, most: bytes(&self.most()).most }
    }

    /// The nonzeros of Φ, at least and at most.
    fn phi_cells(&self) -> (f64, f64) {
        let cells = self.words * self.k_star();
        match self.settings.sampler {
            Algorithm::Direct => (0.0, 0.0),
            Algorithm::Ppu { phi: PhiLaw::Ppu } => {
                // Cells that any of K*·V Poisson(β) variables is not zero in.
                let prior = -cells * libm::expm1(-self.settings.beta);
                let spread = SPREAD * prior.sqrt();
                ((prior - spread).max(0.0), (self.word_topics + prior + spread).min(cells))
            }
            Algorithm::Ppu { phi: PhiLaw::Dirichlet } => {
                let rows = self.topics() + REACH * self.settings.gamma.max(1.0);
                (self.words, (self.words * rows).min(cells))
            }
        }
    }

    /// Points of ϕ(β), which the host draws ahead while a GPU samples z.
    fn prior_points(&self) -> f64 {
        if !self.gpu || self.settings.sampler != (Algorithm::Ppu { phi: PhiLaw::Ppu }) {
            return 0.0;
        }
        let points = self.settings.beta * self.words * self.k_star();
        points + SPREAD * points.sqrt()
    }
}
