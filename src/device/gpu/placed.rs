//! The corpus on the device, or on its way there batch by batch: w and z of each batch, and topics that go up and down.

use std::ops::Range;

use super::batch::Batch;
use super::context::Context;
use super::order::count_topics;
use super::{Gpu, layout};
use crate::corpus::Corpus;
use crate::error::Result;

/// A batch's documents, w and z.
#[derive(Debug)]
pub(super) struct BatchBuffers {
    pub(super) docs: wgpu::Buffer,
    pub(super) w: wgpu::Buffer,
    pub(super) z: wgpu::Buffer,
}

impl BatchBuffers {
    fn new(context: &Context, docs: usize, pairs: usize) -> Self {
        Self {
            docs: context.buffer("docs", (docs * size_of::<layout::Doc>()) as u64),
            w: context.buffer("w", 8 * pairs as u64),
            z: context.buffer("z", 4 * pairs as u64),
        }
    }

    /// Sends w and z, which are those of the whole corpus.
    pub(super) fn fill(&self, context: &mut Context, corpus: &Corpus, batch: &Batch, z: &[u16]) {
        context.upload(&self.w, 0, &batch.words(corpus));
        let tokens = corpus.tokens_of(&batch.docs);
        context.upload(&self.z, 0, &batch.pack_z(corpus, &batch.docs, &z[tokens]));
    }
}

impl Gpu {
    /// Puts the corpus on the device, or, if it does not fit, gets ready to stream it.
    pub(super) fn place_corpus(&mut self, z: Vec<u16>) -> Result<()> {
        if !self.options.hooks().streams() {
            let scope = self.context.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
            for batch in &self.batches {
                let buffers = BatchBuffers::new(&self.context, batch.docs.len(), batch.num_pairs());
                self.buffers.push(buffers);
            }
            if pollster::block_on(scope.pop()).is_none() {
                for (batch, buffers) in self.batches.iter().zip(&self.buffers) {
                    buffers.fill(&mut self.context, &self.corpus, batch, &z);
                }
                return self.context.check();
            }
            self.buffers.clear();
        }
        let most_docs = self.batches.iter().map(|batch| batch.docs.len()).max().unwrap_or(0);
        let most_pairs = self.batches.iter().map(Batch::num_pairs).max().unwrap_or(0);
        self.buffers.push(BatchBuffers::new(&self.context, most_docs, most_pairs));
        self.streamed_z = Some(z);
        self.context.check()
    }

    /// As [`Device::fetch_z`](crate::device::Device::fetch_z).
    pub(super) fn fetch_topics(&mut self, docs: Range<usize>, z: &mut [u16]) -> Result<()> {
        if let Some(streamed) = &self.streamed_z {
            z.copy_from_slice(&streamed[self.corpus.tokens_of(&docs)]);
            return Ok(());
        }
        let Self { context, corpus, batches, buffers, .. } = self;
        let mut rest = z;
        for (batch, buffers) in batches.iter().zip(buffers) {
            let docs = batch.common(&docs);
            let part = rest.split_off_mut(..corpus.tokens_of(&docs).len()).expect("z has these documents");
            let mut packed = Vec::with_capacity(batch.pairs_of(&docs).len());
            context
                .download(&buffers.z, batch.pairs_of(&docs), |_, pairs| packed.extend_from_slice(pairs))?;
            batch.unpack_z(corpus, &docs, &packed, part);
        }
        Ok(())
    }

    /// As [`Device::send_z`](crate::device::Device::send_z).
    pub(super) fn send_topics(&mut self, docs: Range<usize>, z: &[u16]) -> Result<()> {
        let Self { context, corpus, batches, buffers, .. } = self;
        self.topics[docs.clone()].copy_from_slice(&count_topics(corpus, &docs, z));
        self.ordered = None;
        if let Some(streamed) = &mut self.streamed_z {
            streamed[corpus.tokens_of(&docs)].copy_from_slice(z);
            return Ok(());
        }
        let start = corpus.doc_start[docs.start];
        for (batch, buffers) in batches.iter().zip(buffers) {
            let docs = batch.common(&docs);
            let tokens = corpus.tokens_of(&docs);
            let packed = batch.pack_z(corpus, &docs, &z[tokens.start - start..tokens.end - start]);
            context.upload(&buffers.z, 4 * batch.pairs_of(&docs).start as u64, &packed);
        }
        context.check()
    }
}
