//! The cells of alias tables, each table built when the first token asks for it: most words are not asked in an iteration.
//!
//! Until then a cell holds the weight that the table is built from, in the same 8 bytes. Who builds a table does not matter: it is
//! the same table.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::dist::alias::{self, Scratch};
use crate::heap::{Heap, Sizes};
use crate::model::per_thread::PerThread;

/// Locks of all words together: enough that threads hardly ever wait for each other.
const LOCKS: usize = 64;

const TWO_POW_32: f64 = (1u64 << 32) as f64;

/// The cells of all words, one for each entry of their columns.
#[derive(Debug)]
pub(super) struct AliasCells {
    /// A weight, or a threshold below the place of another cell of the column.
    cell: Vec<AtomicU64>,
    /// Whether a word's cells have become a table.
    is_built: Vec<AtomicBool>,
    /// Whoever builds a word's table holds its lock, so that no other thread takes half a table for weights.
    locks: Box<[Mutex<()>]>,
    rooms: PerThread<Room>,
}

/// One thread's room: a column's weights, and the construction's own.
#[derive(Debug, Default)]
struct Room {
    weights: Vec<f64>,
    scratch: Scratch,
}

impl Default for AliasCells {
    fn default() -> Self {
        let locks = (0..LOCKS).map(|_| Mutex::default()).collect();
        Self { cell: Vec::new(), is_built: Vec::new(), locks, rooms: PerThread::new(Room::default) }
    }
}

impl AliasCells {
    /// What they take: a thread has room for the longest column.
    pub(super) fn bytes(sizes: &Sizes) -> Heap {
        let room = (Heap::grown::<f64>(1.0, sizes.k_star) + Scratch::bytes(sizes.k_star)).at_most();
        Heap::resized::<AtomicU64>(sizes.phi_cells)
            + Heap::resized::<AtomicBool>(sizes.words)
            + Heap::exact::<Mutex<()>>(LOCKS as f64)
            + PerThread::<Room>::bytes(sizes.threads, room)
    }

    #[cfg(test)]
    pub(super) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { cell, is_built, locks, rooms } = self;
        let rooms = rooms.heap_bytes(|Room { weights, scratch }| held(weights) + scratch.heap_bytes());
        held(cell) + held(is_built) + Heap::bytes(size_of_val(&**locks) as f64) + rooms
    }

    /// Makes room for so many words with so many entries together, all to be given their weights.
    pub(super) fn resize(&mut self, words: usize, entries: usize) -> CellsOfWords<'_> {
        self.is_built.resize_with(words, AtomicBool::default);
        self.cell.resize_with(entries, AtomicU64::default);
        CellsOfWords { cell: &mut self.cell, is_built: &mut self.is_built }
    }

    /// The table of word `v`, which has these entries and some weight.
    #[inline]
    pub(super) fn table(&self, v: u32, entries: Range<usize>) -> AliasTable<'_> {
        let cells = &self.cell[entries];
        if !self.is_built[v as usize].load(Acquire) {
            self.build(v, cells);
        }
        AliasTable(cells)
    }

    #[cold]
    fn build(&self, v: u32, cells: &[AtomicU64]) {
        let _lock = self.locks[v as usize % LOCKS].lock().expect("a worker that panicked ends the run");
        let is_built = &self.is_built[v as usize];
        if is_built.load(Acquire) {
            return;
        }
        let Room { weights, scratch } = &mut *self.rooms.lock();
        weights.clear();
        weights.extend(cells.iter().map(|cell| f64::from_bits(cell.load(Relaxed))));
        alias::build(weights, scratch, |cell, own, other| {
            let threshold = (own * TWO_POW_32) as u32;
            cells[cell].store((other as u64) << 32 | u64::from(threshold), Relaxed);
        });
        is_built.store(true, Release);
    }

    /// A copy of tables that have all been built.
    pub(super) fn copy_built(&self) -> Self {
        let cell = self.cell.iter().map(|cell| AtomicU64::new(cell.load(Relaxed))).collect();
        let is_built = self.is_built.iter().map(|is_built| AtomicBool::new(is_built.load(Acquire))).collect();
        Self { cell, is_built, ..Self::default() }
    }
}

/// The cells of some consecutive words, to be given their weights. What they were before is forgotten then.
pub(super) struct CellsOfWords<'a> {
    cell: &'a mut [AtomicU64],
    is_built: &'a mut [AtomicBool],
}

impl<'a> CellsOfWords<'a> {
    /// Cuts off the first `words` words with their `entries` entries.
    pub(super) fn take(&mut self, words: usize, entries: usize) -> CellsOfWords<'a> {
        CellsOfWords {
            cell: self.cell.split_off_mut(..entries).expect("words fit the tables"),
            is_built: self.is_built.split_off_mut(..words).expect("words fit the tables"),
        }
    }

    /// Gives all entries of these words their weights.
    pub(super) fn set_weights(self, weights: impl Iterator<Item = f64>) {
        self.is_built.iter_mut().for_each(|is_built| *is_built.get_mut() = false);
        self.cell.iter_mut().zip(weights).for_each(|(cell, weight)| *cell.get_mut() = weight.to_bits());
    }
}

/// The alias table of one word, a cell for each entry of its column.
#[derive(Clone, Copy, Debug)]
pub struct AliasTable<'a>(&'a [AtomicU64]);

impl AliasTable<'_> {
    /// A draw that falls on the cell of an entry, counted in its column, keeps it if 32 random bits are below the first number, and
    /// takes the second entry otherwise.
    #[inline]
    pub fn cell(&self, at: usize) -> (u32, usize) {
        let cell = self.0[at].load(Relaxed);
        (cell as u32, (cell >> 32) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many threads ask for the same tables at once, and all get what a single one does.
    #[test]
    fn every_thread_has_the_same_table() {
        const WORDS: usize = 50;
        const LENGTH: usize = 40;
        let weight = |entry: usize| 1.0 / (1.0 + (entry * 7919 % 101) as f64);
        let fresh = || {
            let mut cells = AliasCells::default();
            cells.resize(WORDS, WORDS * LENGTH).set_weights((0..WORDS * LENGTH).map(weight));
            cells
        };
        let entries = |v: usize| v * LENGTH..(v + 1) * LENGTH;
        let all = |cells: &AliasCells| -> Vec<(u32, usize)> {
            let table = |v: usize| cells.table(v as u32, entries(v));
            (0..WORDS).flat_map(|v| (0..LENGTH).map(move |at| table(v).cell(at))).collect()
        };
        let alone = all(&fresh());
        for _ in 0..20 {
            let cells = fresh();
            std::thread::scope(|scope| {
                let asked: Vec<_> = (0..4).map(|_| scope.spawn(|| all(&cells))).collect();
                asked.into_iter().for_each(|asked| assert_eq!(asked.join().unwrap(), alone));
            });
        }
    }
}
