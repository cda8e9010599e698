//! The z step on a GPU: documents in batches, in submissions that stay short, with every sum checked.

pub(super) mod adapter;
mod batch;
mod bytes;
mod context;
mod kernel;
mod layout;
mod order;
mod pace;
mod pipelines;
mod placed;
mod probe;
mod results;
#[cfg(test)]
mod shader_layout;
mod spread;
mod state;
mod sweep;
mod tables;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use self::adapter::GpuAdapter;
use self::batch::Batch;
pub(crate) use self::bytes::{device_bytes, host_bytes};
use self::context::Context;
use self::kernel::Mapping;
use self::layout::{RESULT_FULL, RESULT_STUCK};
use self::order::{Order, count_topics};
use self::pace::Pace;
use self::pipelines::Pipelines;
use self::placed::BatchBuffers;
use self::results::ResultLayout;
use self::state::StateLayout;
use self::sweep::Sweep;
use self::tables::PackedTables;
#[cfg(feature = "testing")]
pub use self::tables::packing;
use super::{Device, Exchange, OpenOptions, TEAMS, ZReport, ZStep};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::model::histogram::DocTopicHistogram;
use crate::model::recount::recount_docs_of;
use crate::model::z_counts::ZCounts;
use crate::params::Params;
use crate::rng;

/// When one document in so many has more topics than its team has slots, teams are given out anew, but not more often than
/// every so many iterations.
const FULL_DOCS: usize = 50;
const REORDER_EVERY: u32 = 10;

/// z on a GPU.
#[derive(Debug)]
struct Gpu {
    adapter: GpuAdapter,
    context: Context,
    corpus: Arc<Corpus>,
    key: [u32; 2],
    k_star: usize,
    width: u32,
    options: OpenOptions,
    /// The team size of documents with few topics; none before the first tables are there.
    team: Option<u32>,
    pipelines: Pipelines,
    batches: Vec<Batch>,
    /// Each batch's documents, w and z; a single set that batches share when the corpus is streamed.
    buffers: Vec<BatchBuffers>,
    /// z on the host, when the corpus is streamed.
    streamed_z: Option<Vec<u16>>,
    /// The topics of each document, when they were last counted.
    topics: Vec<u16>,
    /// The documents of each batch in order, those documents, and the iteration since when.
    orders: Vec<Order>,
    ordered: Option<(Range<usize>, u32)>,
    tables: PackedTables,
    params: wgpu::Buffer,
    words: wgpu::Buffer,
    entries: wgpu::Buffer,
    cells: wgpu::Buffer,
    results: wgpu::Buffer,
    /// Where results are fetched to.
    fetched: wgpu::Buffer,
    state: wgpu::Buffer,
    state_layout: StateLayout,
    pace: Pace,
    /// What was submitted and not yet collected.
    sweep: Option<Sweep>,
}

impl Gpu {
    /// Takes over `z`, the topics of the corpus's tokens.
    ///
    /// # Errors
    /// When the device cannot be opened or has no room for the tables.
    fn new(
        adapter: &GpuAdapter,
        corpus: Arc<Corpus>,
        params: &Params,
        z: Vec<u16>,
        options: OpenOptions,
    ) -> Result<Self> {
        let context = Context::open(adapter)?;
        let k_star = params.k_star();
        let width = options.hooks().width(adapter.width());
        let limits = context.device.limits();
        let binding_bytes = options.hooks().binding_bytes(limits.max_storage_buffer_binding_size);
        let batches = Batch::cut(&corpus, binding_bytes);
        let most_docs = batches.iter().map(|batch| batch.docs.len()).max().unwrap_or(0);
        let state_layout = StateLayout::new(most_docs, k_star);
        let mut gpu = Self {
            pipelines: Pipelines::new(
                &context.device,
                width,
                options.hooks().exchange(adapter.exchange()),
                options,
            ),
            buffers: Vec::new(),
            streamed_z: None,
            topics: count_topics(&corpus, &(0..corpus.num_docs()), &z),
            orders: Vec::new(),
            ordered: None,
            tables: PackedTables::default(),
            params: Pipelines::params(&context.device, 1),
            words: context.buffer("words", (corpus.vocab_size() * size_of::<layout::Word>()) as u64),
            entries: context.buffer("entries", 0),
            cells: context.buffer("cells", 0),
            results: context.buffer("results", 0),
            fetched: context.staging(0),
            state: context.buffer("state", 4 * state_layout.len() as u64),
            state_layout,
            pace: Pace::new(adapter.is_software()),
            sweep: None,
            key: rng::key(params.seed()),
            k_star,
            width,
            options,
            team: options.team.or(options.kernel.map(|kernel| kernel.team(width))),
            batches,
            corpus,
            adapter: adapter.clone(),
            context,
        };
        gpu.context.check()?;
        gpu.place_corpus(z)?;
        Ok(gpu)
    }

    /// Puts the documents into order, if others are sampled than before or their teams have changed.
    fn order(&mut self, docs: &Range<usize>, iteration: u32) {
        if self.ordered.as_ref().is_some_and(|(ordered, _)| ordered == docs) {
            return;
        }
        let team = self.team.unwrap_or_else(|| self.choose_team());
        self.team = Some(team);
        let Self { corpus, batches, topics, .. } = self;
        let order = |batch: &Batch| Order::new(corpus, batch, &batch.common(docs), topics, team);
        self.orders = batches.iter().map(order).collect();
        self.ordered = Some((docs.clone(), iteration));
        if self.streamed_z.is_none() {
            for (order, buffers) in self.orders.iter().zip(&self.buffers) {
                self.context.upload(&buffers.docs, 0, &order.docs);
            }
        }
    }

    /// The team size that suits the tables: a lane for each part of a walk.
    fn choose_team(&self) -> u32 {
        let (tokens, docs) = (self.corpus.num_tokens().max(1) as f64, self.corpus.num_docs().max(1) as f64);
        let topics = self.topics.iter().map(|&topics| f64::from(topics)).sum::<f64>() / docs;
        let walk = |v: u32| f64::from(self.tables.words[v as usize].sizes & 0xffff).min(2.0 * topics);
        let walked: f64 = self.corpus.w.iter().map(|&v| walk(v)).sum();
        Mapping::team_for(walked / tokens, self.width)
    }

    /// Sends the tables.
    fn send_tables(&mut self, step: &ZStep<'_>) -> Result<ResultLayout> {
        self.tables.pack(step.tables, step.is_active);
        let results = ResultLayout::new(step.is_active, self.tables.num_entries());
        let (entries, cells) = (self.tables.entries.len() as u64, self.tables.cells.len() as u64);
        let limit = self.context.device.limits().max_storage_buffer_binding_size;
        if (4 * entries).max(8 * cells).max(4 * results.len() as u64) > limit {
            let problem = format!("{cells} nonzeros of Φ do not fit a binding of {limit} bytes");
            return Err(Error::device(&self.context.name, &problem));
        }
        self.context.grow(&mut self.entries, "entries", 4 * entries);
        self.context.grow(&mut self.cells, "cells", 8 * cells);
        self.context.grow(&mut self.results, "results", 4 * results.len() as u64);
        let fetched = 4 * results.fetched().len() as u64;
        if self.fetched.size() < fetched {
            self.fetched = self.context.staging((context::GROWTH * fetched as f64) as u64);
        }
        self.context.upload(&self.words, 0, &self.tables.words);
        self.context.upload(&self.entries, 0, &self.tables.entries);
        self.context.upload(&self.cells, 0, &self.tables.cells);
        self.context.upload(&self.results, 0, &results.rows());
        Ok(results)
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    fn bind_group(&self, batch: usize) -> wgpu::BindGroup {
        let batch = if self.streamed_z.is_some() { 0 } else { batch };
        let BatchBuffers { docs, w, z } = &self.buffers[batch];
        let Self { context, params, words, entries, cells, results, state, .. } = self;
        let storage = [docs, w, z, words, entries, cells, results, state];
        self.pipelines.bind(&context.device, params, storage)
    }

    /// Takes what was fetched; returns the stuck tokens, and the documents that had too many topics for their team.
    fn take_counts(
        &mut self,
        sweep: &Sweep,
        step: &ZStep<'_>,
        counts: Option<&mut ZCounts>,
    ) -> Result<(u64, usize)> {
        let results = &sweep.results;
        let bytes = 4 * results.fetched().len() as u64;
        let miscounted = self.options.hooks().miscounted_in(step.iteration);
        let Self { context, fetched, tables, .. } = self;
        let mut d = DocTopicHistogram::new(self.k_star);
        let counted = counts.is_some();
        let (numbers, rest) = context.read_mapped(fetched, bytes, |fetched| {
            let rest = results.rest_of_list(fetched);
            if let Some(counts) = &counts {
                tables.unpack_counts(step.tables, step.is_active, results.counts(fetched), counts);
                if miscounted {
                    counts.add_entry(0, 1);
                }
                if rest.is_some() {
                    results.unpack_d(fetched, &mut d);
                }
            }
            ((u64::from(fetched[RESULT_STUCK]), fetched[RESULT_FULL] as usize), rest)
        })?;
        match rest {
            _ if !counted => {}
            Some(rest) => {
                let read = |_, list: &[u32]| ResultLayout::add_list(list, &mut d);
                self.context.download(&self.results, rest, read)?;
            }
            None => {
                let corpus = Arc::clone(&self.corpus);
                let mut z = vec![0; corpus.tokens_of(&step.docs).len()];
                self.fetch_z(step.docs.clone(), &mut z)?;
                recount_docs_of(&corpus, &step.docs, &z, &mut d);
            }
        }
        if let Some(counts) = counts {
            counts.d.add_all(&d);
        }
        Ok(numbers)
    }

    /// Counts the topics of documents, and has their teams given out anew.
    fn count_topics(&mut self, docs: Range<usize>) -> Result<()> {
        let corpus = Arc::clone(&self.corpus);
        let mut z = vec![0; corpus.tokens_of(&docs).len()];
        self.fetch_z(docs.clone(), &mut z)?;
        self.topics[docs.clone()].copy_from_slice(&count_topics(&corpus, &docs, &z));
        self.ordered = None;
        Ok(())
    }
}

impl Device for Gpu {
    fn name(&self) -> String {
        self.context.name.clone()
    }

    fn num_docs(&self) -> usize {
        self.corpus.num_docs()
    }

    fn driver(&self) -> Option<String> {
        Some(self.context.driver.clone())
    }

    fn teams(&self) -> &[u32] {
        &TEAMS
    }

    fn team(&self) -> Option<u32> {
        self.team
    }

    fn set_team(&mut self, team: u32) {
        if self.team != Some(team) {
            (self.team, self.ordered) = (Some(team), None);
        }
    }

    fn leaves_host_idle(&self) -> bool {
        true
    }

    fn is_checked(&self) -> bool {
        true
    }

    fn submit_z(&mut self, step: &ZStep<'_>) -> Result<()> {
        self.sweep = Some(self.begin_sweep(step)?);
        Ok(())
    }

    fn wait_z(&mut self) -> Result<()> {
        let mut sweep = self.sweep.take().ok_or_else(nothing_submitted)?;
        self.end_sweep(&mut sweep)?;
        self.sweep = Some(sweep);
        Ok(())
    }

    fn collect_z(&mut self, step: &ZStep<'_>, counts: Option<&mut ZCounts>) -> Result<ZReport> {
        let mut sweep = self.sweep.take().ok_or_else(nothing_submitted)?;
        self.end_sweep(&mut sweep)?;
        let ended = std::time::Instant::now();
        let (stuck_tokens, full) = self.take_counts(&sweep, step, counts)?;
        let since = self.ordered.as_ref().map_or(0, |(_, since)| *since);
        if full * FULL_DOCS > step.docs.len() && step.iteration.saturating_sub(since) >= REORDER_EVERY {
            self.count_topics(step.docs.clone())?;
        }
        let Context { bytes_up, bytes_down, submits, waits, .. } = self.context;
        Ok(ZReport {
            stuck_tokens,
            z_seconds: sweep.seconds,
            count_seconds: ended.elapsed().as_secs_f64(),
            bytes_up,
            bytes_down,
            submits,
            waits,
        })
    }

    /// Opens the device anew: buffers are made for one K*.
    fn grow(&mut self, params: &Params) -> Result<()> {
        let z = self.z()?.into_owned();
        let options = OpenOptions { team: self.team.or(self.options.team), ..self.options };
        *self = Self::new(&self.adapter.clone(), Arc::clone(&self.corpus), params, z, options)?;
        Ok(())
    }

    fn z(&mut self) -> Result<Cow<'_, [u16]>> {
        if self.streamed_z.is_none() {
            let mut z = vec![0; self.corpus.num_tokens()];
            self.fetch_z(0..self.corpus.num_docs(), &mut z)?;
            return Ok(Cow::Owned(z));
        }
        Ok(Cow::Borrowed(self.streamed_z.as_deref().unwrap_or_default()))
    }

    fn fetch_z(&mut self, docs: Range<usize>, z: &mut [u16]) -> Result<()> {
        self.fetch_topics(docs, z)
    }

    fn send_z(&mut self, docs: Range<usize>, z: &[u16]) -> Result<()> {
        self.send_topics(docs, z)
    }
}

fn nothing_submitted() -> Error {
    Error::internal("z is collected that was not submitted")
}

/// The shader that samples documents by teams of so many lanes, or each by a workgroup, as it is compiled for a device that runs
/// `width` lanes together, which exchange what they know in this way.
pub fn shader_source(team: Option<u32>, width: u32, exchange: Exchange) -> String {
    team.map_or(Mapping::Whole, Mapping::Team).source(exchange, width)
}
