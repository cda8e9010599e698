//! The z step on the CPU: documents in parallel, in tasks of about equal numbers of tokens.

mod active;
mod prefetch;
mod z_walk;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use rayon::prelude::*;

#[cfg(feature = "testing")]
#[doc(hidden)]
pub use self::{
    active::ActiveColumns,
    z_walk::{Counter, DocWalk},
};
#[cfg(not(feature = "testing"))]
use self::{
    active::ActiveColumns,
    z_walk::{Counter, DocWalk},
};
use super::{Device, ZReport, ZStep};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::heap::{Heap, Sizes};
use crate::model::alias::WordTables;
use crate::model::histogram::DocTopicHistogram;
use crate::model::per_thread::PerThread;
use crate::model::recount::doc_tasks;
use crate::model::z::{COLUMN_STEPS_PER_LOOKUP, DocTopicCounts, Sweep, sample_z};
use crate::model::z_counts::ZCounts;
use crate::params::Params;
use crate::rng;

/// Tasks a thread, so that threads that end early find work.
const TASKS_PER_THREAD: usize = 16;

/// Taking the entries of active topics out of the tables costs some nanoseconds an entry and spares some tens a token:
/// with more entries a token than this, as when a few documents meet a large model, it does not pay.
const ENTRIES_PER_TOKEN: usize = 8;

/// Words whose counts a thread collects at least.
const LEAST_WORDS: usize = 256;

/// The CPU with the threads of the current rayon pool.
pub fn name() -> String {
    let threads = rayon::current_num_threads();
    format!("cpu ({threads} thread{})", if threads == 1 { "" } else { "s" })
}

/// z in host memory.
#[derive(Debug)]
pub(crate) struct Cpu {
    corpus: Arc<Corpus>,
    key: [u32; 2],
    z: Vec<u16>,
    scratch: PerThread<Scratch>,
    active: ActiveColumns,
    /// The tokens that chose each slot of a rare word.
    rare: Vec<AtomicU32>,
}

/// One thread's room.
#[derive(Debug)]
struct Scratch {
    walk: DocWalk,
    doc: DocTopicCounts,
    d: DocTopicHistogram,
    stuck: u64,
    /// The tokens that chose each slot of a frequent word.
    frequent: Vec<u32>,
}

impl Cpu {
    /// Takes over `z`, the topics of the corpus's tokens; works on the threads of the current rayon pool.
    pub(crate) fn new(corpus: Arc<Corpus>, params: &Params, z: Vec<u16>) -> Self {
        let k_star = params.k_star();
        let threads = rayon::current_num_threads();
        let scratch = PerThread::new(|| Scratch {
            walk: DocWalk::default(),
            doc: DocTopicCounts::default(),
            d: DocTopicHistogram::new(k_star),
            stuck: 0,
            frequent: Vec::new(),
        });
        let active = ActiveColumns::new(corpus.word_tokens(), threads);
        Self { key: rng::key(params.seed()), corpus, z, scratch, active, rare: Vec::new() }
    }

    /// z, to be changed by whoever has some of it elsewhere.
    pub(crate) fn z_mut(&mut self) -> &mut [u16] {
        &mut self.z
    }

    /// What it takes beside the corpus.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        let walks = DocWalk::bytes(sizes) + DocTopicCounts::bytes(sizes) + DocTopicHistogram::bytes(sizes);
        Heap::exact::<u16>(sizes.tokens)
            + Heap::exact::<(Range<usize>, &mut [u16])>(sizes.threads * TASKS_PER_THREAD as f64).at_most()
            + PerThread::<Scratch>::bytes(sizes.threads, walks)
            + Heap::resized::<u32>(ActiveColumns::most_counts(sizes)).at_most()
            + Heap::resized::<AtomicU32>(ActiveColumns::most_slots(sizes)).at_most()
            + ActiveColumns::bytes(sizes)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { corpus: _, key: _, z, scratch, active, rare } = self;
        let each = |Scratch { walk, doc, d, stuck: _, frequent }: &Scratch| {
            walk.heap_bytes() + doc.heap_bytes() + d.heap_bytes() + held(frequent)
        };
        held(z) + scratch.heap_bytes(each) + active.heap_bytes() + held(rare)
    }

    /// Samples every document, and counts what each token has chosen, if there are `entries` to count them in.
    fn sample(&mut self, step: &ZStep<'_>, entries: Option<&[AtomicU32]>) {
        let &ZStep { tables, iteration, is_active, ref docs } = step;
        let sweep = Sweep { tables, key: self.key, iteration };
        let tokens = self.corpus.tokens_of(docs);
        let walks = tables.topic.len() <= ENTRIES_PER_TOKEN * tokens.len();
        if walks {
            self.active.set_topics(is_active);
            self.active.build(tables);
        }
        self.clear(walks);
        self.for_each_doc(docs, |first, w, z, active, rare, Scratch { walk, doc, d, stuck, frequent }| {
            // A document so short that its topics are sooner looked up in a long column than the column walked.
            let by_topics = !walks || COLUMN_STEPS_PER_LOOKUP * z.len() < active.longest();
            *stuck += match entries.map(|entries| ThreadCounter { frequent, rare, entries }) {
                counter if by_topics => {
                    let chosen = |entry: usize| {
                        if let Some(counter) = &counter {
                            counter.entries[entry].fetch_add(1, Relaxed);
                        }
                    };
                    let stuck = sample_z(sweep, first, &w[..z.len()], z, doc, chosen);
                    doc.drain_into(d);
                    stuck
                }
                Some(mut counter) => walk.sample_z(sweep, active, first, w, z, d, &mut counter),
                None => walk.sample_z(sweep, active, first, w, z, d, &mut Uncounted),
            };
        });
    }

    /// Forgets what was counted, with room for the slots, if there are walks.
    fn clear(&mut self, walks: bool) {
        let Self { active, scratch, rare, .. } = self;
        let slots = if walks { [active.frequent_slots(), active.rare_slots()] } else { [0; 2] };
        scratch.par_iter_mut().for_each(|scratch| {
            scratch.d.clear();
            scratch.stuck = 0;
            scratch.frequent.clear();
            scratch.frequent.resize(slots[0], 0);
        });
        rare.iter_mut().for_each(|tokens| *tokens.get_mut() = 0);
        rare.resize_with(slots[1], AtomicU32::default);
    }

    /// Runs `visit` on each of some documents that has tokens: (its first token's index in the streams, its words and all that follow, its
    /// topics, entries of active topics, the counts of rare words, room).
    fn for_each_doc(
        &mut self,
        docs: &Range<usize>,
        visit: impl Fn(u64, &[u32], &mut [u16], &ActiveColumns, &[AtomicU32], &mut Scratch) + Sync,
    ) {
        let Self { corpus, z, scratch, active, rare, .. } = self;
        let tasks = rayon::current_num_threads() * TASKS_PER_THREAD;
        let mut rest = &mut z[corpus.tokens_of(docs)];
        let parts: Vec<(Range<usize>, &mut [u16])> =
            doc_tasks(&corpus.doc_start[docs.start..=docs.end], tasks)
                .into_iter()
                .map(|task| {
                    let docs = docs.start + task.start..docs.start + task.end;
                    let tokens = corpus.tokens_of(&docs).len();
                    (docs, rest.split_off_mut(..tokens).expect("tasks cover these documents once"))
                })
                .collect();
        parts.into_par_iter().with_max_len(1).for_each(|(docs, mut z)| {
            let scratch = &mut *scratch.lock();
            for d in docs {
                let tokens = corpus.doc(d);
                let z = z.split_off_mut(..tokens.len()).expect("a task holds its documents");
                if !z.is_empty() {
                    visit(corpus.stream_index(d), &corpus.w[tokens.start..], z, active, rare, scratch);
                }
            }
        });
    }

    /// Adds what the threads have counted of slots and documents; entries have been counted where they belong.
    fn add_counts(&mut self, tables: &WordTables, counts: &mut ZCounts) {
        let Self { corpus, scratch, active, rare, .. } = self;
        let parts: Vec<&Scratch> = scratch.iter_mut().map(|scratch| &*scratch).collect();
        parts.iter().for_each(|part| counts.d.add_all(&part.d));
        let frequent_slots = parts[0].frequent.len();
        if frequent_slots + rare.len() == 0 {
            return;
        }
        let tokens_of = |slot: usize| match slot.checked_sub(frequent_slots) {
            None => parts.iter().map(|part| part.frequent[slot]).sum(),
            Some(slot) => rare.get(slot).map_or(0, |tokens| tokens.load(Relaxed)),
        };
        (0..corpus.vocab_size() as u32).into_par_iter().with_min_len(LEAST_WORDS).for_each(|v| {
            for (entry, slot, is_active) in active.slots(tables, v) {
                counts.add_entry(entry, is_active * tokens_of(slot));
            }
        });
    }
}

/// Where one thread counts.
struct ThreadCounter<'a> {
    frequent: &'a mut [u32],
    rare: &'a [AtomicU32],
    entries: &'a [AtomicU32],
}

impl Counter for ThreadCounter<'_> {
    #[inline(always)]
    fn slot(&mut self, slot: usize) {
        match self.frequent.get_mut(slot) {
            Some(tokens) => *tokens += 1,
            None => _ = self.rare[slot - self.frequent.len()].fetch_add(1, Relaxed),
        }
    }

    #[inline(always)]
    fn entry(&mut self, entry: usize) {
        self.entries[entry].fetch_add(1, Relaxed);
    }
}

/// Where nothing is counted.
struct Uncounted;

impl Counter for Uncounted {
    fn slot(&mut self, _: usize) {}

    fn entry(&mut self, _: usize) {}
}

impl Device for Cpu {
    fn name(&self) -> String {
        name()
    }

    fn num_docs(&self) -> usize {
        self.corpus.num_docs()
    }

    /// Nothing: all threads are needed for the sampling itself, which is left to the second part.
    fn submit_z(&mut self, _: &ZStep<'_>) -> Result<()> {
        Ok(())
    }

    fn collect_z(&mut self, step: &ZStep<'_>, counts: Option<&mut ZCounts>) -> Result<ZReport> {
        let start = Instant::now();
        self.sample(step, counts.as_deref().map(|counts| &counts.entry[..]));
        let z_seconds = start.elapsed().as_secs_f64();
        if let Some(counts) = counts {
            self.add_counts(step.tables, counts);
        }
        let stuck_tokens = self.scratch.iter_mut().map(|scratch| scratch.stuck).sum();
        let count_seconds = start.elapsed().as_secs_f64() - z_seconds;
        Ok(ZReport { stuck_tokens, z_seconds, count_seconds, ..ZReport::default() })
    }

    fn grow(&mut self, params: &Params) -> Result<()> {
        *self = Self::new(Arc::clone(&self.corpus), params, std::mem::take(&mut self.z));
        Ok(())
    }

    fn z(&mut self) -> Result<Cow<'_, [u16]>> {
        Ok(Cow::Borrowed(&self.z))
    }

    fn fetch_z(&mut self, docs: Range<usize>, z: &mut [u16]) -> Result<()> {
        z.copy_from_slice(&self.z[self.corpus.tokens_of(&docs)]);
        Ok(())
    }

    fn send_z(&mut self, docs: Range<usize>, z: &[u16]) -> Result<()> {
        self.z[self.corpus.tokens_of(&docs)].copy_from_slice(z);
        Ok(())
    }
}
