//! The paper's sampler: the iteration, in the order of its Algorithm 2.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use crate::chain::phi::{PhiSampler, phi_law};
use crate::chain::{Chain, Progress, Start, State};
use crate::corpus::{Corpus, Portion};
use crate::device::cpu::Cpu;
use crate::device::{AutoChoice, Device, Place, ZStep};
use crate::error::{Error, Result};
use crate::model::alias::TableBuilder;
use crate::model::counts::Counts;
use crate::model::dirichlet::DirichletRows;
use crate::model::over_ranks::RankReport;
use crate::model::z_counts::ZCounts;
use crate::params::{Params, PhiLaw};

/// A chain: z on its device, and the rest of the state on the host.
///
/// All parallel work runs on the rayon pool that the sampler was made in.
pub struct Sampler {
    state: State,
    device: Box<dyn Device>,
    phi_law: PhiLaw,
    phi: PhiSampler,
    tables: TableBuilder,
    counted: ZCounts,
    /// Where the CPU would take over.
    snapshot: Option<Start>,
    /// Whether it goes on when its device has left a GPU and nothing is lost.
    spares_gpu: bool,
    device_error: Option<Error>,
}

/// Iterations between copies of z to the host.
const SNAPSHOT_EVERY: u32 = 50;

impl Sampler {
    /// A chain at its initial state, with z on the CPU.
    ///
    /// # Errors
    /// When the memory is too small for the Φ that is asked for, or the parameters ask for another sampler.
    pub fn on_cpu(corpus: Arc<Corpus>, params: Params) -> Result<Self> {
        let start = Start::first(&corpus, &params);
        let phi = phi_law(&params)?;
        Self::open(corpus.into(), params, phi, start, &Place::cpu())
    }

    /// A chain at `start` with Φ of this law and z at `place`, or on the CPU, if that is in reserve.
    pub(super) fn open(
        portion: Portion,
        params: Params,
        phi: PhiLaw,
        start: Start,
        place: &Place,
    ) -> Result<Self> {
        let open = |corpus, params: &_, z| place.open(corpus, params, z);
        // The way back is made by all ranks or by none; where there is none to make, each goes on by itself.
        if place.cpu_in_reserve() && !portion.ranks.are_several() {
            Self::with_cpu_in_reserve(portion, params, phi, start, open)
        } else {
            let sampler = Self::with_device(portion, params, phi, start, open)?;
            Ok(Self { spares_gpu: place.cpu_in_reserve(), ..sampler })
        }
    }

    /// A chain at `start`. `make_device` is given the corpus, the parameters and the first z.
    pub(crate) fn with_device(
        portion: Portion,
        params: Params,
        phi_law: PhiLaw,
        start: Start,
        make_device: impl FnOnce(Arc<Corpus>, &Params, Vec<u16>) -> Result<Box<dyn Device>>,
    ) -> Result<Self> {
        let ranks = portion.ranks.clone();
        if phi_law == PhiLaw::Dirichlet {
            ranks.agree(DirichletRows::check(portion.corpus.vocab_size(), &params))?;
        }
        let (state, z) = State::new(portion, params, start);
        let device = ranks.agree(make_device(Arc::clone(&state.portion.corpus), &state.params, z))?;
        Ok(Self {
            phi: PhiSampler::new(phi_law, &state.params, &state.counts.n),
            phi_law,
            tables: TableBuilder::default(),
            counted: ZCounts::default(),
            snapshot: None,
            spares_gpu: false,
            device_error: None,
            state,
            device,
        })
    }

    /// As [`Self::with_device`], but the CPU takes the place of a device that fails, now or later;
    /// [`Self::take_device_error`] tells why.
    fn with_cpu_in_reserve(
        portion: Portion,
        params: Params,
        phi: PhiLaw,
        start: Start,
        make_device: impl FnOnce(Arc<Corpus>, &Params, Vec<u16>) -> Result<Box<dyn Device>>,
    ) -> Result<Self> {
        let reserve = start.clone();
        match Self::with_device(portion.clone(), params.clone(), phi, start, make_device) {
            Ok(sampler) => Ok(Self { snapshot: Some(reserve), spares_gpu: true, ..sampler }),
            Err(error) => {
                let sampler = Self::open(portion, params, phi, reserve, &Place::cpu())?;
                Ok(Self { device_error: Some(error), ..sampler })
            }
        }
    }

    fn take_snapshot(&mut self) -> Result<Start> {
        let z = self.device.z()?.into_owned();
        Ok(self.state.start_with(z))
    }

    /// Has every part take the K* of the state, which has grown.
    fn grow(&mut self) -> Result<()> {
        let State { params, counts, .. } = &self.state;
        self.phi = PhiSampler::new(self.phi_law, params, &counts.n);
        self.tables = TableBuilder::default();
        self.device.grow(params)
    }

    /// Goes back to the last z that the host holds and makes the iterations since then again, on the CPU, up to
    /// iteration `last`: the same draws, so the same state.
    fn replay_on_cpu(&mut self, snapshot: Start, error: Error, last: u32) -> Result<Option<Progress>> {
        self.device_error = Some(error);
        self.device.lose();
        self.counted = ZCounts::default();
        let z = self.state.go_back(snapshot);
        let State { portion, params, counts, .. } = &self.state;
        self.phi = PhiSampler::new(self.phi_law, params, &counts.n);
        self.device = Box::new(Cpu::new(Arc::clone(&portion.corpus), params, z));
        let mut progress = None;
        while self.state.iteration < last {
            progress = Some(self.try_step()?);
        }
        Ok(progress)
    }

    /// One iteration, in the paper's order.
    fn try_step(&mut self) -> Result<Progress> {
        let Self { state, device, phi, tables, counted, .. } = self;
        let State { portion, params, counts, psi, .. } = state;
        let iteration = state.iteration + 1;
        let (start, talk) = (Instant::now(), portion.ranks.talk());

        let (tables, phi_done) = phi.build_tables(tables, &counts.n, psi, params, iteration);
        let alias_done = start.elapsed().as_secs_f64();

        let (is_active, docs) = (counts.n.are_active(), 0..portion.corpus.num_docs());
        let z_step = ZStep { tables, iteration, is_active: &is_active, docs };
        device.submit_z(&z_step)?;
        if device.leaves_host_idle() {
            phi.draw_ahead(params, iteration + 1);
        }
        counted.resize(tables, params.k_star());
        let mut z = device.collect_z(&z_step, Some(counted))?;
        let sampled = Instant::now();
        let report = RankReport { stuck_tokens: z.stuck_tokens, z_seconds: z.z_seconds };
        let reports = counted.take_all_into(&portion.ranks, tables, counts, psi, report)?;
        z.stuck_tokens = reports.iter().map(|report| report.stuck_tokens).sum();
        check(&**device, counts, portion.num_tokens())?;
        let talk = portion.ranks.talk() - talk;
        z.count_seconds += sampled.elapsed().as_secs_f64() - talk.seconds;
        let z_done = start.elapsed().as_secs_f64();

        let (gpu_share, team) = (device.gpu_share(), device.team());
        state.iteration = iteration;
        if state.sample_l_and_psi(iteration) {
            self.grow()?;
        }
        let seconds = start.elapsed().as_secs_f64();
        Ok(Progress {
            iteration,
            seconds,
            phi_seconds: phi_done,
            alias_seconds: alias_done - phi_done,
            l_psi_seconds: seconds - z_done,
            z,
            gpu_share,
            team,
            talk,
            slowest_rank: RankReport::slowest(&reports),
        })
    }
}

/// Refuses counts that this device cannot have made of so many tokens.
fn check(device: &dyn Device, counts: &Counts, num_tokens: usize) -> Result<()> {
    let checked = if device.is_checked() { counts.check(num_tokens) } else { Ok(()) };
    checked.map_err(|problem| Error::device(&device.name(), &problem))
}

impl Chain for Sampler {
    /// One iteration.
    ///
    /// When the device fails and the CPU is in reserve, this iteration and all later ones are made
    /// on the CPU, and [`Self::take_device_error`] tells why.
    fn step(&mut self) -> Result<Progress> {
        let iteration = self.state.iteration + 1;
        let progress = match self.try_step() {
            Err(error) => match self.snapshot.take() {
                Some(snapshot) => {
                    return self.replay_on_cpu(snapshot, error, iteration).map(Option::unwrap_or_default);
                }
                None => return Err(error),
            },
            Ok(progress) => progress,
        };
        // Nothing is lost, but who wants no reserve wants to know.
        if !self.spares_gpu
            && let Some(error) = self.device.take_error()
        {
            return Err(error);
        }
        // The way back is kept short. A device that fails here fails in the next iteration too.
        if self.snapshot.as_ref().is_some_and(|old| self.state.iteration - old.iteration >= SNAPSHOT_EVERY)
            && let Ok(snapshot) = self.take_snapshot()
        {
            self.snapshot = Some(snapshot);
        }
        Ok(progress)
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn state_and_z(&mut self) -> Result<(&State, Cow<'_, [u16]>)> {
        match self.device.z() {
            Ok(Cow::Owned(z)) => return Ok((&self.state, Cow::Owned(z))),
            // Lent again below, where nothing else needs the device.
            Ok(Cow::Borrowed(_)) => {}
            Err(error) => {
                let Some(snapshot) = self.snapshot.take() else { return Err(error) };
                self.replay_on_cpu(snapshot, error, self.state.iteration)?;
            }
        }
        Ok((&self.state, self.device.z()?))
    }

    fn device_name(&self) -> String {
        self.device.name()
    }

    fn device_driver(&self) -> Option<String> {
        self.device.driver()
    }

    fn take_device_choice(&mut self) -> Option<AutoChoice> {
        self.device.take_choice()
    }

    fn take_device_error(&mut self) -> Option<Error> {
        self.device_error.take().or_else(|| self.device.take_error())
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::corpus::sample::sample;
    use crate::device::ZReport;
    use crate::params::{Init, Settings};

    /// A CPU that is lost, in a part of some iteration's z step or when z is asked for.
    struct Lost {
        cpu: Cpu,
        submits_in: u32,
        collects_in: u32,
        z_copies: u32,
    }

    const NEVER: u32 = u32::MAX;

    impl Lost {
        fn new(cpu: Cpu, (submits_in, collects_in, z_copies): (u32, u32, u32)) -> Self {
            Self { cpu, submits_in, collects_in, z_copies }
        }
    }

    fn lost<T>() -> Result<T> {
        Err(Error::Device { name: "lost".into(), problem: "is gone".into(), remedy: "none".into() })
    }

    impl Device for Lost {
        fn name(&self) -> String {
            "lost".into()
        }

        fn num_docs(&self) -> usize {
            self.cpu.num_docs()
        }

        fn submit_z(&mut self, step: &ZStep<'_>) -> Result<()> {
            if step.iteration == self.submits_in {
                return lost();
            }
            self.cpu.submit_z(step)
        }

        fn collect_z(&mut self, step: &ZStep<'_>, counts: Option<&mut ZCounts>) -> Result<ZReport> {
            if step.iteration == self.collects_in {
                return lost();
            }
            self.cpu.collect_z(step, counts)
        }

        fn leaves_host_idle(&self) -> bool {
            true
        }

        fn grow(&mut self, params: &Params) -> Result<()> {
            self.cpu.grow(params)
        }

        fn z(&mut self) -> Result<Cow<'_, [u16]>> {
            self.z_copies = self.z_copies.checked_sub(1).map_or_else(lost, Ok)?;
            Ok(Cow::Owned(self.cpu.z()?.into_owned()))
        }

        fn fetch_z(&mut self, docs: Range<usize>, z: &mut [u16]) -> Result<()> {
            self.cpu.fetch_z(docs, z)
        }

        fn send_z(&mut self, docs: Range<usize>, z: &[u16]) -> Result<()> {
            self.cpu.send_z(docs, z)
        }
    }

    fn corpus_and_params() -> (Arc<Corpus>, Params) {
        let params = Settings { init: Init::Random(20), ..Settings::paper() }.check().unwrap();
        (Arc::new(sample().corpus), params)
    }

    /// Five iterations with a device that is lost in an iteration, as it submits or collects, or gives away z only some times;
    /// the error, the last device and z.
    fn run(lost: (u32, u32, u32)) -> (Option<Error>, String, Vec<u16>) {
        let (corpus, params) = corpus_and_params();
        let start = Start::first(&corpus, &params);
        let make = |corpus, params: &Params, z| -> Result<Box<dyn Device>> {
            Ok(Box::new(Lost::new(Cpu::new(corpus, params, z), lost)))
        };
        let made = Sampler::with_cpu_in_reserve(corpus.into(), params, PhiLaw::Ppu, start, make);
        let mut sampler = made.unwrap();
        for iteration in 1..=5 {
            assert_eq!(sampler.step().unwrap().iteration, iteration);
        }
        let z = sampler.z().unwrap();
        (sampler.take_device_error(), sampler.device_name(), z)
    }

    #[test]
    fn the_cpu_takes_over_with_the_same_z() {
        let (error, device, expected) = run((NEVER, NEVER, NEVER));
        assert!(error.is_none() && device == "lost");
        // Lost in the first, a middle and the last iteration, and when the results are written.
        for lost in [
            (1, NEVER, NEVER),
            (3, NEVER, NEVER),
            (5, NEVER, NEVER),
            (NEVER, 1, NEVER),
            (NEVER, 3, NEVER),
            (NEVER, 5, NEVER),
            (NEVER, NEVER, 0),
        ] {
            let (error, device, z) = run(lost);
            assert!(error.is_some() && device.starts_with("cpu"), "{lost:?}");
            assert!(z == expected, "{lost:?}");
        }
    }

    #[test]
    fn what_the_host_draws_ahead_changes_nothing() {
        let (corpus, params) = corpus_and_params();
        let mut sampler = Sampler::on_cpu(corpus, params).unwrap();
        (0..5).for_each(|_| assert!(sampler.step().is_ok()));
        let (_, device, z) = run((NEVER, NEVER, NEVER));
        assert!(device == "lost" && z == sampler.z().unwrap());
    }

    #[test]
    fn without_a_reserve_the_failure_is_the_runs() {
        let params = Settings::paper().check().unwrap();
        let corpus = Arc::new(sample().corpus);
        let start = Start::first(&corpus, &params);
        let made = Sampler::with_device(corpus.into(), params, PhiLaw::Ppu, start, |corpus, params, z| {
            Ok(Box::new(Lost::new(Cpu::new(corpus, params, z), (2, NEVER, 0))))
        });
        let mut sampler = made.unwrap();
        assert!(sampler.step().is_ok() && sampler.step().is_err() && sampler.z().is_err());
    }
}
