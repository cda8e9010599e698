//! The tokens of a corpus word by word.

use std::ops::Range;

use crate::corpus::Corpus;
use crate::heap::{Heap, Sizes};

/// The places of all tokens, by word and then as they come in the corpus.
#[derive(Debug)]
pub(super) struct WordOrder {
    places: Vec<Place>,
    /// Word v's are `start[v]..start[v + 1]`.
    start: Vec<usize>,
}

/// Where a token is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// Its document.
    pub(super) doc: u32,
    /// Its place there.
    at: u32,
}

impl Place {
    /// The token's number.
    #[inline]
    pub(super) fn token(self, corpus: &Corpus) -> usize {
        corpus.doc_start[self.doc as usize] + self.at as usize
    }
}

impl WordOrder {
    pub(super) fn new(corpus: &Corpus) -> Self {
        let mut next = vec![0; corpus.vocab_size() + 1];
        corpus.w.iter().for_each(|&v| next[v as usize + 1] += 1);
        for v in 1..next.len() {
            next[v] += next[v - 1];
        }
        let start = next.clone();
        let mut places = vec![Place::default(); corpus.num_tokens()];
        for d in 0..corpus.num_docs() {
            for (at, &v) in (0..).zip(&corpus.w[corpus.doc(d)]) {
                places[next[v as usize]] = Place { doc: d as u32, at };
                next[v as usize] += 1;
            }
        }
        Self { places, start }
    }

    /// The places of word `v`.
    pub(super) fn of_word(&self, v: u32) -> Range<usize> {
        self.start[v as usize]..self.start[v as usize + 1]
    }

    #[inline]
    pub(super) fn place(&self, at: usize) -> Place {
        self.places[at]
    }

    /// What it takes.
    pub(super) fn bytes(sizes: &Sizes) -> Heap {
        Heap::exact::<Place>(sizes.tokens) + Heap::exact::<usize>(sizes.words)
    }

    #[cfg(test)]
    pub(super) fn heap_bytes(&self) -> Heap {
        crate::heap::held(&self.places) + crate::heap::held(&self.start)
    }
}
