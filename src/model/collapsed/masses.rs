//! What topics weigh: q_k of the word at hand, and the sums that are kept from token to token.

use super::docs::DocList;
use crate::heap::{Heap, Sizes};
use crate::model::psi::Psi;
use crate::model::z::DenseCounts;

/// q_k with a place for every number that a topic can have, so that no look-up is checked against K*.
type DenseMasses = Box<[f64; 1 << 16]>;

/// Terms that are added up side by side, in an order that no machine changes.
const LANES: usize = 4;

/// The factors of a draw.
#[derive(Debug)]
pub(super) struct Masses {
    beta: f64,
    /// Vβ.
    vocab_beta: f64,
    /// αΨ_k.
    alpha_psi: Vec<f64>,
    /// n_k.
    tokens: Vec<u64>,
    /// 1 / (Vβ + n_k).
    inverse: Vec<f64>,
    /// q_k = (β + n_kv) / (Vβ + n_k) of the word at hand.
    q: DenseMasses,
    /// The topics with tokens, ascending.
    active: Vec<u16>,
    /// Σ αΨ_k·β / (Vβ + n_k) over them, and the tokens sampled since it was added up.
    floor: f64,
    age: usize,
    /// Σ αΨ_k·n_kv / (Vβ + n_k).
    word: f64,
    /// Σ αΨ_k·β / (Vβ + n_k) over the topics without tokens.
    empty: f64,
}

impl Default for Masses {
    /// Of nothing: a sweep begins them.
    fn default() -> Self {
        let q = vec![0.0; 1 << 16].into_boxed_slice().try_into().expect("as many as the array has");
        Self {
            beta: 0.0,
            vocab_beta: 0.0,
            alpha_psi: Vec::new(),
            tokens: Vec::new(),
            inverse: Vec::new(),
            q,
            active: Vec::new(),
            floor: 0.0,
            age: 0,
            word: 0.0,
            empty: 0.0,
        }
    }
}

impl Masses {
    /// What they take.
    pub(super) fn bytes(sizes: &Sizes) -> Heap {
        Heap::exact::<[f64; 3]>(sizes.k_star).at_most()
            + Heap::exact::<[f64; 1 << 16]>(1.0).at_most()
            + Heap::grown::<u16>(1.0, sizes.topics).at_most()
    }

    #[cfg(test)]
    pub(super) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { alpha_psi, tokens, inverse, q, active, .. } = self;
        held(alpha_psi) + held(tokens) + held(inverse) + Heap::bytes(size_of_val(&**q) as f64) + held(active)
    }

    /// The factors before any word.
    pub(super) fn begin(&mut self, vocab_size: usize, psi: &Psi, alpha: f64, beta: f64, tokens: &[u64]) {
        (self.beta, self.vocab_beta) = (beta, vocab_size as f64 * beta);
        self.alpha_psi.clear();
        self.alpha_psi.extend(psi.psi.iter().map(|psi| alpha * psi));
        self.tokens.clear();
        self.tokens.extend_from_slice(tokens);
        self.inverse.clear();
        self.inverse.extend(tokens.iter().map(|&tokens| 1.0 / (self.vocab_beta + tokens as f64)));
        for (q, inverse) in self.q.iter_mut().zip(&self.inverse) {
            *q = beta * inverse;
        }
        let active = (0..=u16::MAX).zip(tokens).filter(|&(_, &tokens)| tokens > 0);
        self.active.clear();
        self.active.extend(active.map(|(k, _)| k));
        self.add_up_topics();
    }

    /// The tokens of all topics.
    pub(super) fn copy_tokens(&self, tokens: &mut [u64]) {
        tokens.copy_from_slice(&self.tokens);
    }

    /// Takes the topics of a word in, with their n_kv.
    pub(super) fn begin_word(&mut self, topics: impl Iterator<Item = (u16, u32)>) {
        if self.age >= self.active.len() {
            self.add_up_floor();
        }
        self.word = 0.0;
        for (k, n) in topics {
            self.set_q(k, n);
            self.word += self.word_mass(k, n);
        }
    }

    /// Leaves topic `k` as it is without a word.
    pub(super) fn end_word(&mut self, k: u16) {
        self.set_q(k, 0);
    }

    #[inline]
    fn set_q(&mut self, k: u16, n: u32) {
        self.q[usize::from(k)] = (self.beta + f64::from(n)) * self.inverse[usize::from(k)];
    }

    #[inline]
    fn word_mass(&self, k: u16, n: u32) -> f64 {
        self.alpha_psi[usize::from(k)] * f64::from(n) * self.inverse[usize::from(k)]
    }

    #[inline]
    fn floor_mass(&self, k: u16) -> f64 {
        self.alpha_psi[usize::from(k)] * self.beta * self.inverse[usize::from(k)]
    }

    /// Takes a token out of topic `k`, which then has `n` of the word.
    #[inline]
    pub(super) fn remove(&mut self, k: u16, n: u32) {
        self.leave(k, n + 1);
        self.tokens[usize::from(k)] -= 1;
        self.enter(k, n);
        self.age += 1;
        if self.tokens[usize::from(k)] == 0 {
            self.active.retain(|&active| active != k);
            self.add_up_topics();
        }
    }

    /// Puts a token into topic `k`, which then has `n` of the word.
    #[inline]
    pub(super) fn add(&mut self, k: u16, n: u32) {
        self.leave(k, n - 1);
        self.tokens[usize::from(k)] += 1;
        self.enter(k, n);
        if self.tokens[usize::from(k)] == 1 {
            let at = self.active.partition_point(|&active| active < k);
            self.active.insert(at, k);
            self.add_up_topics();
        }
    }

    /// Takes a topic out of the sums before its counts change.
    #[inline]
    fn leave(&mut self, k: u16, n: u32) {
        self.word -= self.word_mass(k, n);
        self.floor -= self.floor_mass(k);
    }

    /// Takes it in again with the new counts.
    #[inline]
    fn enter(&mut self, k: u16, n: u32) {
        let at = usize::from(k);
        self.inverse[at] = 1.0 / (self.vocab_beta + self.tokens[at] as f64);
        self.set_q(k, n);
        self.word += self.word_mass(k, n);
        self.floor += self.floor_mass(k);
    }

    /// Adds up the sums over topics, of which one has come or gone.
    fn add_up_topics(&mut self) {
        self.add_up_floor();
        self.empty = self.empty_topics().map(|k| self.floor_mass(k)).sum();
    }

    fn add_up_floor(&mut self) {
        self.floor = self.active.iter().map(|&k| self.floor_mass(k)).sum();
        self.age = 0;
    }

    /// The topics without tokens, ascending.
    fn empty_topics(&self) -> impl Iterator<Item = u16> + '_ {
        (0..=u16::MAX).zip(&self.tokens).filter(|&(_, &tokens)| tokens == 0).map(|(k, _)| k)
    }

    /// Σ m_dk·q_k.
    #[inline]
    pub(super) fn document(&self, doc: DocList<'_>) -> f64 {
        let (topics, last_topics) = doc.topic.as_chunks::<LANES>();
        let (m, last_m) = doc.m.as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (topics, m) in topics.iter().zip(m) {
            for lane in 0..LANES {
                sums[lane] += self.document_mass(topics[lane], m[lane]);
            }
        }
        let rest = last_topics.iter().zip(last_m).map(|(&k, &m)| self.document_mass(k, m));
        let [a, b, c, d] = sums;
        (a + b) + (c + d) + rest.sum::<f64>()
    }

    #[inline]
    fn document_mass(&self, k: u16, m: u32) -> f64 {
        f64::from(m) * self.q[usize::from(k)]
    }

    /// Σ αΨ_k·q_k. Sums from which topics were taken out may end a little below zero.
    #[inline]
    pub(super) fn prior(&self) -> f64 {
        self.word.max(0.0) + self.floor.max(0.0) + self.empty
    }

    /// The place in the document's list at which Σ m_dk·q_k exceeds `u`: none if rounding puts `u` past the end.
    #[inline]
    pub(super) fn select_document(&self, doc: DocList<'_>, mut u: f64) -> Option<usize> {
        doc.topic.iter().zip(doc.m).position(|(&k, &m)| {
            u -= self.document_mass(k, m);
            u < 0.0
        })
    }

    /// The topic at which Σ αΨ_k·q_k exceeds `u`, first over the topics of the word, n_kv of which are `n`.
    pub(super) fn select_prior(&self, word: &[u16], n: &DenseCounts, mut u: f64) -> Option<u16> {
        let mut exceeds = |mass: f64| {
            u -= mass;
            u < 0.0
        };
        let of_word = word.iter().copied().find(|&k| exceeds(self.word_mass(k, n[usize::from(k)])));
        of_word
            .or_else(|| self.active.iter().copied().find(|&k| exceeds(self.floor_mass(k))))
            .or_else(|| self.empty_topics().find(|&k| exceeds(self.floor_mass(k))))
    }
}
