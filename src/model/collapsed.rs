//! z given all other z and Ψ, with Φ integrated out, token by token: the z step of direct assignment,
//! P(z_i = k) ∝ (αΨ_k + m_dk)·(β + n_kv) / (Vβ + n_k).
//!
//! The mass has three parts, as in Yao, Mimno and McCallum (2009), "Efficient methods for topic model inference on
//! streaming document collections", and most draws end in the first:
//! - word: Σ (αΨ_k + m_dk)·n_kv / (Vβ + n_k) over the topics of the word;
//! - document: Σ m_dk·β / (Vβ + n_k) over the topics of the document;
//! - prior: Σ αΨ_k·β / (Vβ + n_k) over all topics.
//!
//! Sums that are kept from token to token start anew with each document, from topics in ascending order: so a sweep
//! depends on z and Ψ alone, and not on how the chain came there.

use super::counts::{Counts, TopicWordCounts};
use super::psi::Psi;
use super::z::DocTopicCounts;
use crate::corpus::Corpus;
use crate::heap::{Heap, Sizes};
use crate::params::Params;
use crate::rng::{Step, key, token_bits, token_block, unit};

/// z with its counts, kept up to date token by token.
#[derive(Debug)]
pub struct CollapsedTopics {
    z: Vec<u16>,
    /// The nonzero n_kv of each word, topics ascending.
    n: Vec<Vec<Cell>>,
    /// n_k.
    topic_tokens: Vec<u64>,
    /// The topics with tokens, ascending.
    active: Vec<u16>,
    doc: DocTopicCounts,
    mass: Masses,
}

/// The tokens of a word in a topic.
#[derive(Clone, Copy, Debug)]
struct Cell {
    topic: u16,
    count: u32,
}

/// The factors of a draw that do not depend on the word.
#[derive(Debug, Default)]
struct Masses {
    beta: f64,
    /// Vβ.
    vocab_beta: f64,
    /// αΨ_k.
    alpha_psi: Vec<f64>,
    /// 1 / (Vβ + n_k).
    inverse: Vec<f64>,
    /// (αΨ_k + m_dk) / (Vβ + n_k).
    weight: Vec<f64>,
    /// Σ m_dk·β / (Vβ + n_k).
    document: f64,
    /// Σ αΨ_k·β / (Vβ + n_k) over the topics with tokens.
    active: f64,
    /// The same over the others.
    empty: f64,
}

impl CollapsedTopics {
    /// Takes over `z`, whose counts are `n`.
    pub fn new(z: Vec<u16>, n: &TopicWordCounts) -> Self {
        let cells = |column: super::counts::Column<'_>| {
            column.iter().map(|(topic, count)| Cell { topic, count }).collect()
        };
        Self {
            z,
            n: n.columns().map(cells).collect(),
            active: (0..n.topic_tokens.len()).filter(|&k| n.topic_tokens[k] > 0).map(|k| k as u16).collect(),
            topic_tokens: n.topic_tokens.clone(),
            doc: DocTopicCounts::default(),
            mass: Masses::default(),
        }
    }

    /// What they take.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        let Sizes { tokens, words, word_topics, k_star, topics, .. } = *sizes;
        Heap::exact::<u16>(tokens)
            + Heap::exact::<Vec<Cell>>(words)
            + Heap::grown::<Cell>(words, word_topics)
            + Heap::exact::<u64>(k_star)
            + Heap::grown::<u16>(1.0, topics)
            + DocTopicCounts::bytes(sizes)
            + Masses::bytes(k_star)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { z, n, topic_tokens, active, doc, mass } = self;
        let n = held(n) + n.iter().map(held).sum::<Heap>();
        let mass = held(&mass.alpha_psi) + held(&mass.inverse) + held(&mass.weight);
        held(z) + n + held(topic_tokens) + held(active) + doc.heap_bytes() + mass
    }

    /// Makes room for topics up to a larger K*.
    pub(crate) fn resize(&mut self, k_star: usize) {
        self.topic_tokens.resize(k_star, 0);
    }

    /// The topics of the tokens.
    pub fn z(&self) -> &[u16] {
        &self.z
    }

    /// Samples every token once, documents and tokens in their order, and counts them.
    pub fn sample_z(
        &mut self,
        corpus: &Corpus,
        psi: &Psi,
        params: &Params,
        iteration: u32,
        counts: &mut Counts,
    ) {
        let alpha = params.alpha_of_z(iteration);
        self.mass = Masses::new(corpus.vocab_size(), psi, alpha, params.beta(), &self.topic_tokens);
        self.mass.add_up_empty(&self.active);
        let key = key(params.seed());
        counts.d.clear();
        for d in 0..corpus.num_docs() {
            let tokens = corpus.doc(d);
            self.doc.fill(&self.z[tokens.clone()]);
            self.mass.begin_document(&self.doc, &self.active);
            for i in tokens {
                let bits = token_bits(token_block(key, i as u64, iteration, Step::DirectZ), i as u64);
                self.sample_token(i, corpus.w[i] as usize, unit(bits));
            }
            self.mass.end_document(&self.doc);
            self.doc.drain_into(&mut counts.d);
        }
        counts.d.sort();
        self.copy_counts(&mut counts.n);
    }

    /// Draws the topic of token `i`, of word `v`, with a uniform number.
    fn sample_token(&mut self, i: usize, v: usize, uniform: f64) {
        let old = self.z[i];
        self.remove(v, old);
        let word: f64 = self.n[v].iter().map(|cell| self.mass.word(*cell)).sum();
        let Masses { document, active, empty, .. } = self.mass;
        let new = self.select(v, uniform * (word + document + active + empty)).unwrap_or(old);
        self.z[i] = new;
        self.add(v, new);
    }

    /// The topic at which the parts of the mass, added up, exceed `u`: none if rounding puts `u` past the end.
    fn select(&self, v: usize, mut u: f64) -> Option<u16> {
        let mut exceeds = |mass: f64| {
            u -= mass;
            u < 0.0
        };
        let Self { n, doc, mass, active, .. } = self;
        let word = n[v].iter().find(|cell| exceeds(mass.word(**cell))).map(|cell| cell.topic);
        word.or_else(|| doc.topics().iter().copied().find(|&k| exceeds(mass.document(k, doc.m(k)))))
            .or_else(|| active.iter().copied().find(|&k| exceeds(mass.prior(k))))
            .or_else(|| mass.empty_topics(active).find(|&k| exceeds(mass.prior(k))))
    }

    /// Takes a token of word `v` out of topic `k`.
    fn remove(&mut self, v: usize, k: u16) {
        let column = &mut self.n[v];
        let at = column.binary_search_by_key(&k, |cell| cell.topic).expect("a word has its tokens' topics");
        column[at].count -= 1;
        if column[at].count == 0 {
            column.remove(at);
        }
        self.mass.leave(k, self.doc.m(k));
        self.doc.remove(k);
        let tokens = &mut self.topic_tokens[usize::from(k)];
        *tokens -= 1;
        self.mass.enter(k, *tokens, self.doc.m(k));
        if *tokens == 0 {
            self.active.retain(|&active| active != k);
            self.mass.add_up_active(&self.active);
            self.mass.add_up_empty(&self.active);
        }
    }

    /// Puts a token of word `v` into topic `k`.
    fn add(&mut self, v: usize, k: u16) {
        let column = &mut self.n[v];
        match column.binary_search_by_key(&k, |cell| cell.topic) {
            Ok(at) => column[at].count += 1,
            Err(at) => column.insert(at, Cell { topic: k, count: 1 }),
        }
        self.mass.leave(k, self.doc.m(k));
        self.doc.add(k);
        let tokens = &mut self.topic_tokens[usize::from(k)];
        *tokens += 1;
        self.mass.enter(k, *tokens, self.doc.m(k));
        if *tokens == 1 {
            let at = self.active.partition_point(|&active| active < k);
            self.active.insert(at, k);
            self.mass.add_up_active(&self.active);
            self.mass.add_up_empty(&self.active);
        }
    }

    fn copy_counts(&self, n: &mut TopicWordCounts) {
        for block in &mut n.blocks {
            block.clear();
            for v in block.words() {
                self.n[v as usize].iter().for_each(|cell| block.push(cell.topic, cell.count));
                block.end_column();
            }
        }
        n.topic_tokens.copy_from_slice(&self.topic_tokens);
    }
}

impl Masses {
    /// What they take: three numbers for each topic.
    fn bytes(k_star: f64) -> Heap {
        Heap::exact::<f64>(k_star) * 3.0
    }

    /// The factors before any document.
    fn new(vocab_size: usize, psi: &Psi, alpha: f64, beta: f64, topic_tokens: &[u64]) -> Self {
        let vocab_beta = vocab_size as f64 * beta;
        let alpha_psi: Vec<f64> = psi.psi.iter().map(|psi| alpha * psi).collect();
        let inverse: Vec<f64> =
            topic_tokens.iter().map(|&tokens| 1.0 / (vocab_beta + tokens as f64)).collect();
        let weight = alpha_psi.iter().zip(&inverse).map(|(alpha_psi, inverse)| alpha_psi * inverse).collect();
        Self { beta, vocab_beta, alpha_psi, inverse, weight, ..Self::default() }
    }

    #[inline]
    fn word(&self, cell: Cell) -> f64 {
        self.weight[usize::from(cell.topic)] * f64::from(cell.count)
    }

    #[inline]
    fn document(&self, k: u16, m: u32) -> f64 {
        f64::from(m) * self.beta * self.inverse[usize::from(k)]
    }

    #[inline]
    fn prior(&self, k: u16) -> f64 {
        self.alpha_psi[usize::from(k)] * self.beta * self.inverse[usize::from(k)]
    }

    /// Takes topic `k`, with m_dk tokens in the document, out of the sums before its counts change.
    #[inline]
    fn leave(&mut self, k: u16, m: u32) {
        self.document -= self.document(k, m);
        self.active -= self.prior(k);
    }

    /// Takes it in again with the new counts.
    #[inline]
    fn enter(&mut self, k: u16, tokens: u64, m: u32) {
        let at = usize::from(k);
        self.inverse[at] = 1.0 / (self.vocab_beta + tokens as f64);
        self.weight[at] = (self.alpha_psi[at] + f64::from(m)) * self.inverse[at];
        self.document += self.document(k, m);
        self.active += self.prior(k);
    }

    /// Adds up what is kept from token to token.
    fn begin_document(&mut self, doc: &DocTopicCounts, active: &[u16]) {
        self.set_weights(doc, f64::from);
        self.document = doc.topics().iter().map(|&k| self.document(k, doc.m(k))).sum();
        self.add_up_active(active);
    }

    /// Leaves the weights as they are without a document.
    fn end_document(&mut self, doc: &DocTopicCounts) {
        self.set_weights(doc, |_| 0.0);
    }

    fn set_weights(&mut self, doc: &DocTopicCounts, m: impl Fn(u32) -> f64) {
        for &k in doc.topics() {
            let at = usize::from(k);
            self.weight[at] = (self.alpha_psi[at] + m(doc.m(k))) * self.inverse[at];
        }
    }

    fn add_up_active(&mut self, active: &[u16]) {
        self.active = active.iter().map(|&k| self.prior(k)).sum();
    }

    fn add_up_empty(&mut self, active: &[u16]) {
        self.empty = self.empty_topics(active).map(|k| self.prior(k)).sum();
    }

    /// The topics without tokens, ascending.
    fn empty_topics<'a>(&self, active: &'a [u16]) -> impl Iterator<Item = u16> + use<'a> {
        let mut active = active.iter().copied().peekable();
        (0..self.alpha_psi.len()).map(|k| k as u16).filter(move |&k| active.next_if_eq(&k).is_none())
    }
}
