//! The iteration, in the paper's order (Algorithm 2).

use std::sync::Arc;
use std::time::Instant;

use crate::corpus::Corpus;
use crate::device::cpu::Cpu;
use crate::device::{Device, Kernel, ZReport};
use crate::error::{Error, Result};
use crate::model::alias::TableBuilder;
use crate::model::counts::{Counts, word_blocks, word_tokens};
use crate::model::likelihood::{Likelihood, LogLikelihood};
use crate::model::phi::PoissonPolyaUrn;
use crate::model::psi::Psi;
use crate::model::recount::recount;
use crate::model::{init, l};
use crate::params::Params;

/// A chain: z on its device, and the rest of the state on the host.
///
/// All parallel work runs on the rayon pool that the sampler was made in.
pub struct Sampler {
    corpus: Arc<Corpus>,
    params: Params,
    device: Box<dyn Device>,
    counts: Counts,
    urn: PoissonPolyaUrn,
    tables: TableBuilder,
    l: Vec<u64>,
    psi: Psi,
    likelihood: Likelihood,
    iteration: u32,
    /// Where the CPU would take over.
    snapshot: Option<Snapshot>,
    device_error: Option<Error>,
}

/// Iterations between copies of z to the host.
const SNAPSHOT_EVERY: u32 = 50;

/// A state to go back to.
struct Snapshot {
    iteration: u32,
    z: Vec<u16>,
    psi: Psi,
}

/// What one iteration has to tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// The iteration that has ended.
    pub iteration: u32,
    /// Time of the whole iteration.
    pub seconds: f64,
    /// Time of step 1.
    pub phi_seconds: f64,
    /// Time of step 2.
    pub alias_seconds: f64,
    /// Time of steps 4 and 5.
    pub l_psi_seconds: f64,
    /// Step 3.
    pub z: ZReport,
}

impl Sampler {
    /// A chain at its initial state, with z on the CPU.
    ///
    /// # Errors
    /// None: the CPU does not fail.
    pub fn on_cpu(corpus: Arc<Corpus>, params: Params) -> Result<Self> {
        Self::new(corpus, params, |corpus, params, z| Ok(Box::new(Cpu::new(corpus, params, z))))
    }

    /// A chain at its initial state. `make_device` is given the corpus, the parameters and the first z.
    ///
    /// # Errors
    /// When the device fails.
    pub fn new(
        corpus: Arc<Corpus>,
        params: Params,
        make_device: impl FnOnce(Arc<Corpus>, &Params, Vec<u16>) -> Result<Box<dyn Device>>,
    ) -> Result<Self> {
        let z = init::init_z(corpus.num_tokens(), &params);
        let blocks = word_blocks(&word_tokens(&corpus.w, corpus.vocab_size()));
        let mut counts = Counts::new(&blocks, params.k_star());
        recount(&corpus, &z, &mut counts);
        let l = l::first(&counts.d, &params);
        let psi = Psi::sample(&l, &params, 0);
        let device = make_device(Arc::clone(&corpus), &params, z)?;
        Ok(Self {
            urn: PoissonPolyaUrn::new(&counts.n, &params),
            tables: TableBuilder::default(),
            likelihood: Likelihood::new(&corpus, &params),
            iteration: 0,
            snapshot: None,
            device_error: None,
            corpus,
            params,
            device,
            counts,
            l,
            psi,
        })
    }

    /// As [`Self::new`], but the CPU takes the place of a device that fails, now or later;
    /// [`Self::take_device_error`] tells why.
    ///
    /// # Errors
    /// None: the CPU does not fail.
    pub fn with_cpu_in_reserve(
        corpus: Arc<Corpus>,
        params: Params,
        make_device: impl FnOnce(Arc<Corpus>, &Params, Vec<u16>) -> Result<Box<dyn Device>>,
    ) -> Result<Self> {
        let made = Self::new(Arc::clone(&corpus), params.clone(), make_device);
        let allowed = made.and_then(|mut sampler| sampler.allow_replay().map(|()| sampler));
        allowed.or_else(|error| {
            let mut sampler = Self::on_cpu(corpus, params)?;
            sampler.device_error = Some(error);
            Ok(sampler)
        })
    }

    /// Has the CPU take over should the device fail: the host keeps a z to go back to.
    ///
    /// # Errors
    /// When the device fails.
    pub fn allow_replay(&mut self) -> Result<()> {
        if self.device.can_fail() {
            self.snapshot = Some(self.take_snapshot()?);
        }
        Ok(())
    }

    /// One iteration.
    ///
    /// When the device fails and [`Self::allow_replay`] was called, this iteration and all later ones are made
    /// on the CPU, and [`Self::take_device_error`] tells why.
    ///
    /// # Errors
    /// When the device fails and the CPU may not take over.
    pub fn step(&mut self) -> Result<Progress> {
        let progress = match self.try_step() {
            Err(error) => match self.snapshot.take() {
                Some(snapshot) => {
                    let failed = self.iteration + 1;
                    return self.replay_on_cpu(snapshot, error, failed).map(Option::unwrap_or_default);
                }
                None => return Err(error),
            },
            Ok(progress) => progress,
        };
        // The way back is kept short. A device that fails here fails in the next iteration too.
        if self.snapshot.as_ref().is_some_and(|old| self.iteration - old.iteration >= SNAPSHOT_EVERY)
            && let Ok(snapshot) = self.take_snapshot()
        {
            self.snapshot = Some(snapshot);
        }
        Ok(progress)
    }

    fn take_snapshot(&mut self) -> Result<Snapshot> {
        Ok(Snapshot { iteration: self.iteration, z: self.device.z()?, psi: self.psi.clone() })
    }

    /// Goes back to the last z that the host holds and makes the iterations since then again, on the CPU, up to
    /// iteration `last`: the same draws, so the same state.
    fn replay_on_cpu(&mut self, snapshot: Snapshot, error: Error, last: u32) -> Result<Option<Progress>> {
        self.device_error = Some(error);
        recount(&self.corpus, &snapshot.z, &mut self.counts);
        self.psi = snapshot.psi;
        self.iteration = snapshot.iteration;
        self.device = Box::new(Cpu::new(Arc::clone(&self.corpus), &self.params, snapshot.z));
        let mut progress = None;
        while self.iteration < last {
            progress = Some(self.try_step()?);
        }
        Ok(progress)
    }

    /// Why the device was left for the CPU, once.
    pub fn take_device_error(&mut self) -> Option<Error> {
        self.device_error.take()
    }

    /// One iteration, in the paper's order.
    fn try_step(&mut self) -> Result<Progress> {
        let Self { params, device, counts, urn, tables, .. } = self;
        let iteration = self.iteration + 1;
        let start = Instant::now();

        let phi = urn.sample(&counts.n, params, iteration);
        let phi_done = start.elapsed().as_secs_f64();

        let tables = tables.build(phi, &self.psi, params.alpha);
        let alias_done = start.elapsed().as_secs_f64();

        let z = device.sample_z(tables, iteration, counts)?;
        let z_done = start.elapsed().as_secs_f64();

        self.l = l::sample(&counts.d, &self.psi, params, iteration);
        self.psi = Psi::sample(&self.l, params, iteration);
        let seconds = start.elapsed().as_secs_f64();

        self.iteration = iteration;
        Ok(Progress {
            iteration,
            seconds,
            phi_seconds: phi_done,
            alias_seconds: alias_done - phi_done,
            l_psi_seconds: seconds - z_done,
            z,
        })
    }

    /// The log-likelihoods of the current state.
    pub fn log_likelihood(&self) -> LogLikelihood {
        self.likelihood.of(&self.counts, &self.psi, &self.params)
    }

    /// The iterations done.
    pub fn iteration(&self) -> u32 {
        self.iteration
    }

    /// The corpus.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// n and d of the current z.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// l.
    pub fn l(&self) -> &[u64] {
        &self.l
    }

    /// Ψ.
    pub fn psi(&self) -> &Psi {
        &self.psi
    }

    /// Tokens in the last represented topic: any at all mean that K* is too small (unless K* is 1).
    pub fn flag_topic_tokens(&self) -> u64 {
        *self.counts.n.topic_tokens.last().expect("K* is at least 1")
    }

    /// A copy of z.
    ///
    /// # Errors
    /// When the device fails and the CPU may not take over.
    pub fn z(&mut self) -> Result<Vec<u16>> {
        match (self.device.z(), self.snapshot.take()) {
            (Err(error), Some(snapshot)) => {
                self.replay_on_cpu(snapshot, error, self.iteration)?;
                self.device.z()
            }
            (z, snapshot) => {
                self.snapshot = snapshot;
                z
            }
        }
    }

    /// The device as a person would name it.
    pub fn device_name(&self) -> String {
        self.device.name()
    }

    /// Its driver, when it has one.
    pub fn device_driver(&self) -> Option<String> {
        self.device.driver()
    }

    /// The kernel that it runs, when it has several.
    pub fn kernel(&self) -> Option<Kernel> {
        self.device.kernel()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::sample::sample;
    use crate::model::alias::WordTables;
    use crate::params::Settings;

    /// A CPU that is lost, in some iteration or when z is asked for.
    struct Lost {
        cpu: Cpu,
        in_iteration: u32,
        z_copies: u32,
    }

    fn lost<T>() -> Result<T> {
        Err(Error::Device { name: "lost".into(), problem: "is gone".into(), remedy: "none".into() })
    }

    impl Device for Lost {
        fn name(&self) -> String {
            "lost".into()
        }

        fn can_fail(&self) -> bool {
            true
        }

        fn sample_z(&mut self, tables: &WordTables, iteration: u32, counts: &mut Counts) -> Result<ZReport> {
            if iteration == self.in_iteration {
                return lost();
            }
            self.cpu.sample_z(tables, iteration, counts)
        }

        fn z(&mut self) -> Result<Vec<u16>> {
            self.z_copies = self.z_copies.checked_sub(1).map_or_else(lost, Ok)?;
            self.cpu.z()
        }
    }

    /// A few iterations with a device that gives away z some times and is lost in an iteration; the error, the
    /// last device and z.
    fn run(in_iteration: u32, z_copies: u32, iterations: u32) -> (Option<Error>, String, Vec<u16>) {
        let params = Settings { init_topics: 20, ..Settings::paper() }.check().unwrap();
        let mut sampler =
            Sampler::with_cpu_in_reserve(Arc::new(sample().corpus), params, |corpus, params, z| {
                Ok(Box::new(Lost { cpu: Cpu::new(corpus, params, z), in_iteration, z_copies }))
            })
            .unwrap();
        for iteration in 1..=iterations {
            assert_eq!(sampler.step().unwrap().iteration, iteration);
        }
        let z = sampler.z().unwrap();
        (sampler.take_device_error(), sampler.device_name(), z)
    }

    #[test]
    fn the_cpu_takes_over_with_the_same_z() {
        const NEVER: u32 = u32::MAX;
        let (error, device, expected) = run(NEVER, NEVER, 5);
        assert!(error.is_none() && device == "lost");
        // Lost at the start, in the first, a middle and the last iteration, and when the results are written.
        for (in_iteration, z_copies) in [(NEVER, 0), (1, NEVER), (3, NEVER), (5, NEVER), (NEVER, 1)] {
            let (error, device, z) = run(in_iteration, z_copies, 5);
            assert!(error.is_some() && device.starts_with("cpu"), "{in_iteration} {z_copies}");
            assert!(z == expected, "{in_iteration} {z_copies}");
        }
    }

    #[test]
    fn without_a_reserve_the_failure_is_the_runs() {
        let params = Settings::paper().check().unwrap();
        let made = Sampler::new(Arc::new(sample().corpus), params, |corpus, params, z| {
            Ok(Box::new(Lost { cpu: Cpu::new(corpus, params, z), in_iteration: 2, z_copies: 0 }))
        });
        let mut sampler = made.unwrap();
        assert!(sampler.step().is_ok() && sampler.step().is_err() && sampler.z().is_err());
    }
}
