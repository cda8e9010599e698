//! z given all other z and Ψ, with Φ integrated out, token by token: the z step of direct assignment,
//! P(z_i = k) ∝ (αΨ_k + m_dk)·(β + n_kv) / (Vβ + n_k).
//!
//! Tokens come word by word, so that q_k = (β + n_kv) / (Vβ + n_k) of the word at hand is an array, of which a token changes two
//! numbers. The mass then has two parts, and most draws end in the first:
//! - document: Σ m_dk·q_k over the topics of the document, which are fewer than those of a common word;
//! - prior: Σ αΨ_k·q_k over all topics, which is kept from token to token.
//!
//! Whatever is kept starts anew with each sweep, from z: so a sweep depends on z and Ψ alone, and not on how the chain came there.

mod docs;
mod masses;
mod order;

use std::ops::Range;

use self::docs::DocLists;
use self::masses::Masses;
use self::order::{Place, WordOrder};
use super::counts::{ColumnBlock, Counts};
use super::psi::Psi;
use super::z::{BATCH, DenseCounts, dense_counts_bytes, no_tokens};
use crate::corpus::Corpus;
use crate::heap::{Heap, Sizes};
use crate::params::Params;
use crate::rng::{Step, fill_token_bits, key, unit};

/// z with its counts, kept up to date token by token.
#[derive(Debug)]
pub struct CollapsedTopics {
    z: Vec<u16>,
    order: WordOrder,
    docs: DocLists,
    word: WordTopics,
    mass: Masses,
}

/// n_kv of the word at hand.
#[derive(Debug)]
struct WordTopics {
    n: DenseCounts,
    /// The topics with n_kv > 0, as they came.
    topics: Vec<u16>,
}

impl CollapsedTopics {
    /// Takes over `z`, the topics of all tokens of `corpus`.
    pub fn new(z: Vec<u16>, corpus: &Corpus) -> Self {
        Self {
            docs: DocLists::new(corpus),
            order: WordOrder::new(corpus),
            word: WordTopics { n: no_tokens(), topics: Vec::new() },
            mass: Masses::default(),
            z,
        }
    }

    /// What they take.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        Heap::exact::<u16>(sizes.tokens)
            + WordOrder::bytes(sizes)
            + DocLists::bytes(sizes)
            + dense_counts_bytes()
            + Heap::grown::<u16>(1.0, sizes.topics).at_most()
            + Masses::bytes(sizes)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { z, order, docs, word, mass } = self;
        let word = Heap::bytes(size_of_val(&*word.n) as f64) + held(&word.topics);
        held(z) + order.heap_bytes() + docs.heap_bytes() + word + mass.heap_bytes()
    }

    /// The topics of the tokens.
    pub fn z(&self) -> &[u16] {
        &self.z
    }

    /// The same, taken over.
    pub(crate) fn into_z(self) -> Vec<u16> {
        self.z
    }

    /// Samples every token once, words in their order and the tokens of a word in theirs, and counts them.
    pub fn sample_z(
        &mut self,
        corpus: &Corpus,
        psi: &Psi,
        params: &Params,
        iteration: u32,
        counts: &mut Counts,
    ) {
        let alpha = params.alpha_of_z(iteration);
        self.mass.begin(corpus.vocab_size(), psi, alpha, params.beta(), &counts.n.topic_tokens);
        self.docs.fill(corpus, &self.z);
        let mut uniforms = Uniforms { key: key(params.seed()), iteration, bits: [0; BATCH] };
        for block in &mut counts.n.blocks {
            block.clear();
            for v in block.words() {
                let places = self.order.of_word(v);
                self.begin_word(corpus, places.clone());
                for at in places {
                    self.sample_token(corpus, at, uniforms.at(at));
                }
                self.end_word(block);
            }
        }
        self.mass.copy_tokens(&mut counts.n.topic_tokens);
        self.docs.count(corpus, &mut counts.d);
    }

    /// Counts the topics of a word's tokens.
    fn begin_word(&mut self, corpus: &Corpus, places: Range<usize>) {
        let Self { z, order, word, mass, .. } = self;
        for at in places {
            word.add(z[order.place(at).token(corpus)]);
        }
        mass.begin_word(word.topics.iter().map(|&k| (k, word.n[usize::from(k)])));
    }

    /// Adds the word's column to the counts and forgets the word.
    fn end_word(&mut self, block: &mut ColumnBlock<u32>) {
        let Self { word, mass, .. } = self;
        word.topics.sort_unstable();
        for k in word.topics.drain(..) {
            block.push(k, std::mem::take(&mut word.n[usize::from(k)]));
            mass.end_word(k);
        }
        block.end_column();
    }

    /// Draws the topic of the token at a place of the order, with a uniform number.
    fn sample_token(&mut self, corpus: &Corpus, at: usize, uniform: f64) {
        let Self { z, order, docs, word, mass } = self;
        let place = order.place(at);
        let i = place.token(corpus);
        let old = z[i];
        docs.remove(corpus, place, old);
        mass.remove(old, word.remove(old));

        let doc = docs.of(corpus, place);
        let document = mass.document(doc);
        let u = uniform * (document + mass.prior());
        let from_document = if u < document { mass.select_document(doc, u) } else { None };
        let new = match from_document {
            Some(slot) => docs.add_to(corpus, place, slot),
            None => {
                let new = mass.select_prior(&word.topics, &word.n, u - document).unwrap_or(old);
                docs.add(corpus, place, new);
                new
            }
        };
        mass.add(new, word.add(new));
        z[i] = new;
    }
}

impl WordTopics {
    /// Counts a token in topic `k`; returns n_kv.
    #[inline]
    fn add(&mut self, k: u16) -> u32 {
        let n = &mut self.n[usize::from(k)];
        if *n == 0 {
            self.topics.push(k);
        }
        *n += 1;
        *n
    }

    /// Takes a token out of topic `k`; returns n_kv.
    #[inline]
    fn remove(&mut self, k: u16) -> u32 {
        let n = &mut self.n[usize::from(k)];
        *n -= 1;
        if *n == 0 {
            let at = self.topics.iter().position(|&topic| topic == k);
            self.topics.swap_remove(at.expect("a word has its tokens' topics"));
        }
        *n
    }
}

/// The uniform numbers of the places of the order, one after the other.
struct Uniforms {
    key: [u32; 2],
    iteration: u32,
    bits: [u64; BATCH],
}

impl Uniforms {
    /// That of place `at`, which comes after the place before it.
    #[inline]
    fn at(&mut self, at: usize) -> f64 {
        if at.is_multiple_of(BATCH) {
            fill_token_bits(self.key, at as u64, self.iteration, Step::DirectZ, &mut self.bits);
        }
        unit(self.bits[at % BATCH])
    }
}
