//! A stand-in for a GPU, for tests and benches: it sleeps, fails or hangs as it is told, and else samples what the CPU would.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::cpu::Cpu;
use super::{Device, ZReport, ZStep};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::model::z_counts::ZCounts;
use crate::params::Params;

/// A part of a device's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Opening it.
    Open,
    /// The first part of a z step.
    Submit,
    /// Waiting for it.
    Wait,
    /// The second part.
    Collect,
    /// Sending topics to it.
    Send,
    /// Fetching topics from it.
    Fetch,
}

/// What a stand-in does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandIn {
    /// Seconds of every step, whatever it samples.
    pub fixed: f64,
    /// Seconds of a step with all tokens beyond that.
    pub all: f64,
    /// Seconds that every step takes up to an iteration, beyond that.
    pub cold: (u32, f64),
    /// Team sizes, and how many times as long a step takes with each.
    pub teams: &'static [(u32, f64)],
    /// What fails, and from which iteration on.
    pub fails: Option<(Work, u32)>,
    /// The iteration from which on it never comes back from a step.
    pub hangs: Option<u32>,
    /// The iteration from which on it draws other topics than the CPU.
    pub errs: Option<u32>,
    /// The largest share of the tokens that it samples; with more it does nothing but take its time, and so needs no core.
    pub samples: f64,
}

impl StandIn {
    /// A GPU without a fault that takes no time beyond what the CPU needs to play it.
    pub const PLAIN: Self = Self {
        fixed: 0.0,
        all: 0.0,
        cold: (0, 0.0),
        teams: &[],
        fails: None,
        hangs: None,
        errs: None,
        samples: 1.0,
    };

    /// Opens it.
    pub(super) fn open(self, corpus: Arc<Corpus>, params: &Params, z: Vec<u16>) -> Result<Box<dyn Device>> {
        let cpu = Cpu::new(Arc::clone(&corpus), params, z);
        let names = self.teams.iter().map(|&(team, _)| team).collect();
        let opened = Opened { corpus, cpu, script: self, team: 0, teams: names, iteration: 0, begun: None };
        opened.fails_at(Work::Open)?;
        Ok(Box::new(opened))
    }
}

struct Opened {
    corpus: Arc<Corpus>,
    cpu: Cpu,
    script: StandIn,
    team: usize,
    teams: Vec<u32>,
    /// The latest iteration.
    iteration: u32,
    /// When a step was begun, and its documents.
    begun: Option<(Instant, Range<usize>)>,
}

impl Opened {
    fn fails_at(&self, work: Work) -> Result<()> {
        match self.script.fails {
            Some((fails, from)) if fails == work && self.iteration >= from => {
                Err(Error::device(&self.name(), "is gone"))
            }
            _ => Ok(()),
        }
    }

    fn share(&self, docs: &Range<usize>) -> f64 {
        self.corpus.tokens_of(docs).len() as f64 / self.corpus.num_tokens().max(1) as f64
    }

    fn seconds(&self, docs: &Range<usize>) -> f64 {
        let StandIn { fixed, all, cold, teams, .. } = self.script;
        let factor = teams.get(self.team).map_or(1.0, |&(_, factor)| factor);
        let cold = if self.iteration <= cold.0 { cold.1 } else { 0.0 };
        factor * (fixed + all * self.share(docs)) + cold
    }

    /// Takes its time, or all time.
    fn see_through(&mut self) {
        if self.script.hangs.is_some_and(|from| self.iteration >= from) {
            sleep(Duration::MAX);
        }
        if let Some((begun, docs)) = self.begun.take() {
            let end = Duration::from_secs_f64(self.seconds(&docs));
            sleep(end.saturating_sub(begun.elapsed()));
        }
    }
}

impl Device for Opened {
    fn name(&self) -> String {
        super::choice::STAND_IN.to_owned()
    }

    fn num_docs(&self) -> usize {
        self.cpu.num_docs()
    }

    fn submit_z(&mut self, step: &ZStep<'_>) -> Result<()> {
        self.iteration = step.iteration;
        self.fails_at(Work::Submit)?;
        self.begun = Some((Instant::now(), step.docs.clone()));
        self.cpu.submit_z(step)
    }

    fn wait_z(&mut self) -> Result<()> {
        self.fails_at(Work::Wait)?;
        self.see_through();
        Ok(())
    }

    fn collect_z(&mut self, step: &ZStep<'_>, counts: Option<&mut ZCounts>) -> Result<ZReport> {
        self.fails_at(Work::Collect)?;
        self.see_through();
        if self.share(&step.docs) > self.script.samples {
            return Ok(ZReport::default());
        }
        let report = self.cpu.collect_z(step, counts)?;
        if self.script.errs.is_some_and(|from| self.iteration >= from) {
            let first = self.corpus.tokens_of(&step.docs).start;
            self.cpu.z_mut()[first] ^= 1;
        }
        Ok(report)
    }

    fn teams(&self) -> &[u32] {
        &self.teams
    }

    fn team(&self) -> Option<u32> {
        self.teams.get(self.team).copied()
    }

    fn set_team(&mut self, team: u32) {
        self.team = self.teams.iter().position(|&own| own == team).unwrap_or(self.team);
    }

    fn is_checked(&self) -> bool {
        true
    }

    fn leaves_host_idle(&self) -> bool {
        true
    }

    fn grow(&mut self, params: &Params) -> Result<()> {
        self.cpu.grow(params)
    }

    fn driver(&self) -> Option<String> {
        Some("none".into())
    }

    fn z(&mut self) -> Result<Cow<'_, [u16]>> {
        self.fails_at(Work::Fetch)?;
        Ok(Cow::Owned(self.cpu.z()?.into_owned()))
    }

    fn fetch_z(&mut self, docs: Range<usize>, z: &mut [u16]) -> Result<()> {
        self.fails_at(Work::Fetch)?;
        self.cpu.fetch_z(docs, z)
    }

    fn send_z(&mut self, docs: Range<usize>, z: &[u16]) -> Result<()> {
        self.fails_at(Work::Send)?;
        self.cpu.send_z(docs, z)
    }
}
