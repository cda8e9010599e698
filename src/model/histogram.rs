//! d_kp: how many documents have exactly p tokens in topic k.

use crate::heap::{Heap, Sizes};

/// Up to this p a topic's documents are counted in an array, above it they are listed one by one.
pub(crate) const DENSE: u32 = 256;

/// The histogram d, dense for small p over the topics in use and a list for the few large ones, so that its
/// size follows the corpus and never K*·max N_d.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocTopicHistogram {
    /// `dense[k][p - 1]`, each topic's array as long as its largest small p.
    dense: Vec<Vec<u32>>,
    /// (k, p) with p above [`DENSE`], a document each; in order after [`Self::sort`].
    large: Vec<(u16, u32)>,
}

impl DocTopicHistogram {
    /// No documents yet, for topics up to K*.
    pub fn new(k_star: usize) -> Self {
        Self { dense: vec![Vec::new(); k_star], large: Vec::new() }
    }

    /// What it takes, with any of the documents in it: no topic has an array that is longer than its tokens are many.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        let dense = f64::from(DENSE);
        let small = (sizes.topics * sizes.longest_doc.min(dense)).min(sizes.tokens);
        Heap::exact::<Vec<u32>>(sizes.k_star)
            + Heap::grown::<u32>(sizes.topics, small).at_most()
            + Heap::grown::<(u16, u32)>(1.0, sizes.tokens / dense).at_most()
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { dense, large } = self;
        held(dense) + dense.iter().map(held).sum::<Heap>() + held(large)
    }

    /// K*.
    pub(crate) fn k_star(&self) -> usize {
        self.dense.len()
    }

    /// Makes room for topics up to a larger K*.
    pub(crate) fn resize(&mut self, k_star: usize) {
        self.dense.resize(k_star, Vec::new());
    }

    /// Forgets all documents and keeps the memory.
    pub fn clear(&mut self) {
        self.dense.iter_mut().for_each(Vec::clear);
        self.large.clear();
    }

    /// The arrays of some topics, each of [`DENSE`] numbers.
    pub(super) fn dense_rows(&self, topics: &[u16]) -> Vec<u32> {
        let mut rows = vec![0; topics.len() * DENSE as usize];
        for (row, &k) in rows.chunks_mut(DENSE as usize).zip(topics) {
            let docs = &self.dense[usize::from(k)];
            row[..docs.len()].copy_from_slice(docs);
        }
        rows
    }

    /// The documents with more than [`DENSE`] tokens in a topic, as (k, p).
    pub(super) fn large(&self) -> &[(u16, u32)] {
        &self.large
    }

    /// Counts a document with `p > 0` tokens in topic `k`.
    #[inline]
    pub fn add(&mut self, k: u16, p: u32) {
        self.add_docs(k, p, 1);
    }

    /// Counts `docs` documents with `p > 0` tokens in topic `k`.
    #[inline]
    pub(crate) fn add_docs(&mut self, k: u16, p: u32, docs: u32) {
        debug_assert!(p > 0);
        if p > DENSE {
            self.large.extend(std::iter::repeat_n((k, p), docs as usize));
            return;
        }
        if docs == 0 {
            return;
        }
        let row = &mut self.dense[usize::from(k)];
        let at = p as usize - 1;
        if row.len() <= at {
            row.resize(at + 1, 0);
        }
        row[at] += docs;
    }

    /// Replaces this histogram by the sum of `parts`, whatever their order.
    pub fn merge<'a>(&mut self, parts: impl Iterator<Item = &'a Self>) {
        self.clear();
        parts.for_each(|part| self.add_all(part));
        self.sort();
    }

    /// Counts the documents of another histogram too; [`Self::sort`] follows.
    pub fn add_all(&mut self, other: &Self) {
        for (row, other) in self.dense.iter_mut().zip(&other.dense) {
            if row.len() < other.len() {
                row.resize(other.len(), 0);
            }
            row.iter_mut().zip(other).for_each(|(docs, more)| *docs += more);
        }
        self.large.extend_from_slice(&other.large);
    }

    /// Puts the list into order, after documents have been added.
    pub fn sort(&mut self) {
        self.large.sort_unstable();
    }

    /// The nonzero d_kp of topic `k` as (p, documents), by ascending p; a large p may come more than once.
    pub fn topic(&self, k: u16) -> impl Iterator<Item = (u32, u64)> + '_ {
        debug_assert!(self.large.is_sorted());
        let dense = (1..).zip(&self.dense[usize::from(k)]).map(|(p, &docs)| (p, u64::from(docs)));
        let first = self.large.partition_point(|&(topic, _)| topic < k);
        let large = self.large[first..].iter().take_while(move |&&(topic, _)| topic == k);
        dense.filter(|&(_, docs)| docs > 0).chain(large.map(|&(_, p)| (p, 1)))
    }

    /// D_k1: the documents with a token in topic `k`.
    pub fn docs(&self, k: u16) -> u64 {
        self.topic(k).map(|(_, docs)| docs).sum()
    }

    /// D_kj for j = 1, 2, … as runs of equal value: (last j of the run, D_kj).
    pub(crate) fn docs_at_least(&self, k: u16) -> impl Iterator<Item = (u32, u64)> + '_ {
        let mut left = self.docs(k);
        self.topic(k).map(move |(p, docs)| {
            let at_least = left;
            left -= docs;
            (p, at_least)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(entries: &[(u16, u32)]) -> DocTopicHistogram {
        let mut part = DocTopicHistogram::new(4);
        entries.iter().for_each(|&(k, p)| part.add(k, p));
        part
    }

    #[test]
    fn parts_add_up_in_any_order() {
        let parts = [
            histogram(&[(0, 1), (2, 3), (2, 70_000)]),
            histogram(&[(2, 3), (0, 256), (2, 257), (3, 300)]),
            histogram(&[(2, 70_000), (2, 1)]),
        ];
        let mut sum = DocTopicHistogram::new(4);
        sum.merge(parts.iter());
        assert_eq!(sum.topic(2).collect::<Vec<_>>(), [(1, 1), (3, 2), (257, 1), (70_000, 1), (70_000, 1)]);
        assert_eq!(sum.topic(0).collect::<Vec<_>>(), [(1, 1), (256, 1)]);
        assert_eq!(sum.topic(1).count(), 0);
        let mut reversed = DocTopicHistogram::new(4);
        reversed.merge(parts.iter().rev());
        assert_eq!(sum, reversed);
    }

    #[test]
    fn docs_at_least_is_the_reverse_cumulative_sum() {
        let mut d = DocTopicHistogram::new(4);
        d.merge(std::iter::once(&histogram(&[(1, 2), (1, 2), (1, 5), (1, 400), (2, 9)])));
        assert_eq!(d.docs(1), 4);
        assert_eq!(d.docs_at_least(1).collect::<Vec<_>>(), [(2, 4), (5, 2), (400, 1)]);
    }
}
