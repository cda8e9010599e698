//! The z step on the CPU: documents in parallel, in tasks of about equal numbers of tokens.

mod active;
mod prefetch;
mod z_walk;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;

#[cfg(feature = "testing")]
#[doc(hidden)]
pub use self::{active::ActiveColumns, z_walk::DocWalk};
#[cfg(not(feature = "testing"))]
use self::{active::ActiveColumns, z_walk::DocWalk};
use super::{Device, ZReport, nothing_submitted};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::heap::{Heap, Sizes};
use crate::model::alias::WordTables;
use crate::model::counts::Counts;
use crate::model::histogram::DocTopicHistogram;
use crate::model::per_thread::PerThread;
use crate::model::recount::{Recount, doc_tasks};
use crate::model::z::{COLUMN_STEPS_PER_LOOKUP, DocTopicCounts, Sweep, sample_z};
use crate::params::Params;
use crate::rng;

/// Tasks a thread, so that threads that end early find work.
const TASKS_PER_THREAD: usize = 16;

/// Taking the entries of active topics out of the tables costs some nanoseconds an entry and spares some tens a token:
/// with more entries a token than this, as when a few documents meet a large model, it does not pay.
const ENTRIES_PER_TOKEN: usize = 8;

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
    tasks: Vec<Range<usize>>,
    scratch: PerThread<Scratch>,
    active: ActiveColumns,
    recount: Recount,
    /// The iteration that was submitted and not yet collected.
    submitted: Option<u32>,
}

/// One thread's room.
#[derive(Debug)]
struct Scratch {
    walk: DocWalk,
    doc: DocTopicCounts,
    d: DocTopicHistogram,
    stuck: u64,
}

impl Cpu {
    /// Takes over `z`, the topics of the corpus's tokens; works on the threads of the current rayon pool.
    pub(crate) fn new(corpus: Arc<Corpus>, params: &Params, z: Vec<u16>) -> Self {
        let k_star = params.k_star();
        let tasks = doc_tasks(&corpus.doc_start, rayon::current_num_threads() * TASKS_PER_THREAD);
        let recount = Recount::new(&corpus, k_star);
        let scratch = PerThread::new(|| Scratch {
            walk: DocWalk::default(),
            doc: DocTopicCounts::default(),
            d: DocTopicHistogram::new(k_star),
            stuck: 0,
        });
        let mut active = ActiveColumns::default();
        active.set_topics(&z, k_star);
        Self { key: rng::key(params.seed()), corpus, z, tasks, scratch, active, recount, submitted: None }
    }

    /// What it takes beside the corpus.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        let each = DocWalk::bytes(sizes) + DocTopicCounts::bytes(sizes) + DocTopicHistogram::bytes(sizes);
        let tasks = sizes.threads * TASKS_PER_THREAD as f64;
        Heap::exact::<u16>(sizes.tokens)
            + Heap::exact::<Range<usize>>(tasks)
            + PerThread::<Scratch>::bytes(sizes.threads, each)
            + ActiveColumns::bytes(sizes)
            + Recount::bytes(sizes)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { corpus: _, key: _, z, tasks, scratch, active, recount, submitted: _ } = self;
        let each = |Scratch { walk, doc, d, stuck: _ }: &Scratch| {
            walk.heap_bytes() + doc.heap_bytes() + d.heap_bytes()
        };
        held(z) + held(tasks) + scratch.heap_bytes(each) + active.heap_bytes() + recount.heap_bytes()
    }

    /// Runs `visit` on every document that has tokens: (its first token's index in the streams, its words and all
    /// that follow, its topics, entries of active topics, room).
    fn for_each_doc(&mut self, visit: impl Fn(u64, &[u32], &mut [u16], &ActiveColumns, &mut Scratch) + Sync) {
        let Self { corpus, z, tasks, scratch, active, .. } = self;
        for scratch in scratch.iter_mut() {
            scratch.d.clear();
            scratch.stuck = 0;
        }
        let mut rest = z.as_mut_slice();
        let parts: Vec<(Range<usize>, &mut [u16])> = tasks
            .iter()
            .map(|docs| {
                let tokens = corpus.doc_start[docs.end] - corpus.doc_start[docs.start];
                (docs.clone(), rest.split_off_mut(..tokens).expect("tasks cover z once"))
            })
            .collect();
        parts.into_par_iter().with_max_len(1).for_each(|(docs, mut z)| {
            let scratch = &mut *scratch.lock();
            for d in docs {
                let tokens = corpus.doc(d);
                let z = z.split_off_mut(..tokens.len()).expect("a task holds its documents");
                if !z.is_empty() {
                    visit(corpus.stream_index(d), &corpus.w[tokens.start..], z, active, scratch);
                }
            }
        });
    }

    /// Collects what the threads have counted.
    fn collect(&mut self, counts: &mut Counts) {
        let parts: Vec<&DocTopicHistogram> = self.scratch.iter_mut().map(|scratch| &scratch.d).collect();
        counts.d.merge(parts.into_iter());
        self.recount.count(&self.corpus, &self.z, &mut counts.n);
        self.active.set_topic_tokens(&counts.n.topic_tokens);
    }
}

impl Device for Cpu {
    fn name(&self) -> String {
        name()
    }

    /// Notes the iteration: all threads are needed for the sampling itself, which is left to the second part.
    fn submit_z(&mut self, _: &WordTables, iteration: u32, _: &Counts) -> Result<()> {
        self.submitted = Some(iteration);
        Ok(())
    }

    fn collect_z(&mut self, tables: &WordTables, counts: &mut Counts) -> Result<ZReport> {
        let iteration = self.submitted.take().ok_or_else(nothing_submitted)?;
        let start = Instant::now();
        let sweep = Sweep { tables, key: self.key, iteration };
        let walks = tables.topic.len() <= ENTRIES_PER_TOKEN * self.z.len();
        if walks {
            self.active.build(tables);
        }
        self.for_each_doc(|first, w, z, active, Scratch { walk, doc, d, stuck }| {
            // A document so short that its topics are sooner looked up in a long column than the column walked.
            if !walks || COLUMN_STEPS_PER_LOOKUP * z.len() < active.longest() {
                *stuck += sample_z(sweep, first, &w[..z.len()], z, doc);
                doc.drain_into(d);
            } else {
                *stuck += walk.sample_z(sweep, active, first, w, z, d);
            }
        });
        let z_seconds = start.elapsed().as_secs_f64();
        self.collect(counts);
        Ok(ZReport {
            stuck_tokens: self.scratch.iter_mut().map(|scratch| scratch.stuck).sum(),
            z_seconds,
            count_seconds: start.elapsed().as_secs_f64() - z_seconds,
            ..ZReport::default()
        })
    }

    fn grow(&mut self, params: &Params) -> Result<()> {
        *self = Self::new(Arc::clone(&self.corpus), params, std::mem::take(&mut self.z));
        Ok(())
    }

    fn z(&mut self) -> Result<Cow<'_, [u16]>> {
        Ok(Cow::Borrowed(&self.z))
    }
}
