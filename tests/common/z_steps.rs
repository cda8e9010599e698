//! The same z step again and again, on any device: what measures devices, and what finds out what `auto` comes to.

use std::sync::Arc;
use std::time::Instant;

use hdp_gpu::chain::{self, Start};
use hdp_gpu::device::{Device, Place, ZStep};
use hdp_gpu::model::alias::TableBuilder;
use hdp_gpu::model::phi::PoissonPolyaUrn;
use hdp_gpu::model::z_counts::ZCounts;
use hdp_gpu::synth::zipf::zipf_corpus;
use hdp_gpu::{Corpus, Params, Result, Settings};

/// Iterations from the true topics.
const SETTLING: usize = 5;

/// A chain's state, with which all devices make the same z step.
pub(crate) struct ZSteps {
    corpus: Arc<Corpus>,
    params: Params,
    z: Vec<u16>,
    tables: TableBuilder,
    is_active: Vec<bool>,
}

/// A device, with room for what it counts, and the seconds of its steps.
pub(crate) struct Lane {
    pub(crate) device: Box<dyn Device>,
    counts: ZCounts,
    pub(crate) seconds: Vec<f64>,
}

impl ZSteps {
    /// On a synthetic corpus of so many tokens.
    pub(crate) fn new(tokens: usize) -> Self {
        let (corpus, truth) = zipf_corpus(tokens);
        let (corpus, params) = (Arc::new(corpus), Settings::paper().check().unwrap());
        let start = Start::with_z(&corpus, &params, truth);
        let mut chain = chain::open(Arc::clone(&corpus), params, start, &Place::cpu()).unwrap();
        (0..SETTLING).for_each(|_| assert!(chain.step().is_ok()));
        let z = chain.z().unwrap();
        let state = chain.state();
        let (params, n) = (state.params().clone(), &state.counts().n);
        let mut tables = TableBuilder::default();
        tables.build(PoissonPolyaUrn::new(n, &params).sample(n, &params, 1), state.psi(), params.alpha());
        let is_active = n.topic_tokens.iter().map(|&tokens| tokens > 0).collect();
        Self { corpus, params, z, tables, is_active }
    }

    /// A device at a place.
    pub(crate) fn open(&self, place: &Place) -> Lane {
        let device = place.open(Arc::clone(&self.corpus), &self.params, self.z.clone()).unwrap();
        Lane { device, counts: ZCounts::default(), seconds: Vec::new() }
    }

    /// Has a device make the step from the chain's z, as one of this iteration.
    pub(crate) fn step(&self, lane: &mut Lane, iteration: u32) -> Result<()> {
        let tables = self.tables.tables();
        let docs = 0..self.corpus.num_docs();
        lane.device.send_z(docs.clone(), &self.z)?;
        let step = ZStep { tables, iteration, is_active: &self.is_active, docs };
        lane.counts.resize(tables, self.is_active.len());
        let begin = Instant::now();
        lane.device.submit_z(&step)?;
        lane.device.collect_z(&step, Some(&mut lane.counts))?;
        lane.seconds.push(begin.elapsed().as_secs_f64());
        Ok(())
    }
}
