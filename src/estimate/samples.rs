//! Sums over the last samples of a chain: means of Ψ, m and Φ with their standard deviations.

use rayon::prelude::*;

use super::Moments;
use super::docs::Shares;
use super::phi::{PhiRow, PhiRows};
use crate::chain::State;
use crate::heap::{Heap, Sizes};
use crate::model::trained::active_topics;

/// What was added up over samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    pub(super) count: u32,
    pub(super) topics: Vec<TopicSums>,
    pub(super) docs: Vec<Vec<DocSums>>,
    pub(super) doc_tokens: Vec<usize>,
    pub(super) words: Vec<Vec<WordSums>>,
}

/// Sums of a topic.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TopicSums {
    /// αΨ_k.
    pub(super) alpha_psi: f64,
    pub(super) alpha_psi_squared: f64,
    /// Samples in which it has tokens; only these tell of its words.
    pub(super) active: u32,
    /// βr with r = 1 / (n_k + Vβ), over those samples.
    pub(super) floor: f64,
    pub(super) floor_squared: f64,
}

/// Sums of m_dk over samples, for a topic that has had tokens of the document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DocSums {
    pub(super) topic: u16,
    pub(super) m: u64,
    pub(super) m_squared: u64,
    pub(super) m_alpha_psi: f64,
}

/// Sums of n_kv·r, (n_kv·r)² and n_kv·r·βr, for a topic that has had tokens of the word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WordSums {
    pub(super) topic: u16,
    pub(super) nr: f64,
    pub(super) nr_squared: f64,
    pub(super) nr_floor: f64,
}

impl Samples {
    /// What they take.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        let Sizes { docs, words, k_star, doc_topics, word_topics, .. } = *sizes;
        Heap::exact::<TopicSums>(k_star)
            + Heap::exact::<Vec<DocSums>>(docs)
            + Heap::grown::<DocSums>(docs, doc_topics)
            + Heap::exact::<usize>(docs)
            + Heap::exact::<Vec<WordSums>>(words)
            + Heap::grown::<WordSums>(words, word_topics)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { count: _, topics, docs, doc_tokens, words } = self;
        let of_docs = held(docs) + docs.iter().map(held).sum::<Heap>() + held(doc_tokens);
        held(topics) + of_docs + held(words) + words.iter().map(held).sum::<Heap>()
    }

    /// No samples yet of a chain like `state`.
    pub fn new(state: &State) -> Self {
        let (doc_start, params) = (state.portion().doc_start(), state.params());
        let doc_tokens: Vec<usize> = doc_start.windows(2).map(|range| range[1] - range[0]).collect();
        Self {
            count: 0,
            topics: vec![TopicSums::default(); params.k_star()],
            docs: vec![Vec::new(); doc_tokens.len()],
            doc_tokens,
            words: vec![Vec::new(); state.corpus().vocab_size()],
        }
    }

    /// Adds the state of the chain; `z` are the topics of all tokens.
    pub fn add(&mut self, state: &State, z: &[u16]) {
        let (params, n, doc_start) = (state.params(), &state.counts().n, state.portion().doc_start());
        let alpha_psi: Vec<f64> = state.psi().psi.iter().map(|psi| params.alpha() * psi).collect();
        let vocab_beta = state.corpus().vocab_size() as f64 * params.beta();
        let r = |k: usize| 1.0 / (n.topic_tokens[k] as f64 + vocab_beta);
        self.count += 1;
        self.grow(params.k_star());
        for (sums, &alpha_psi) in self.topics.iter_mut().zip(&alpha_psi) {
            sums.alpha_psi += alpha_psi;
            sums.alpha_psi_squared += alpha_psi * alpha_psi;
        }
        for k in active_topics(n).into_iter().map(usize::from) {
            let floor = params.beta() * r(k);
            self.topics[k].active += 1;
            self.topics[k].floor += floor;
            self.topics[k].floor_squared += floor * floor;
        }
        self.docs.par_iter_mut().enumerate().for_each(|(d, sums)| {
            let mut z = z[doc_start[d]..doc_start[d + 1]].to_vec();
            z.sort_unstable();
            for same in z.chunk_by(|a, b| a == b) {
                add_doc_topic(sums, same[0], same.len() as u64, alpha_psi[usize::from(same[0])]);
            }
        });
        for column in n.columns() {
            let sums = &mut self.words[column.word as usize];
            for (k, n_kv) in column.iter() {
                add_word_topic(
                    sums,
                    k,
                    f64::from(n_kv) * r(usize::from(k)),
                    params.beta() * r(usize::from(k)),
                );
            }
        }
    }

    /// Makes room for topics up to K*, if it is larger by now.
    pub(crate) fn grow(&mut self, k_star: usize) {
        self.topics.resize(k_star, TopicSums::default());
    }

    /// The samples added.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// D.
    pub fn num_docs(&self) -> usize {
        self.docs.len()
    }

    /// N_d.
    pub fn tokens(&self, d: usize) -> usize {
        self.doc_tokens[d]
    }

    /// The mean of αΨ, over the topics that have had tokens.
    pub fn shares(&self) -> Shares {
        let alpha_psi = self.topics.iter().map(|sums| sums.alpha_psi / f64::from(self.count)).collect();
        let active = (0..=u16::MAX).zip(&self.topics).filter(|(_, sums)| sums.active > 0).map(|(k, _)| k);
        Shares::new(alpha_psi, active.collect())
    }

    /// The topics of document `d` with the mean of m_dk and the standard deviation of αΨ_k + m_dk.
    pub(super) fn doc(&self, d: usize) -> impl Iterator<Item = (u16, f64, f64)> + '_ {
        self.docs[d].iter().map(|sums| {
            let topic = &self.topics[usize::from(sums.topic)];
            let m = sums.m as f64;
            let squares = topic.alpha_psi_squared + 2.0 * sums.m_alpha_psi + sums.m_squared as f64;
            let moments = Moments::of(self.count, topic.alpha_psi + m, squares);
            (sums.topic, m / f64::from(self.count), moments.sd)
        })
    }

    /// The mean of φ_kv = (n_kv + β)·r_k over the samples in which topic k has tokens, with its standard deviation.
    pub fn phi(&self) -> PhiRows {
        let floor =
            |sums: &TopicSums| if sums.active == 0 { 0.0 } else { sums.floor / f64::from(sums.active) };
        let mut rows: Vec<PhiRow> =
            self.topics.iter().map(|sums| PhiRow { floor: floor(sums), ..PhiRow::default() }).collect();
        for (v, sums) in (0..).zip(&self.words) {
            for &WordSums { topic, nr, nr_squared, nr_floor } in sums {
                let k = &self.topics[usize::from(topic)];
                let squares = nr_squared + 2.0 * nr_floor + k.floor_squared;
                let Moments { mean, sd } = Moments::of(k.active, nr + k.floor, squares);
                let row = &mut rows[usize::from(topic)];
                row.words.push(v);
                row.phi.push(mean);
                row.sd.push(sd);
            }
        }
        PhiRows { vocab_size: self.words.len(), rows }
    }
}

fn add_doc_topic(sums: &mut Vec<DocSums>, topic: u16, m: u64, alpha_psi: f64) {
    let at = sums.binary_search_by_key(&topic, |sums| sums.topic).unwrap_or_else(|at| {
        sums.insert(at, DocSums { topic, m: 0, m_squared: 0, m_alpha_psi: 0.0 });
        at
    });
    sums[at].m += m;
    sums[at].m_squared += m * m;
    sums[at].m_alpha_psi += m as f64 * alpha_psi;
}

fn add_word_topic(sums: &mut Vec<WordSums>, topic: u16, nr: f64, floor: f64) {
    let at = sums.binary_search_by_key(&topic, |sums| sums.topic).unwrap_or_else(|at| {
        sums.insert(at, WordSums { topic, nr: 0.0, nr_squared: 0.0, nr_floor: 0.0 });
        at
    });
    sums[at].nr += nr;
    sums[at].nr_squared += nr * nr;
    sums[at].nr_floor += nr * floor;
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::chain::Chain;
    use crate::chain::Sampler;
    use crate::corpus::Corpus;
    use crate::estimate::DocTopics;
    use crate::params::{GammaPrior, Init, Learn, Settings};

    /// Means and standard deviations of the program against those of the samples kept whole.
    #[test]
    fn means_and_deviations_are_those_of_the_samples() {
        let words = |n: u32| (0..n).map(|v| v.to_string()).collect();
        let w: Vec<u32> = (0..60).map(|i| i * i % 7).collect();
        let corpus = Arc::new(Corpus::new(w, vec![0, 20, 20, 35, 60], words(7)).expect("a corpus"));
        // Concentrations that move and a K* that grows are as good as fixed ones.
        let learn = Learn {
            alpha: Some(GammaPrior::VAGUE),
            beta: Some(GammaPrior { shape: 10.0, rate: 1000.0 }),
            gamma: Some(GammaPrior::VAGUE),
        };
        let settings = Settings { init: Init::Random(6), max_topics: 8, alpha: 2.0, ..Settings::paper() };
        let params = Settings { learn, grow: true, ..settings }.check();
        let mut chain = Sampler::on_cpu(Arc::clone(&corpus), params.unwrap()).unwrap();
        let mut samples = Samples::new(chain.state());
        let mut states = Vec::new();
        for _ in 0..9 {
            chain.step().unwrap();
            let z = chain.z().unwrap();
            samples.add(chain.state(), &z);
            states.push((chain.state().model(), z));
        }
        assert!(chain.state().params().k_star() > 8, "K* is as it was");
        let moments = |values: Vec<f64>| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            (mean, (squares / values.len() as f64).sqrt())
        };
        let docs = DocTopics::of_samples(&samples);
        let mut several = 0;
        for d in 0..corpus.num_docs() {
            let range = corpus.doc(d);
            for topic in docs.of(d) {
                let m = |z: &[u16]| z[range.clone()].iter().filter(|&&k| k == topic.topic).count() as f64;
                let prior = |model: &crate::model::trained::Model| {
                    model.alpha * model.psi.get(usize::from(topic.topic)).copied().unwrap_or(0.0)
                };
                let (mean, _) = moments(states.iter().map(|(_, z)| m(z)).collect());
                let (_, sd) = moments(states.iter().map(|(model, z)| prior(model) + m(z)).collect());
                approx::assert_relative_eq!(topic.m, mean, max_relative = 1e-12);
                let total = docs.shares().prior() + range.len() as f64;
                approx::assert_relative_eq!(
                    topic.sd.unwrap() * total,
                    sd,
                    max_relative = 1e-9,
                    epsilon = 1e-9
                );
                several += usize::from(sd > 0.1);
            }
        }
        assert!(several > 5, "samples that do not differ show nothing");
        let rows = samples.phi().rows;
        for (k, row) in (0..).zip(&rows) {
            let active: Vec<_> = states
                .iter()
                .filter(|(model, _)| model.n.topic_tokens.get(usize::from(k)) > Some(&0))
                .collect();
            for ((&v, &phi), &sd) in row.words.iter().zip(&row.phi).zip(&row.sd) {
                let n_kv = |model: &crate::model::trained::Model| {
                    let column = model.n.columns().nth(v as usize).unwrap();
                    column.iter().find(|&(topic, _)| topic == k).map_or(0, |(_, count)| count)
                };
                let values = active.iter().map(|(model, _)| model.mean_phi().of(k, n_kv(model)));
                let expected = moments(values.collect());
                approx::assert_relative_eq!(phi, expected.0, max_relative = 1e-12);
                approx::assert_relative_eq!(sd, expected.1, max_relative = 1e-6, epsilon = 1e-9);
            }
            let missing = (7 - row.words.len()) as f64 * row.floor;
            let sum = row.phi.iter().sum::<f64>() + missing;
            assert!(active.is_empty() || (sum - 1.0).abs() < 1e-12, "φ_{k} sums to {sum}");
        }
    }
}
