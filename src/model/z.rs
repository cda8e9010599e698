//! Step 3, z | Φ, Ψ: P(z_i = k) ∝ φ_kv·(αΨ_k + m_dk), token by token, in integers.
//!
//! The draw is defined by mathematics and not by the walk: with u uniform below A_v + B, among the topics
//! with φ_kv·m_dk > 0, in ascending order, the first whose cumulative weight exceeds u; the alias table when
//! u ≥ B. Sums of integers are the same in any order, so either side may be walked.

use super::alias::{WordColumn, WordTables};
use super::histogram::DocTopicHistogram;
use crate::heap::{Heap, Sizes};
use crate::rng::{Step, fill_token_bits};

/// Tokens whose random bits are drawn at once.
pub(crate) const BATCH: usize = 64;

/// Walking the column costs a multiplication an entry, looking a topic up in it a binary search: the
/// document's side is shorter only when the column is this many times longer.
pub(crate) const COLUMN_STEPS_PER_LOOKUP: usize = 12;

/// What a sweep needs beside the tables.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// Φ and Ψ as integers.
    pub tables: &'a WordTables,
    /// Philox's key.
    pub key: [u32; 2],
    /// The iteration.
    pub iteration: u32,
}

/// m_d, with a place for every number that a topic can have, so that no look-up is checked against K*.
pub(crate) type DenseCounts = Box<[u32; 1 << 16]>;

/// No tokens.
pub(crate) fn no_tokens() -> DenseCounts {
    vec![0; 1 << 16].into_boxed_slice().try_into().expect("as many as the array has")
}

/// What dense counts take: nothing of the pages that no topic's number has come to.
pub(crate) fn dense_counts_bytes() -> Heap {
    Heap::exact::<[u32; 1 << 16]>(1.0).at_most()
}

/// m_d of the document at hand: dense for look-ups, with its topics in order for walks.
#[derive(Debug)]
pub struct DocTopicCounts {
    m: DenseCounts,
    /// The topics with m_dk > 0, ascending.
    topics: Vec<u16>,
}

impl Default for DocTopicCounts {
    /// An empty document.
    fn default() -> Self {
        Self { m: no_tokens(), topics: Vec::new() }
    }
}

impl DocTopicCounts {
    /// What they take.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        dense_counts_bytes() + Heap::grown::<u16>(1.0, sizes.topics).at_most()
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        let Self { m, topics } = self;
        Heap::bytes(size_of_val(&**m) as f64) + crate::heap::held(topics)
    }

    /// Counts the tokens of a document; the one before has been cleared.
    pub fn fill(&mut self, z: &[u16]) {
        debug_assert!(self.topics.is_empty());
        for &k in z {
            if self.m[usize::from(k)] == 0 {
                self.topics.push(k);
            }
            self.m[usize::from(k)] += 1;
        }
        self.topics.sort_unstable();
    }

    /// Takes a token out of topic `k`.
    #[inline]
    pub(super) fn remove(&mut self, k: u16) {
        let m = &mut self.m[usize::from(k)];
        *m -= 1;
        if *m == 0 {
            let at = self.topics.binary_search(&k).expect("a topic with tokens is listed");
            self.topics.remove(at);
        }
    }

    /// Puts a token into topic `k`.
    #[inline]
    pub(super) fn add(&mut self, k: u16) {
        let m = &mut self.m[usize::from(k)];
        if *m == 0 {
            let at = self.topics.binary_search(&k).expect_err("a topic without tokens is not listed");
            self.topics.insert(at, k);
        }
        *m += 1;
    }

    /// Adds the document to the histogram and forgets it.
    pub fn drain_into(&mut self, d: &mut DocTopicHistogram) {
        for k in self.topics.drain(..) {
            d.add(k, std::mem::take(&mut self.m[usize::from(k)]));
        }
    }

    /// B = Σ_k φ_kv·m_dk.
    #[inline]
    fn document_mass(&self, column: WordColumn<'_>) -> u64 {
        if self.walks_column(column) {
            column_products(column, &self.m).map(|(_, product)| product).sum()
        } else {
            self.lookups(column).map(|(_, product)| product).sum()
        }
    }

    /// The first entry of the column whose cumulative φ_kv·m_dk exceeds `u`, which is below B.
    #[inline]
    fn select(&self, column: WordColumn<'_>, u: u64) -> usize {
        if self.walks_column(column) {
            first_above(column_products(column, &self.m), u)
        } else {
            first_above(self.lookups(column), u)
        }
    }

    #[inline]
    fn walks_column(&self, column: WordColumn<'_>) -> bool {
        column.topic.len() <= COLUMN_STEPS_PER_LOOKUP * self.topics.len()
    }

    /// φ_kv·m_dk over the document's topics that the word has, with the entries of its column.
    #[inline]
    fn lookups<'a>(&'a self, column: WordColumn<'a>) -> impl Iterator<Item = (usize, u64)> + 'a {
        self.topics.iter().filter_map(move |&k| {
            let entry = column.topic.binary_search(&k).ok()?;
            Some((entry, product(column.weight[entry], self.m[usize::from(k)])))
        })
    }
}

/// φ_kv·m_dk over the entries of a column.
#[inline]
fn column_products<'a>(
    column: WordColumn<'a>,
    m: &'a [u32; 1 << 16],
) -> impl Iterator<Item = (usize, u64)> + 'a {
    let products = column.topic.iter().zip(column.weight);
    products.map(|(&k, &weight)| product(weight, m[usize::from(k)])).enumerate()
}

#[inline]
fn product(weight: u32, m: u32) -> u64 {
    u64::from(weight) * u64::from(m)
}

#[inline]
fn first_above(products: impl Iterator<Item = (usize, u64)>, u: u64) -> usize {
    let mut cumulative = 0;
    for (entry, product) in products {
        cumulative += product;
        if cumulative > u {
            return entry;
        }
    }
    unreachable!("u is below the sum of all products")
}

/// Samples the topics of one document, whose first token has index `first` in the corpus, and tells `chosen` the entry of the
/// tables that each token chose. Leaves m_d in `doc` and returns how many tokens had nothing to draw from and kept their topic.
pub fn sample_z(
    sweep: Sweep<'_>,
    first: u64,
    w: &[u32],
    z: &mut [u16],
    doc: &mut DocTopicCounts,
    mut chosen: impl FnMut(usize),
) -> u64 {
    let Sweep { tables, key, iteration } = sweep;
    let mut stuck = 0;
    doc.fill(z);
    let mut bits = [0; BATCH];
    for (batch, (w, z)) in w.chunks(BATCH).zip(z.chunks_mut(BATCH)).enumerate() {
        let batch_first = first + (batch * BATCH) as u64;
        fill_token_bits(key, batch_first, iteration, Step::Z, &mut bits[..w.len()]);
        for (offset, (&v, z)) in w.iter().zip(z).enumerate() {
            doc.remove(*z);
            let column = tables.column(v);
            let document = doc.document_mass(column);
            let total = tables.mass[v as usize] + document;
            if total == 0 {
                stuck += 1;
            } else {
                let u = crate::rng::scale_bits(bits[offset], total);
                let entry = if u < document {
                    tables.entries(v).start + doc.select(column, u)
                } else {
                    let i = batch_first + offset as u64;
                    tables.draw_alias(v, alias_bits(key, i, iteration))
                };
                *z = tables.topic[entry];
                chosen(entry);
            }
            doc.add(*z);
        }
    }
    stuck
}

/// The random block of token `i`'s draw from the alias table: one of its own, not shared with a neighbour.
#[inline]
pub(crate) fn alias_bits(key: [u32; 2], i: u64, iteration: u32) -> [u32; 4] {
    crate::rng::philox(key, [i as u32, (i >> 32) as u32, iteration, Step::ZAlias as u32])
}
