//! The z step on a GPU: documents in batches, in submissions that stay short, with every sum checked.

pub(super) mod adapter;
mod batch;
mod bytes;
mod context;
mod kernel;
mod layout;
mod pace;
mod pipelines;
mod results;
#[cfg(test)]
mod shader_layout;
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
use self::layout::{RESULT_LIST_LENGTH, RESULT_STUCK};
use self::pace::Pace;
use self::pipelines::Pipelines;
use self::results::ResultLayout;
use self::sweep::Sweep;
use self::tables::PackedTables;
use super::{Device, Kernel, OpenOptions, ZReport, ZStep};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::model::alias::WordTables;
use crate::model::histogram::DocTopicHistogram;
use crate::model::recount::recount_docs;
use crate::model::z_counts::ZCounts;
use crate::params::Params;
use crate::rng;

/// Workgroups in one dimension of a dispatch that every device allows.
const MOST_WORKGROUPS: usize = 65_535;

/// The most that rows of m take in storage, in bytes.
const STATE_BYTES: u64 = 64 << 20;

/// z on a GPU.
#[derive(Debug)]
struct Gpu {
    adapter: GpuAdapter,
    context: Context,
    corpus: Arc<Corpus>,
    key: [u32; 2],
    k_star: usize,
    lanes: u32,
    options: OpenOptions,
    pipelines: Pipelines,
    batches: Vec<Batch>,
    /// Each batch's documents, w and z; a single set that batches share when the corpus is streamed.
    buffers: Vec<BatchBuffers>,
    /// z on the host, when the corpus is streamed.
    streamed_z: Option<Vec<u16>>,
    tables: PackedTables,
    params: wgpu::Buffer,
    words: wgpu::Buffer,
    entries: wgpu::Buffer,
    entry_count: wgpu::Buffer,
    results: wgpu::Buffer,
    state: wgpu::Buffer,
    /// The mapping that the rows of `state` are laid out for.
    state_mapping: Option<Mapping>,
    pace: Pace,
    fetched: Vec<u32>,
    /// What was submitted and not yet collected.
    sweep: Option<Sweep>,
}

#[derive(Debug)]
struct BatchBuffers {
    docs: wgpu::Buffer,
    w: wgpu::Buffer,
    z: wgpu::Buffer,
}

impl BatchBuffers {
    fn new(context: &Context, docs: usize, places: usize) -> Self {
        Self {
            docs: context.buffer("docs", (docs * size_of::<layout::Doc>()) as u64),
            w: context.buffer("w", 4 * places as u64),
            z: context.buffer("z", 2 * places as u64),
        }
    }

    /// Sends a batch.
    fn fill(&self, context: &mut Context, batch: &Batch, w: &[u32], z: &[u16]) {
        context.upload(&self.docs, &batch.docs);
        context.upload(&self.w, &batch.words(w));
        context.upload(&self.z, &batch.pack_z(z));
    }
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
        let lanes = adapter.lanes();
        let limits = context.device.limits();
        let binding_bytes = options.hooks().binding_bytes(limits.max_storage_buffer_binding_size);
        let kernel = options.kernel.unwrap_or_else(|| kernel::choose(&corpus));
        let batches = Batch::cut(&corpus, kernel, k_star, lanes, binding_bytes);
        let state_bytes = STATE_BYTES.min(limits.max_storage_buffer_binding_size);
        let mut gpu = Self {
            pipelines: Pipelines::new(&context.device, lanes, k_star, options),
            buffers: Vec::new(),
            streamed_z: None,
            tables: PackedTables::default(),
            params: Pipelines::params(&context.device),
            words: context.buffer("words", 16 * corpus.vocab_size() as u64),
            entries: context.buffer("entries", 0),
            entry_count: context.buffer("entry_count", 0),
            results: context.buffer("results", 0),
            state: context.buffer("state", state_bytes),
            state_mapping: None,
            pace: Pace::default(),
            fetched: Vec::new(),
            sweep: None,
            key: rng::key(params.seed()),
            k_star,
            lanes,
            options: OpenOptions { kernel: Some(kernel), ..options },
            batches,
            corpus,
            adapter: adapter.clone(),
            context,
        };
        gpu.context.check()?;
        gpu.place_corpus(z)?;
        Ok(gpu)
    }

    /// Puts the corpus on the device, or, if it does not fit, gets ready to stream it.
    fn place_corpus(&mut self, z: Vec<u16>) -> Result<()> {
        if !self.options.hooks().streams() {
            let scope = self.context.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
            for batch in &self.batches {
                let buffers = BatchBuffers::new(&self.context, batch.docs.len(), batch.places);
                self.buffers.push(buffers);
            }
            if pollster::block_on(scope.pop()).is_none() {
                for (batch, buffers) in self.batches.iter().zip(&self.buffers) {
                    buffers.fill(&mut self.context, batch, &self.corpus.w, &z);
                }
                return self.context.check();
            }
            self.buffers.clear();
        }
        let most_docs = self.batches.iter().map(|batch| batch.docs.len()).max().unwrap_or(0);
        let most_places = self.batches.iter().map(|batch| batch.places).max().unwrap_or(0);
        self.buffers.push(BatchBuffers::new(&self.context, most_docs, most_places));
        self.streamed_z = Some(z);
        self.context.check()
    }

    /// Sends the tables, and clears what the iteration counts.
    fn send_tables(&mut self, tables: &WordTables, results: &ResultLayout) -> Result<()> {
        self.tables.pack(tables);
        let entries = self.tables.entries.len() as u64;
        let limit = self.context.device.limits().max_storage_buffer_binding_size;
        if 12 * entries > limit {
            let problem = format!("{entries} nonzeros of Φ do not fit a binding of {limit} bytes");
            return Err(Error::device(&self.context.name, &problem));
        }
        self.context.grow(&mut self.entries, "entries", 12 * entries);
        self.context.grow(&mut self.entry_count, "entry_count", 4 * entries);
        self.context.grow(&mut self.results, "results", 4 * results.len() as u64);
        self.context.upload(&self.words, &self.tables.words);
        self.context.upload(&self.entries, &self.tables.entries);
        self.context.upload(&self.results, &results.head());
        let mut encoder = self.encoder();
        encoder.clear_buffer(&self.entry_count, 0, None);
        encoder.clear_buffer(&self.results, 4 * results.d_at() as u64, None);
        self.context.submit(encoder);
        Ok(())
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    fn bind_group(&self, buffers: usize) -> wgpu::BindGroup {
        let BatchBuffers { docs, w, z } = &self.buffers[buffers];
        let Self { context, params, words, entries, entry_count, results, state, .. } = self;
        let storage = [docs, w, z, words, entries, entry_count, results, state];
        self.pipelines.bind(&context.device, params, storage)
    }

    /// Fetches n and d; returns the stuck tokens.
    fn fetch_counts(&mut self, sweep: &Sweep, counts: Option<&mut ZCounts>) -> Result<u64> {
        let results = &sweep.results;
        self.context.download(&self.results, 0, layout::RESULT_ROWS, &mut self.fetched)?;
        let stuck = u64::from(self.fetched[RESULT_STUCK]);
        let listed = self.fetched[RESULT_LIST_LENGTH] as usize;
        let Some(counts) = counts else { return Ok(stuck) };

        let entries = self.tables.entries.len();
        self.context.download(&self.entry_count, 0, entries, &mut self.fetched)?;
        if self.options.hooks().miscounted_in(sweep.iteration) {
            self.fetched[0] ^= 1;
        }
        counts.add_entries(&self.fetched);

        let mut d = DocTopicHistogram::new(self.k_star);
        if listed > results.list_capacity() {
            let corpus = Arc::clone(&self.corpus);
            recount_docs(&corpus, &self.z()?, &mut d);
        } else {
            let len = results.d_len();
            self.context.download(&self.results, results.d_at(), len, &mut self.fetched)?;
            let rows = self.fetched.clone();
            self.context.download(&self.results, results.list_at(), 2 * listed, &mut self.fetched)?;
            results.unpack_d(&rows, &self.fetched, &mut d);
        }
        counts.d.add_all(&d);
        Ok(stuck)
    }
}

impl Device for Gpu {
    fn name(&self) -> String {
        self.context.name.clone()
    }

    fn driver(&self) -> Option<String> {
        Some(self.context.driver.clone())
    }

    fn kernel(&self) -> Option<Kernel> {
        self.options.kernel
    }

    fn leaves_host_idle(&self) -> bool {
        true
    }

    fn is_checked(&self) -> bool {
        true
    }

    fn num_docs(&self) -> usize {
        self.corpus.num_docs()
    }

    fn submit_z(&mut self, step: &ZStep<'_>) -> Result<()> {
        self.sweep = Some(self.begin_sweep(step)?);
        Ok(())
    }

    fn collect_z(&mut self, _: &ZStep<'_>, counts: Option<&mut ZCounts>) -> Result<ZReport> {
        let nothing_submitted = || Error::internal("z is collected that was not submitted");
        let mut sweep = self.sweep.take().ok_or_else(nothing_submitted)?;
        self.end_sweep(&mut sweep)?;
        let z_seconds = sweep.start.elapsed().as_secs_f64();
        let stuck_tokens = self.fetch_counts(&sweep, counts)?;
        Ok(ZReport {
            stuck_tokens,
            z_seconds,
            count_seconds: sweep.start.elapsed().as_secs_f64() - z_seconds,
            bytes_up: self.context.bytes_up,
            bytes_down: self.context.bytes_down,
        })
    }

    /// Opens the device anew: shaders and buffers are made for one K*.
    fn grow(&mut self, params: &Params) -> Result<()> {
        let z = self.z()?.into_owned();
        *self = Self::new(&self.adapter.clone(), Arc::clone(&self.corpus), params, z, self.options)?;
        Ok(())
    }

    fn z(&mut self) -> Result<Cow<'_, [u16]>> {
        if let Some(z) = &self.streamed_z {
            return Ok(Cow::Borrowed(z));
        }
        let mut z = vec![0; self.corpus.num_tokens()];
        for (batch, buffers) in self.batches.iter().zip(&self.buffers) {
            self.context.download(&buffers.z, 0, batch.places / 2, &mut self.fetched)?;
            batch.unpack_z(&self.fetched, &mut z);
        }
        Ok(Cow::Owned(z))
    }

    fn fetch_z(&mut self, docs: Range<usize>, z: &mut [u16]) -> Result<()> {
        let tokens = self.corpus.tokens_of(&docs);
        z.copy_from_slice(&self.z()?[tokens]);
        Ok(())
    }

    fn send_z(&mut self, docs: Range<usize>, z: &[u16]) -> Result<()> {
        let tokens = self.corpus.tokens_of(&docs);
        let mut all = self.z()?.into_owned();
        all[tokens].copy_from_slice(z);
        for (batch, buffers) in self.batches.iter().zip(&self.buffers) {
            self.context.upload(&buffers.z, &batch.pack_z(&all));
        }
        Ok(())
    }
}

/// The shader that samples a document of `tokens` tokens, as it is compiled.
pub fn shader_source(kernel: Kernel, tokens: usize, k_star: usize, lanes: u32) -> String {
    Mapping::of(kernel, tokens, k_star, lanes).source(lanes, k_star)
}
