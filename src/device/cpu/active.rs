//! The columns of Φ without the topics that have no tokens, laid out for walks.
//!
//! B = Σ_k φ_kv·m_dk runs over topics of the document, which have tokens. The prior gives every word some β·K* points in
//! topics without any, half of all entries or more, that add nothing to it.

#![cfg_attr(not(feature = "testing"), expect(unreachable_pub, reason = "only tests reach them from outside"))]

use std::ops::Range;

use rayon::prelude::*;

use crate::heap::{Heap, Sizes};
use crate::model::alias::WordTables;
use crate::model::recount::doc_tasks;

/// Tasks a thread.
const TASKS_PER_THREAD: usize = 4;

/// Entries that are walked together, so that fewer loops end where the processor did not expect it.
pub(super) const CHUNK: usize = 4;

/// Some entries of a column; its last chunk is filled up with entries of no weight.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chunk {
    /// Integer φ_kv.
    pub(super) weight: [u32; CHUNK],
    /// Topics, ascending.
    pub(super) topic: [u16; CHUNK],
}

/// Which of 64 topics in a row a word has, and how many of its entries come before them: where a topic's entry is can then be
/// counted instead of searched for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Block {
    has: u64,
    before: u32,
}

impl Block {
    /// Topics in a block.
    const TOPICS: usize = 64;

    /// Where topic `k` of this block is among the word's entries, or would be; and 1 if it is one, else 0.
    #[inline(always)]
    fn find(self, k: u16) -> (usize, u32) {
        let bit = usize::from(k) % Self::TOPICS;
        let before = self.before + (self.has & ((1 << bit) - 1)).count_ones();
        (before as usize, (self.has >> bit) as u32 & 1)
    }
}

/// A column that is long enough to have its topics looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct LongColumn<'a> {
    chunks: &'a [Chunk],
    blocks: &'a [Block],
}

impl LongColumn<'_> {
    /// φ_kv as an integer, 0 where the word does not have the active topic `k`.
    #[inline(always)]
    pub(super) fn weight(self, k: u16) -> u32 {
        let (at, has) = self.blocks[usize::from(k) / Block::TOPICS].find(k);
        let at = at.min(CHUNK * self.chunks.len() - 1);
        self.chunks[at / CHUNK].weight[at % CHUNK] * has
    }
}

/// What a walk needs to know of a word, in one place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Word {
    /// A_v.
    pub(super) mass: u64,
    first: u32,
    chunks: u32,
}

impl Word {
    /// Chunks of its column.
    #[inline]
    pub(super) fn chunks(self) -> usize {
        self.chunks as usize
    }
}

/// The entries of active topics, a word after the other.
#[derive(Debug, Default)]
pub struct ActiveColumns {
    /// Whether topic k had tokens before the sweep.
    is_active: Vec<bool>,
    word: Vec<Word>,
    chunk: Vec<Chunk>,
    /// A long column's blocks begin where its chunks do.
    block: Vec<Block>,
    /// Blocks that a long column has: up to the last active topic.
    blocks: usize,
    longest: usize,
}

impl ActiveColumns {
    /// What they take at most, when no nonzero of Φ is in a topic without tokens. The last chunk of a column has a single entry
    /// at the least. Without any walk they are not built.
    pub(super) fn bytes(sizes: &Sizes) -> Heap {
        let Sizes { words, phi_cells, k_star, .. } = *sizes;
        let chunks = (phi_cells + (CHUNK - 1) as f64 * words) / CHUNK as f64;
        let built =
            Heap::resized::<Word>(words) + Heap::resized::<Chunk>(chunks) + Heap::resized::<Block>(chunks);
        Heap::exact::<bool>(k_star) + built.at_most()
    }

    #[cfg(test)]
    pub(super) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { is_active, word, chunk, block, blocks: _, longest: _ } = self;
        held(is_active) + held(word) + held(chunk) + held(block)
    }

    /// Says which topics have tokens: all that `z` has, below `k_star`.
    pub fn set_topics(&mut self, z: &[u16], k_star: usize) {
        self.is_active.clear();
        self.is_active.resize(k_star, false);
        z.iter().for_each(|&k| self.is_active[usize::from(k)] = true);
    }

    /// As [`Self::set_topics`], by the tokens that each topic has.
    pub(super) fn set_topic_tokens(&mut self, topic_tokens: &[u64]) {
        self.is_active.clear();
        self.is_active.extend(topic_tokens.iter().map(|&tokens| tokens > 0));
    }

    /// Whether topic `k` had tokens before the sweep.
    #[inline]
    pub fn has(&self, k: u16) -> bool {
        self.is_active[usize::from(k)]
    }

    /// About the length of the longest column.
    pub fn longest(&self) -> usize {
        self.longest * CHUNK
    }

    /// Word `v`.
    #[inline]
    pub(super) fn word(&self, v: u32) -> Word {
        self.word[v as usize]
    }

    /// The entries of a word.
    #[inline]
    pub(super) fn column(&self, word: Word) -> &[Chunk] {
        &self.chunk[word.first as usize..][..word.chunks as usize]
    }

    /// The entries of a word that has at least as many chunks of them as there are blocks of topics.
    pub(super) fn long_column(&self, word: Word) -> Option<LongColumn<'_>> {
        (word.chunks() >= self.blocks).then(|| LongColumn {
            chunks: self.column(word),
            blocks: &self.block[word.first as usize..][..self.blocks],
        })
    }

    /// Has the beginning of a column fetched into the cache; [`Self::prefetch_word`] came some time before.
    #[inline]
    pub(super) fn prefetch_column(&self, v: u32) {
        let first = self.word(v).first as usize;
        super::prefetch::prefetch(&self.chunk, first);
        super::prefetch::prefetch(&self.chunk, first + 2);
    }

    /// Has what is known of a word fetched into the cache.
    #[inline]
    pub(super) fn prefetch_word(&self, v: u32) {
        super::prefetch::prefetch(&self.word, v as usize);
    }

    /// Takes the entries of active topics out of `tables`, in parallel over words.
    pub fn build(&mut self, tables: &WordTables) {
        let entries: Vec<usize> = tables.col_start.iter().map(|&start| start as usize).collect();
        let tasks = doc_tasks(&entries, rayon::current_num_threads() * TASKS_PER_THREAD);
        self.place_words(tables, &tasks);
        self.fill_columns(tables, &tasks);
    }

    /// Counts the entries of each word, and finds where its column comes to lie.
    fn place_words(&mut self, tables: &WordTables, tasks: &[Range<usize>]) {
        let Self { is_active, word, blocks, longest, .. } = self;
        word.resize(tables.mass.len(), Word::default());
        let mut rest = &mut word[..];
        let parts: Vec<_> = tasks
            .iter()
            .map(|words| (words.clone(), rest.split_off_mut(..words.len()).expect("tasks cover all words")))
            .collect();
        parts.into_par_iter().for_each(|(words, parts)| {
            for (v, word) in words.zip(parts) {
                let topics = tables.column(v as u32).topic;
                let kept = topics.iter().filter(|&&k| is_active[usize::from(k)]).count();
                *word = Word { mass: tables.mass[v], first: 0, chunks: kept.div_ceil(CHUNK) as u32 };
            }
        });
        *longest = word.iter().map(|word| word.chunks as usize).max().unwrap_or(0);
        let mut end = 0;
        for word in &mut *word {
            word.first = end;
            end += word.chunks;
        }
        *blocks = is_active.iter().rposition(|&active| active).map_or(0, |last| last / Block::TOPICS + 1);
    }

    /// Copies the entries to their places.
    fn fill_columns(&mut self, tables: &WordTables, tasks: &[Range<usize>]) {
        let Self { is_active, word, chunk, block, blocks, .. } = self;
        let active = |k: &u16| is_active[usize::from(*k)];
        let chunks = word.last().map_or(0, |last| last.first as usize + last.chunks());
        chunk.resize(chunks, Chunk::default());
        block.resize(chunks, Block::default());
        let (mut rest, mut rest_of_blocks) = (&mut chunk[..], &mut block[..]);
        let parts: Vec<_> = tasks
            .iter()
            .map(|words| {
                let chunks = word[words.clone()].iter().map(|word| word.chunks()).sum();
                let all = "tasks cover all chunks";
                (
                    words.clone(),
                    rest.split_off_mut(..chunks).expect(all),
                    rest_of_blocks.split_off_mut(..chunks).expect(all),
                )
            })
            .collect();
        parts.into_par_iter().for_each(|(words, mut chunks, mut blocks_of_words)| {
            for v in words {
                let length = word[v].chunks();
                let chunks = chunks.split_off_mut(..length).expect("a task has its words' chunks");
                let room = blocks_of_words.split_off_mut(..length).expect("and as many blocks");
                let column = tables.column(v as u32);
                let kept = column.topic.iter().zip(column.weight).filter(|(k, _)| active(k));
                fill_chunks(chunks, kept.map(|(&k, &phi)| (k, phi)));
                if let Some(blocks) = room.get_mut(..*blocks) {
                    fill_blocks(blocks, column.topic.iter().copied().filter(active));
                }
            }
        });
    }
}

/// Puts the entries of a column into its chunks, which have room for all of them.
pub(super) fn fill_chunks(chunks: &mut [Chunk], mut entries: impl Iterator<Item = (u16, u32)>) {
    for chunk in chunks {
        *chunk = Chunk::default();
        for ((topic, weight), entry) in chunk.topic.iter_mut().zip(&mut chunk.weight).zip(&mut entries) {
            (*topic, *weight) = entry;
        }
    }
}

/// Sets the bits of the topics that a column has.
fn fill_blocks(blocks: &mut [Block], topics: impl Iterator<Item = u16>) {
    blocks.fill(Block::default());
    for k in topics {
        blocks[usize::from(k) / Block::TOPICS].has |= 1 << (usize::from(k) % Block::TOPICS);
    }
    let mut before = 0;
    for block in blocks {
        block.before = before;
        before += block.has.count_ones();
    }
}
