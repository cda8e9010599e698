//! d and the other results of an iteration, as the device leaves them.

use super::layout::{NO_ROW, RESULT_ROWS};
use crate::model::histogram::{DENSE, DocTopicHistogram};

/// (topic, p) pairs that fit the list: topics born in this iteration, and large p. When there are more, d is
/// counted on the host instead.
const LIST_CAPACITY: usize = 1 << 16;

/// The most dense counts of d that are fetched, 4 MiB.
const MOST_DENSE: usize = 1 << 20;

/// Numbers in the results of an iteration, at most, beside one for each topic.
pub(super) const MOST_RESULTS: usize = RESULT_ROWS + MOST_DENSE + 2 * LIST_CAPACITY;

/// Where things are in the results of one iteration.
#[derive(Debug)]
pub(super) struct ResultLayout {
    /// The topics with a row in d: those that had tokens before.
    topics: Vec<u16>,
    k_star: usize,
    /// The p up to which rows go.
    pub(super) d_dense: usize,
}

impl ResultLayout {
    pub(super) fn new(is_active: &[bool]) -> Self {
        let topics: Vec<u16> =
            (0..=u16::MAX).zip(is_active).filter(|&(_, &is_active)| is_active).map(|(k, _)| k).collect();
        let d_dense = (MOST_DENSE / topics.len().max(1)).clamp(8, DENSE as usize);
        Self { topics, k_star: is_active.len(), d_dense }
    }

    /// The head of the results before the first dispatch: nothing done, and the row of each topic.
    pub(super) fn head(&self) -> Vec<u32> {
        let mut head = vec![0; RESULT_ROWS];
        head.resize(RESULT_ROWS + self.k_star, NO_ROW);
        for (row, &k) in (0..).zip(&self.topics) {
            head[RESULT_ROWS + usize::from(k)] = row;
        }
        head
    }

    pub(super) fn d_at(&self) -> usize {
        RESULT_ROWS + self.k_star
    }

    pub(super) fn d_len(&self) -> usize {
        self.topics.len() * self.d_dense
    }

    pub(super) fn list_at(&self) -> usize {
        self.d_at() + self.d_len()
    }

    pub(super) fn list_capacity(&self) -> usize {
        LIST_CAPACITY
    }

    /// All numbers of the results.
    pub(super) fn len(&self) -> usize {
        self.list_at() + 2 * LIST_CAPACITY
    }

    /// Fills `d` from the fetched rows and list.
    pub(super) fn unpack_d(&self, rows: &[u32], list: &[u32], d: &mut DocTopicHistogram) {
        let mut part = DocTopicHistogram::new(self.k_star);
        for (&k, row) in self.topics.iter().zip(rows.chunks(self.d_dense)) {
            for (p, &docs) in (1..).zip(row) {
                part.add_docs(k, p, docs);
            }
        }
        for pair in list.chunks(2) {
            part.add_docs(pair[0] as u16, pair[1], 1);
        }
        d.merge(std::iter::once(&part));
    }
}
