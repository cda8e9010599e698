//! The z step on a GPU and the CPU at once: each has some of the documents, and a policy says which.

mod divided;
mod division;
mod parts;
mod waiter;

use std::borrow::Cow;
use std::ops::Range;

pub(super) use self::divided::Divided;
pub(super) use self::division::Division;
pub(super) use self::parts::{Parts, Times, both_names, did_not_answer};
use super::{AutoChoice, Device, ZReport, ZStep};
use crate::error::{Error, Result};
use crate::model::z_counts::ZCounts;
use crate::params::Params;

/// How the documents are divided between a GPU and the CPU, from step to step.
pub(super) trait Policy: Send {
    /// The devices as a person would name them.
    fn name(&self, parts: &Parts) -> String;

    /// Whether the GPU is one of them.
    fn has_gpu(&self, parts: &Parts) -> bool;

    /// Gives each part the topics that it needs for a step.
    ///
    /// # Errors
    /// When the GPU fails and has topics that nobody else has.
    fn prepare(&mut self, parts: &mut Parts, step: &ZStep<'_>) -> Result<()>;

    /// Learns what a step took.
    ///
    /// # Errors
    /// When the GPU fails.
    fn learn(&mut self, parts: &mut Parts, step: &ZStep<'_>, times: &Times) -> Result<()>;

    /// Measures anew: the GPU is not what it was.
    fn forget(&mut self);

    /// Makes room for topics up to the larger K* of `params` on the GPU; the CPU has it.
    ///
    /// # Errors
    /// When the GPU fails.
    fn grow(&mut self, parts: &mut Parts, params: &Params) -> Result<()>;

    /// The GPU has failed with topics that nobody else had, and is left.
    fn lose(&mut self) {}

    /// As [`Device::take_error`].
    fn take_error(&mut self) -> Option<Error> {
        None
    }

    /// As [`Device::take_choice`].
    fn take_choice(&mut self) -> Option<AutoChoice> {
        None
    }
}

/// z on a GPU and on the CPU.
pub(super) struct Hybrid<P> {
    parts: Parts,
    policy: P,
}

impl<P: Policy> Hybrid<P> {
    /// With both parts, divided by a policy.
    pub(super) fn new(parts: Parts, policy: P) -> Self {
        Self { parts, policy }
    }

    /// The GPU, if it is here for more than a trial.
    fn gpu(&self) -> Option<&dyn Device> {
        self.parts.gpu().filter(|_| self.policy.has_gpu(&self.parts))
    }
}

impl<P: Policy> Device for Hybrid<P> {
    fn name(&self) -> String {
        self.policy.name(&self.parts)
    }

    fn num_docs(&self) -> usize {
        self.parts.corpus().num_docs()
    }

    fn submit_z(&mut self, step: &ZStep<'_>) -> Result<()> {
        self.policy.prepare(&mut self.parts, step)?;
        self.parts.submit_z(step)
    }

    fn collect_z(&mut self, step: &ZStep<'_>, counts: Option<&mut ZCounts>) -> Result<ZReport> {
        let (report, times) = self.parts.collect_z(step, counts)?;
        self.policy.learn(&mut self.parts, step, &times)?;
        Ok(report)
    }

    fn teams(&self) -> &[u32] {
        self.gpu().map_or(&[], Device::teams)
    }

    fn team(&self) -> Option<u32> {
        self.gpu().and_then(Device::team)
    }

    fn set_team(&mut self, team: u32) {
        self.parts.gpu_mut().iter_mut().for_each(|gpu| gpu.set_team(team));
        self.policy.forget();
    }

    fn gpu_share(&self) -> f64 {
        self.parts.share()
    }

    fn take_error(&mut self) -> Option<Error> {
        self.policy.take_error()
    }

    fn take_choice(&mut self) -> Option<AutoChoice> {
        self.policy.take_choice()
    }

    fn lose(&mut self) {
        self.policy.lose();
    }

    fn is_checked(&self) -> bool {
        self.policy.has_gpu(&self.parts)
    }

    fn leaves_host_idle(&self) -> bool {
        self.parts.uses_gpu()
    }

    fn grow(&mut self, params: &Params) -> Result<()> {
        self.parts.grow_cpu(params)?;
        self.policy.grow(&mut self.parts, params)
    }

    fn driver(&self) -> Option<String> {
        self.gpu().and_then(Device::driver)
    }

    fn z(&mut self) -> Result<Cow<'_, [u16]>> {
        self.parts.z()
    }

    fn fetch_z(&mut self, docs: Range<usize>, z: &mut [u16]) -> Result<()> {
        self.parts.fetch_z(&docs, z)
    }

    fn send_z(&mut self, docs: Range<usize>, z: &[u16]) -> Result<()> {
        self.parts.send_z(docs, z)
    }
}
