//! One sweep over documents: what is submitted, and what goes on from there.

use std::ops::Range;
use std::time::Instant;

use super::Gpu;
use super::context::Submission;
use super::kernel::Mapping;
use super::layout::{self, RESULT_DONE, RESULT_LEFT};
use super::pipelines::{PARAMS_STRIDE, Pipelines};
use super::results::ResultLayout;
use super::spread::stride;
use crate::device::{Exchange, ZStep};
use crate::error::{Error, Result};

/// Workgroups in one dimension of a dispatch that every device allows.
const MOST_WORKGROUPS: usize = 65_535;

/// The most dispatches in one submission.
const MOST_DISPATCHES: usize = 1024;

/// A sweep between its submission and its end.
#[derive(Debug)]
pub(super) struct Sweep {
    iteration: u32,
    start: Instant,
    /// From the first submission to the end of the last one, once it has come.
    pub(super) seconds: f64,
    pub(super) results: ResultLayout,
    /// The batch that the device samples now, and the documents before it.
    batch: usize,
    done_before: u32,
    /// What of the batch is still to be submitted, last first.
    dispatches: Vec<Dispatch>,
    /// Begun for the next submission.
    encoder: Option<wgpu::CommandEncoder>,
    submitted: Option<Submitted>,
    /// Submissions for documents that teams have left, and how many there may be.
    rounds: u64,
    most_rounds: u64,
    /// Whether the sweep is at its end.
    is_over: bool,
}

/// One dispatch.
#[derive(Clone, Debug)]
struct Dispatch {
    mapping: Mapping,
    exchange: Exchange,
    docs: Range<usize>,
    budget: u32,
    /// About how many tokens it samples.
    tokens: u64,
}

/// A submission that was not waited for.
#[derive(Debug)]
struct Submitted {
    submission: Submission,
    tokens: u64,
    dispatches: usize,
    /// Whether it is the last one of the batch, if no document was left to a workgroup.
    is_last: bool,
}

impl Gpu {
    /// Sends the tables and submits the first dispatches; waits for nothing.
    pub(super) fn begin_sweep(&mut self, step: &ZStep<'_>) -> Result<Sweep> {
        let context = &mut self.context;
        (context.bytes_up, context.bytes_down, context.submits, context.waits) = (0, 0, 0, 0);
        if self.options.hooks().lost_in(step.iteration) {
            self.context.device.destroy();
        }
        let start = Instant::now();
        let results = self.send_tables(step)?;
        self.order(&step.docs, step.iteration);
        let mut sweep = Sweep {
            iteration: step.iteration,
            start,
            seconds: 0.0,
            results,
            batch: 0,
            done_before: 0,
            dispatches: Vec::new(),
            encoder: None,
            submitted: None,
            rounds: 0,
            most_rounds: 0,
            is_over: false,
        };
        self.begin_batch(&mut sweep)?;
        self.submit_next(&mut sweep)?;
        Ok(sweep)
    }

    /// Waits for what was submitted, and goes on to the last document; results are mapped then.
    pub(super) fn end_sweep(&mut self, sweep: &mut Sweep) -> Result<()> {
        // The host may have worked since the first submission; after that it only waits.
        let mut only_waits = false;
        while !sweep.is_over {
            // What ended while the host worked has no time to learn from.
            let has_time = only_waits || !self.context.is_idle();
            let nothing = || Error::internal("a sweep waits for nothing");
            let submitted = sweep.submitted.take().ok_or_else(nothing)?;
            let time = self.context.wait(&submitted.submission)?;
            if has_time && !self.options.hooks().keeps_pace() {
                self.pace.learn(submitted.tokens, submitted.dispatches, time);
            }
            only_waits = true;
            if submitted.is_last && self.batch_is_done(sweep)? {
                sweep.is_over = !self.next_batch(sweep)?;
            }
            if !sweep.is_over {
                self.submit_next(sweep)?;
            }
        }
        sweep.seconds = sweep.start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Gets a batch ready: what its dispatches are.
    fn begin_batch(&mut self, sweep: &mut Sweep) -> Result<()> {
        if let Some(z) = &self.streamed_z {
            self.buffers[0].fill(&mut self.context, &self.corpus, &self.batches[sweep.batch], z);
            self.context.upload(&self.buffers[0].docs, 0, &self.orders[sweep.batch].docs);
        }
        let order = &self.orders[sweep.batch];
        let mut dispatches: Vec<Dispatch> = Vec::new();
        for (mapping, run) in order.teams() {
            let tried = self.pipelines.exchange(&mut self.context, *mapping)?;
            let lanes = mapping.lanes(self.width);
            let Mapping::Team(team) = *mapping else { continue };
            let most_docs = MOST_WORKGROUPS * (lanes / team) as usize;
            let mut begin = run.start;
            while begin < run.end {
                let end = self.end_of_run(&order.docs, begin, run.end.min(begin + most_docs));
                let longest = order.docs[begin].tokens + 1;
                let exchange = mapping.exchange_for(tried, self.width, longest);
                let budget = self.team_budget(*mapping, exchange, longest);
                let tokens: u64 = order.docs[begin..end].iter().map(|doc| u64::from(doc.tokens)).sum();
                let repeats = longest.div_ceil(budget);
                let tokens = tokens / u64::from(repeats);
                let dispatch = Dispatch { mapping: *mapping, exchange, docs: begin..end, budget, tokens };
                dispatches.extend(std::iter::repeat_n(dispatch, repeats as usize));
                begin = end;
            }
        }
        dispatches.reverse();
        sweep.dispatches = dispatches;
        // Each submission samples at least a token of a document that is not done, or goes on counting it.
        let tokens: u64 = order.docs.iter().map(|doc| u64::from(doc.tokens)).sum();
        (sweep.rounds, sweep.most_rounds) = (0, 2 * (tokens + (order.docs.len() * self.k_star) as u64) + 2);
        let mut encoder = self.encoder();
        encoder.clear_buffer(&self.state, 0, Some(4 * self.state_layout.slots_at() as u64));
        if sweep.done_before == 0 {
            let (begin, end) = (4 * sweep.results.numbers_at() as u64, 4 * sweep.results.list_at() as u64);
            encoder.clear_buffer(&self.results, begin, Some(end - begin));
        }
        sweep.encoder = Some(encoder);
        Ok(())
    }

    /// Whether all documents of the batch are done, given that the last submission has ended; what was fetched stays mapped if so.
    fn batch_is_done(&mut self, sweep: &mut Sweep) -> Result<bool> {
        let order = &self.orders[sweep.batch];
        let wanted = sweep.done_before + order.docs.len() as u32;
        let done = self.context.peek(&self.fetched, RESULT_DONE)?;
        if done == wanted {
            return Ok(true);
        }
        let left = self.context.peek(&self.fetched, RESULT_LEFT)? as usize;
        self.fetched.unmap();
        sweep.rounds += 1;
        if left + order.whole().len() == 0 || sweep.rounds > sweep.most_rounds {
            let problem = format!("only {done} of {wanted} documents were ended");
            return Err(Error::device(&self.context.name, &problem));
        }
        Ok(false)
    }

    /// Begins the next batch that has documents, if there is one.
    fn next_batch(&mut self, sweep: &mut Sweep) -> Result<bool> {
        if let Some(z) = &mut self.streamed_z {
            let batch = &self.batches[sweep.batch];
            let mut packed = Vec::with_capacity(batch.num_pairs());
            let pairs = 0..batch.num_pairs();
            self.context.download(&self.buffers[0].z, pairs, |_, part| packed.extend_from_slice(part))?;
            batch.unpack_z(&self.corpus, &batch.docs, &packed, &mut z[self.corpus.tokens_of(&batch.docs)]);
        }
        let mut rest = sweep.batch + 1..self.batches.len();
        let Some(next) = rest.find(|&batch| !self.orders[batch].docs.is_empty()) else { return Ok(false) };
        self.fetched.unmap();
        sweep.done_before += self.orders[sweep.batch].docs.len() as u32;
        sweep.batch = next;
        self.begin_batch(sweep)?;
        Ok(true)
    }

    /// Where documents end that are sampled together from `begin` on.
    fn end_of_run(&self, docs: &[layout::Doc], begin: usize, most: usize) -> usize {
        let mut tokens = 0;
        let fits = docs[begin..most].iter().take_while(|doc| {
            tokens += u64::from(doc.tokens);
            tokens <= self.pace.tokens()
        });
        begin + fits.count().max(1)
    }

    /// Token steps that a team of documents of up to `longest` tokens takes in a dispatch: whole batches of tokens.
    fn team_budget(&self, mapping: Mapping, exchange: Exchange, longest: u32) -> u32 {
        let trips = self.options.hooks().budget(self.pace.trips());
        let token_trips = mapping.token_trips(exchange, self.width, self.tables.longest_unblocked);
        let steps = trips.saturating_sub(mapping.first_trips(exchange, self.width, longest)) / token_trips;
        (steps / mapping.batch()).max(1) * mapping.batch()
    }

    /// Submits the next dispatches, as many as should take a short while. The last ones of a batch are followed by those documents
    /// that teams have left, and by what is fetched.
    fn submit_next(&mut self, sweep: &mut Sweep) -> Result<()> {
        let mut batch = Vec::new();
        let mut tokens = 0;
        while let Some(next) = sweep.dispatches.last() {
            if !batch.is_empty()
                && (batch.len() == MOST_DISPATCHES || tokens + next.tokens > self.pace.tokens())
            {
                break;
            }
            tokens += next.tokens;
            batch.extend(sweep.dispatches.pop());
        }
        let is_last = sweep.dispatches.is_empty();
        if is_last {
            batch.push(self.whole_dispatch());
        }
        let mut encoder = sweep.encoder.take().unwrap_or_else(|| self.encoder());
        self.encode(sweep, &batch, &mut encoder)?;
        let fetched = sweep.results.fetched();
        let bytes = 4 * fetched.len() as u64;
        if is_last {
            let from = 4 * fetched.start as u64;
            encoder.copy_buffer_to_buffer(&self.results, from, &self.fetched, 0, bytes);
        }
        let submission = self.context.submit(encoder);
        if is_last {
            self.context.map(&self.fetched, bytes);
        }
        sweep.submitted = Some(Submitted { submission, tokens, dispatches: batch.len(), is_last });
        Ok(())
    }

    /// A dispatch of workgroups with a document each.
    fn whole_dispatch(&self) -> Dispatch {
        let budget = self.options.hooks().budget(self.pace.trips());
        let docs = 0..self.state_layout.num_slots();
        Dispatch { mapping: Mapping::Whole, exchange: Exchange::Memory, docs, budget, tokens: 0 }
    }

    /// Encodes dispatches, each with its parameters.
    fn encode(
        &mut self,
        sweep: &Sweep,
        dispatches: &[Dispatch],
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<()> {
        let bytes = PARAMS_STRIDE * dispatches.len() as u64;
        if self.params.size() < bytes {
            self.params = Pipelines::params(&self.context.device, dispatches.len());
        }
        let mut params = vec![0; bytes as usize];
        for (dispatch, to) in dispatches.iter().zip(params.chunks_mut(PARAMS_STRIDE as usize)) {
            let of_dispatch = self.dispatch_params(sweep, dispatch);
            to[..size_of::<layout::Params>()].copy_from_slice(bytemuck::bytes_of(&of_dispatch));
        }
        self.context.upload(&self.params, 0, &params);
        let bind_group = self.bind_group(sweep.batch);
        for (Dispatch { mapping, exchange, docs, .. }, at) in dispatches.iter().zip(0..) {
            let pipeline = self.pipelines.get(&self.context, *mapping, *exchange)?;
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &bind_group, &[at * PARAMS_STRIDE as u32]);
            pass.dispatch_workgroups(mapping.workgroups(docs.len(), self.width), 1, 1);
        }
        Ok(())
    }

    fn dispatch_params(&self, sweep: &Sweep, dispatch: &Dispatch) -> layout::Params {
        let Sweep { iteration, results, batch, .. } = sweep;
        let whole = self.orders[*batch].whole();
        let state = self.state_layout;
        let workgroups = dispatch.mapping.workgroups(dispatch.docs.len(), self.width);
        layout::Params {
            key: self.key,
            iteration: *iteration,
            k_star: self.k_star as u32,
            budget: dispatch.budget,
            doc_begin: dispatch.docs.start as u32,
            doc_end: dispatch.docs.end as u32,
            d_at: results.d_at() as u32,
            d_dense: results.d_dense as u32,
            topics_at: self.tables.topics_at() as u32,
            counts_at: results.counts_at() as u32,
            list_at: results.list_at() as u32,
            list_capacity: results.list_capacity() as u32,
            whole_begin: whole.start as u32,
            whole_docs: whole.len() as u32,
            progress_at: state.progress_at() as u32,
            heads_at: state.heads_at() as u32,
            slots_at: state.slots_at() as u32,
            num_slots: state.num_slots() as u32,
            stride: if self.pace.is_software() { stride(workgroups) } else { 1 },
        }
    }
}
