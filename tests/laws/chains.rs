//! Chains to put to the test: the samplers as they are, and with one step wrong on purpose.

use std::sync::Arc;

use hdp_gpu::chain::Start;
use hdp_gpu::device::Device;
use hdp_gpu::device::cpu::Cpu;
use hdp_gpu::model::alias::TableBuilder;
use hdp_gpu::model::counts::Counts;
use hdp_gpu::model::dirichlet::DirichletRows;
use hdp_gpu::model::l;
use hdp_gpu::model::psi::Psi;
use hdp_gpu::params::{Algorithm, PhiLaw};
use hdp_gpu::{Chain, Corpus, Params, Sampler, Settings};

/// One step that is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutation {
    /// z is drawn with 2α.
    AlphaDoubled,
    /// l lacks its term j = 1, so that a document's first token of a topic is no global draw.
    NoFirstTable,
    /// The first stick is left out of the products that make the other Ψ_k.
    MissingStick,
}

impl Mutation {
    pub(crate) const ALL: [Self; 3] = [Self::AlphaDoubled, Self::NoFirstTable, Self::MissingStick];
}

/// A chain whose states can be seen.
pub(crate) trait Walk {
    /// One iteration.
    fn step(&mut self);

    /// z, l, Ψ and the number of iterations.
    fn now(&mut self) -> Start;
}

impl<C: Chain> Walk for C {
    fn step(&mut self) {
        Chain::step(self).expect("nothing fails here");
    }

    fn now(&mut self) -> Start {
        let z = self.z().expect("nothing fails here");
        Start { iteration: self.iteration(), z, l: self.l().to_vec(), psi: self.psi().clone() }
    }
}

/// The sampler with an exact Φ put together anew from its parts, so that one of them can be replaced.
pub(crate) struct Assembled {
    params: Params,
    mutation: Option<Mutation>,
    device: Box<dyn Device>,
    rows: DirichletRows,
    tables: TableBuilder,
    counts: Counts,
    l: Vec<u64>,
    psi: Psi,
    iteration: u32,
}

impl Assembled {
    /// Goes on from `start` with z on the CPU.
    pub(crate) fn on_cpu(
        corpus: &Arc<Corpus>,
        params: &Params,
        start: Start,
        mutation: Option<Mutation>,
    ) -> Self {
        assert_eq!(params.sampler, Algorithm::Ppu { phi: PhiLaw::Dirichlet });
        let device = Cpu::new(Arc::clone(corpus), params, start.z.clone());
        let Start { iteration, l, psi, .. } = start.clone();
        let counts = on_cpu(corpus, params, start).counts().clone();
        Self {
            rows: DirichletRows::new(&counts.n),
            tables: TableBuilder::default(),
            device: Box::new(device),
            params: params.clone(),
            mutation,
            counts,
            l,
            psi,
            iteration,
        }
    }
}

impl Walk for Assembled {
    fn step(&mut self) {
        let Self { params, mutation, device, rows, tables, counts, l, psi, iteration } = self;
        *iteration += 1;
        let alpha = if *mutation == Some(Mutation::AlphaDoubled) { 2.0 * params.alpha } else { params.alpha };
        let phi = rows.sample(&counts.n, psi, params, *iteration);
        device.sample_z(tables.build(phi, psi, alpha), *iteration, counts).expect("the CPU does not fail");
        *l = l::sample(&counts.d, psi, params, *iteration);
        if *mutation == Some(Mutation::NoFirstTable) {
            (0..).zip(&mut *l).for_each(|(k, l)| *l -= counts.d.docs(k));
        }
        *psi = Psi::sample(l, params, *iteration);
        if *mutation == Some(Mutation::MissingStick) {
            *psi = without_first_stick(psi);
        }
    }

    fn now(&mut self) -> Start {
        let z = self.device.z().expect("the CPU does not fail");
        Start { iteration: self.iteration, z, l: self.l.clone(), psi: self.psi.clone() }
    }
}

/// Ψ whose products lack 1 − ς_1, normalised so that it still is a distribution.
pub(crate) fn without_first_stick(psi: &Psi) -> Psi {
    let first = psi.psi[0];
    let rest = |k: usize| if k == 0 { 1.0 } else { 1.0 / (1.0 - first) };
    let total: f64 = psi.psi.iter().enumerate().map(|(k, psi)| psi * rest(k)).sum();
    let psi: Vec<f64> = psi.psi.iter().enumerate().map(|(k, psi)| psi * rest(k) / total).collect();
    Psi { ln_psi: psi.iter().map(|psi| psi.ln()).collect(), psi }
}

/// The sampler as it is, going on from `start` on the CPU.
pub(crate) fn on_cpu(corpus: &Arc<Corpus>, params: &Params, start: Start) -> Sampler {
    Sampler::resume(Arc::clone(corpus), params.clone(), start, |corpus, params, z| {
        Ok(Box::new(Cpu::new(corpus, params, z)))
    })
    .expect("the CPU does not fail")
}

/// The sampler as it is, going on from `start` on the GPU.
#[cfg(feature = "gpu")]
pub(crate) fn on_gpu(corpus: &Arc<Corpus>, params: &Params, start: Start) -> Sampler {
    use hdp_gpu::device::gpu::{Gpu, GpuOptions};
    Sampler::resume(Arc::clone(corpus), params.clone(), start, |corpus, params, z| {
        Ok(Box::new(Gpu::new(crate::gpu::adapter(), corpus, params, z, GpuOptions::default())?))
    })
    .expect("the GPU works")
}

/// What is put together here is the sampler, as long as nothing is made wrong.
#[test]
fn the_parts_make_the_sampler() {
    let corpus = Arc::new(hdp_gpu::corpus::sample::sample().corpus);
    let settings = Settings {
        max_topics: 40,
        init_topics: 10,
        sampler: Algorithm::Ppu { phi: PhiLaw::Dirichlet },
        ..Settings::paper()
    };
    let params = settings.check().expect("good settings");
    let start = Start::first(&corpus, &params);
    let mut sampler = on_cpu(&corpus, &params, start.clone());
    let mut assembled = Assembled::on_cpu(&corpus, &params, start.clone(), None);
    for _ in 0..3 {
        Walk::step(&mut sampler);
        assembled.step();
        assert!(sampler.now() == assembled.now(), "iteration {}", assembled.iteration);
    }
    for mutation in Mutation::ALL {
        let mut wrong = Assembled::on_cpu(&corpus, &params, start.clone(), Some(mutation));
        (0..3).for_each(|_| wrong.step());
        assert!(sampler.now() != wrong.now(), "{mutation:?} changes nothing");
    }
}
