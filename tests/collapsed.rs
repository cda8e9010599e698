//! The z step of direct assignment against its definition, written plainly.

use std::sync::Arc;

use hdp_gpu::chain::{self, Start};
use hdp_gpu::corpus::Corpus;
use hdp_gpu::corpus::sample::sample;
use hdp_gpu::device::Place;
use hdp_gpu::params::{Algorithm, Init, PsiLaw};
use hdp_gpu::rng::{Step, key, token_bits, token_block, unit};
use hdp_gpu::{Params, Settings};

/// The counts, dense, and what a draw depends on.
struct Plain<'a> {
    corpus: &'a Corpus,
    params: &'a Params,
    psi: &'a [f64],
    n: Vec<Vec<f64>>,
    z: Vec<u16>,
}

impl Plain<'_> {
    /// The masses of token `i` in the order in which they are searched, each with its topic: of the word, of the document,
    /// and of the prior, first over topics that have tokens.
    fn masses(&self, i: usize, m: &[f64]) -> Vec<(u16, f64)> {
        let Self { corpus, params, psi, n, .. } = self;
        let v = corpus.w[i] as usize;
        let vocab_size = corpus.vocab_size() as f64;
        let n_k: Vec<f64> = n.iter().map(|row| row.iter().sum()).collect();
        let over = |k: usize| params.beta() * vocab_size + n_k[k];
        let topics = 0..params.k_star();
        let part = |mass: &dyn Fn(usize) -> f64, taken: &dyn Fn(usize) -> bool| -> Vec<(u16, f64)> {
            topics.clone().filter(|&k| taken(k)).map(|k| (k as u16, mass(k) / over(k))).collect()
        };
        let prior = |k: usize| params.alpha() * psi[k];
        let masses = [
            part(&|k| (prior(k) + m[k]) * n[k][v], &|_| true),
            part(&|k| m[k] * params.beta(), &|_| true),
            part(&|k| prior(k) * params.beta(), &|k| n_k[k] > 0.0),
            part(&|k| prior(k) * params.beta(), &|k| n_k[k] == 0.0),
        ]
        .concat();
        // Together they are the definition: (αΨ_k + m_dk)·(β + n_kv) / (Vβ + n_k).
        for k in topics.clone().step_by(7) {
            let sum: f64 =
                masses.iter().filter(|(topic, _)| usize::from(*topic) == k).map(|(_, mass)| mass).sum();
            let definition = (prior(k) + m[k]) * (params.beta() + n[k][v]) / over(k);
            approx::assert_relative_eq!(sum, definition, max_relative = 1e-12);
        }
        masses
    }

    fn sweep(&mut self, iteration: u32) {
        for d in 0..self.corpus.num_docs() {
            let mut m = vec![0.0; self.params.k_star()];
            self.z[self.corpus.doc(d)].iter().for_each(|&k| m[usize::from(k)] += 1.0);
            for i in self.corpus.doc(d) {
                let v = self.corpus.w[i] as usize;
                let old = usize::from(self.z[i]);
                m[old] -= 1.0;
                self.n[old][v] -= 1.0;
                let masses = self.masses(i, &m);
                let key = key(self.params.seed());
                let bits = token_bits(token_block(key, i as u64, iteration, Step::DirectZ), i as u64);
                let target = unit(bits) * masses.iter().map(|(_, mass)| mass).sum::<f64>();
                let mut sum = 0.0;
                let chosen = masses.iter().find(|(_, mass)| {
                    sum += mass;
                    sum > target
                });
                let new = chosen.expect("the target is below the sum").0;
                self.z[i] = new;
                m[usize::from(new)] += 1.0;
                self.n[usize::from(new)][v] += 1.0;
            }
        }
    }
}

/// A chain and the plain one, sweep by sweep: the same uniform numbers choose the same topics.
fn agree(corpus: Corpus, settings: Settings, iterations: u32) {
    let params = Settings { sampler: Algorithm::Direct, psi: PsiLaw::Dp, ..settings }.check().unwrap();
    let start = Start::first(&corpus, &params);
    let mut n = vec![vec![0.0; corpus.vocab_size()]; params.k_star()];
    corpus.w.iter().zip(&start.z).for_each(|(&v, &k)| n[usize::from(k)][v as usize] += 1.0);
    let corpus = Arc::new(corpus);
    let mut chain = chain::open(Arc::clone(&corpus), params.clone(), start.clone(), &Place::cpu()).unwrap();
    let mut psi = start.psi.psi;
    let mut z = start.z;
    for iteration in 1..=iterations {
        let mut plain = Plain { corpus: &corpus, params: &params, psi: &psi, n, z };
        plain.sweep(iteration);
        (n, z) = (plain.n, plain.z);
        chain.step().unwrap();
        let found = chain.z().unwrap();
        if let Some(i) = (0..z.len()).find(|&i| z[i] != found[i]) {
            panic!("iteration {iteration}: token {i} is in topic {} by definition, {} found", z[i], found[i]);
        }
        psi = chain.state().psi().psi.clone();
    }
}

/// The first documents of the sample.
fn some_documents(docs: usize) -> Corpus {
    let whole = sample().corpus;
    let doc_start = whole.doc_start[..=docs].to_vec();
    Corpus::new(whole.w[..doc_start[docs]].to_vec(), doc_start, whole.vocab).expect("a corpus")
}

#[test]
fn from_one_topic_and_from_many() {
    for init_topics in [1, 8] {
        agree(
            some_documents(12),
            Settings { max_topics: 12, init: Init::Random(init_topics), ..Settings::paper() },
            4,
        );
    }
}

/// With large concentrations topics are born and die in every sweep.
#[test]
fn where_topics_come_and_go() {
    let settings = Settings {
        max_topics: 20,
        init: Init::Random(5),
        alpha: 20.0,
        beta: 0.5,
        gamma: 20.0,
        ..Settings::paper()
    };
    agree(some_documents(8), settings, 6);
}

#[test]
fn one_topic_only() {
    agree(some_documents(3), Settings { max_topics: 1, ..Settings::paper() }, 2);
}
