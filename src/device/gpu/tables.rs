//! The word tables as the device has them.

use rayon::prelude::*;

use super::layout::{Entry, Word, halves};
use crate::heap::{Heap, Sizes};
use crate::model::alias::WordTables;

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

    /// Packs the tables, each word in parallel, in their own order.
    pub(super) fn pack(&mut self, tables: &WordTables) {
        let words = (0..tables.mass.len() as u32).into_par_iter().map(|v| {
            let entries = tables.entries(v);
            let mass = halves(tables.mass[v as usize]);
            Word { start: entries.start as u32, entries: entries.len() as u32, mass }
        });
        words.collect_into_vec(&mut self.words);
        let entries = (0..tables.topic.len()).into_par_iter().map(|e| Entry {
            weight: tables.weight[e],
            threshold: tables.threshold[e],
            topic_alias: u32::from(tables.alias[e]) << 16 | u32::from(tables.topic[e]),
        });
        entries.collect_into_vec(&mut self.entries);
        self.most_entries = self.words.iter().map(|word| word.entries).max().unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::held;

    #[test]
    fn tables_are_packed_in_their_own_order() {
        let tables = WordTables {
            col_start: vec![0, 2, 2],
            mass: vec![5 << 32 | 6, 0],
            topic: vec![3, 7],
            weight: vec![30, 70],
            threshold: vec![1, 2],
            alias: vec![1, 0],
        };
        let mut packed = PackedTables::default();
        packed.pack(&tables);
        let entries: Vec<_> =
            packed.entries.iter().map(|entry| (entry.topic_alias & 0xffff, entry.weight)).collect();
        assert_eq!(entries, [(3, 30), (7, 70)]);
        assert_eq!((packed.words[0].mass, packed.words[1].mass), ([6, 5], [0, 0]));
        assert_eq!((packed.words[1].start, packed.words[1].entries, packed.most_entries), (2, 0, 2));
        assert_eq!(packed.entries[0].topic_alias >> 16, 1);
        let bytes = PackedTables::bytes(&Sizes { words: 2.0, phi_cells: 2.0, ..Sizes::default() });
        let taken = held(&packed.words) + held(&packed.entries);
        assert!(bytes.least == taken.least && taken.most <= bytes.most);
    }
}
