//! d and the other results of an iteration, as the device leaves them.

use std::ops::Range;

use super::layout::{NO_ROW, RESULT_LIST_LENGTH, RESULT_NUMBERS};
use crate::model::histogram::{DENSE, DocTopicHistogram};

/// (topic, p) pairs that fit the list: topics born in this iteration, and large p. When there are more, d is
/// counted on the host instead.
const LIST_CAPACITY: usize = 1 << 16;

/// Pairs of the list that are fetched with everything else; more are fetched by themselves.
const LIST_FETCHED: usize = 1 << 10;

/// The most dense counts of d that are fetched, 4 MiB.
const MOST_DENSE: usize = 1 << 20;

/// Numbers in the results of an iteration, at most, beside one for each topic and one for each entry.
pub(super) const MOST_RESULTS: usize = RESULT_NUMBERS + MOST_DENSE + 2 * LIST_CAPACITY;

/// Where things are in the results of one iteration: the row of each topic, single numbers, d, the tokens of each entry, the list.
#[derive(Debug)]
pub(super) struct ResultLayout {
    /// The topics with a row in d: those that had tokens before.
    topics: Vec<u16>,
    k_star: usize,
    entries: usize,
    /// The p up to which rows go.
    pub(super) d_dense: usize,
}

impl ResultLayout {
    pub(super) fn new(is_active: &[bool], entries: usize) -> Self {
        let topics: Vec<u16> =
            (0..=u16::MAX).zip(is_active).filter(|&(_, &is_active)| is_active).map(|(k, _)| k).collect();
        let d_dense = (MOST_DENSE / topics.len().max(1)).clamp(8, DENSE as usize);
        Self { topics, k_star: is_active.len(), entries, d_dense }
    }

    /// The row of each topic in d.
    pub(super) fn rows(&self) -> Vec<u32> {
        let mut rows = vec![NO_ROW; self.k_star];
        (0..).zip(&self.topics).for_each(|(row, &k)| rows[usize::from(k)] = row);
        rows
    }

    /// Where single numbers are.
    pub(super) fn numbers_at(&self) -> usize {
        self.k_star
    }

    pub(super) fn d_at(&self) -> usize {
        self.numbers_at() + RESULT_NUMBERS
    }

    pub(super) fn counts_at(&self) -> usize {
        self.d_at() + self.topics.len() * self.d_dense
    }

    pub(super) fn list_at(&self) -> usize {
        self.counts_at() + self.entries
    }

    pub(super) fn list_capacity(&self) -> usize {
        LIST_CAPACITY
    }

    /// All numbers of the results.
    pub(super) fn len(&self) -> usize {
        self.list_at() + 2 * LIST_CAPACITY
    }

    /// What is fetched in every iteration.
    pub(super) fn fetched(&self) -> Range<usize> {
        self.numbers_at()..self.list_at() + 2 * LIST_FETCHED
    }

    /// Of what was fetched, the tokens of each entry.
    pub(super) fn counts<'a>(&self, fetched: &'a [u32]) -> &'a [u32] {
        &fetched[self.counts_at() - self.k_star..self.list_at() - self.k_star]
    }

    /// The part of the list that was not fetched; none when the list ran over.
    pub(super) fn rest_of_list(&self, fetched: &[u32]) -> Option<Range<usize>> {
        let listed = fetched[RESULT_LIST_LENGTH] as usize;
        let rest = 2 * LIST_FETCHED..2 * listed.max(LIST_FETCHED);
        (listed <= LIST_CAPACITY).then(|| self.list_at() + rest.start..self.list_at() + rest.end)
    }

    /// Adds what was fetched to `d`.
    pub(super) fn unpack_d(&self, fetched: &[u32], d: &mut DocTopicHistogram) {
        let rows = &fetched[self.d_at() - self.k_star..self.counts_at() - self.k_star];
        for (&k, row) in self.topics.iter().zip(rows.chunks(self.d_dense)) {
            for (p, &docs) in (1..).zip(row) {
                d.add_docs(k, p, docs);
            }
        }
        let listed = (fetched[RESULT_LIST_LENGTH] as usize).min(LIST_FETCHED);
        Self::add_list(&fetched[self.list_at() - self.k_star..][..2 * listed], d);
    }

    /// Adds a part of the list to `d`.
    pub(super) fn add_list(list: &[u32], d: &mut DocTopicHistogram) {
        list.chunks(2).for_each(|pair| d.add_docs(pair[0] as u16, pair[1], 1));
    }
}
