//! Chains to put to the test: the samplers as they are, and with one step wrong on purpose.

use std::sync::Arc;

use hdp_gpu::chain::{self, Start};
use hdp_gpu::device::{Device, Place};
use hdp_gpu::model::alias::TableBuilder;
use hdp_gpu::model::collapsed::CollapsedTopics;
use hdp_gpu::model::counts::Counts;
use hdp_gpu::model::dirichlet::DirichletRows;
use hdp_gpu::model::l;
use hdp_gpu::model::learn::Given;
use hdp_gpu::model::lengths::Lengths;
use hdp_gpu::model::phi::PoissonPolyaUrn;
use hdp_gpu::model::psi::Psi;
use hdp_gpu::params::{Algorithm, GammaPrior, Init, Learn, PhiLaw};
use hdp_gpu::{Chain, Corpus, Params, Settings};

use crate::law::usual_psi;
use crate::mutations::{self, Mutation, altered};

/// The paper's sampler without its approximation.
pub(crate) const EXACT: Algorithm = Algorithm::Ppu { phi: PhiLaw::Dirichlet };

/// A chain whose states can be seen.
pub(crate) trait Walk {
    /// One iteration.
    fn step(&mut self);

    /// z, l, Ψ and the number of iterations.
    fn now(&mut self) -> Start;
}

impl Walk for Box<dyn Chain> {
    fn step(&mut self) {
        Chain::step(&mut **self).expect("nothing fails here");
    }

    fn now(&mut self) -> Start {
        let z = self.z().expect("nothing fails here");
        Start {
            iteration: self.state().iteration(),
            z,
            l: self.state().l().to_vec(),
            psi: self.state().psi().clone(),
            concentrations: self.state().params().concentrations(),
        }
    }
}

/// A sampler put together anew from its parts, on the CPU, so that one of them can be replaced.
pub(crate) struct Assembled {
    corpus: Arc<Corpus>,
    params: Params,
    lengths: Lengths,
    mutation: Option<Mutation>,
    z_step: ZStep,
    counts: Counts,
    l: Vec<u64>,
    psi: Psi,
    iteration: u32,
}

/// The steps up to z, as each sampler has them.
enum ZStep {
    Urn(PoissonPolyaUrn, TableBuilder, Box<dyn Device>),
    Rows(DirichletRows, TableBuilder, Box<dyn Device>),
    Collapsed(CollapsedTopics),
}

impl ZStep {
    fn new(corpus: &Arc<Corpus>, params: &Params, z: Vec<u16>, counts: &Counts) -> Self {
        let cpu = |z| Place::cpu().open(Arc::clone(corpus), params, z).expect("the CPU does not fail");
        let tables = TableBuilder::default();
        match params.sampler() {
            Algorithm::Ppu { phi: PhiLaw::Ppu } => {
                Self::Urn(PoissonPolyaUrn::new(&counts.n, params), tables, cpu(z))
            }
            Algorithm::Ppu { phi: PhiLaw::Dirichlet } => {
                Self::Rows(DirichletRows::new(&counts.n), tables, cpu(z))
            }
            Algorithm::Direct => Self::Collapsed(CollapsedTopics::new(z, corpus)),
        }
    }

    fn sample(&mut self, corpus: &Corpus, psi: &Psi, params: &Params, iteration: u32, counts: &mut Counts) {
        let (tables, cpu) = match self {
            Self::Urn(urn, tables, cpu) => {
                (tables.build(urn.sample(&counts.n, params, iteration), psi, params.alpha()), cpu)
            }
            Self::Rows(rows, tables, cpu) => {
                (tables.build(rows.sample(&counts.n, psi, params, iteration), psi, params.alpha()), cpu)
            }
            Self::Collapsed(topics) => return topics.sample_z(corpus, psi, params, iteration, counts),
        };
        cpu.sample_z(tables, iteration, counts).expect("the CPU does not fail");
    }

    fn z(&mut self) -> Vec<u16> {
        match self {
            Self::Urn(_, _, cpu) | Self::Rows(_, _, cpu) => {
                cpu.z().expect("the CPU does not fail").into_owned()
            }
            Self::Collapsed(topics) => topics.z().to_vec(),
        }
    }
}

impl Assembled {
    /// Goes on from `start`.
    pub(crate) fn new(
        corpus: &Arc<Corpus>,
        params: &Params,
        start: Start,
        mutation: Option<Mutation>,
    ) -> Self {
        let Start { iteration, z, l, psi, concentrations } = start.clone();
        let mut params = params.clone();
        params.set_concentrations(concentrations);
        let counts = counts(corpus, &params, start);
        Self {
            z_step: ZStep::new(corpus, &params, z, &counts),
            corpus: Arc::clone(corpus),
            lengths: Lengths::of(&corpus.doc_start),
            params,
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
        let Self { corpus, params, lengths, mutation, z_step, counts, l, psi, iteration } = self;
        *iteration += 1;
        match mutation {
            Some(Mutation::AlphaDoubled) => {
                let params = altered(params, |settings| settings.alpha *= 2.0);
                z_step.sample(corpus, psi, &params, *iteration, counts);
            }
            _ => z_step.sample(corpus, psi, params, *iteration, counts),
        }
        *l = l::sample(&counts.d, psi, params, *iteration);
        if *mutation == Some(Mutation::NoFirstTable) {
            (0..).zip(&mut *l).for_each(|(k, l)| *l -= counts.d.docs(k));
        }
        let given = Given { n: &counts.n, l, psi, lengths, vocab_size: corpus.vocab_size() };
        params.set_concentrations(mutations::learn(*mutation, &given, params, *iteration));
        *psi = mutations::psi(*mutation, l, params, *iteration);
    }

    fn now(&mut self) -> Start {
        let z = self.z_step.z();
        Start {
            iteration: self.iteration,
            z,
            l: self.l.clone(),
            psi: self.psi.clone(),
            concentrations: self.params.concentrations(),
        }
    }
}

/// The counts of a state.
fn counts(corpus: &Arc<Corpus>, params: &Params, start: Start) -> Counts {
    let exact = altered(params, |settings| settings.sampler = EXACT);
    on_cpu(corpus, &exact, start).state().counts().clone()
}

/// The sampler that the parameters ask for, as it is, going on from `start` on the CPU.
pub(crate) fn as_it_is(corpus: &Arc<Corpus>, params: &Params, start: Start) -> Box<dyn Walk> {
    Box::new(on_cpu(corpus, params, start))
}

/// The chain that the parameters ask for, going on from `start` on the CPU.
pub(crate) fn on_cpu(corpus: &Arc<Corpus>, params: &Params, start: Start) -> Box<dyn Chain> {
    chain::open(Arc::clone(corpus), params.clone(), start, &Place::cpu()).expect("the CPU does not fail")
}

/// The sampler as it is, going on from `start` on the GPU.
#[cfg(feature = "gpu")]
pub(crate) fn on_gpu(corpus: &Arc<Corpus>, params: &Params, start: Start) -> Box<dyn Chain> {
    chain::open(Arc::clone(corpus), params.clone(), start, &crate::gpu::place()).expect("the GPU works")
}

/// What is put together here is the sampler, as long as nothing is made wrong.
#[test]
fn the_parts_make_the_samplers() {
    let corpus = Arc::new(hdp_gpu::corpus::sample::sample().corpus);
    for sampler in [EXACT, Algorithm::Ppu { phi: PhiLaw::Ppu }, Algorithm::Direct] {
        let psi = usual_psi(sampler);
        let learn = Learn {
            alpha: Some(GammaPrior::VAGUE),
            beta: Some(GammaPrior { shape: 2.0, rate: 200.0 }),
            gamma: Some(GammaPrior::VAGUE),
        };
        let init = Init::Random(10);
        let settings = Settings { max_topics: 40, init, sampler, psi, learn, ..Settings::paper() };
        let params = settings.check().expect("good settings");
        let start = Start::first(&corpus, &params);
        let mut chain = as_it_is(&corpus, &params, start.clone());
        let mut assembled = Assembled::new(&corpus, &params, start.clone(), None);
        for _ in 0..3 {
            chain.step();
            assembled.step();
            assert!(chain.now() == assembled.now(), "{sampler:?}, iteration {}", assembled.iteration);
        }
        // Too few tables are none that α could be learned from.
        let fixed = altered(&params, |settings| settings.learn = Learn::default());
        for mutation in Mutation::ALL {
            let mut right = Assembled::new(&corpus, &fixed, start.clone(), None);
            let mut wrong = Assembled::new(&corpus, &fixed, start.clone(), Some(mutation));
            for _ in 0..3 {
                right.step();
                wrong.step();
            }
            assert!(right.now() != wrong.now(), "{mutation:?} changes nothing in {sampler:?}");
        }
    }
}
