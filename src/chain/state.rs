//! A chain's state on the host, and what follows z in an iteration.

use crate::chain::Start;
use crate::corpus::{Corpus, Portion};
use crate::error::{Error, Result};
use crate::model::counts::{Counts, word_blocks};
use crate::model::l;
use crate::model::learn::{self, Given};
use crate::model::lengths::Lengths;
use crate::model::likelihood::LogLikelihood;
use crate::model::psi::Psi;
use crate::model::recount::recount;
use crate::model::trained::Model;
use crate::params::Params;

/// A chain's state on the host: everything but z.
pub struct State {
    pub(crate) portion: Portion,
    pub(crate) params: Params,
    pub(crate) counts: Counts,
    pub(crate) l: Vec<u64>,
    pub(crate) psi: Psi,
    pub(crate) iteration: u32,
    lengths: Lengths,
}

impl State {
    /// The state at `start`, and its z; with several ranks, all of them make it.
    pub(crate) fn new(portion: Portion, mut params: Params, start: Start) -> (Self, Vec<u16>) {
        let Start { iteration, z, l, psi, concentrations } = start;
        params.set_concentrations(concentrations);
        params.set_max_topics(l.len() as u32);
        let blocks = word_blocks(&portion.word_tokens());
        let mut counts = Counts::new(&blocks, params.k_star());
        recount(&portion.corpus, &z, &mut counts);
        counts.add_ranks(&portion.ranks);
        let lengths = Lengths::of(portion.doc_start());
        (Self { portion, params, counts, l, psi, iteration, lengths }, z)
    }

    /// Goes back to an earlier `start`; returns its z.
    pub(crate) fn go_back(&mut self, start: Start) -> Vec<u16> {
        let (state, z) = Self::new(self.portion.clone(), self.params.clone(), start);
        *self = state;
        z
    }

    /// Where a chain with this state and these topics would go on.
    pub(crate) fn start_with<Z>(&self, z: Z) -> Start<Z> {
        Start {
            iteration: self.iteration,
            z,
            l: self.l.clone(),
            psi: self.psi.clone(),
            concentrations: self.params.concentrations(),
        }
    }

    /// What follows z in an iteration: steps 4 and 5, between them the concentrations that are learned, and then a larger K*, if
    /// it has become too small. Returns whether it has.
    pub(crate) fn sample_l_and_psi(&mut self, iteration: u32) -> bool {
        let Self { portion, params, counts, l, psi, lengths, .. } = self;
        *l = l::sample(&counts.d, psi, params, iteration);
        let given = Given { n: &counts.n, l, psi, lengths, vocab_size: portion.corpus.vocab_size() };
        params.set_concentrations(learn::sample(&given, params, iteration));
        *psi = Psi::sample(l, params, iteration);
        let k_star = params.k_star();
        while let Some(larger) = params.larger_k_star(l[params.k_star() - 1], psi.psi[params.k_star() - 1]) {
            params.set_max_topics(larger);
            l.resize(params.k_star(), 0);
            *psi = Psi::sample(l, params, iteration);
        }
        counts.resize(params.k_star());
        params.k_star() > k_star
    }

    /// The log-likelihoods of the current state.
    pub fn log_likelihood(&self) -> LogLikelihood {
        let vocab_size = self.corpus().vocab_size();
        LogLikelihood::new(&self.counts, &self.psi, &self.lengths, vocab_size, &self.params)
    }

    /// The iterations done.
    pub fn iteration(&self) -> u32 {
        self.iteration
    }

    /// The documents of this process: all of them, but for several ranks.
    pub fn corpus(&self) -> &Corpus {
        &self.portion.corpus
    }

    /// The same, and what is known of those of other ranks.
    pub fn portion(&self) -> &Portion {
        &self.portion
    }

    /// The parameters, with the concentrations and the K* of the current state.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// n and d of the current z.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// l.
    pub fn l(&self) -> &[u64] {
        &self.l
    }

    /// Ψ.
    pub fn psi(&self) -> &Psi {
        &self.psi
    }

    /// What is kept of this state when the chain has ended.
    pub fn model(&self) -> Model {
        Model {
            alpha: self.params.alpha(),
            beta: self.params.beta(),
            gamma: self.params.gamma(),
            psi: self.psi.psi.clone(),
            n: self.counts.n.clone(),
            vocab: self.corpus().vocab.clone(),
        }
    }

    /// Looks for what must never be: counts that do not add up, or a Ψ that is no distribution.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub fn check(&self) -> Result<()> {
        let psi: f64 = self.psi.psi.iter().sum();
        let checked = if (psi - 1.0).abs() < 1e-6 {
            self.counts.check(self.portion.num_tokens())
        } else {
            Err(format!("Ψ adds up to {psi}"))
        };
        checked.map_err(|problem| Error::internal(format!("iteration {}: {problem}", self.iteration)))
    }

    /// Tokens in the last represented topic: any at all mean that K* is too small (unless K* is 1).
    pub fn flag_topic_tokens(&self) -> u64 {
        *self.counts.n.topic_tokens.last().expect("K* is at least 1")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::params::Settings;

    #[test]
    fn what_must_never_be_is_found() {
        let words = ["ash", "birch"].map(str::to_owned).to_vec();
        let corpus = Arc::new(Corpus::new(vec![0, 1, 1], vec![0, 2, 3], words).expect("a corpus"));
        let params = Settings { max_topics: 3, ..Settings::paper() }.check().expect("good settings");
        let check = |break_it: fn(&mut State)| {
            let start = Start::first(&corpus, &params);
            let (mut state, _) = State::new(Arc::clone(&corpus).into(), params.clone(), start);
            break_it(&mut state);
            state.check().map_err(|error| error.to_string())
        };
        assert_eq!(check(|_| {}), Ok(()));
        for (break_it, found) in [
            ((|state| state.psi.psi[1] = f64::NAN) as fn(&mut State), "Ψ adds up to NaN"),
            (|state| state.psi.psi[0] *= 2.0, "Ψ adds up to"),
            (|state| state.counts.n.topic_tokens[2] += 1, "counted 4 tokens instead of 3"),
            (
                |state| state.counts.n.topic_tokens.swap(0, 2),
                "topic 0 has 0 tokens by word and 3 by document",
            ),
        ] {
            let problem = check(break_it).expect_err(found);
            assert!(problem.starts_with(&format!("iteration 0: {found}")), "{problem}");
        }
    }
}
