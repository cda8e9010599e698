//! The z step on what is measured to be the fastest of the CPU, a GPU and both: all draw the same, so nothing is lost by trying.

mod choice;
mod judge;
mod trial;

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

pub use self::choice::AutoChoice;
use self::judge::{DivisionNow, Judge, Mode};
use self::trial::{Back, Opener, Task, Trial};
use super::hooks::Hooks;
use super::hybrid::{Division, Parts};
use super::{Device, Kernel, ZReport, ZStep};
use crate::error::{Error, Result};
use crate::model::z_counts::ZCounts;
use crate::params::Params;

/// The part of the tokens that a trial samples.
const TRIAL_SHARE: f64 = 0.02;

/// How long a trial may take before its GPU is taken to hang. Drivers compile for seconds, and a large corpus has to be sent.
const PATIENCE: Duration = Duration::from_secs(60);

/// K* and the entries of the tables have changed a lot when they have grown or shrunk by this factor.
const MUCH: f64 = 1.5;

/// The CPU, and a GPU that proves itself beside it before it has a share of the documents, or all.
pub(super) struct Auto {
    parts: Parts,
    division: Division,
    judge: Judge,
    /// The GPU as a person would name it.
    name: String,
    /// The team size that is asked for.
    team: Option<u32>,
    /// Where the GPU comes from, until it is first tried.
    open: Option<Opener>,
    /// The GPU while it is away.
    trial: Option<Trial>,
    patience: Duration,
    /// A larger K* that the GPU has no room for yet.
    grown: Option<Params>,
    /// K* and the entries of the tables when the judge last knew them.
    shape: Option<[f64; 2]>,
    choice: Option<AutoChoice>,
    error: Option<Error>,
}

impl Auto {
    /// The CPU, which has all topics, and a GPU that is opened in the background, with its name and the team size to use.
    pub(super) fn new(
        parts: Parts,
        name: String,
        team: Option<u32>,
        hooks: Hooks,
        open: impl FnOnce() -> Result<Box<dyn Device>> + Send + 'static,
    ) -> Self {
        Self {
            parts,
            division: Division::default(),
            judge: Judge::new(),
            name,
            team,
            open: Some(Box::new(open)),
            trial: None,
            patience: hooks.patience(PATIENCE),
            grown: None,
            shape: None,
            choice: None,
            error: None,
        }
    }

    /// Leaves a GPU that has no topics.
    fn leave_gpu(&mut self, error: Error) {
        (*self.parts.gpu_mut(), self.open, self.trial) = (None, None, None);
        self.error = Some(error);
        self.judge.lost_gpu();
        // The error says it all.
        self.judge.take_decided();
    }

    /// Takes the GPU back from a trial that has ended.
    fn poll(&mut self) {
        let Some(back) = self.trial.as_ref().and_then(Trial::poll) else { return };
        let trial = self.trial.take();
        match back {
            Err(error) => self.leave_gpu(error),
            Ok(Back { device, best, .. }) => {
                *self.parts.gpu_mut() = Some(device);
                let tokens = trial.map_or(0, |trial| self.parts.corpus().tokens_of(&trial.docs).len());
                let share = tokens as f64 / self.parts.corpus().num_tokens().max(1) as f64;
                let [cpu, ..] = self.judge.figures();
                if let Some(cpu) = cpu.filter(|_| share > 0.0) {
                    self.division = Division::by_times(best.seconds / share, cpu);
                }
                self.judge.tried(best.seconds);
            }
        }
    }

    /// Sends the GPU off with some documents of this step, which the CPU samples all.
    fn begin_trial(&mut self, step: &ZStep<'_>) -> Result<()> {
        let Some(open) = self.opener() else { return Ok(()) };
        let docs = 0..self.parts.split_at(TRIAL_SHARE).max(self.first_with_tokens());
        let tokens = self.parts.corpus().tokens_of(&docs);
        let task = Task {
            tables: step.tables.clone(),
            iteration: step.iteration,
            is_active: step.is_active.to_vec(),
            z: self.parts.z()?[tokens].to_vec(),
            docs,
            team: self.team,
        };
        self.trial = Some(Trial::begin(self.name.clone(), open, task, self.patience)?);
        Ok(())
    }

    /// The end of the first document that has tokens, if there is any.
    fn first_with_tokens(&self) -> usize {
        let starts = &self.parts.corpus().doc_start;
        starts.partition_point(|&start| start == 0).min(starts.len() - 1)
    }

    /// The GPU, to be made ready in another thread.
    fn opener(&mut self) -> Option<Opener> {
        let grown = self.grown.take();
        let open = match (self.open.take(), self.parts.gpu_mut().take()) {
            (Some(open), _) => open,
            (None, Some(gpu)) => Box::new(|| Ok(gpu)),
            (None, None) => return None,
        };
        Some(match grown {
            None => open,
            Some(params) => Box::new(move || {
                let mut gpu = open()?;
                gpu.grow(&params)?;
                Ok(gpu)
            }),
        })
    }

    /// Tells the judge when the step is no longer like the one that was judged.
    fn watch_shape(&mut self, step: &ZStep<'_>) {
        let now = [step.is_active.len(), step.tables.topic.len()].map(|size| size.max(1) as f64);
        let old = *self.shape.get_or_insert(now);
        if now.iter().zip(old).any(|(now, old)| *now > MUCH * old || *now < old / MUCH) {
            self.shape = Some(now);
            self.judge.changed();
        }
    }

    /// Where the GPU's part ends in the next step.
    fn split(&self) -> usize {
        match self.judge.mode() {
            _ if self.parts.gpu().is_none() => 0,
            Mode::Cpu => 0,
            Mode::Both => self.parts.split_at(self.division.share()),
            Mode::Gpu => self.num_docs(),
        }
    }

    /// Gives the GPU the topics of its next part, or takes them back.
    ///
    /// # Errors
    /// When the GPU fails and has topics that nobody else has.
    fn move_z(&mut self) -> Result<()> {
        let had_topics = self.parts.uses_gpu();
        let split = self.split();
        let grown = if split > 0 { self.grown.take() } else { None };
        let moved = match (grown, self.parts.gpu_mut()) {
            (Some(params), Some(gpu)) => gpu.grow(&params),
            _ => Ok(()),
        };
        match moved.and_then(|()| self.parts.set_split(split)) {
            Err(error) if had_topics => Err(error),
            Err(error) => {
                self.leave_gpu(error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// What was chosen, in figures.
    fn choice_now(&self, iteration: u32) -> AutoChoice {
        let [cpu_seconds, hybrid_seconds, gpu_seconds] = self.judge.figures();
        let (device, gpu_share) = match (self.judge.mode(), self.parts.gpu()) {
            (Mode::Both, Some(_)) => (super::hybrid::both_names(&self.name), self.division.share()),
            (Mode::Gpu, Some(_)) => (self.name.clone(), 1.0),
            _ => (super::cpu::name(), 0.0),
        };
        let team = self.parts.gpu().and_then(Device::team).filter(|_| gpu_share > 0.0);
        AutoChoice { iteration, device, gpu_share, team, cpu_seconds, hybrid_seconds, gpu_seconds }
    }
}

impl Device for Auto {
    fn name(&self) -> String {
        self.parts.name()
    }

    fn num_docs(&self) -> usize {
        self.parts.corpus().num_docs()
    }

    fn submit_z(&mut self, step: &ZStep<'_>) -> Result<()> {
        self.poll();
        self.watch_shape(step);
        self.move_z()?;
        if !self.parts.uses_gpu()
            && self.trial.is_none()
            && self.judge.take_trial_due()
            && let Err(error) = self.begin_trial(step)
        {
            self.leave_gpu(error);
        }
        self.parts.submit_z(step)
    }

    fn collect_z(&mut self, step: &ZStep<'_>, counts: Option<&mut ZCounts>) -> Result<ZReport> {
        let (report, times) = self.parts.collect_z(step, counts)?;
        if let Some(trial) = self.trial.as_mut().filter(|trial| trial.iteration == step.iteration) {
            let tokens = self.parts.corpus().tokens_of(&trial.docs);
            trial.expected = self.parts.z()?[tokens].to_vec();
        }
        if self.judge.mode() == Mode::Both {
            let parts = &self.parts;
            self.division.learn(&times, |share| parts.share_of(parts.split_at(share)));
        }
        let Self { division, judge, .. } = self;
        let (measured, is_settled) = (division.measured(), division.is_settled());
        let (gpu_seconds, cpu_seconds) = (division.gpu_seconds(), division.cpu_seconds());
        judge.learn(times.seconds, DivisionNow { measured, is_settled, gpu_seconds, cpu_seconds });
        if judge.take_decided() {
            self.choice = Some(self.choice_now(step.iteration));
        }
        Ok(report)
    }

    fn team(&self) -> Option<u32> {
        self.parts.gpu().filter(|_| self.parts.uses_gpu()).and_then(Device::team)
    }

    fn gpu_share(&self) -> f64 {
        self.parts.share()
    }

    fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }

    fn take_choice(&mut self) -> Option<AutoChoice> {
        self.choice.take()
    }

    fn is_checked(&self) -> bool {
        self.parts.uses_gpu()
    }

    fn leaves_host_idle(&self) -> bool {
        self.parts.uses_gpu()
    }

    fn grow(&mut self, params: &Params) -> Result<()> {
        self.parts.grow_cpu(params)?;
        self.grown = Some(params.clone());
        if self.parts.uses_gpu() {
            self.move_z()?;
            self.division.forget();
        }
        Ok(())
    }

    fn driver(&self) -> Option<String> {
        self.parts.gpu().filter(|_| self.parts.uses_gpu()).and_then(Device::driver)
    }

    fn kernel(&self) -> Option<Kernel> {
        self.parts.gpu().filter(|_| self.parts.uses_gpu()).and_then(Device::kernel)
    }

    fn z(&mut self) -> Result<Cow<'_, [u16]>> {
        self.parts.z()
    }

    fn fetch_z(&mut self, docs: Range<usize>, z: &mut [u16]) -> Result<()> {
        let tokens = self.parts.corpus().tokens_of(&docs);
        z.copy_from_slice(&self.parts.z()?[tokens]);
        Ok(())
    }

    fn send_z(&mut self, docs: Range<usize>, z: &[u16]) -> Result<()> {
        self.parts.send_z(docs, z)
    }
}
