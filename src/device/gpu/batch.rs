//! Documents in batches that fit a binding, and their tokens as the device has them.

use super::kernel::{Kernel, Mapping};
use super::layout::{Doc, halves};
use crate::corpus::Corpus;
use crate::heap::Heap;

/// Documents that one dispatch can take from: their tokens in one buffer, each starting at an even place.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) mapping: Mapping,
    pub(super) docs: Vec<Doc>,
    /// Where each document starts in the corpus.
    starts: Vec<usize>,
    /// Places for tokens, an even number.
    pub(super) places: usize,
}

impl Batch {
    fn new(mapping: Mapping) -> Self {
        Self { mapping, docs: Vec::new(), starts: Vec::new(), places: 0 }
    }

    /// What the batches of so many documents take.
    pub(super) fn bytes(docs: f64) -> Heap {
        let batches = Mapping::ALL.len() as f64;
        Heap::grown::<Doc>(batches, docs) + Heap::grown::<usize>(batches, docs)
    }

    /// Cuts the documents that have tokens into batches whose buffers stay within `binding_bytes`, or hold a
    /// single document.
    pub(super) fn cut(
        corpus: &Corpus,
        kernel: Kernel,
        k_star: usize,
        lanes: u32,
        binding_bytes: u64,
    ) -> Vec<Self> {
        let (mut open, mut full) = (Mapping::ALL.map(Self::new), Vec::new());
        for d in 0..corpus.num_docs() {
            let range = corpus.doc(d);
            if range.is_empty() {
                continue;
            }
            let mapping = Mapping::of(kernel, range.len(), k_star, lanes);
            let batch = &mut open[mapping as usize];
            let places = range.len().next_multiple_of(2);
            let bytes = (4 * (batch.places + places)).max((batch.docs.len() + 1) * size_of::<Doc>());
            if !batch.docs.is_empty() && bytes as u64 > binding_bytes {
                full.push(std::mem::replace(batch, Self::new(mapping)));
            }
            batch.docs.push(Doc {
                first: batch.places as u32,
                tokens: range.len() as u32,
                index: halves(corpus.stream_index(d)),
            });
            batch.starts.push(range.start);
            batch.places += places;
        }
        full.extend(open.into_iter().filter(|batch| !batch.docs.is_empty()));
        full
    }

    /// The tokens of a document: its places, and its range in the corpus.
    fn ranges(&self) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
        self.docs
            .iter()
            .zip(&self.starts)
            .map(|(doc, &start)| (doc.first as usize, start..start + doc.tokens as usize))
    }

    /// w as the device has it.
    pub(super) fn words(&self, w: &[u32]) -> Vec<u32> {
        let mut out = vec![0; self.places];
        for (first, range) in self.ranges() {
            out[first..first + range.len()].copy_from_slice(&w[range]);
        }
        out
    }

    /// z as the device has it, two topics a word.
    pub(super) fn pack_z(&self, z: &[u16]) -> Vec<u32> {
        let mut out = vec![0; self.places / 2];
        for (first, range) in self.ranges() {
            for (place, k) in (first..).zip(&z[range]) {
                out[place / 2] |= u32::from(*k) << (16 * (place % 2));
            }
        }
        out
    }

    /// Puts the device's z into its places of the corpus's.
    pub(super) fn unpack_z(&self, packed: &[u32], z: &mut [u16]) {
        for (first, range) in self.ranges() {
            for (place, k) in (first..).zip(&mut z[range]) {
                *k = (packed[place / 2] >> (16 * (place % 2))) as u16;
            }
        }
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
        for binding_bytes in [1, 40, 64, 1 << 20] {
            let batches = Batch::cut(&corpus, Kernel::Workgroup, 100, 32, binding_bytes);
            assert_eq!(batches.len() == 1, binding_bytes == 1 << 20);
            let mut back = vec![0; 30];
            let mut words = Vec::new();
            for batch in &batches {
                batch.unpack_z(&batch.pack_z(&z), &mut back);
                let w = batch.words(&corpus.w);
                for doc in &batch.docs {
                    assert!(doc.first.is_multiple_of(2));
                    words.extend_from_slice(&w[doc.first as usize..][..doc.tokens as usize]);
                }
            }
            assert_eq!(back, z);
            if let [batch] = &batches[..] {
                let bytes = Batch::bytes(5.0);
                let taken = held(&batch.docs) + held(&batch.starts);
                assert!(bytes.least == taken.least && taken.most <= bytes.most);
            }
            assert_eq!(words, corpus.w[..]);
        }
    }
}
