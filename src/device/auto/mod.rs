//! The z step on what is measured to be the fastest of the CPU, a GPU and both: all draw the same, so nothing is lost by trying.

mod choice;
mod judge;
mod memory;
mod trial;

pub use self::choice::AutoChoice;
use self::judge::{DivisionNow, Judge, Mode};
pub(super) use self::memory::Memory;
use self::memory::{Learnt, Shape};
use self::trial::{Opener, Task, Trial};
use super::hybrid::{Division, Parts, Policy, Times, both_names};
use super::{Device, ZStep};
use crate::error::{Error, Result};
use crate::params::Params;

/// The part of the tokens that a trial samples.
const TRIAL_SHARE: f64 = 0.02;

/// The policy of `auto`: the CPU, and a GPU that proves itself beside it before it has a share of the documents, or all.
pub(super) struct Auto {
    division: Division,
    judge: Judge,
    /// The team size that is asked for.
    asked_team: Option<u32>,
    /// The team size that was found to be the best.
    best_team: Option<u32>,
    /// Where the GPU comes from, until it is first needed.
    open: Option<Opener>,
    /// The GPU while it is away.
    trial: Option<Trial>,
    /// Whether it is away to be opened for a choice that stands.
    is_returning: bool,
    /// A larger K* that the GPU has no room for yet.
    grown: Option<Params>,
    /// The shape of the steps when the judge last knew it; none before the first step.
    shape: Option<Shape>,
    memory: Memory,
    choice: Option<AutoChoice>,
    error: Option<Error>,
}

impl Auto {
    /// A GPU that is opened in the background, with the team size that is asked for and what is known from before.
    pub(super) fn new(
        asked_team: Option<u32>,
        memory: Memory,
        open: impl FnOnce() -> Result<Box<dyn Device>> + Send + 'static,
    ) -> Self {
        Self {
            division: Division::default(),
            judge: Judge::new(),
            asked_team,
            best_team: None,
            open: Some(Box::new(open)),
            trial: None,
            is_returning: false,
            grown: None,
            shape: None,
            memory,
            choice: None,
            error: None,
        }
    }

    /// Leaves a GPU that has no topics.
    fn leave_gpu(&mut self, parts: &mut Parts, error: Error) {
        self.error = Some(error);
        self.memory.lose();
        self.leave_lost_gpu(parts);
    }

    /// Leaves a GPU of which is known that it fails.
    fn leave_lost_gpu(&mut self, parts: &mut Parts) {
        (*parts.gpu_mut(), self.open, self.trial) = (None, None, None);
        self.is_returning = false;
        self.judge.lost_gpu();
        // The error says it all.
        self.judge.take_decided();
    }

    /// Takes the GPU back from a trial that has ended.
    fn poll(&mut self, parts: &mut Parts) {
        let Some(back) = self.trial.as_ref().and_then(Trial::poll) else { return };
        let trial = self.trial.take();
        let back = match back {
            Err(error) => return self.leave_gpu(parts, error),
            Ok(back) => back,
        };
        self.is_returning = false;
        if let Some(seconds) = back.seconds() {
            let tokens = trial.map_or(0, |trial| parts.corpus().tokens_of(&trial.docs).len());
            let share = tokens as f64 / parts.corpus().num_tokens().max(1) as f64;
            let of_all = seconds / share;
            let [cpu, ..] = self.judge.figures();
            if let Some(cpu) = cpu.filter(|_| share > 0.0) {
                self.division = Division::by_times(of_all, cpu);
            }
            self.judge.tried(seconds, of_all);
        }
        self.best_team = back.device.team();
        *parts.gpu_mut() = Some(back.device);
    }

    /// Sends the GPU off with some documents of this step, which the CPU samples all.
    fn begin_trial(&mut self, parts: &mut Parts, step: &ZStep<'_>) -> Result<()> {
        let Some(open) = self.opener(parts) else { return Ok(()) };
        let docs = 0..parts.split_at(TRIAL_SHARE).max(first_with_tokens(parts));
        let tokens = parts.corpus().tokens_of(&docs);
        let task = Task {
            tables: step.tables.clone(),
            iteration: step.iteration,
            is_active: step.is_active.to_vec(),
            z: parts.z()?[tokens].to_vec(),
            docs,
            team: self.asked_team,
        };
        self.trial = Some(Trial::begin(parts.gpu_name().to_owned(), open, task, parts.patience())?);
        Ok(())
    }

    /// The GPU, to be made ready in another thread.
    fn opener(&mut self, parts: &mut Parts) -> Option<Opener> {
        let grown = self.grown.take();
        let open = match (self.open.take(), parts.gpu_mut().take()) {
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

    /// Begins with what is known of steps of this shape, if anything is; a GPU that is part of it is opened in the background.
    fn begin(&mut self, parts: &mut Parts, shape: Shape) -> Result<()> {
        self.shape = Some(shape);
        if self.memory.is_lost() {
            self.leave_lost_gpu(parts);
        } else if let Some(learnt) = self.memory.recall(&shape) {
            self.shape = Some(learnt.shape);
            (self.judge, self.best_team) = (learnt.judge.recalled(), learnt.team);
            self.division = learnt.division;
            self.division.forget();
            if self.judge.mode() != Mode::Cpu
                && let Some(open) = self.opener(parts)
            {
                let name = parts.gpu_name().to_owned();
                self.trial = Some(Trial::open(name, open, self.best_team, parts.patience())?);
                self.is_returning = true;
            }
        }
        Ok(())
    }

    /// Looks up what is known when a step is the first one, and tells the judge when it is no longer like the one that was judged.
    fn watch_shape(&mut self, parts: &mut Parts, step: &ZStep<'_>) {
        let now = Shape::of(step, parts.corpus());
        match self.shape {
            None => {
                if let Err(error) = self.begin(parts, now) {
                    self.leave_gpu(parts, error);
                }
            }
            Some(old) if !now.is_like(&old) => {
                self.shape = Some(now);
                self.judge.changed();
            }
            Some(_) => {}
        }
    }

    /// Where the GPU's part ends in the next step.
    fn split(&self, parts: &Parts) -> usize {
        match self.judge.mode() {
            _ if parts.gpu().is_none() => 0,
            Mode::Cpu => 0,
            Mode::Both => parts.split_at(self.division.share()),
            Mode::Gpu => parts.corpus().num_docs(),
        }
    }

    /// Gives the GPU the topics of its next part, or takes them back.
    ///
    /// # Errors
    /// When the GPU fails and has topics that nobody else has.
    fn move_z(&mut self, parts: &mut Parts) -> Result<()> {
        let had_topics = parts.uses_gpu();
        let split = self.split(parts);
        let grown = if split > 0 { self.grown.take() } else { None };
        let moved = match (grown, parts.gpu_mut()) {
            (Some(params), Some(gpu)) => gpu.grow(&params),
            _ => Ok(()),
        };
        match moved.and_then(|()| parts.set_split(split)) {
            Err(error) if had_topics => Err(error),
            Err(error) => {
                self.leave_gpu(parts, error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// What was chosen, in figures.
    fn choice_now(&self, parts: &Parts, iteration: u32) -> AutoChoice {
        let [cpu_seconds, hybrid_seconds, gpu_seconds] = self.judge.figures();
        let (device, gpu_share) = match (self.judge.mode(), parts.gpu()) {
            (Mode::Both, Some(_)) => (both_names(parts.gpu_name()), self.division.share()),
            (Mode::Gpu, Some(_)) => (parts.gpu_name().to_owned(), 1.0),
            _ => (super::cpu::name(), 0.0),
        };
        let team = self.best_team.filter(|_| gpu_share > 0.0);
        AutoChoice { iteration, device, gpu_share, team, cpu_seconds, hybrid_seconds, gpu_seconds }
    }
}

/// The end of the first document that has tokens, if there is any.
fn first_with_tokens(parts: &Parts) -> usize {
    let starts = &parts.corpus().doc_start;
    starts.partition_point(|&start| start == 0).min(starts.len() - 1)
}

impl Policy for Auto {
    fn name(&self, parts: &Parts) -> String {
        parts.name()
    }

    fn has_gpu(&self, parts: &Parts) -> bool {
        parts.uses_gpu()
    }

    fn prepare(&mut self, parts: &mut Parts, step: &ZStep<'_>) -> Result<()> {
        self.poll(parts);
        self.watch_shape(parts, step);
        self.move_z(parts)?;
        if !parts.uses_gpu()
            && self.trial.is_none()
            && self.judge.take_trial_due()
            && let Err(error) = self.begin_trial(parts, step)
        {
            self.leave_gpu(parts, error);
        }
        Ok(())
    }

    fn learn(&mut self, parts: &mut Parts, step: &ZStep<'_>, times: &Times) -> Result<()> {
        if self.is_returning {
            // The CPU stands in for what was chosen.
            return Ok(());
        }
        if let Some(trial) = self.trial.as_mut().filter(|trial| trial.iteration == step.iteration) {
            let tokens = parts.corpus().tokens_of(&trial.docs);
            trial.expected = parts.z()?[tokens].to_vec();
        }
        if self.judge.mode() == Mode::Both {
            self.division.learn(times, |share| parts.share_of(parts.split_at(share)));
        }
        let Self { division, judge, .. } = self;
        let (measured, is_settled) = (division.measured(), division.is_settled());
        let (gpu_seconds, cpu_seconds) = (division.gpu_seconds(), division.cpu_seconds());
        judge.learn(times.seconds, DivisionNow { measured, is_settled, gpu_seconds, cpu_seconds });
        if judge.take_decided() {
            self.choice = Some(self.choice_now(parts, step.iteration));
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.division.forget();
    }

    fn grow(&mut self, parts: &mut Parts, params: &Params) -> Result<()> {
        self.grown = Some(params.clone());
        if parts.uses_gpu() {
            self.move_z(parts)?;
            self.division.forget();
        }
        Ok(())
    }

    fn lose(&mut self) {
        self.memory.lose();
    }

    fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }

    fn take_choice(&mut self) -> Option<AutoChoice> {
        self.choice.take()
    }
}

impl Drop for Auto {
    /// What was chosen is there for the next chain, or for this one when its turn comes again.
    fn drop(&mut self) {
        if let Some(shape) = self.shape.filter(|_| self.judge.is_steady()) {
            let Self { judge, division, best_team, .. } = self;
            let (judge, division, team) = (judge.clone(), division.clone(), *best_team);
            self.memory.keep(Learnt { shape, judge, division, team });
        }
    }
}
