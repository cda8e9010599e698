//! The columns of Φ without the topics that have no tokens.
//!
//! B = Σ_k φ_kv·m_dk runs over topics of the document, which have tokens. The prior gives every word some β·K* points in
//! topics without any, half of all entries or more, that add nothing to it.

use rayon::prelude::*;

use super::alias::{WordColumn, WordTables};
use super::recount::doc_tasks;

/// Tasks a thread.
const TASKS_PER_THREAD: usize = 4;

/// The entries of active topics, a word after the other.
#[derive(Debug, Default)]
pub struct ActiveColumns {
    /// Whether topic k had tokens before the sweep.
    is_active: Vec<bool>,
    /// Where each word's entries start; V + 1 values.
    start: Vec<usize>,
    topic: Vec<u16>,
    weight: Vec<u32>,
    longest: usize,
}

impl ActiveColumns {
    /// Says which topics have tokens: all that `z` has, below `k_star`.
    pub fn set_topics(&mut self, z: &[u16], k_star: usize) {
        self.is_active.clear();
        self.is_active.resize(k_star, false);
        z.iter().for_each(|&k| self.is_active[usize::from(k)] = true);
    }

    /// As [`Self::set_topics`], by the tokens that each topic has.
    pub fn set_topic_tokens(&mut self, topic_tokens: &[u64]) {
        self.is_active.clear();
        self.is_active.extend(topic_tokens.iter().map(|&tokens| tokens > 0));
    }

    /// Whether topic `k` had tokens before the sweep.
    #[inline]
    pub fn has(&self, k: u16) -> bool {
        self.is_active[usize::from(k)]
    }

    /// The length of the longest column.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The entries of word `v`.
    #[inline]
    pub fn column(&self, v: u32) -> WordColumn<'_> {
        let range = self.start[v as usize]..self.start[v as usize + 1];
        WordColumn { topic: &self.topic[range.clone()], weight: &self.weight[range] }
    }

    /// Has the beginning of a column fetched into the cache; [`Self::prefetch_start`] came some time before.
    #[inline]
    pub(super) fn prefetch(&self, v: u32) {
        let first = self.start[v as usize];
        crate::prefetch::prefetch(&self.topic, first);
        crate::prefetch::prefetch(&self.weight, first);
        crate::prefetch::prefetch(&self.weight, first + 16);
    }

    /// Has the place where a column starts fetched into the cache.
    #[inline]
    pub(super) fn prefetch_start(&self, v: u32) {
        crate::prefetch::prefetch(&self.start, v as usize);
    }

    /// Takes the entries of active topics out of `tables`, in parallel over words.
    pub fn build(&mut self, tables: &WordTables) {
        let Self { is_active, start, topic, weight, longest } = self;
        let entries: Vec<usize> = tables.col_start.iter().map(|&start| start as usize).collect();
        let tasks = doc_tasks(&entries, rayon::current_num_threads() * TASKS_PER_THREAD);
        let active = |k: &u16| is_active[usize::from(*k)];
        start.clear();
        start.resize(entries.len(), 0);
        let mut rest = &mut start[1..];
        let lengths: Vec<_> = tasks
            .iter()
            .map(|words| (words.clone(), rest.split_off_mut(..words.len()).expect("tasks cover all words")))
            .collect();
        lengths.into_par_iter().for_each(|(words, lengths)| {
            for (v, length) in words.zip(lengths) {
                *length = tables.column(v as u32).topic.iter().filter(|k| active(k)).count();
            }
        });
        *longest = start.iter().copied().max().unwrap_or(0);
        let mut end = 0;
        for start in &mut *start {
            end += *start;
            *start = end;
        }
        topic.resize(end, 0);
        weight.resize(end, 0);
        let (mut topics, mut weights) = (&mut topic[..], &mut weight[..]);
        let parts: Vec<_> = tasks
            .into_iter()
            .map(|words| {
                let length = start[words.end] - start[words.start];
                let topics = topics.split_off_mut(..length).expect("tasks cover all entries");
                (words, topics, weights.split_off_mut(..length).expect("tasks cover all entries"))
            })
            .collect();
        parts.into_par_iter().for_each(|(words, topics, weights)| {
            let kept = words.flat_map(|v| {
                let column = tables.column(v as u32);
                column.topic.iter().zip(column.weight).filter(|(k, _)| active(k))
            });
            for ((topic, weight), (&k, &phi)) in topics.iter_mut().zip(weights).zip(kept) {
                (*topic, *weight) = (k, phi);
            }
        });
    }
}
