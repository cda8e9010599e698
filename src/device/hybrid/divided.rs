//! The policy of `hybrid`: both always have a share, and the division moves by what both take.

use super::{Division, Parts, Policy, Times, both_names};
use crate::device::ZStep;
use crate::device::hooks::ForcedDivision;
use crate::error::Result;
use crate::params::Params;

/// Both parts with a share each.
pub(in crate::device) struct Divided {
    division: Division,
    /// The division that is asked for.
    forced: Option<ForcedDivision>,
}

impl Divided {
    /// With a division that is asked for, or measured.
    pub(in crate::device) fn new(forced: Option<ForcedDivision>) -> Self {
        Self { division: Division::default(), forced }
    }
}

impl Policy for Divided {
    fn name(&self, parts: &Parts) -> String {
        both_names(parts.gpu_name())
    }

    fn has_gpu(&self, _: &Parts) -> bool {
        true
    }

    fn prepare(&mut self, parts: &mut Parts, step: &ZStep<'_>) -> Result<()> {
        let share = self.forced.map_or(self.division.share(), |forced| forced.share(step.iteration));
        parts.set_split(parts.split_at(share))
    }

    fn learn(&mut self, parts: &mut Parts, _: &ZStep<'_>, times: &Times) -> Result<()> {
        self.division.learn(times, |share| parts.share_of(parts.split_at(share)));
        Ok(())
    }

    fn forget(&mut self) {
        self.division.forget();
    }

    fn grow(&mut self, parts: &mut Parts, params: &Params) -> Result<()> {
        parts.gpu_mut().iter_mut().try_for_each(|gpu| gpu.grow(params))?;
        self.division.forget();
        Ok(())
    }
}
