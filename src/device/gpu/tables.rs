//! The word tables as the device has them: entries of active topics first, and sets of topics for long columns.

use rayon::prelude::*;

use super::layout::{Cell, NO_BLOCKS, Word, halves};
use crate::heap::{Heap, Sizes};
use crate::model::alias::{WordColumn, WordTables};
use crate::model::z_counts::ZCounts;

/// Topics in a block.
const BLOCK_TOPICS: usize = 16;

/// Columns with fewer entries of active topics are walked anyway.
const LEAST_BLOCKED: usize = 8;

/// Blocks that a column may have for each of its entries, so that the sets take no more room than some entries.
const BLOCKS_PER_ENTRY: usize = 4;

/// Words that a thread packs at once.
const WORDS: usize = 256;

/// All words, packed.
#[derive(Debug, Default)]
pub(super) struct PackedTables {
    pub(super) words: Vec<Word>,
    /// Weights of entries, their topics, two in a word, and blocks.
    pub(super) entries: Vec<u32>,
    pub(super) cells: Vec<Cell>,
    /// Up to how many entries of active topics a column without blocks has.
    pub(super) longest_unblocked: u32,
}

impl PackedTables {
    /// What they take.
    pub(super) fn bytes(sizes: &Sizes) -> Heap {
        let grown = |heap: Heap| Heap { least: heap.least, most: 2.0 * heap.most };
        Heap::grown::<Word>(1.0, sizes.words)
            + grown(Self::entry_bytes(sizes.phi_cells))
            + Heap::grown::<Cell>(1.0, sizes.phi_cells)
    }

    /// What weights, topics and blocks of so many entries take: topics begin with a word of their own for each part.
    pub(super) fn entry_bytes(entries: f64) -> Heap {
        let weights = Heap::exact::<u32>(entries) + Heap::exact::<u16>(entries);
        weights + Heap::exact::<u32>(1.0 + BLOCKS_PER_ENTRY as f64 * entries).at_most()
    }

    /// The number of entries.
    pub(super) fn num_entries(&self) -> usize {
        self.cells.len()
    }

    /// Where topics start.
    pub(super) fn topics_at(&self) -> usize {
        self.num_entries()
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
        let mut end = entries + entries.div_ceil(2);
        for word in &mut self.words {
            if (word.sizes & 0xffff) as usize >= least_blocked {
                word.blocks = end as u32;
                end += column_blocks;
            }
        }
        self.entries.resize(end, 0);
        self.cells.resize(entries, [0; 2]);
        self.fill(tables, is_active, column_blocks);
    }

    /// Fills the columns of words that have their places.
    fn fill(&mut self, tables: &WordTables, is_active: &[bool], column_blocks: usize) {
        let entries = tables.topic.len();
        let (weights, rest) = self.entries.split_at_mut(entries);
        let (topics, blocks) = rest.split_at_mut(entries.div_ceil(2));
        // Two topics share a word, the first in its low half, as hosts that have GPUs put numbers into bytes.
        let topics: &mut [u16] = bytemuck::cast_slice_mut(topics);
        let mut rest = (weights, blocks, topics, self.cells.as_mut_slice());
        let parts: Vec<_> = self
            .words
            .chunks(WORDS)
            .zip((0..).step_by(WORDS))
            .map(|(words, first)| {
                let range = tables.col_start[first] as usize..tables.col_start[first + words.len()] as usize;
                let blocked = words.iter().filter(|word| word.blocks != NO_BLOCKS).count();
                let all = "words cover the tables once";
                let weights = rest.0.split_off_mut(..range.len()).expect(all);
                let blocks = rest.1.split_off_mut(..blocked * column_blocks).expect(all);
                let topics = rest.2.split_off_mut(..range.len()).expect(all);
                let cells = rest.3.split_off_mut(..range.len()).expect(all);
                (words, first, Columns { weights, topics, cells }, blocks)
            })
            .collect();
        parts.into_par_iter().for_each(|(words, first, mut columns, mut blocks)| {
            let mut places = Vec::new();
            for (v, word) in (first as u32..).zip(words) {
                let mut column = columns.take(tables.entries(v).len());
                let active = (word.sizes & 0xffff) as usize;
                column.fill(tables, v, is_active, active, &mut places);
                if word.blocks != NO_BLOCKS {
                    let blocks = blocks.split_off_mut(..column_blocks).expect("a part has its words' blocks");
                    fill_blocks(blocks, &column.topics[..active]);
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

/// What packs tables and unpacks a token for each of their entries, again and again in the same room, as a run does: for a bench.
#[cfg(feature = "testing")]
pub fn packing<'a>(
    tables: &'a WordTables,
    is_active: &'a [bool],
    counts: &'a ZCounts,
) -> impl FnMut() + Send + 'a {
    let mut packed = PackedTables::default();
    let tokens = vec![1; tables.topic.len()];
    move || {
        packed.pack(tables, is_active);
        packed.unpack_counts(tables, is_active, &tokens, counts);
    }
}

/// Columns to be filled: their entries, and the cells of their alias tables, which say where their entries have come to lie.
struct Columns<'a> {
    weights: &'a mut [u32],
    topics: &'a mut [u16],
    cells: &'a mut [Cell],
}

impl<'a> Columns<'a> {
    /// Cuts off the first `entries` entries.
    fn take(&mut self, entries: usize) -> Columns<'a> {
        let all = "columns have all entries";
        Columns {
            weights: self.weights.split_off_mut(..entries).expect(all),
            topics: self.topics.split_off_mut(..entries).expect(all),
            cells: self.cells.split_off_mut(..entries).expect(all),
        }
    }

    /// Fills a single column, which has so many entries of active topics.
    fn fill(
        &mut self,
        tables: &WordTables,
        v: u32,
        is_active: &[bool],
        active: usize,
        places: &mut Vec<u32>,
    ) {
        let WordColumn { topic, weight } = tables.column(v);
        if topic.is_empty() {
            return;
        }
        let mut next = [active, 0];
        places.clear();
        for (&k, &weight) in topic.iter().zip(weight) {
            let place = &mut next[usize::from(is_active[usize::from(k)])];
            places.push(*place as u32);
            (self.weights[*place], self.topics[*place]) = (weight, k);
            *place += 1;
        }
        let table = tables.alias_table(v);
        for (at, (cell, own)) in self.cells.iter_mut().zip(&*places).enumerate() {
            let (threshold, other) = table.cell(at);
            *cell = [threshold, places[other] << 16 | own];
        }
    }
}

/// Sets the bits of topics, and counts those before each block.
fn fill_blocks(blocks: &mut [u32], topics: &[u16]) {
    blocks.fill(0);
    for &k in topics {
        blocks[usize::from(k) / BLOCK_TOPICS] |= 1 << (usize::from(k) % BLOCK_TOPICS);
    }
    let mut before = 0;
    for block in blocks {
        let bits = *block;
        *block |= before << BLOCK_TOPICS;
        before += bits.count_ones();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::held;
    use crate::model::counts::Counts;

    fn tables(columns: &[&[u16]]) -> WordTables {
        WordTables::of_columns(columns, |k| 1000 + u32::from(k), |entries| entries as u64 | 5 << 32)
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

        let entry = |e: usize| (packed.entries[e], packed.entries[43 + e / 2] >> (16 * (e % 2)) & 0xffff);
        assert_eq!([0, 1, 2].map(entry), [(1003, 3), (1007, 7), (1008, 8)]);
        assert_eq!((packed.words[0].sizes, packed.words[1].sizes), (3 << 16 | 2, 0));
        assert_eq!((packed.words[0].mass, packed.words[0].blocks), ([3, 5], NO_BLOCKS));
        // Of 3·k, the odd ones and 0.
        let word = packed.words[2];
        assert_eq!((word.sizes, word.blocks), (40 << 16 | 21, 43 + 22));
        let column: Vec<u32> = (3..43).map(|e| entry(e).1).collect();
        assert!(column[..21].is_sorted() && column[21..].is_sorted());
        assert!((3..43).all(|e| entry(e).0 == 1000 + entry(e).1));
        // Blocks find what is there.
        for k in 0..120_u32 {
            let block = packed.entries[word.blocks as usize + k as usize / 16];
            let place = (block >> 16) + (block & ((1 << (k % 16)) - 1)).count_ones();
            let has = column[..21].iter().position(|&topic| topic == k);
            assert_eq!((block >> (k % 16) & 1 == 1).then_some(place as usize), has, "{k}");
        }
        // A cell's entries are those of the tables.
        for (v, word) in (0..).zip(&packed.words) {
            let start = tables.entries(v).start;
            for (at, &[threshold, own_other]) in packed.cells[tables.entries(v)].iter().enumerate() {
                let topic = |place: u32| entry((word.start + place) as usize).1 as u16;
                let (expected, other) = tables.alias_table(v).cell(at);
                let topics = (topic(own_other & 0xffff), topic(own_other >> 16));
                assert_eq!(topics, (tables.topic[start + at], tables.topic[start + other]));
                assert_eq!(threshold, expected);
            }
        }
        let mut counts = ZCounts::default();
        counts.resize(&tables, 120);
        let tokens: Vec<u32> = (0..43).map(|e| entry(e).1 + 1).collect();
        packed.unpack_counts(&tables, &is_active, &tokens, &counts);
        let words = 0..3;
        let mut n = Counts::new(std::slice::from_ref(&words), 120);
        counts.take_into(&tables, &mut n);
        for column in n.n.columns() {
            assert!(column.iter().all(|(k, tokens)| tokens == u32::from(k) + 1));
        }
        assert_eq!(n.n.blocks[0].nonzeros(), 43);
    }
}
