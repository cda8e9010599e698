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
    m: Vec<Vec<f64>>,
    z: Vec<u16>,
}

/// Topics in the order in which they are searched: one that loses its last token leaves its place to the last of the list.
#[derive(Clone, Default)]
struct List(Vec<u16>);

impl List {
    fn put_in(&mut self, k: u16) {
        if !self.0.contains(&k) {
            self.0.push(k);
        }
    }

    fn take_out(&mut self, k: u16) {
        let at = self.0.iter().position(|&topic| topic == k).expect("it is there");
        self.0.swap_remove(at);
    }
}

impl Plain<'_> {
    /// The masses of a token of word `v` in document `d` in the order in which they are searched, each with its topic: of the document,
    /// of the word, and of the prior, first over topics that have tokens.
    fn masses(&self, d: usize, v: usize, of_doc: &List, of_word: &List) -> Vec<(u16, f64)> {
        let Self { corpus, params, psi, n, m, .. } = self;
        let (vocab_size, m) = (corpus.vocab_size() as f64, &m[d]);
        let n_k: Vec<f64> = n.iter().map(|row| row.iter().sum()).collect();
        let over = |k: usize| params.beta() * vocab_size + n_k[k];
        let prior = |k: usize| params.alpha() * psi[k];
        let topics = || 0..params.k_star() as u16;
        let part = |topics: &mut dyn Iterator<Item = u16>, mass: &dyn Fn(usize) -> f64| -> Vec<(u16, f64)> {
            topics.map(|k| (k, mass(usize::from(k)) / over(usize::from(k)))).collect()
        };
        let has_tokens = |k: &u16| n_k[usize::from(*k)] > 0.0;
        let masses = [
            part(&mut of_doc.0.iter().copied(), &|k| m[k] * (params.beta() + n[k][v])),
            part(&mut of_word.0.iter().copied(), &|k| prior(k) * n[k][v]),
            part(&mut topics().filter(has_tokens), &|k| prior(k) * params.beta()),
            part(&mut topics().filter(|k| !has_tokens(k)), &|k| prior(k) * params.beta()),
        ]
        .concat();
        // Together they are the definition: (αΨ_k + m_dk)·(β + n_kv) / (Vβ + n_k).
        for k in topics().map(usize::from).step_by(7) {
            let of_topic = masses.iter().filter(|(topic, _)| usize::from(*topic) == k);
            let sum: f64 = of_topic.map(|(_, mass)| mass).sum();
            let definition = (prior(k) + m[k]) * (params.beta() + n[k][v]) / over(k);
            approx::assert_relative_eq!(sum, definition, max_relative = 1e-12);
        }
        masses
    }

    /// Words in their order, and the tokens of a word in theirs.
    fn sweep(&mut self, iteration: u32) {
        let corpus = self.corpus;
        let topics_in_order = |tokens: &mut dyn Iterator<Item = usize>, z: &[u16]| {
            let mut list = List::default();
            tokens.for_each(|i| list.put_in(z[i]));
            list
        };
        let docs = 0..corpus.num_docs();
        let mut of_docs: Vec<List> =
            docs.clone().map(|d| topics_in_order(&mut corpus.doc(d), &self.z)).collect();
        let doc_of: Vec<usize> = docs.flat_map(|d| corpus.doc(d).map(move |_| d)).collect();
        let key = key(self.params.seed());
        let mut place = 0;
        for v in 0..corpus.vocab_size() {
            let tokens: Vec<usize> = (0..corpus.w.len()).filter(|&i| corpus.w[i] as usize == v).collect();
            let mut of_word = topics_in_order(&mut tokens.iter().copied(), &self.z);
            for i in tokens {
                let (d, old) = (doc_of[i], usize::from(self.z[i]));
                self.m[d][old] -= 1.0;
                self.n[old][v] -= 1.0;
                if self.m[d][old] == 0.0 {
                    of_docs[d].take_out(old as u16);
                }
                if self.n[old][v] == 0.0 {
                    of_word.take_out(old as u16);
                }
                let masses = self.masses(d, v, &of_docs[d], &of_word);
                let bits = token_bits(token_block(key, place, iteration, Step::DirectZ), place);
                let target = unit(bits) * masses.iter().map(|(_, mass)| mass).sum::<f64>();
                let mut sum = 0.0;
                let chosen = masses.iter().find(|(_, mass)| {
                    sum += mass;
                    sum > target
                });
                let new = chosen.expect("the target is below the sum").0;
                self.z[i] = new;
                self.m[d][usize::from(new)] += 1.0;
                self.n[usize::from(new)][v] += 1.0;
                of_docs[d].put_in(new);
                of_word.put_in(new);
                place += 1;
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
    let mut m = vec![vec![0.0; params.k_star()]; corpus.num_docs()];
    for (d, of_doc) in m.iter_mut().enumerate() {
        start.z[corpus.doc(d)].iter().for_each(|&k| of_doc[usize::from(k)] += 1.0);
    }
    let corpus = Arc::new(corpus);
    let mut chain = chain::open(Arc::clone(&corpus), params.clone(), start.clone(), &Place::cpu()).unwrap();
    let mut psi = start.psi.psi;
    let mut z = start.z;
    for iteration in 1..=iterations {
        let mut plain = Plain { corpus: &corpus, params: &params, psi: &psi, n, m, z };
        plain.sweep(iteration);
        (n, m, z) = (plain.n, plain.m, plain.z);
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
