//! Step 2: each word's column of Φ as integers, with the weights φ_kv·αΨ_k of its alias table.
//!
//! A draw depends only on ratios within a column, so every column has a scale of its own: the power of two
//! that gives its largest φ_kv 31 bits. All the rest of the z step is integer arithmetic.

use rayon::prelude::*;

use super::cells::{AliasCells, AliasTable, CellsOfWords};
use super::counts::{Column, ColumnBlock};
use super::phi::Phi;
use super::psi::Psi;
use crate::heap::{Heap, Sizes};
use crate::model::per_thread::PerThread;

/// What the z step needs of Φ and Ψ: sparse columns, a word after the other.
///
/// The entries of word v are `col_start[v]..col_start[v + 1]`, by ascending topic.
#[derive(Debug, Default)]
pub struct WordTables {
    /// Where each word's entries start; V + 1 values.
    pub col_start: Vec<u32>,
    /// A_v = Σ_k φ_kv·αΨ_k in the unit of the column's weights; at least 1, and 0 only for an empty column.
    pub mass: Vec<u64>,
    /// The topic of an entry.
    pub topic: Vec<u16>,
    /// φ_kv in the column's unit, below or at 2^31.
    pub weight: Vec<u32>,
    /// The alias tables.
    cells: AliasCells,
}

/// The entries of one word.
#[derive(Clone, Copy, Debug)]
pub struct WordColumn<'a> {
    /// Topics, ascending.
    pub topic: &'a [u16],
    /// Integer φ_kv.
    pub weight: &'a [u32],
}

impl WordTables {
    /// What they take.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        let Sizes { words, phi_cells, .. } = *sizes;
        Heap::grown::<u32>(1.0, words)
            + Heap::resized::<u64>(words)
            + Heap::resized::<u16>(phi_cells)
            + Heap::resized::<u32>(phi_cells)
            + AliasCells::bytes(sizes)
    }

    #[cfg(test)]
    fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { col_start, mass, topic, weight, cells } = self;
        held(col_start) + held(mass) + held(topic) + held(weight) + cells.heap_bytes()
    }

    /// Tables with these topics in their columns, and a weight for each topic, which its alias table has too.
    #[cfg(all(test, feature = "gpu"))]
    pub(crate) fn of_columns(
        columns: &[&[u16]],
        weight: impl Fn(u16) -> u32,
        mass: impl Fn(usize) -> u64,
    ) -> Self {
        let topic: Vec<u16> = columns.concat();
        let ends = columns.iter().scan(0, |end, column| {
            *end += column.len() as u32;
            Some(*end)
        });
        let mut cells = AliasCells::default();
        let weights = topic.iter().map(|&k| f64::from(weight(k)));
        cells.resize(columns.len(), topic.len()).set_weights(weights);
        Self {
            col_start: std::iter::once(0).chain(ends).collect(),
            mass: columns.iter().map(|column| mass(column.len())).collect(),
            weight: topic.iter().map(|&k| weight(k)).collect(),
            topic,
            cells,
        }
    }

    /// The column of word `v`.
    #[inline]
    pub fn column(&self, v: u32) -> WordColumn<'_> {
        let range = self.entries(v);
        WordColumn { topic: &self.topic[range.clone()], weight: &self.weight[range] }
    }

    /// The entries of word `v`.
    #[inline]
    pub fn entries(&self, v: u32) -> std::ops::Range<usize> {
        self.col_start[v as usize] as usize..self.col_start[v as usize + 1] as usize
    }

    /// The alias table of word `v`, whose column is not empty.
    #[inline]
    pub fn alias_table(&self, v: u32) -> AliasTable<'_> {
        self.cells.table(v, self.entries(v))
    }

    /// The entry that 128 random bits choose from the alias table of word `v`, whose mass is not zero.
    #[inline]
    pub(crate) fn draw_alias(&self, v: u32, bits: [u32; 4]) -> usize {
        let entries = self.entries(v);
        let high = u64::from(bits[0]) << 32 | u64::from(bits[1]);
        let cell = crate::rng::scale_bits(high, entries.len() as u64) as usize;
        let (threshold, other) = self.cells.table(v, entries.clone()).cell(cell);
        entries.start + if bits[2] < threshold { cell } else { other }
    }
}

impl Clone for WordTables {
    /// A copy that is asked for by other threads, with all its alias tables.
    fn clone(&self) -> Self {
        let words = 0..self.mass.len() as u32;
        words.into_par_iter().filter(|&v| !self.entries(v).is_empty()).for_each(|v| _ = self.alias_table(v));
        let Self { col_start, mass, topic, weight, cells } = self;
        Self {
            col_start: col_start.clone(),
            mass: mass.clone(),
            topic: topic.clone(),
            weight: weight.clone(),
            cells: cells.copy_built(),
        }
    }
}

/// Builds [`WordTables`], keeping its room from one iteration to the next.
#[derive(Debug)]
pub struct TableBuilder {
    tables: WordTables,
    scratch: PerThread<Scratch>,
}

/// One thread's room: a column's φ_kv, and φ_kv·αΨ_k.
#[derive(Debug, Default)]
struct Scratch {
    phi: Vec<f64>,
    prior: Vec<f64>,
}

/// What every column needs of a topic.
struct TopicScale {
    /// 1 / Σ_v ϕ_kv.
    inverse_row_sum: f64,
    /// αΨ_k.
    alpha_psi: f64,
    /// ln Ψ_k, for where Ψ_k underflows.
    ln_psi: f64,
}

impl Default for TableBuilder {
    fn default() -> Self {
        Self { tables: WordTables::default(), scratch: PerThread::new(Scratch::default) }
    }
}

impl TableBuilder {
    /// What it takes: a thread has room for the longest column.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        let column = sizes.k_star;
        let each = (Heap::grown::<f64>(1.0, column) + Heap::grown::<f64>(1.0, column)).at_most();
        WordTables::bytes(sizes) + PerThread::<Scratch>::bytes(sizes.threads, each)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { tables, scratch } = self;
        let each = |Scratch { phi, prior }: &Scratch| held(phi) + held(prior);
        tables.heap_bytes() + scratch.heap_bytes(each)
    }

    /// The tables as they were built last.
    pub fn tables(&self) -> &WordTables {
        &self.tables
    }

    /// The tables for this Φ and Ψ, in parallel over words.
    pub fn build<C>(&mut self, phi: &Phi<C>, psi: &Psi, alpha: f64) -> &WordTables
    where
        C: Copy + Into<f64> + Sync,
    {
        let Self { tables, scratch } = self;
        let topics: Vec<TopicScale> = phi
            .row_sum
            .iter()
            .zip(psi.psi.iter().zip(&psi.ln_psi))
            .map(|(&sum, (psi, &ln_psi))| TopicScale {
                inverse_row_sum: 1.0 / sum,
                alpha_psi: alpha * psi,
                ln_psi,
            })
            .collect();
        tables.split(&phi.blocks).into_par_iter().zip(&phi.blocks).for_each(|(mut rest, varphi)| {
            let mut scratch = scratch.lock();
            for column in varphi.columns() {
                rest.take_column(column.topic.len()).fill(column, &topics, &mut scratch);
            }
        });
        tables
    }
}

impl WordTables {
    /// Makes room for the columns of `blocks`, cut into the parts that each block fills. Nothing here goes through the words: the
    /// other threads would be asleep by the end of it.
    fn split<C: Copy>(&mut self, blocks: &[ColumnBlock<C>]) -> Vec<Part<'_>> {
        let words = blocks.iter().map(|block| block.words().len()).sum();
        let entries = blocks.iter().map(ColumnBlock::nonzeros).sum();
        u32::try_from(entries).expect("Φ has fewer than 2^32 nonzeros");
        self.col_start.resize(words + 1, 0);
        self.mass.resize(words, 0);
        self.topic.resize(entries, 0);
        self.weight.resize(entries, 0);
        let mut rest = Part {
            start: 0,
            end: &mut self.col_start[1..],
            mass: &mut self.mass,
            topic: &mut self.topic,
            weight: &mut self.weight,
            cells: self.cells.resize(words, entries),
        };
        blocks.iter().map(|block| rest.take(block.words().len(), block.nonzeros())).collect()
    }
}

/// The tables of some consecutive words, to be filled.
struct Part<'a> {
    /// The first entry.
    start: usize,
    /// Where the entries of each word end.
    end: &'a mut [u32],
    mass: &'a mut [u64],
    topic: &'a mut [u16],
    weight: &'a mut [u32],
    cells: CellsOfWords<'a>,
}

impl<'a> Part<'a> {
    /// Cuts off the first `words` words with their `entries` entries.
    fn take(&mut self, words: usize, entries: usize) -> Part<'a> {
        let start = self.start;
        self.start += entries;
        Part {
            start,
            end: self.end.split_off_mut(..words).expect("blocks fit the tables"),
            mass: self.mass.split_off_mut(..words).expect("blocks fit the tables"),
            topic: self.topic.split_off_mut(..entries).expect("blocks fit the tables"),
            weight: self.weight.split_off_mut(..entries).expect("blocks fit the tables"),
            cells: self.cells.take(words, entries),
        }
    }

    /// Cuts off the first word with its `entries` entries.
    fn take_column(&mut self, entries: usize) -> Part<'a> {
        self.take(1, entries)
    }

    /// Fills the tables of one word from its ϕ.
    fn fill<C>(self, varphi: Column<'_, C>, topics: &[TopicScale], scratch: &mut Scratch)
    where
        C: Copy + Into<f64>,
    {
        let Scratch { phi, prior } = scratch;
        phi.clear();
        prior.clear();
        for (k, count) in varphi.iter() {
            let topic = &topics[usize::from(k)];
            let phi_kv = count.into() * topic.inverse_row_sum;
            phi.push(phi_kv);
            prior.push(phi_kv * topic.alpha_psi);
        }
        self.end[0] = (self.start + phi.len()) as u32;
        let unit = column_unit(phi.iter().copied().fold(0.0, f64::max));
        self.topic.copy_from_slice(varphi.topic);
        for (weight, phi_kv) in self.weight.iter_mut().zip(&*phi) {
            *weight = round(*phi_kv * unit) as u32;
        }
        if phi.is_empty() {
            self.mass[0] = 0;
            return;
        }
        let mass: f64 = prior.iter().sum();
        self.mass[0] = round(mass * unit).max(1);
        if mass < LEAST_PRIOR {
            relative_prior(phi, varphi.topic, topics, prior);
        }
        self.cells.set_weights(prior.iter().copied());
    }
}

/// Below this, the smaller parts of a column's Σφ_kv·αΨ_k have lost their bits, or all of it is 0: Ψ decays by
/// about e a topic past the last active one, and a column may have none but such topics.
const LEAST_PRIOR: f64 = 1e-280;

/// φ_kv·Ψ_k relative to the largest of the column, where φ_kv·αΨ_k itself underflows. φ_kv may be as small as Ψ_k:
/// a Dirichlet draw has such entries for words without tokens.
fn relative_prior(phi: &[f64], column: &[u16], topics: &[TopicScale], prior: &mut [f64]) {
    for ((prior, phi_kv), k) in prior.iter_mut().zip(phi).zip(column) {
        *prior = libm::log(*phi_kv) + topics[usize::from(*k)].ln_psi;
    }
    let largest = prior.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    prior.iter_mut().for_each(|prior| *prior = libm::exp(*prior - largest));
}

/// The power of two that brings `largest` into [2^30, 2^31), or the largest one there is; 0 for an empty column.
fn column_unit(largest: f64) -> f64 {
    if largest > 0.0 { libm::ldexp(1.0, (30 - libm::ilogb(largest)).min(f64::MAX_EXP - 1)) } else { 0.0 }
}

/// Rounds half up; for values that are not negative.
fn round(x: f64) -> u64 {
    (x + 0.5) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_gives_the_largest_weight_31_bits() {
        for largest in [1.0, 0.999_999_999_9, 0.5, 1.0 / 3.0, 1e-9, 1.0 / f64::from(u32::MAX)] {
            let weight = round(largest * column_unit(largest));
            assert!((1 << 30..=1 << 31).contains(&weight), "{largest} becomes {weight}");
        }
    }
    /// A word without tokens whose φ is as small as the Ψ of its topics: both products underflow.
    #[test]
    fn the_smallest_prior_keeps_its_ratios() {
        let topics = [-200.0, -201.0].map(|ln_psi| TopicScale {
            inverse_row_sum: 1.0,
            alpha_psi: 0.1 * libm::exp(ln_psi),
            ln_psi,
        });
        let mut prior = [0.0; 2];
        relative_prior(&[1e-310, 2e-310], &[0, 1], &topics, &mut prior);
        let ratio = prior[1] / prior[0];
        assert!((ratio / (2.0 / std::f64::consts::E) - 1.0).abs() < 1e-9, "{ratio}");
        assert!(prior.iter().sum::<f64>() >= 1.0, "{prior:?}");
    }
}
