//! The z step of a document by walks along its words' columns: the draw of `z.rs`, with the same result, faster for all but
//! very short documents.
//!
//! m_d is dense. One walk makes all cumulative sums, and the topic is chosen by counting those that are not above u, without
//! a branch that a processor would have to guess. In a column much longer than the document's list of topics, these are looked up.

#![cfg_attr(not(feature = "testing"), expect(unreachable_pub, reason = "only tests reach them from outside"))]

use super::active::{ActiveColumns, CHUNK, Chunk, LongColumn, Word, fill_chunks};
use crate::heap::{Heap, Sizes};
use crate::model::alias::WordTables;
use crate::model::histogram::DocTopicHistogram;
use crate::model::z::{BATCH, DenseCounts, Sweep, alias_bits, dense_counts_bytes, no_tokens};
use crate::rng::{Step, fill_token_bits, scale_bits};

/// How many tokens ahead columns are fetched into the cache; their places, twice as many.
const AHEAD: usize = 6;

/// Up to as many chunks, or sums, counting all sums is faster than bisecting them.
const COUNTED_CHUNKS: usize = 8;
const COUNTED: usize = CHUNK * COUNTED_CHUNKS;

/// Walking a chunk costs about what looking a topic of the document up does: a column with more chunks than the document has
/// topics is not walked, unless it has fewer than these.
const LEAST_LONG: usize = 8;

/// What a token has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chosen {
    /// An entry of an active topic, by its slot.
    Slot(usize),
    /// An entry of the tables.
    Entry(usize),
}

/// What is told of the choices of a document's tokens.
pub trait Counter {
    /// A token chose an entry of an active topic, by its slot.
    fn slot(&mut self, slot: usize);

    /// A token chose an entry of the tables.
    fn entry(&mut self, entry: usize);
}

/// Room for a document.
#[derive(Debug)]
pub struct DocWalk {
    m: DenseCounts,
    /// The topics with m_dk > 0, and some that have had tokens in this sweep, ascending.
    topics: Vec<u16>,
    /// Cumulative φ_kv·m_dk of the column at hand.
    cumulative: Vec<[u64; CHUNK]>,
    /// A column with its topics that had no tokens.
    whole: Vec<Chunk>,
}

impl Default for DocWalk {
    fn default() -> Self {
        Self { m: no_tokens(), topics: Vec::new(), cumulative: Vec::new(), whole: Vec::new() }
    }
}

impl DocWalk {
    /// What it takes: a column has up to K* entries.
    pub(super) fn bytes(sizes: &Sizes) -> Heap {
        let chunks = sizes.k_star / CHUNK as f64 + 1.0;
        let lists = Heap::grown::<u16>(1.0, sizes.k_star)
            + Heap::grown::<[u64; CHUNK]>(1.0, chunks)
            + Heap::grown::<Chunk>(1.0, chunks);
        dense_counts_bytes() + lists.at_most()
    }

    #[cfg(test)]
    pub(super) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { m, topics, cumulative, whole } = self;
        Heap::bytes(size_of_val(&**m) as f64) + held(topics) + held(cumulative) + held(whole)
    }

    /// Samples the topics `z` of a document whose first token has index `first` in the streams; `w` are its words and
    /// those of the documents that follow, which are fetched in time. Tells `counter` what each token chose, adds the document to `d` and returns how many tokens had nothing to draw from and kept their topic.
    // A function by itself, whatever calls it: as a part of rayon's loop it took 2 % more instructions, for want of registers.
    #[inline(never)]
    #[expect(clippy::too_many_arguments, reason = "each is another thing")]
    pub fn sample_z(
        &mut self,
        sweep: Sweep<'_>,
        active: &ActiveColumns,
        first: u64,
        w: &[u32],
        z: &mut [u16],
        d: &mut DocTopicHistogram,
        counter: &mut impl Counter,
    ) -> u64 {
        let Sweep { tables, key, iteration } = sweep;
        let mut stuck = 0;
        // Whether the document has a topic that had no tokens before, whose entries are in whole columns only.
        let mut has_new = false;
        self.fill(z);
        let mut bits = [0; BATCH];
        for (batch, z) in z.chunks_mut(BATCH).enumerate() {
            let done = batch * BATCH;
            fill_token_bits(key, first + done as u64, iteration, Step::Z, &mut bits[..z.len()]);
            for (offset, z) in z.iter_mut().enumerate() {
                let at = done + offset;
                prefetch(active, &w[at..]);
                let v = w[at];
                self.m[usize::from(*z)] -= 1;
                let word = active.word(v);
                let drawn = if has_new {
                    self.draw_of_whole_column(tables, v, word.mass, bits[offset])
                } else if word.chunks() > LEAST_LONG.max(self.topics.len()) {
                    self.draw_of_long_column(active, word, bits[offset])
                } else {
                    self.draw(active.column(word), word.mass, bits[offset], |at| Chosen::Slot(word.slot(at)))
                };
                match drawn {
                    Drawn::Topic(k, Chosen::Slot(slot)) => {
                        *z = k;
                        counter.slot(slot);
                    }
                    Drawn::Topic(k, Chosen::Entry(entry)) => {
                        *z = k;
                        counter.entry(entry);
                    }
                    Drawn::Prior => {
                        let entry = tables.draw_alias(v, alias_bits(key, first + at as u64, iteration));
                        *z = tables.topic[entry];
                        counter.entry(entry);
                        has_new |= !active.has(*z);
                        self.list(*z);
                    }
                    Drawn::Nothing => stuck += 1,
                }
                self.m[usize::from(*z)] += 1;
            }
        }
        for k in self.topics.drain(..) {
            let m = std::mem::take(&mut self.m[usize::from(k)]);
            if m > 0 {
                d.add(k, m);
            }
        }
        stuck
    }

    /// Counts the tokens of a document; the one before has been cleared.
    fn fill(&mut self, z: &[u16]) {
        for &k in z {
            if self.m[usize::from(k)] == 0 {
                self.topics.push(k);
            }
            self.m[usize::from(k)] += 1;
        }
        self.topics.sort_unstable();
    }

    /// Puts a topic into the list, if it is not there.
    fn list(&mut self, k: u16) {
        if let Err(at) = self.topics.binary_search(&k) {
            self.topics.insert(at, k);
        }
    }

    /// A token's topic, if it comes from its document; `chosen` names the entry at a place of the column.
    #[inline(always)]
    fn draw(
        &mut self,
        column: &[Chunk],
        mass: u64,
        bits: u64,
        chosen: impl FnOnce(usize) -> Chosen,
    ) -> Drawn {
        let document = self.add_up(column);
        draw_below(mass, document, bits, |u| {
            let at = self.select(column, u);
            (column[at / CHUNK].topic[at % CHUNK], chosen(at))
        })
    }

    /// [`Self::draw`] with the document's topics looked up, if that can be.
    #[inline(never)]
    fn draw_of_long_column(&mut self, active: &ActiveColumns, word: Word, bits: u64) -> Drawn {
        let Some(column) = active.long_column(word) else {
            return self.draw(active.column(word), word.mass, bits, |at| Chosen::Slot(word.slot(at)));
        };
        #[cfg(target_arch = "x86_64")]
        let document = if is_x86_feature_detected!("popcnt") {
            #[expect(unsafe_code, reason = "an instruction that not every x86-64 has")]
            // SAFETY: the processor has just been asked for it.
            unsafe {
                self.look_up_by_popcnt(column)
            }
        } else {
            self.look_up(column)
        };
        #[cfg(not(target_arch = "x86_64"))]
        let document = self.look_up(column);
        draw_below(word.mass, document, bits, |u| {
            let k = self.select_topic(u);
            (k, Chosen::Slot(word.slot(column.find(k).0)))
        })
    }

    /// [`Self::draw`] from all topics of a word.
    #[cold]
    fn draw_of_whole_column(&mut self, tables: &WordTables, v: u32, mass: u64, bits: u64) -> Drawn {
        let mut whole = std::mem::take(&mut self.whole);
        let column = tables.column(v);
        whole.resize(column.topic.len().div_ceil(CHUNK), Chunk::default());
        fill_chunks(&mut whole, column.topic.iter().copied().zip(column.weight.iter().copied()));
        let start = tables.entries(v).start;
        let drawn = self.draw(&whole, mass, bits, |at| Chosen::Entry(start + at));
        self.whole = whole;
        drawn
    }

    /// B = Σ_k φ_kv·m_dk, and all sums on the way.
    #[inline(always)]
    fn add_up(&mut self, column: &[Chunk]) -> u64 {
        if self.cumulative.len() < column.len() {
            self.cumulative.resize(column.len(), [0; CHUNK]);
        }
        let mut sum = 0;
        for (chunk, cumulative) in column.iter().zip(&mut self.cumulative) {
            let product =
                |at: usize| u64::from(chunk.weight[at]) * u64::from(self.m[usize::from(chunk.topic[at])]);
            let first = product(0);
            let two = first + product(1);
            let (third, fourth) = (product(2), product(3));
            // From one chunk to the next, a sum waits for one addition and not for four.
            *cumulative = [sum + first, sum + two, sum + (two + third), sum + (two + (third + fourth))];
            sum = cumulative[CHUNK - 1];
        }
        sum
    }

    /// B over the topics of the document, and all sums on the way.
    #[inline(always)]
    fn look_up(&mut self, column: LongColumn<'_>) -> u64 {
        let chunks = self.topics.len().div_ceil(CHUNK);
        if self.cumulative.len() < chunks {
            self.cumulative.resize(chunks, [0; CHUNK]);
        }
        let mut sum = 0;
        for (&k, cumulative) in self.topics.iter().zip(self.cumulative.as_flattened_mut()) {
            sum += u64::from(column.weight(k)) * u64::from(self.m[usize::from(k)]);
            *cumulative = sum;
        }
        sum
    }

    /// [`Self::look_up`] with bits counted in one instruction.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt")]
    fn look_up_by_popcnt(&mut self, column: LongColumn<'_>) -> u64 {
        self.look_up(column)
    }

    /// The first topic whose cumulative φ_kv·m_dk exceeds `u`, after a [`Self::look_up`].
    fn select_topic(&self, u: u64) -> u16 {
        let cumulative = &self.cumulative.as_flattened()[..self.topics.len()];
        let at = if cumulative.len() <= COUNTED {
            cumulative.iter().map(|&sum| usize::from(sum <= u)).sum()
        } else {
            cumulative.partition_point(|&sum| sum <= u)
        };
        self.topics[at]
    }

    /// The place of the first entry whose cumulative φ_kv·m_dk exceeds `u`, which is below B.
    #[inline(always)]
    fn select(&self, column: &[Chunk], u: u64) -> usize {
        let cumulative = &self.cumulative[..column.len()];
        let not_above = |sums: &[u64; CHUNK]| sums.iter().map(|&sum| usize::from(sum <= u)).sum::<usize>();
        if cumulative.len() <= COUNTED_CHUNKS {
            cumulative.iter().map(not_above).sum()
        } else {
            let chunk = cumulative.partition_point(|sums| sums[CHUNK - 1] <= u);
            CHUNK * chunk + not_above(&cumulative[chunk])
        }
    }
}

/// Where a token's topic comes from.
enum Drawn {
    /// From its document.
    Topic(u16, Chosen),
    /// From the prior, by the word's alias table.
    Prior,
    /// From nowhere: the word has no weight at all.
    Nothing,
}

/// Where a token's topic comes from, and if it is from its document, the one that `select` finds for u, with what it chose.
#[inline(always)]
fn draw_below(mass: u64, document: u64, bits: u64, select: impl FnOnce(u64) -> (u16, Chosen)) -> Drawn {
    let total = mass + document;
    if total == 0 {
        return Drawn::Nothing;
    }
    let u = scale_bits(bits, total);
    if u >= document {
        return Drawn::Prior;
    }
    let (k, chosen) = select(u);
    Drawn::Topic(k, chosen)
}

/// Has what later tokens need fetched into the cache.
#[inline]
fn prefetch(active: &ActiveColumns, w: &[u32]) {
    if let Some(&v) = w.get(2 * AHEAD) {
        active.prefetch_word(v);
    }
    if let Some(&v) = w.get(AHEAD) {
        active.prefetch_column(v);
    }
}
