//! One sweep over all documents: what is submitted, and what goes on from there.

use std::ops::Range;
use std::time::Instant;

use super::batch::Batch;
use super::context::Submission;
use super::kernel::Mapping;
use super::layout::{self, RESULT_DONE};
use super::results::ResultLayout;
use super::{Gpu, MOST_WORKGROUPS};
use crate::device::ZStep;
use crate::error::{Error, Result};

/// A sweep between its submission and its end.
#[derive(Debug)]
pub(super) struct Sweep {
    pub(super) iteration: u32,
    pub(super) start: Instant,
    pub(super) results: ResultLayout,
    /// Those that the device samples now; none when the corpus has no tokens.
    docs: Option<DocRun>,
}

/// Documents of a batch that are sampled together, in as many dispatches as their loop budget takes.
#[derive(Debug)]
struct DocRun {
    batch: usize,
    docs: Range<usize>,
    /// The documents of the sweep that are done when these are.
    done: u32,
    kernel: BoundKernel,
    dispatches: u64,
    /// No run needs more dispatches: each samples at least a token of every document that is not done.
    most_dispatches: u64,
    submission: Submission,
}

/// A kernel with its buffers.
#[derive(Debug)]
struct BoundKernel {
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
    workgroups: u32,
}

impl Gpu {
    /// Sends the tables and submits the first dispatches; waits for nothing.
    pub(super) fn begin_sweep(&mut self, step: &ZStep<'_>) -> Result<Sweep> {
        let &ZStep { tables, iteration, is_active, .. } = step;
        let start = Instant::now();
        (self.context.bytes_up, self.context.bytes_down) = (0, 0);
        if self.options.hooks().lost_in(iteration) {
            self.context.device.destroy();
        }
        let results = ResultLayout::new(is_active);
        self.send_tables(tables, &results)?;
        let mut sweep = Sweep { iteration, start, results, docs: None };
        sweep.docs = self.begin_batch(&sweep, 0, 0)?;
        Ok(sweep)
    }

    /// Waits for what was submitted, and goes on to the last document.
    pub(super) fn end_sweep(&mut self, sweep: &mut Sweep) -> Result<()> {
        // The host may have worked since the first submission; after that it only waits.
        let mut waited_from_the_start = false;
        let mut run = sweep.docs.take();
        while let Some(mut docs) = run {
            self.end_docs(&mut docs, waited_from_the_start)?;
            waited_from_the_start = true;
            run = self.begin_next(sweep, &docs)?;
        }
        Ok(())
    }

    /// Begins a batch, if there is one left; `done` are the documents before it.
    fn begin_batch(&mut self, sweep: &Sweep, batch: usize, done: u32) -> Result<Option<DocRun>> {
        if batch == self.batches.len() {
            return Ok(None);
        }
        if let Some(z) = &self.streamed_z {
            self.buffers[0].fill(&mut self.context, &self.batches[batch], &self.corpus.w, z);
        }
        self.begin_docs(sweep, batch, 0, done).map(Some)
    }

    /// Begins what follows on a run that has ended.
    fn begin_next(&mut self, sweep: &Sweep, ended: &DocRun) -> Result<Option<DocRun>> {
        let DocRun { batch, docs, done, .. } = ended;
        if docs.end < self.batches[*batch].docs.len() {
            return self.begin_docs(sweep, *batch, docs.end, *done).map(Some);
        }
        if let Some(z) = &mut self.streamed_z {
            let batch = &self.batches[*batch];
            self.context.download(&self.buffers[0].z, 0, batch.places / 2, &mut self.fetched)?;
            batch.unpack_z(&self.fetched, z);
        }
        self.begin_batch(sweep, batch + 1, *done)
    }

    /// Submits the first dispatches of a run of documents of a batch, from document `begin` on; `done` are the documents of the
    /// sweep before it.
    fn begin_docs(&mut self, sweep: &Sweep, batch: usize, begin: usize, done: u32) -> Result<DocRun> {
        let Batch { docs: all, mapping, .. } = &self.batches[batch];
        let docs = begin..self.pace.end(all, begin, self.most_slots(*mapping));
        let longest = all[docs.clone()].iter().map(|doc| doc.tokens).max().unwrap_or(0);
        let (mapping, budget) = self.mapping_and_budget(*mapping, longest);
        self.send_params(sweep, &docs, mapping, budget);
        let mut encoder = self.encoder();
        // A document leaves its row as it found it, so rows are cleared only when they come to lie elsewhere.
        let same_rows = self.state_mapping.replace(mapping) == Some(mapping);
        encoder.clear_buffer(&self.state, 0, same_rows.then_some(4 * docs.len() as u64));
        let kernel = BoundKernel {
            pipeline: self.pipelines.get(&self.context, mapping)?,
            bind_group: self.bind_group(if self.streamed_z.is_some() { 0 } else { batch }),
            workgroups: mapping.workgroups(docs.len(), self.lanes),
        };
        let done = done + docs.len() as u32;
        let most_dispatches = 3 * u64::from(longest);
        let (submission, dispatches) = self.dispatch(encoder, &kernel);
        Ok(DocRun { batch, docs, done, kernel, dispatches, most_dispatches, submission })
    }

    /// The mapping that documents of up to `longest` tokens are sampled by, and its loop trips in a dispatch.
    fn mapping_and_budget(&self, mapping: Mapping, longest: u32) -> (Mapping, u32) {
        let token_trips =
            |mapping: Mapping| mapping.token_trips(self.tables.most_entries, longest, self.lanes);
        // A token whose column is longer than the budget goes to a workgroup, whose lanes share the column.
        let mapping = match mapping {
            Mapping::Invocation if token_trips(mapping) > mapping.budget() => Mapping::WorkgroupStorage,
            mapping => mapping,
        };
        (mapping, self.options.hooks().budget(mapping.budget()).max(token_trips(mapping)))
    }

    fn send_params(&mut self, sweep: &Sweep, docs: &Range<usize>, mapping: Mapping, budget: u32) {
        let results = &sweep.results;
        let params = layout::Params {
            key: self.key,
            iteration: sweep.iteration,
            budget,
            doc_begin: docs.start as u32,
            doc_end: docs.end as u32,
            m_at: self.most_slots(mapping) as u32,
            m_stride: mapping.row(self.k_star) as u32,
            d_at: results.d_at() as u32,
            d_dense: results.d_dense as u32,
            list_at: results.list_at() as u32,
            list_capacity: results.list_capacity() as u32,
        };
        self.context.upload(&self.params, &[params]);
    }

    /// The documents that one dispatch of a mapping can hold.
    fn most_slots(&self, mapping: Mapping) -> usize {
        let words = (self.state.size() / 4) as usize;
        (words / (1 + mapping.row(self.k_star))).clamp(1, MOST_WORKGROUPS)
    }

    /// Submits as many dispatches as should take a short while; returns how many.
    fn dispatch(&self, mut encoder: wgpu::CommandEncoder, kernel: &BoundKernel) -> (Submission, u64) {
        let repeats = self.pace.repeats();
        for _ in 0..repeats {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&kernel.pipeline);
            pass.set_bind_group(0, &kernel.bind_group, &[]);
            pass.dispatch_workgroups(kernel.workgroups, 1, 1);
        }
        (self.context.submit(encoder), u64::from(repeats))
    }

    /// Samples a run of documents to the end. `waits` says whether the host has done nothing but wait for it.
    fn end_docs(&mut self, run: &mut DocRun, mut waits: bool) -> Result<()> {
        loop {
            // What ended while the host worked has no time to learn from.
            let has_time = waits || !self.context.is_idle();
            let time = self.context.wait(&run.submission)?;
            self.context.download(&self.results, RESULT_DONE, 1, &mut self.fetched)?;
            let finished = self.fetched[0] == run.done;
            if has_time {
                self.pace.learn(time, finished);
            }
            if finished {
                return Ok(());
            }
            if run.dispatches > run.most_dispatches {
                let problem = format!("only {} of {} documents were ended", self.fetched[0], run.done);
                return Err(Error::device(&self.context.name, &problem));
            }
            let (submission, dispatches) = self.dispatch(self.encoder(), &run.kernel);
            run.submission = submission;
            run.dispatches += dispatches;
            waits = true;
        }
    }
}
