//! The word tables as the device has them: entries of active topics first, and sets of topics for long columns.

use std::ops::Range;

use rayon::prelude::*;

use super::layout::{NO_BLOCKS, Pair, Word, halves};
use crate::heap::{Heap, Sizes};
use crate::model::alias::WordTables;
use crate::model::z_counts::ZCounts;

/// Topics in a block.
const BLOCK_TOPICS: usize = 32;

/// Columns with fewer entries of active topics are walked anyway.
const LEAST_BLOCKED: usize = 8;

/// Blocks that a column may have for each of its entries, so that the sets take no more room than some entries.
const BLOCKS_PER_ENTRY: usize = 2;

/// Words that a thread packs at once.
const WORDS: usize = 256;

/// All words, packed.
#[derive(Debug, Default)]
pub(super) struct PackedTables {
    pub(super) words: Vec<Word>,
    /// Entries, and after them blocks.
    pub(super) entries: Vec<Pair>,
    pub(super) cells: Vec<Pair>,
    /// Up to how many entries of active topics a column without blocks has.
    pub(super) longest_unblocked: u32,
}

impl PackedTables {
    /// What they take.
    pub(super) fn bytes(sizes: &Sizes) -> Heap {
        let blocks = Heap::grown::<Pair>(1.0, BLOCKS_PER_ENTRY as f64 * sizes.phi_cells);
        Heap::grown::<Word>(1.0, sizes.words)
            + Heap::grown::<Pair>(1.0, sizes.phi_cells)
            + Heap::grown::<Pair>(1.0, sizes.phi_cells)
            + blocks.at_most()
    }

    /// The number of entries.
    pub(super) fn num_entries(&self) -> usize {
        self.cells.len()
    }

    /// Packs the tables, in parallel over words.
    pub(super) fn pack(&mut self, tables: &WordTables, is_active: &[bool]) {
        let last_active = is_active.iter().rposition(|&is_active| is_active);
        let column_blocks = last_active.map_or(0, |last| last / BLOCK_TOPICS + 1);
        let least_blocked = LEAST_BLOCKED.max(column_blocks.div_ceil(BLOCKS_PER_ENTRY));
        self.longest_unblocked = least_blocked as u32 - 1;
        self.words.resize(tables.mass.len(), Word::default());
        self.words.par_iter_mut().with_min_len(WORDS).enumerate().for_each(|(v, word)| {
            let entries = tables.entries(v as u32);
            let active = tables.topic[entries.clone()].iter().filter(|&&k| is_active[usize::from(k)]).count();
            *word = Word {
                mass: halves(tables.mass[v]),
                start: entries.start as u32,
                sizes: (entries.len() as u32) << 16 | active as u32,
                blocks: NO_BLOCKS,
                padding: 0,
            };
        });
        let entries = tables.topic.len();
        let mut end = entries;
        for word in &mut self.words {
            if (word.sizes & 0xffff) as usize >= least_blocked {
                word.blocks = end as u32;
                end += column_blocks;
            }
        }
        self.entries.resize(end, [0; 2]);
        self.cells.resize(entries, [0; 2]);
        self.fill(tables, is_active, column_blocks);
    }

    /// Fills the columns of words that have their places.
    fn fill(&mut self, tables: &WordTables, is_active: &[bool], column_blocks: usize) {
        let (entries, blocks) = self.entries.split_at_mut(tables.topic.len());
        let mut rest = (entries, blocks, self.cells.as_mut_slice());
        let parts: Vec<_> = self
            .words
            .chunks(WORDS)
            .zip((0..).step_by(WORDS))
            .map(|(words, first)| {
                let range = tables.col_start[first] as usize..tables.col_start[first + words.len()] as usize;
                let blocked = words.iter().filter(|word| word.blocks != NO_BLOCKS).count();
                let all = "words cover the tables once";
                let entries = rest.0.split_off_mut(..range.len()).expect(all);
                let blocks = rest.1.split_off_mut(..blocked * column_blocks).expect(all);
                let cells = rest.2.split_off_mut(..range.len()).expect(all);
                (words, first, entries, blocks, cells)
            })
            .collect();
        parts.into_par_iter().for_each(|(words, first, mut entries, mut blocks, mut cells)| {
            let mut places = Vec::new();
            for (v, word) in (first as u32..).zip(words) {
                let range = tables.entries(v);
                let all = "a part has its words' entries";
                let entries = entries.split_off_mut(..range.len()).expect(all);
                let cells = cells.split_off_mut(..range.len()).expect(all);
                fill_column(tables, range, is_active, &mut places, entries, cells);
                if word.blocks != NO_BLOCKS {
                    let blocks = blocks.split_off_mut(..column_blocks).expect("and its blocks");
                    fill_blocks(blocks, &entries[..(word.sizes & 0xffff) as usize]);
                }
            }
        });
    }

    /// Adds what the device has counted to `counts`, in the order of `tables`.
    pub(super) fn unpack_counts(
        &self,
        tables: &WordTables,
        is_active: &[bool],
        packed: &[u32],
        counts: &ZCounts,
    ) {
        self.words.par_iter().with_min_len(WORDS).enumerate().for_each(|(v, word)| {
            let start = word.start as usize;
            let mut next = [start + (word.sizes & 0xffff) as usize, start];
            for entry in tables.entries(v as u32) {
                let place = &mut next[usize::from(is_active[usize::from(tables.topic[entry])])];
                counts.add_entry(entry, packed[*place]);
                *place += 1;
            }
        });
    }
}

/// Packs one column: its entries, and the cells of its alias table, which say where their entries have come to lie.
fn fill_column(
    tables: &WordTables,
    range: Range<usize>,
    is_active: &[bool],
    places: &mut Vec<u32>,
    entries: &mut [Pair],
    cells: &mut [Pair],
) {
    let topics = &tables.topic[range.clone()];
    let active = topics.iter().filter(|&&k| is_active[usize::from(k)]).count();
    let mut next = [active, 0];
    places.clear();
    for (&k, &weight) in topics.iter().zip(&tables.weight[range.clone()]) {
        let place = &mut next[usize::from(is_active[usize::from(k)])];
        places.push(*place as u32);
        entries[*place] = [weight, u32::from(k)];
        *place += 1;
    }
    for (cell, (entry, own)) in cells.iter_mut().zip(range.zip(&*places)) {
        let other = places[usize::from(tables.alias[entry])];
        *cell = [tables.threshold[entry], other << 16 | own];
    }
}

/// Sets the bits of the topics that entries have, and counts those before each block.
fn fill_blocks(blocks: &mut [Pair], entries: &[Pair]) {
    blocks.fill([0; 2]);
    for &[_, k] in entries {
        blocks[k as usize / BLOCK_TOPICS][0] |= 1 << (k as usize % BLOCK_TOPICS);
    }
    let mut before = 0;
    for [bits, block_before] in blocks {
        *block_before = before;
        before += bits.count_ones();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::held;
    use crate::model::counts::Counts;

    fn tables(columns: &[&[u16]]) -> WordTables {
        let topic: Vec<u16> = columns.concat();
        let mut col_start = vec![0];
        columns
            .iter()
            .for_each(|column| col_start.push(col_start[col_start.len() - 1] + column.len() as u32));
        WordTables {
            col_start,
            mass: columns.iter().map(|column| column.len() as u64 | 5 << 32).collect(),
            weight: topic.iter().map(|&k| 1000 + u32::from(k)).collect(),
            threshold: (0..topic.len() as u32).collect(),
            alias: columns.iter().flat_map(|column| (0..column.len() as u16).rev()).collect(),
            topic,
        }
    }

    #[test]
    fn active_topics_come_first_and_counts_come_back() {
        let long: Vec<u16> = (0..40).map(|k| 3 * k).collect();
        let tables = tables(&[&[3, 7, 8], &[], &long]);
        let is_active: Vec<bool> = (0..120).map(|k| k % 2 == 1 || k == 0).collect();
        let mut packed = PackedTables::default();
        packed.pack(&tables, &is_active);
        let bytes = PackedTables::bytes(&Sizes { words: 3.0, phi_cells: 43.0, ..Sizes::default() });
        let taken = held(&packed.words) + held(&packed.entries) + held(&packed.cells);
        assert!(bytes.least <= taken.least && taken.most <= bytes.most);

        assert_eq!(packed.entries[..3], [[1003, 3], [1007, 7], [1008, 8]]);
        assert_eq!((packed.words[0].sizes, packed.words[1].sizes), (3 << 16 | 2, 0));
        assert_eq!((packed.words[0].mass, packed.words[0].blocks), ([3, 5], NO_BLOCKS));
        // Of 3·k, the odd ones and 0.
        let word = packed.words[2];
        assert_eq!((word.sizes, word.blocks), (40 << 16 | 21, 43));
        let column = &packed.entries[3..43];
        assert!(
            column[..21].is_sorted_by_key(|entry| entry[1])
                && column[21..].is_sorted_by_key(|entry| entry[1])
        );
        // Blocks find what is there.
        for k in 0..120_u32 {
            let [bits, before] = packed.entries[43 + k as usize / 32];
            let place = before + (bits & ((1 << (k % 32)) - 1)).count_ones();
            let has = column[..21].iter().position(|entry| entry[1] == k);
            assert_eq!((bits >> (k % 32) & 1 == 1).then_some(place as usize), has, "{k}");
        }
        // A cell's entries are those of the tables.
        for (v, word) in packed.words.iter().enumerate() {
            for (entry, &[threshold, own_other]) in
                tables.entries(v as u32).zip(&packed.cells[tables.entries(v as u32)])
            {
                let topic = |place: u32| packed.entries[(word.start + place) as usize][1] as u16;
                let other = tables.entries(v as u32).start + usize::from(tables.alias[entry]);
                assert_eq!(
                    (topic(own_other & 0xffff), topic(own_other >> 16)),
                    (tables.topic[entry], tables.topic[other])
                );
                assert_eq!(threshold, tables.threshold[entry]);
            }
        }
        let mut counts = ZCounts::default();
        counts.resize(&tables, 120);
        let tokens: Vec<u32> = packed.entries[..43].iter().map(|entry| entry[1] + 1).collect();
        packed.unpack_counts(&tables, &is_active, &tokens, &counts);
        let mut n = Counts::new(&[0..3], 120);
        counts.take_into(&tables, &mut n);
        for column in n.n.columns() {
            assert!(column.iter().all(|(k, tokens)| tokens == u32::from(k) + 1));
        }
        assert_eq!(n.n.blocks[0].nonzeros(), 43);
    }
}
