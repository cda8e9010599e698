//! The lengths of documents, as a histogram.

use std::collections::BTreeMap;

/// How many documents have each length, by ascending length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lengths(Vec<(u64, u64)>);

impl Lengths {
    /// Those of documents that begin at these places, the last of which is the end of the last.
    pub fn of(doc_start: &[usize]) -> Self {
        Self::count(doc_start.windows(2).map(|range| (range[1] - range[0]) as u64))
    }

    /// Those that `lengths` gives one by one; what is empty does not count.
    pub fn count(lengths: impl Iterator<Item = u64>) -> Self {
        let mut docs = BTreeMap::<u64, u64>::new();
        for length in lengths.filter(|&length| length > 0) {
            *docs.entry(length).or_default() += 1;
        }
        Self(docs.into_iter().collect())
    }

    /// (length, documents), by ascending length.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.iter().copied()
    }

    /// All documents.
    pub(super) fn docs(&self) -> u64 {
        self.iter().map(|(_, docs)| docs).sum()
    }

    /// The longest.
    pub(super) fn longest(&self) -> u64 {
        self.0.last().map_or(0, |&(length, _)| length)
    }
}
