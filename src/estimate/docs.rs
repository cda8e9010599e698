//! The topics of documents: θ_dk = (αΨ_k + m_dk) / (αΨ_A + N_d), with Ψ_A the sum over the topics A that have tokens.

use rayon::prelude::*;

use super::samples::Samples;
use crate::infer::InferredDoc;
use crate::model::trained::Model;

/// Documents whose topics are found, and whose lines of doc-topics.txt are made, at once.
pub(crate) const CHUNK_DOCS: usize = 1 << 10;

/// What turns tokens into shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    active: Vec<u16>,
    /// αΨ_k by topic.
    alpha_psi: Vec<f64>,
    /// Σ αΨ_k over active topics.
    prior: f64,
}

impl Shares {
    /// Shares of the topics `active` under αΨ.
    pub fn new(alpha_psi: Vec<f64>, active: Vec<u16>) -> Self {
        let prior = active.iter().map(|&k| alpha_psi[usize::from(k)]).sum();
        Self { active, alpha_psi, prior }
    }

    /// Shares of the topics that a model has.
    pub fn of_model(model: &Model) -> Self {
        Self::new(model.psi.iter().map(|psi| model.alpha * psi).collect(), model.active_topics())
    }

    /// The topics that have tokens, ascending.
    pub fn active(&self) -> &[u16] {
        &self.active
    }

    /// αΨ_k for every topic up to K*.
    pub fn alpha_psi(&self) -> &[f64] {
        &self.alpha_psi
    }

    /// αΨ_A.
    pub fn prior(&self) -> f64 {
        self.prior
    }

    /// θ_dk of a topic with `m` of a document's `tokens` tokens.
    pub fn share(&self, k: u16, m: f64, tokens: usize) -> f64 {
        (self.alpha_psi[usize::from(k)] + m) / (self.prior + tokens as f64)
    }
}

/// A topic of a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DocTopic {
    /// The topic.
    pub topic: u16,
    /// m_dk, the mean over samples; positive.
    pub m: f64,
    /// θ_dk.
    pub share: f64,
    /// The standard deviation of θ_dk over samples, when there are several.
    pub sd: Option<f64>,
}

/// The topics of all documents.
#[derive(Debug)]
pub struct DocTopics<'a> {
    shares: Shares,
    source: Source<'a>,
}

#[derive(Debug)]
enum Source<'a> {
    Last { doc_start: &'a [usize], z: &'a [u16] },
    Samples(&'a Samples),
    Inferred(&'a [InferredDoc]),
}

impl<'a> DocTopics<'a> {
    /// As the state of `model` has them, whose documents begin at `doc_start` and whose tokens have the topics `z`.
    pub fn of_state(model: &Model, doc_start: &'a [usize], z: &'a [u16]) -> Self {
        Self::of_model(model, Source::Last { doc_start, z })
    }

    /// As the means over samples have them.
    pub fn of_samples(samples: &'a Samples) -> Self {
        Self { shares: samples.shares(), source: Source::Samples(samples) }
    }

    /// New documents under `model`.
    pub fn of_new(model: &Model, docs: &'a [InferredDoc]) -> Self {
        Self::of_model(model, Source::Inferred(docs))
    }

    fn of_model(model: &Model, source: Source<'a>) -> Self {
        Self { shares: Shares::of_model(model), source }
    }

    /// What turns tokens into shares.
    pub fn shares(&self) -> &Shares {
        &self.shares
    }

    /// D.
    pub fn num_docs(&self) -> usize {
        match &self.source {
            Source::Last { doc_start, .. } => doc_start.len() - 1,
            Source::Samples(samples) => samples.num_docs(),
            Source::Inferred(docs) => docs.len(),
        }
    }

    /// Whether topics come with a standard deviation.
    pub fn has_sd(&self) -> bool {
        matches!(self.source, Source::Samples(_))
    }

    /// N_d.
    pub fn tokens(&self, d: usize) -> usize {
        match &self.source {
            Source::Last { doc_start, .. } => doc_start[d + 1] - doc_start[d],
            Source::Samples(samples) => samples.tokens(d),
            Source::Inferred(docs) => docs[d].tokens as usize,
        }
    }

    /// The topics that have tokens of document `d`, ascending. Every other active topic has the share αΨ_k / (αΨ_A + N_d).
    pub fn of(&self, d: usize) -> Vec<DocTopic> {
        let tokens = self.tokens(d);
        let topic = |topic, m, sd| DocTopic { topic, m, share: self.shares.share(topic, m, tokens), sd };
        match &self.source {
            Source::Last { doc_start, z } => {
                let mut z = z[doc_start[d]..doc_start[d + 1]].to_vec();
                z.sort_unstable();
                z.chunk_by(|a, b| a == b).map(|same| topic(same[0], same.len() as f64, None)).collect()
            }
            Source::Samples(samples) => {
                let total = self.shares.prior + tokens as f64;
                samples.doc(d).map(|(k, m, sd)| topic(k, m, Some(sd / total))).collect()
            }
            Source::Inferred(docs) => docs[d].m.iter().map(|&(k, m)| topic(k, m, None)).collect(),
        }
    }

    /// (k, θ_dk) of every active topic, ascending.
    pub fn all_shares(&self, d: usize) -> Vec<(u16, f64)> {
        let tokens = self.tokens(d);
        let with_tokens = self.of(d);
        let mut with_tokens = with_tokens.iter().peekable();
        let share = |&k: &u16| match with_tokens.next_if(|topic| topic.topic == k) {
            Some(topic) => (k, topic.share),
            None => (k, self.shares.share(k, 0.0, tokens)),
        };
        self.shares.active.iter().map(share).collect()
    }

    /// Calls `each` with every document, in order, and its topics as [`Self::of`] has them, which are found in parallel.
    ///
    /// # Errors
    /// The first of `each`, which ends it.
    pub fn for_each<E>(&self, each: impl FnMut(usize, Vec<DocTopic>) -> Result<(), E>) -> Result<(), E> {
        self.for_each_made(|d| self.of(d), each)
    }

    /// Calls `each` with every document, in order, and what `make` makes of it in parallel.
    ///
    /// # Errors
    /// The first of `each`, which ends it.
    pub fn for_each_made<T: Send, E>(
        &self,
        make: impl Fn(usize) -> T + Sync,
        mut each: impl FnMut(usize, T) -> Result<(), E>,
    ) -> Result<(), E> {
        for start in (0..self.num_docs()).step_by(CHUNK_DOCS) {
            let docs = start..(start + CHUNK_DOCS).min(self.num_docs());
            let made: Vec<T> = docs.clone().into_par_iter().map(&make).collect();
            docs.zip(made).try_for_each(|(d, made)| each(d, made))?;
        }
        Ok(())
    }

    /// The documents with a token of each topic up to K*.
    pub fn documents_of_topics(&self) -> Vec<u64> {
        let mut documents = vec![0; self.shares.alpha_psi.len()];
        let Ok(()) = self.for_each(|_, topics| {
            topics.iter().for_each(|topic| documents[usize::from(topic.topic)] += 1);
            Ok::<(), std::convert::Infallible>(())
        });
        documents
    }

    /// The share of all topics that have no tokens of document `d`, together, given those that have.
    pub fn rest(&self, d: usize, topics: &[DocTopic]) -> f64 {
        let with_tokens: f64 =
            topics.iter().map(|topic| self.shares.alpha_psi[usize::from(topic.topic)]).sum();
        let total = self.shares.prior + self.tokens(d) as f64;
        // Rounding can leave less than nothing.
        if topics.len() == self.shares.active.len() {
            0.0
        } else {
            (self.shares.prior - with_tokens).max(0.0) / total
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::counts::Counts;

    #[test]
    fn shares_sum_to_one_and_an_empty_document_has_the_prior() {
        let mut n = Counts::new(&[], 4).n;
        n.topic_tokens = vec![3, 0, 2, 0];
        let psi = vec![0.5, 0.2, 0.25, 0.05];
        let model = Model { alpha: 0.4, beta: 0.1, gamma: 1.0, psi, n, vocab: Vec::new() };
        let docs = DocTopics::of_state(&model, &[0, 3, 5, 5], &[2, 0, 2, 0, 0]);
        let full = docs.of(0);
        assert_eq!(full.iter().map(|topic| topic.topic).collect::<Vec<_>>(), [0, 2]);
        approx::assert_relative_eq!(full[0].share, 1.2 / 3.3);
        approx::assert_relative_eq!(full[1].share, 2.1 / 3.3);
        approx::assert_relative_eq!(docs.rest(0, &full), 0.0);
        let half = docs.of(1);
        approx::assert_relative_eq!(half[0].share + docs.rest(1, &half), 1.0);
        approx::assert_relative_eq!(docs.rest(1, &half), 0.1 / 2.3);
        approx::assert_relative_eq!(docs.shares().share(2, 0.0, 0), 1.0 / 3.0);
        approx::assert_relative_eq!(docs.rest(2, &docs.of(2)), 1.0);
    }
}
