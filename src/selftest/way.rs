//! The ways in which z can be sampled with a GPU and a CPU.

use std::fmt;

use serde::Serialize;

use crate::device::choice::CpuPart;
use crate::device::{ForcedDivision, Kernel, OpenOptions, Place, TEAMS};

/// What samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum On {
    /// The CPU.
    Cpu,
    /// The GPU.
    Gpu,
    /// Both, with the documents between them.
    Hybrid,
}

/// A way to sample z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Way {
    /// What samples.
    pub way: On,
    /// The lanes of the GPU that a document has, where they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<u32>,
    /// The GPU's kernel, where it is asked for.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "kernel_name")]
    pub kernel: Option<Kernel>,
}

impl Way {
    /// The CPU.
    pub const CPU: Self = Self { way: On::Cpu, team: None, kernel: None };

    /// The ways of a GPU by itself: the kernel or the team size that is asked for, or every team size.
    pub fn of_gpu(kernel: Option<Kernel>, team: Option<u32>) -> Vec<Self> {
        let gpu = Self { way: On::Gpu, team, kernel };
        match (kernel, team) {
            (None, None) => TEAMS.map(|team| Self { team: Some(team), ..gpu }).to_vec(),
            _ => vec![gpu],
        }
    }

    /// The same way of the GPU, with the CPU beside it.
    #[must_use]
    pub(super) fn with_cpu(self) -> Self {
        Self { way: On::Hybrid, ..self }
    }

    /// The GPU and the CPU together: the GPU in the only one of these ways, or else as suits the corpus.
    pub(super) fn hybrid(ways: &[Self]) -> Self {
        match *ways {
            [only] => only.with_cpu(),
            _ => Self::CPU.with_cpu(),
        }
    }

    /// Where chains are opened that sample in this way, with the GPU of `gpu`; both share the tokens as `division`
    /// says, or as is measured.
    pub(super) fn place(self, gpu: &Place, division: Option<ForcedDivision>) -> Place {
        let Self { way, team, kernel } = self;
        let options = OpenOptions { team, kernel, division, ..gpu.options() };
        match way {
            On::Cpu => Place::cpu(),
            On::Gpu => gpu.clone().with_cpu(CpuPart::None).with_options(options),
            On::Hybrid => gpu.clone().with_cpu(CpuPart::Shares).with_options(options),
        }
    }
}

/// In two words at most: the column of a table.
impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match (self.way, self.team, self.kernel) {
            (On::Cpu, ..) => "cpu".to_owned(),
            (On::Hybrid, ..) => "hybrid".to_owned(),
            (On::Gpu, Some(team), _) => format!("{team} lanes"),
            (On::Gpu, None, Some(kernel)) => kernel.name().to_owned(),
            (On::Gpu, None, None) => "gpu".to_owned(),
        };
        f.pad(&name)
    }
}

fn kernel_name<S: serde::Serializer>(kernel: &Option<Kernel>, serializer: S) -> Result<S::Ok, S::Error> {
    kernel.map(Kernel::name).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_team_size_unless_one_is_asked_for() {
        let names =
            |kernel, team| -> Vec<String> { Way::of_gpu(kernel, team).iter().map(Way::to_string).collect() };
        assert_eq!(names(None, None), ["4 lanes", "8 lanes", "16 lanes", "32 lanes", "64 lanes"]);
        assert_eq!(names(None, Some(8)), ["8 lanes"]);
        assert_eq!(names(Some(Kernel::Workgroup), None), ["workgroup"]);
        let way = Way::of_gpu(Some(Kernel::Invocation), None)[0].with_cpu();
        let json = serde_json::to_value(way).unwrap();
        assert_eq!(json, serde_json::json!({ "way": "hybrid", "kernel": "invocation" }));
    }
}
