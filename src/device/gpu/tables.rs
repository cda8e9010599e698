//! The word tables as the device has them, and n read back in their order.

use rayon::prelude::*;

use super::layout::{Entry, Word, halves};
use crate::model::alias::WordTables;
use crate::model::counts::TopicWordCounts;

/// A word's column, packed; the same order on both sides.
#[derive(Debug, Default)]
pub(super) struct PackedTables {
    pub(super) words: Vec<Word>,
    pub(super) entries: Vec<Entry>,
}

impl PackedTables {
    /// Packs the tables; `n` counts z as it is.
    ///
    /// A new topic always is an entry of its word's column, so n comes back as a count for each entry. Only the
    /// tokens of a word without mass keep their topics; its column is empty, so it lists those, with no weight.
    pub(super) fn pack(&mut self, tables: &WordTables, n: &TopicWordCounts) {
        self.words.clear();
        self.entries.clear();
        for column in n.columns() {
            let v = column.word;
            let start = self.entries.len();
            let mass = tables.mass[v as usize];
            let range = tables.entries(v);
            if mass > 0 {
                self.entries.extend(range.map(|e| Entry {
                    weight: tables.weight[e],
                    threshold: tables.threshold[e],
                    topic_alias: u32::from(tables.alias[e]) << 16 | u32::from(tables.topic[e]),
                }));
            } else {
                let kept = |&topic| Entry { weight: 0, threshold: 0, topic_alias: u32::from(topic) };
                self.entries.extend(column.topic.iter().map(kept));
            }
            let entries = (self.entries.len() - start) as u32;
            self.words.push(Word { start: start as u32, entries, mass: halves(mass) });
        }
    }

    /// The longest column.
    pub(super) fn most_entries(&self) -> u32 {
        self.words.iter().map(|word| word.entries).max().unwrap_or(0)
    }

    /// n from the tokens that chose each entry, in parallel over words.
    pub(super) fn unpack_counts(&self, entry_count: &[u32], n: &mut TopicWordCounts) {
        n.blocks.par_iter_mut().for_each(|block| {
            block.clear();
            for v in block.words() {
                let Word { start, entries, .. } = self.words[v as usize];
                let range = start as usize..(start + entries) as usize;
                for (entry, &count) in self.entries[range.clone()].iter().zip(&entry_count[range]) {
                    if count > 0 {
                        block.push(entry.topic(), count);
                    }
                }
                block.end_column();
            }
        });
        n.topic_tokens.fill(0);
        for (entry, &count) in self.entries.iter().zip(entry_count) {
            n.topic_tokens[usize::from(entry.topic())] += u64::from(count);
        }
    }
}
