//! The word tables as the device has them, and n read back in their order.

use rayon::prelude::*;

use super::layout::{Entry, Word, halves};
use crate::heap::{Heap, Sizes};
use crate::model::alias::WordTables;
use crate::model::counts::TopicWordCounts;

/// A word's column, packed; the same order on both sides.
#[derive(Debug, Default)]
pub(super) struct PackedTables {
    pub(super) words: Vec<Word>,
    pub(super) entries: Vec<Entry>,
    /// The length of the longest column.
    pub(super) most_entries: u32,
}

impl PackedTables {
    /// What they take.
    pub(super) fn bytes(sizes: &Sizes) -> Heap {
        Heap::grown::<Word>(1.0, sizes.words) + Heap::grown::<Entry>(1.0, sizes.phi_cells)
    }

    /// Packs the tables; `n` counts z as it is.
    ///
    /// A new topic always is an entry of its word's column, so n comes back as a count for each entry. Only the
    /// tokens of a word without mass keep their topics; its column is empty, so it lists those, with no weight.
    pub(super) fn pack(&mut self, tables: &WordTables, n: &TopicWordCounts) {
        self.words.clear();
        self.entries.clear();
        self.most_entries = 0;
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
            self.most_entries = self.most_entries.max(entries);
            self.words.push(Word { start: start as u32, entries, mass: halves(mass) });
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::held;
    use crate::model::counts::Counts;

    /// n of two words: word 0 has topic 2, word 1 has topics 1, 4 and 9.
    fn counts() -> Counts {
        let mut counts = Counts::new(&[0..1, 1..2], 10);
        for (block, topics) in counts.n.blocks.iter_mut().zip([[2].as_slice(), &[1, 4, 9]]) {
            topics.iter().for_each(|&k| block.push(k, 3));
            block.end_column();
        }
        counts
    }

    #[test]
    fn a_word_without_mass_lists_the_topics_of_its_tokens() {
        let tables = WordTables {
            col_start: vec![0, 2, 2],
            mass: vec![5 << 32 | 6, 0],
            topic: vec![3, 7],
            weight: vec![30, 70],
            threshold: vec![1, 2],
            alias: vec![1, 0],
        };
        let mut packed = PackedTables::default();
        let mut counts = counts();
        packed.pack(&tables, &counts.n);
        let entries: Vec<_> = packed.entries.iter().map(|entry| (entry.topic(), entry.weight)).collect();
        assert_eq!(entries, [(3, 30), (7, 70), (1, 0), (4, 0), (9, 0)]);
        assert_eq!((packed.words[0].mass, packed.words[1].mass), ([6, 5], [0, 0]));
        assert_eq!((packed.words[1].start, packed.words[1].entries, packed.most_entries), (2, 3, 3));
        assert_eq!(packed.entries[0].topic_alias >> 16, 1);
        let bytes = PackedTables::bytes(&Sizes { words: 2.0, phi_cells: 5.0, ..Sizes::default() });
        let taken = held(&packed.words) + held(&packed.entries);
        assert!(bytes.least == taken.least && taken.most <= bytes.most);

        packed.unpack_counts(&[0, 6, 4, 2, 3], &mut counts.n);
        let columns: Vec<_> = counts.n.columns().map(|column| column.iter().collect::<Vec<_>>()).collect();
        assert_eq!(columns, [vec![(7, 6)], vec![(1, 4), (4, 2), (9, 3)]]);
        assert_eq!(counts.n.topic_tokens, [0, 4, 0, 0, 2, 0, 0, 6, 0, 3]);
    }
}
