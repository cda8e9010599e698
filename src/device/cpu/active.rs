//! The columns of Φ without the topics that have no tokens, laid out for walks.
//!
//! B = Σ_k φ_kv·m_dk runs over topics of the document, which have tokens. The prior gives every word some β·K* points in
//! topics without any, half of all entries or more, that add nothing to it.

#![cfg_attr(not(feature = "testing"), expect(unreachable_pub, reason = "only tests reach them from outside"))]

use std::ops::Range;

use rayon::prelude::*;

use crate::heap::{Heap, Sizes};
use crate::model::alias::{WordColumn, WordTables};
use crate::model::recount::doc_tasks;

/// Tasks a thread.
const TASKS_PER_THREAD: usize = 4;

/// Clearing and adding up a count costs a nanosecond, writing to one that another thread has written to some forty; but counts take
/// memory.
const COUNTS_PER_TOKEN: u64 = 4;

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
        let (at, has) = self.find(k);
        let at = at.min(CHUNK * self.chunks.len() - 1);
        self.chunks[at / CHUNK].weight[at % CHUNK] * has
    }

    /// Where the active topic `k` is among the word's entries, or would be; and 1 if it is one, else 0.
    #[inline(always)]
    pub(super) fn find(self, k: u16) -> (usize, u32) {
        self.blocks[usize::from(k) / Block::TOPICS].find(k)
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

    /// The slot of the entry at a place of its column.
    #[inline]
    pub(super) fn slot(self, at: usize) -> usize {
        CHUNK * self.first as usize + at
    }
}

/// The entries of active topics: the frequent words one after the other, and then the rare ones.
///
/// A slot is the place of an entry in a chunk. Each thread counts the tokens that choose the slots of frequent words for itself, so
/// that no two threads write side by side; those of rare words are counted by all threads together, so that the counts of many
/// threads do not take more memory and time than the tokens do.
#[derive(Debug, Default)]
pub struct ActiveColumns {
    /// N_v, and the threads that count; without them all words are frequent.
    word_tokens: Vec<u64>,
    threads: usize,
    /// Whether topic k had tokens before the sweep.
    is_active: Vec<bool>,
    word: Vec<Word>,
    chunk: Vec<Chunk>,
    /// A long column's blocks begin where its chunks do.
    block: Vec<Block>,
    /// Blocks that a long column has: up to the last active topic.
    blocks: usize,
    longest: usize,
    /// The chunks of frequent words.
    frequent_chunks: usize,
}

impl ActiveColumns {
    /// For words that have so many tokens, which so many threads count.
    pub(super) fn new(word_tokens: Vec<u64>, threads: usize) -> Self {
        Self { word_tokens, threads, ..Self::default() }
    }

    /// What they take at most, when no nonzero of Φ is in a topic without tokens. The last chunk of a column has a single entry
    /// at the least. Without any walk they are not built.
    pub(super) fn bytes(sizes: &Sizes) -> Heap {
        let Sizes { words, k_star, .. } = *sizes;
        let chunks = Self::most_slots(sizes) / CHUNK as f64;
        let built =
            Heap::resized::<Word>(words) + Heap::resized::<Chunk>(chunks) + Heap::resized::<Block>(chunks);
        Heap::exact::<u64>(words) + Heap::exact::<bool>(k_star) + built.at_most()
    }

    /// Slots, at most.
    pub(super) fn most_slots(sizes: &Sizes) -> f64 {
        sizes.phi_cells + (CHUNK - 1) as f64 * sizes.words
    }

    /// The counts of all threads of the slots of frequent words, at most.
    pub(super) fn most_counts(sizes: &Sizes) -> f64 {
        let slots = Self::most_slots(sizes);
        (sizes.threads * slots).min((COUNTS_PER_TOKEN as f64 * sizes.tokens).max(slots))
    }

    #[cfg(test)]
    pub(super) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { word_tokens, is_active, word, chunk, block, .. } = self;
        held(word_tokens) + held(is_active) + held(word) + held(chunk) + held(block)
    }

    /// Says which topics have tokens: all that any document has, and any others.
    pub fn set_topics(&mut self, is_active: &[bool]) {
        self.is_active.clear();
        self.is_active.extend_from_slice(is_active);
    }

    /// Whether topic `k` had tokens before the sweep.
    #[inline]
    pub fn has(&self, k: u16) -> bool {
        self.is_active[usize::from(k)]
    }

    /// The slots of frequent words, which come first.
    pub(super) fn frequent_slots(&self) -> usize {
        CHUNK * self.frequent_chunks
    }

    /// The slots of rare words.
    pub(super) fn rare_slots(&self) -> usize {
        CHUNK * (self.chunk.len() - self.frequent_chunks)
    }

    /// The entries of word `v` in `tables`, each with its slot and 1, or with the slot after the last one before it and 0 where its
    /// topic is not active: numbers to multiply by, where branches would be guessed wrong half of the time.
    #[inline]
    pub(super) fn slots(&self, tables: &WordTables, v: u32) -> impl Iterator<Item = (usize, usize, u32)> {
        let mut slot = self.word(v).slot(0);
        tables.entries(v).map(move |entry| {
            let is_active = u32::from(self.has(tables.topic[entry]));
            let before = slot;
            slot += is_active as usize;
            (entry, before, is_active)
        })
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
        self.blocks =
            self.is_active.iter().rposition(|&active| active).map_or(0, |last| last / Block::TOPICS + 1);
        let entries: Vec<usize> = tables.col_start.iter().map(|&start| start as usize).collect();
        let tasks = doc_tasks(&entries, rayon::current_num_threads() * TASKS_PER_THREAD);
        self.word.resize(tables.mass.len(), Word::default());
        let sizes = self.measure_words(tables, &tasks);
        self.longest = sizes.iter().map(|size| size.longest).max().unwrap_or(0);
        self.fill_columns(tables, &tasks, &sizes);
    }

    /// Counts the entries of each word, and those of all words of a task.
    fn measure_words(&mut self, tables: &WordTables, tasks: &[Range<usize>]) -> Vec<TaskSize> {
        let Self { word_tokens, threads, is_active, word, .. } = self;
        // Whether the threads' own counts of a word are together at most so many times its tokens.
        let is_frequent = |v: usize, chunks: usize| {
            let counts = (*threads * CHUNK * chunks) as u64;
            *threads <= 1 || word_tokens.get(v).is_none_or(|&tokens| COUNTS_PER_TOKEN * tokens >= counts)
        };
        parts_of(word, tasks)
            .into_par_iter()
            .map(|(words, parts)| {
                let mut size = TaskSize::default();
                for (v, word) in words.zip(parts) {
                    let topics = tables.column(v as u32).topic.iter();
                    let kept: usize = topics.map(|&k| usize::from(is_active[usize::from(k)])).sum();
                    let chunks = kept.div_ceil(CHUNK);
                    let is_frequent = is_frequent(v, chunks);
                    *(if is_frequent { &mut size.frequent } else { &mut size.rare }) += chunks;
                    size.longest = size.longest.max(chunks);
                    *word =
                        Word { mass: tables.mass[v], first: u32::from(is_frequent), chunks: chunks as u32 };
                }
                size
            })
            .collect()
    }

    /// Finds where each column comes to lie, and copies its entries there. Words come with 1 as their place if they are frequent.
    fn fill_columns(&mut self, tables: &WordTables, tasks: &[Range<usize>], sizes: &[TaskSize]) {
        let Self { is_active, word, chunk, block, blocks, frequent_chunks, .. } = self;
        *frequent_chunks = sizes.iter().map(|size| size.frequent).sum();
        let chunks = *frequent_chunks + sizes.iter().map(|size| size.rare).sum::<usize>();
        chunk.resize(chunks, Chunk::default());
        block.resize(chunks, Block::default());
        let (frequent_chunk, rare_chunk) = chunk.split_at_mut(*frequent_chunks);
        let (frequent_block, rare_block) = block.split_at_mut(*frequent_chunks);
        let mut frequent = Room { first: 0, chunks: frequent_chunk, blocks: frequent_block };
        let mut rare = Room { first: *frequent_chunks, chunks: rare_chunk, blocks: rare_block };
        let parts: Vec<_> = parts_of(word, tasks)
            .into_iter()
            .zip(sizes)
            .map(|(part, size)| (part, frequent.take(size.frequent), rare.take(size.rare)))
            .collect();
        parts.into_par_iter().for_each(|((words, parts), mut frequent, mut rare)| {
            for (v, word) in words.zip(parts) {
                let rest = if word.first == 1 { &mut frequent } else { &mut rare };
                let mut room = rest.take(word.chunks());
                word.first = room.first as u32;
                let column = tables.column(v as u32);
                room.fill_chunks(column, is_active);
                if let Some(blocks) = room.blocks.get_mut(..*blocks) {
                    fill_blocks(blocks, column.topic.iter().copied().filter(|&k| is_active[usize::from(k)]));
                }
            }
        });
    }
}

/// The chunks of a task's words, and those of its longest column.
#[derive(Clone, Copy, Debug, Default)]
struct TaskSize {
    frequent: usize,
    rare: usize,
    longest: usize,
}

/// The words of each task.
fn parts_of<'a>(mut word: &'a mut [Word], tasks: &[Range<usize>]) -> Vec<(Range<usize>, &'a mut [Word])> {
    let mut part = |words: &Range<usize>| word.split_off_mut(..words.len()).expect("tasks cover all words");
    tasks.iter().map(|words| (words.clone(), part(words))).collect()
}

/// Chunks to be filled, and as many blocks.
struct Room<'a> {
    /// The place of the first chunk among all.
    first: usize,
    chunks: &'a mut [Chunk],
    blocks: &'a mut [Block],
}

impl<'a> Room<'a> {
    /// Cuts off the first `chunks` chunks.
    fn take(&mut self, chunks: usize) -> Room<'a> {
        let first = self.first;
        self.first += chunks;
        Room {
            first,
            chunks: self.chunks.split_off_mut(..chunks).expect("words fit the chunks"),
            blocks: self.blocks.split_off_mut(..chunks).expect("and as many blocks"),
        }
    }

    /// Puts the entries of active topics into the chunks: each is written to the next place, and the place is kept if it is one of
    /// them, because a branch would be guessed wrong half of the time.
    fn fill_chunks(&mut self, column: WordColumn<'_>, is_active: &[bool]) {
        let mut at = 0;
        for (&k, &phi) in column.topic.iter().zip(column.weight) {
            let Some(chunk) = self.chunks.get_mut(at / CHUNK) else { break };
            (chunk.topic[at % CHUNK], chunk.weight[at % CHUNK]) = (k, phi);
            at += usize::from(is_active[usize::from(k)]);
        }
        if let Some(last) = self.chunks.last_mut() {
            for place in (at + CHUNK - 1) % CHUNK + 1..CHUNK {
                (last.topic[place], last.weight[place]) = (0, 0);
            }
        }
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
