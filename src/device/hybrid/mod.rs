//! The z step on a GPU and the CPU at once: each has some of the documents, and the division moves by what both take.

mod division;
mod parts;

use std::borrow::Cow;
use std::ops::Range;

pub(super) use self::division::Division;
#[cfg(test)]
pub(super) use self::parts::Times;
pub(super) use self::parts::{Parts, both_names};
use super::hooks::ForcedDivision;
use super::{Device, Kernel, ZReport, ZStep};
use crate::error::Result;
use crate::model::z_counts::ZCounts;
use crate::params::Params;

/// z on a GPU and on the CPU.
pub(super) struct Hybrid {
    parts: Parts,
    division: Division,
    /// The division that a test asks for.
    forced: Option<ForcedDivision>,
}

impl Hybrid {
    /// With both parts, the GPU among them.
    pub(super) fn new(parts: Parts, forced: Option<ForcedDivision>) -> Self {
        Self { parts, division: Division::default(), forced }
    }

    fn gpu(&self) -> &dyn Device {
        self.parts.gpu().expect("a hybrid keeps its GPU")
    }
}

impl Device for Hybrid {
    fn name(&self) -> String {
        both_names(&self.gpu().name())
    }

    fn num_docs(&self) -> usize {
        self.parts.corpus().num_docs()
    }

    fn submit_z(&mut self, step: &ZStep<'_>) -> Result<()> {
        let share = self.forced.map_or(self.division.share(), |forced| forced.share(step.iteration));
        let split = self.parts.split_at(share);
        self.parts.set_split(split)?;
        self.parts.submit_z(step)
    }

    fn collect_z(&mut self, step: &ZStep<'_>, counts: Option<&mut ZCounts>) -> Result<ZReport> {
        let (report, times) = self.parts.collect_z(step, counts)?;
        let parts = &self.parts;
        self.division.learn(&times, |share| parts.share_of(parts.split_at(share)));
        Ok(report)
    }

    fn teams(&self) -> &[u32] {
        self.gpu().teams()
    }

    fn team(&self) -> Option<u32> {
        self.gpu().team()
    }

    fn set_team(&mut self, team: u32) {
        self.parts.gpu_mut().iter_mut().for_each(|gpu| gpu.set_team(team));
        self.division.forget();
    }

    fn gpu_share(&self) -> f64 {
        self.parts.share()
    }

    fn is_checked(&self) -> bool {
        true
    }

    fn leaves_host_idle(&self) -> bool {
        self.parts.uses_gpu()
    }

    fn grow(&mut self, params: &Params) -> Result<()> {
        self.parts.grow_cpu(params)?;
        self.parts.gpu_mut().iter_mut().try_for_each(|gpu| gpu.grow(params))?;
        self.division.forget();
        Ok(())
    }

    fn driver(&self) -> Option<String> {
        self.gpu().driver()
    }

    fn kernel(&self) -> Option<Kernel> {
        self.gpu().kernel()
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
