//! A trial of a GPU: it samples some documents in the background, with each of its team sizes, while the CPU samples all of them.
//!
//! Nobody waits for it and nothing depends on it, so a GPU that is slow, fails or hangs costs nothing. What it has sampled is
//! compared with the CPU's topics of the same step.

use std::ops::Range;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::device::hybrid::did_not_answer;
use crate::device::{Device, ZStep};
use crate::error::{Error, Result, caught};
use crate::model::alias::WordTables;

/// A device, from where it is.
pub(super) type Opener = Box<dyn FnOnce() -> Result<Box<dyn Device>> + Send>;

/// Each team size is measured twice: the first time it may have to be compiled.
const RUNS: u32 = 2;

/// A team size that takes this many times what another one has taken is not measured again.
const MUCH_SLOWER: f64 = 4.0;

/// How long the end of a run waits for a trial: a driver does not like to be left in the middle.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// The part of its patience that a trial is waited for when it is over.
const LAST_CHANCE: u32 = 100;

/// What a trial samples.
pub(super) struct Task {
    pub(super) tables: WordTables,
    pub(super) iteration: u32,
    pub(super) is_active: Vec<bool>,
    pub(super) docs: Range<usize>,
    /// The topics of these documents before the step.
    pub(super) z: Vec<u16>,
    /// The team size that is asked for, or else all are tried.
    pub(super) team: Option<u32>,
}

/// A team size, where there is a choice, and what it took, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) team: Option<u32>,
    pub(super) seconds: f64,
}

/// A device that is back.
pub(super) struct Back {
    pub(super) device: Box<dyn Device>,
    /// The best candidate, with which the device goes on, and what it has sampled; none if it was only opened.
    tried: Option<(Candidate, Vec<u16>)>,
}

impl Back {
    /// A device that is opened for what is known of it, with its best team size.
    pub(super) fn opened(open: Opener, team: Option<u32>) -> Result<Self> {
        let mut device = open()?;
        team.into_iter().for_each(|team| device.set_team(team));
        Ok(Self { device, tried: None })
    }

    /// The seconds of the best candidate, if it was tried.
    pub(super) fn seconds(&self) -> Option<f64> {
        self.tried.as_ref().map(|(best, _)| best.seconds)
    }
}

/// A trial that is under way.
pub(super) struct Trial {
    back: Receiver<Result<Back>>,
    begun: Instant,
    patience: Duration,
    /// The device as a person would name it.
    name: String,
    /// The step that the CPU samples meanwhile, its documents, and their topics after it.
    pub(super) iteration: u32,
    pub(super) docs: Range<usize>,
    pub(super) expected: Vec<u16>,
}

impl Trial {
    /// Begins a trial in a thread of its own, which has all that it needs. A device that is not back in time is taken to hang.
    pub(super) fn begin(name: String, open: Opener, task: Task, patience: Duration) -> Result<Self> {
        let (iteration, docs) = (task.iteration, task.docs.clone());
        let mut trial = Self::away(name, patience, move || task.run(open()?))?;
        (trial.iteration, trial.docs) = (iteration, docs);
        Ok(trial)
    }

    /// Has a device opened in a thread of its own.
    pub(super) fn open(name: String, open: Opener, team: Option<u32>, patience: Duration) -> Result<Self> {
        Self::away(name, patience, move || Back::opened(open, team))
    }

    fn away(
        name: String,
        patience: Duration,
        work: impl FnOnce() -> Result<Back> + Send + 'static,
    ) -> Result<Self> {
        let (sender, back) = channel();
        let work = move || {
            // Nobody listens any more when the device was taken to hang.
            drop(sender.send(caught(work)));
        };
        let spawned = thread::Builder::new().name("trial".into()).spawn(work);
        spawned.map_err(|error| Error::device(&name, &format!("cannot be tried: {error}")))?;
        let begun = Instant::now();
        Ok(Self { back, begun, patience, name, iteration: 0, docs: 0..0, expected: Vec::new() })
    }

    /// The device, if it is back.
    ///
    /// # Errors
    /// When it has failed, has not sampled what the CPU has, or is taken to hang; then it is lost.
    pub(super) fn poll(&self) -> Option<Result<Back>> {
        let is_late = self.begun.elapsed() > self.patience;
        // Time that the process was stopped counts for nothing, so the device has a last chance.
        let wait = if is_late { self.patience / LAST_CHANCE } else { Duration::ZERO };
        match self.back.recv_timeout(wait) {
            Ok(back) => Some(back.and_then(|back| self.checked(back))),
            Err(RecvTimeoutError::Disconnected) => Some(Err(self.failure("its trial ended without a word"))),
            Err(RecvTimeoutError::Timeout) if is_late => Some(Err(did_not_answer(&self.name, self.patience))),
            Err(RecvTimeoutError::Timeout) => None,
        }
    }

    fn checked(&self, back: Back) -> Result<Back> {
        match &back.tried {
            Some((_, z)) if *z != self.expected => Err(self.failure("sampled other topics than the CPU")),
            _ => Ok(back),
        }
    }

    fn failure(&self, problem: &str) -> Error {
        Error::device(&self.name, problem)
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        let left = self.patience.saturating_sub(self.begun.elapsed()).min(LAST_WAIT);
        if let Err(RecvTimeoutError::Timeout) = self.back.recv_timeout(left) {
            // It hangs, and its thread keeps it.
        }
    }
}

impl Task {
    /// Tries every team size on the device, and leaves the best one set.
    fn run(self, mut device: Box<dyn Device>) -> Result<Back> {
        let teams = match self.team {
            Some(team) => vec![Some(team)],
            None if device.teams().is_empty() => vec![None],
            None => device.teams().iter().copied().map(Some).collect(),
        };
        let mut best: Option<Candidate> = None;
        let mut z = self.z.clone();
        for team in teams {
            team.into_iter().for_each(|team| device.set_team(team));
            for _ in 0..RUNS {
                let seconds = self.sample(&mut *device)?;
                if best.is_none_or(|best| seconds < best.seconds) {
                    best = Some(Candidate { team, seconds });
                } else if best.is_some_and(|best| seconds > MUCH_SLOWER * best.seconds) {
                    break;
                }
            }
        }
        device.fetch_z(self.docs.clone(), &mut z)?;
        let best = best.ok_or_else(|| Error::internal("a device without team sizes was tried"))?;
        best.team.into_iter().for_each(|team| device.set_team(team));
        Ok(Back { device, tried: Some((best, z)) })
    }

    /// Samples the documents from their topics before the step; returns the seconds from the submission to the end.
    fn sample(&self, device: &mut dyn Device) -> Result<f64> {
        let Self { tables, iteration, is_active, docs, z, .. } = self;
        let step = ZStep { tables, iteration: *iteration, is_active, docs: docs.clone() };
        device.send_z(docs.clone(), z)?;
        let begin = Instant::now();
        device.submit_z(&step)?;
        device.wait_z()?;
        let seconds = begin.elapsed().as_secs_f64();
        device.collect_z(&step, None)?;
        Ok(seconds)
    }
}
