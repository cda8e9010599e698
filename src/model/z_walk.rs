//! The z step of a document by walks along its words' columns: the draw of `z.rs`, with the same result, faster for all but
//! very short documents.
//!
//! m_d is dense and no list of its topics is kept. One walk makes all cumulative sums, and the topic is chosen by
//! counting those that are not above u, without a branch that a processor would have to guess.

use super::active::ActiveColumns;
use super::alias::WordColumn;
use super::histogram::DocTopicHistogram;
use super::z::{BATCH, DenseCounts, Sweep, alias_bits, no_tokens};
use crate::rng::{Step, fill_token_bits, scale_bits};

/// How many tokens ahead columns are fetched into the cache; their places, twice as many.
const AHEAD: usize = 6;

/// Up to this length, counting all sums is faster than bisecting them.
const COUNTED: usize = 32;

/// Room for a document.
#[derive(Debug)]
pub struct DocWalk {
    m: DenseCounts,
    /// Cumulative φ_kv·m_dk of the column at hand.
    cumulative: Vec<u64>,
}

impl Default for DocWalk {
    fn default() -> Self {
        Self { m: no_tokens(), cumulative: Vec::new() }
    }
}

impl DocWalk {
    /// Samples the topics `z` of a document whose first token has index `first` in the streams; `w` are its words and
    /// those of the documents that follow, which are fetched in time. Adds the document to `d` and returns how many tokens
    /// had nothing to draw from and kept their topic.
    pub fn sample_z(
        &mut self,
        sweep: Sweep<'_>,
        active: &ActiveColumns,
        first: u64,
        w: &[u32],
        z: &mut [u16],
        d: &mut DocTopicHistogram,
    ) -> u64 {
        let Sweep { tables, key, iteration } = sweep;
        let mut stuck = 0;
        // Whether the document has a topic that had no tokens before, whose entries are in whole columns only.
        let mut has_new = false;
        z.iter().for_each(|&k| self.m[usize::from(k)] += 1);
        let mut bits = [0; BATCH];
        for (batch, z) in z.chunks_mut(BATCH).enumerate() {
            let done = batch * BATCH;
            fill_token_bits(key, first + done as u64, iteration, Step::Z, &mut bits[..z.len()]);
            for (offset, z) in z.iter_mut().enumerate() {
                let at = done + offset;
                self.prefetch(sweep, active, &w[at..]);
                let v = w[at];
                self.m[usize::from(*z)] -= 1;
                let column = if has_new { tables.column(v) } else { active.column(v) };
                let document = self.add_up(column);
                let total = tables.mass[v as usize] + document;
                if total == 0 {
                    stuck += 1;
                } else {
                    let u = scale_bits(bits[offset], total);
                    *z = if u < document {
                        self.select(column, u)
                    } else {
                        let k = tables.draw_alias(v, alias_bits(key, first + at as u64, iteration));
                        has_new |= !active.has(k);
                        k
                    };
                }
                self.m[usize::from(*z)] += 1;
            }
        }
        for &k in &*z {
            let m = std::mem::take(&mut self.m[usize::from(k)]);
            if m > 0 {
                d.add(k, m);
            }
        }
        stuck
    }

    /// Has what later tokens need fetched into the cache.
    #[inline]
    fn prefetch(&self, sweep: Sweep<'_>, active: &ActiveColumns, w: &[u32]) {
        if let Some(&v) = w.get(2 * AHEAD) {
            active.prefetch_start(v);
            crate::prefetch::prefetch(&sweep.tables.mass, v as usize);
        }
        if let Some(&v) = w.get(AHEAD) {
            active.prefetch(v);
        }
    }

    /// B = Σ_k φ_kv·m_dk, and all sums on the way.
    #[inline]
    fn add_up(&mut self, column: WordColumn<'_>) -> u64 {
        if self.cumulative.len() < column.topic.len() {
            self.cumulative.resize(column.topic.len(), 0);
        }
        let mut sum = 0;
        for ((&k, &weight), cumulative) in column.topic.iter().zip(column.weight).zip(&mut self.cumulative) {
            sum += u64::from(weight) * u64::from(self.m[usize::from(k)]);
            *cumulative = sum;
        }
        sum
    }

    /// The first topic whose cumulative φ_kv·m_dk exceeds `u`, which is below B.
    #[inline]
    fn select(&self, column: WordColumn<'_>, u: u64) -> u16 {
        let cumulative = &self.cumulative[..column.topic.len()];
        let at = if cumulative.len() <= COUNTED {
            cumulative.iter().map(|&sum| usize::from(sum <= u)).sum()
        } else {
            cumulative.partition_point(|&sum| sum <= u)
        };
        column.topic[at]
    }
}
