//! What a z step counts, in the order of the word tables: numbers that add up over threads, devices and processes.
//!
//! A token's new topic always is an entry of its word's column: φ_kv > 0 is what made it possible. So n is one number for each
//! entry. Only the tokens of a word whose column is empty keep their topics, all of them, and so the word keeps its column of n.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::alias::WordTables;
use super::counts::{ColumnBlock, Counts, TopicWordCounts};
use super::histogram::DocTopicHistogram;
use crate::heap::{Heap, Sizes};

/// The counts of a z step, or of a part of its documents.
#[derive(Debug)]
pub struct ZCounts {
    /// The tokens that chose each entry of the tables.
    pub entry: Vec<AtomicU32>,
    /// d_kp.
    pub d: DocTopicHistogram,
}

impl Default for ZCounts {
    fn default() -> Self {
        Self { entry: Vec::new(), d: DocTopicHistogram::new(0) }
    }
}

impl ZCounts {
    /// What they take.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        Heap::resized::<AtomicU32>(sizes.phi_cells) + DocTopicHistogram::bytes(sizes)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        let Self { entry, d } = self;
        crate::heap::held(entry) + d.heap_bytes()
    }

    /// Adds tokens that chose an entry; no other thread has its word.
    pub(crate) fn add_entry(&self, entry: usize, tokens: u32) {
        let count = &self.entry[entry];
        count.store(count.load(Relaxed) + tokens, Relaxed);
    }

    /// Makes room for these tables and topics up to K*. What was counted before has been taken.
    pub fn resize(&mut self, tables: &WordTables, k_star: usize) {
        self.entry.resize_with(tables.topic.len(), AtomicU32::default);
        self.d.resize(k_star);
        self.d.clear();
    }

    /// Takes what was counted with `tables` for n and d, in parallel over words; n comes as it was before the z step.
    pub fn take_into(&mut self, tables: &WordTables, counts: &mut Counts) {
        self.d.sort();
        std::mem::swap(&mut self.d, &mut counts.d);
        let TopicWordCounts { blocks, topic_tokens } = &mut counts.n;
        let no_tokens = || vec![0; topic_tokens.len()];
        let tokens = blocks
            .par_iter_mut()
            .fold(no_tokens, |mut tokens, block| {
                self.rebuild(tables, block, &mut tokens);
                tokens
            })
            .reduce(no_tokens, |mut tokens, part| {
                tokens.iter_mut().zip(part).for_each(|(tokens, more)| *tokens += more);
                tokens
            });
        topic_tokens.copy_from_slice(&tokens);
    }

    /// Replaces the columns of some words, and adds the tokens of each topic.
    fn rebuild(&self, tables: &WordTables, block: &mut ColumnBlock, topic_tokens: &mut [u64]) {
        let kept: Vec<(u32, u16, u32)> = block
            .columns()
            .filter(|column| tables.entries(column.word).is_empty())
            .flat_map(|column| column.iter().map(|(k, count)| (column.word, k, count)).collect::<Vec<_>>())
            .collect();
        let mut kept = kept.into_iter().peekable();
        block.clear();
        for v in block.words() {
            while let Some((_, k, count)) = kept.next_if(|&(word, ..)| word == v) {
                block.push(k, count);
                topic_tokens[usize::from(k)] += u64::from(count);
            }
            let entries = tables.entries(v);
            let topics = &tables.topic[entries.clone()];
            block.extend_nonzero(topics.iter().zip(&self.entry[entries]).map(|(&k, count)| {
                let tokens = count.load(Relaxed);
                count.store(0, Relaxed);
                topic_tokens[usize::from(k)] += u64::from(tokens);
                (k, tokens)
            }));
            block.end_column();
        }
    }
}
