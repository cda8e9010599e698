//! Documents in batches that fit a binding, and their tokens as the device has them.

use std::ops::Range;

use rayon::prelude::*;

use super::layout::{Doc, halves};
use crate::corpus::Corpus;
use crate::heap::Heap;

/// Documents that follow each other in the corpus, with their tokens in one buffer.
///
/// A document begins at a place as odd as the index of its first token in the random streams, so that two tokens that share
/// random bits share a word of z, and no two documents do.
#[derive(Debug)]
pub(super) struct Batch {
    /// The documents of the corpus.
    pub(super) docs: Range<usize>,
    /// Where each document's pairs of places start, and where those of the last one end.
    pairs: Vec<u32>,
}

/// Pairs of places that a document takes.
fn doc_pairs(corpus: &Corpus, d: usize) -> usize {
    (corpus.doc(d).len() + (corpus.stream_index(d) & 1) as usize).div_ceil(2)
}

impl Batch {
    /// What the batches of so many documents take.
    pub(super) fn bytes(docs: f64) -> Heap {
        Heap::grown::<u32>(1.0, docs + 1.0)
    }

    /// Cuts the documents into batches whose buffers stay within `binding_bytes`, or hold a single document.
    pub(super) fn cut(corpus: &Corpus, binding_bytes: u64) -> Vec<Self> {
        let mut batches: Vec<Self> = Vec::new();
        for d in 0..corpus.num_docs() {
            let pairs = doc_pairs(corpus, d);
            let fits = |batch: &Self| {
                let bytes = (8 * (batch.num_pairs() + pairs)).max((batch.docs.len() + 1) * size_of::<Doc>());
                bytes as u64 <= binding_bytes
            };
            if !batches.last().is_some_and(fits) {
                batches.push(Self { docs: d..d, pairs: vec![0] });
            }
            let batch = batches.last_mut().expect("there is one now");
            batch.docs.end += 1;
            batch.pairs.push((batch.num_pairs() + pairs) as u32);
        }
        batches
    }

    /// Pairs of places.
    pub(super) fn num_pairs(&self) -> usize {
        self.pairs[self.pairs.len() - 1] as usize
    }

    /// The pairs of some of its documents.
    pub(super) fn pairs_of(&self, docs: &Range<usize>) -> Range<usize> {
        let at = |d: usize| self.pairs[d - self.docs.start] as usize;
        at(docs.start)..at(docs.end)
    }

    /// The documents that this batch and `docs` have in common.
    pub(super) fn common(&self, docs: &Range<usize>) -> Range<usize> {
        let start = docs.start.clamp(self.docs.start, self.docs.end);
        start..docs.end.clamp(start, self.docs.end)
    }

    /// A document as the device has it.
    pub(super) fn doc(&self, corpus: &Corpus, d: usize) -> Doc {
        let index = corpus.stream_index(d);
        Doc {
            first: 2 * self.pairs[d - self.docs.start] + (index & 1) as u32,
            tokens: corpus.doc(d).len() as u32,
            index: halves(index),
        }
    }

    /// w as the device has it.
    pub(super) fn words(&self, corpus: &Corpus) -> Vec<[u32; 2]> {
        let mut out = vec![[0; 2]; self.num_pairs()];
        let parts = self.parts(&self.docs, &mut out);
        parts.into_par_iter().for_each(|(d, pairs)| {
            let first = (corpus.stream_index(d) & 1) as usize;
            let w = &corpus.w[corpus.doc(d)];
            pairs.as_flattened_mut()[first..first + w.len()].copy_from_slice(w);
        });
        out
    }

    /// The topics `z` of some documents as the device has them, two a word.
    pub(super) fn pack_z(&self, corpus: &Corpus, docs: &Range<usize>, z: &[u16]) -> Vec<u32> {
        let mut out = vec![0; self.pairs_of(docs).len()];
        let start = corpus.doc_start[docs.start];
        self.parts(docs, &mut out).into_par_iter().for_each(|(d, pairs)| {
            let odd = (corpus.stream_index(d) & 1) as usize;
            let tokens = corpus.doc(d);
            for (place, &k) in (odd..).zip(&z[tokens.start - start..tokens.end - start]) {
                pairs[place / 2] |= u32::from(k) << (16 * (place % 2));
            }
        });
        out
    }

    /// The device's topics of some documents, put into their places of `z`.
    pub(super) fn unpack_z(&self, corpus: &Corpus, docs: &Range<usize>, packed: &[u32], z: &mut [u16]) {
        let first = self.pairs_of(docs).start;
        let mut rest = z;
        let parts: Vec<(usize, &mut [u16])> = docs
            .clone()
            .map(|d| (d, rest.split_off_mut(..corpus.doc(d).len()).expect("z has these documents")))
            .collect();
        parts.into_par_iter().for_each(|(d, z)| {
            let odd = (corpus.stream_index(d) & 1) as usize;
            let pairs = &packed[self.pairs[d - self.docs.start] as usize - first..];
            for (place, k) in (odd..).zip(z) {
                *k = (pairs[place / 2] >> (16 * (place % 2))) as u16;
            }
        });
    }

    /// The part of each document of a buffer that holds the pairs of `docs`.
    fn parts<'a, T>(&self, docs: &Range<usize>, mut buffer: &'a mut [T]) -> Vec<(usize, &'a mut [T])> {
        let pairs = |d: usize| self.pairs_of(&(d..d + 1)).len();
        let mut part = |d| buffer.split_off_mut(..pairs(d)).expect("the buffer has all pairs");
        docs.clone().map(|d| (d, part(d))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::held;

    #[test]
    fn batches_hold_every_token_once_and_z_comes_back() {
        let corpus = Corpus::new(
            (0..30).collect(),
            vec![0, 3, 3, 4, 10, 29, 30],
            (0..30).map(|v: u32| v.to_string()).collect(),
        )
        .expect("a corpus");
        let z: Vec<u16> = (0..30).map(|i| 1000 + i).collect();
        for binding_bytes in [1, 64, 80, 1 << 20] {
            let batches = Batch::cut(&corpus, binding_bytes);
            assert_eq!(batches.len() == 1, binding_bytes == 1 << 20);
            let mut back = vec![0; 30];
            let mut words = Vec::new();
            for batch in &batches {
                let tokens = corpus.tokens_of(&batch.docs);
                let packed = batch.pack_z(&corpus, &batch.docs, &z[tokens.clone()]);
                batch.unpack_z(&corpus, &batch.docs, &packed, &mut back[tokens]);
                let w = batch.words(&corpus);
                for d in batch.docs.clone() {
                    let Doc { first, tokens, index } = batch.doc(&corpus, d);
                    assert_eq!(first % 2, index[0] % 2);
                    words.extend_from_slice(&w.as_flattened()[first as usize..][..tokens as usize]);
                }
            }
            assert_eq!(back, z);
            assert_eq!(words, corpus.w[..]);
            if let [batch] = &batches[..] {
                let bytes = Batch::bytes(6.0);
                let taken = held(&batch.pairs);
                assert!(bytes.least == taken.least && taken.most <= bytes.most);
                // A part of the documents.
                let packed = batch.pack_z(&corpus, &(2..5), &z[3..29]);
                let mut part = vec![0; 19];
                let first = batch.pairs_of(&(2..4)).len();
                batch.unpack_z(&corpus, &(4..5), &packed[first..], &mut part);
                assert_eq!(part, z[10..29]);
            }
        }
    }
}
