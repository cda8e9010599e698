//! The columns of Φ without the topics that have no tokens, laid out for walks.
//!
//! B = Σ_k φ_kv·m_dk runs over topics of the document, which have tokens. The prior gives every word some β·K* points in
//! topics without any, half of all entries or more, that add nothing to it.

use rayon::prelude::*;

use super::alias::{WordColumn, WordTables};
use super::recount::doc_tasks;

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

impl Chunk {
    /// At most [`CHUNK`] entries.
    fn new(topics: &[u16], weights: &[u32]) -> Self {
        let mut chunk = Self::default();
        chunk.topic[..topics.len()].copy_from_slice(topics);
        chunk.weight[..weights.len()].copy_from_slice(weights);
        chunk
    }

    /// All entries of a column.
    pub(super) fn of_column(column: WordColumn<'_>) -> impl Iterator<Item = Self> + '_ {
        column
            .topic
            .chunks(CHUNK)
            .zip(column.weight.chunks(CHUNK))
            .map(|(topics, weights)| Self::new(topics, weights))
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

/// The entries of active topics, a word after the other.
#[derive(Debug, Default)]
pub struct ActiveColumns {
    /// Whether topic k had tokens before the sweep.
    is_active: Vec<bool>,
    word: Vec<Word>,
    chunk: Vec<Chunk>,
    longest: usize,
}

impl ActiveColumns {
    /// Says which topics have tokens: all that `z` has, below `k_star`.
    pub fn set_topics(&mut self, z: &[u16], k_star: usize) {
        self.is_active.clear();
        self.is_active.resize(k_star, false);
        z.iter().for_each(|&k| self.is_active[usize::from(k)] = true);
    }

    /// As [`Self::set_topics`], by the tokens that each topic has.
    pub fn set_topic_tokens(&mut self, topic_tokens: &[u64]) {
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

    /// Has the beginning of a column fetched into the cache; [`Self::prefetch_word`] came some time before.
    #[inline]
    pub(super) fn prefetch_column(&self, v: u32) {
        let first = self.word(v).first as usize;
        crate::prefetch::prefetch(&self.chunk, first);
        crate::prefetch::prefetch(&self.chunk, first + 2);
    }

    /// Has what is known of a word fetched into the cache.
    #[inline]
    pub(super) fn prefetch_word(&self, v: u32) {
        crate::prefetch::prefetch(&self.word, v as usize);
    }

    /// Takes the entries of active topics out of `tables`, in parallel over words.
    pub fn build(&mut self, tables: &WordTables) {
        let Self { is_active, word, chunk, longest } = self;
        let entries: Vec<usize> = tables.col_start.iter().map(|&start| start as usize).collect();
        let tasks = doc_tasks(&entries, rayon::current_num_threads() * TASKS_PER_THREAD);
        let active = |k: &u16| is_active[usize::from(*k)];
        word.resize(tables.mass.len(), Word::default());
        let mut rest = &mut word[..];
        let parts: Vec<_> = tasks
            .iter()
            .map(|words| (words.clone(), rest.split_off_mut(..words.len()).expect("tasks cover all words")))
            .collect();
        parts.into_par_iter().for_each(|(words, parts)| {
            for (v, word) in words.zip(parts) {
                let kept = tables.column(v as u32).topic.iter().filter(|k| active(k)).count();
                *word = Word { mass: tables.mass[v], first: 0, chunks: kept.div_ceil(CHUNK) as u32 };
            }
        });
        *longest = word.iter().map(|word| word.chunks as usize).max().unwrap_or(0);
        let mut end = 0;
        for word in &mut *word {
            word.first = end;
            end += word.chunks;
        }
        chunk.resize(end as usize, Chunk::default());
        let mut rest = &mut chunk[..];
        let parts: Vec<_> = tasks
            .into_iter()
            .map(|words| {
                let chunks = word[words.clone()].iter().map(|word| word.chunks as usize).sum();
                (words, rest.split_off_mut(..chunks).expect("tasks cover all chunks"))
            })
            .collect();
        parts.into_par_iter().for_each(|(words, mut chunks)| {
            for v in words {
                let column = tables.column(v as u32);
                let mut kept = column.topic.iter().zip(column.weight).filter(|(k, _)| active(k));
                for chunk in
                    chunks.split_off_mut(..word[v].chunks as usize).expect("a task has its words' chunks")
                {
                    *chunk = Chunk::default();
                    for ((topic, weight), (&k, &phi)) in
                        chunk.topic.iter_mut().zip(&mut chunk.weight).zip(&mut kept)
                    {
                        (*topic, *weight) = (k, phi);
                    }
                }
            }
        });
    }
}
