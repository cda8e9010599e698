//! What a self-test has found, as one file that can be sent: nothing in it says who or where.

use std::path::Path;

use serde::Serialize;

use super::comparison::Difference;
use super::speed::{Outcome, Speed};
use super::way::Way;
use crate::device::choice::GpuInfo;
use crate::error::Result;
use crate::machine;
use crate::run::record::write_json;

/// A way on a case, and whether it gave the CPU's result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// The case.
    pub case: String,
    /// The way.
    #[serde(flatten)]
    pub way: Way,
    /// Whether all bits were the same.
    pub same: bool,
    /// The first difference, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
}

impl Compared {
    /// What came of a comparison.
    pub(super) fn new(case: &str, way: Way, difference: Option<&Difference>) -> Self {
        let difference = difference.map(ToString::to_string);
        Self { case: case.to_owned(), way, same: difference.is_none(), difference }
    }
}

/// What is compared with the CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GpuReport {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// The interface that it is used through.
    pub backend: String,
    /// Its driver.
    pub driver: String,
    /// The largest buffer that a shader can use at once, in bytes.
    pub binding_bytes: u64,
    /// The memory that a workgroup can share, in bytes.
    pub workgroup_bytes: u32,
    /// The lanes of its smallest and its largest subgroup.
    pub subgroup_lanes: [u32; 2],
    /// Whether it has operations of subgroups.
    pub subgroup_operations: bool,
    /// How the lanes of a team exchange what they know, where a workgroup is one subgroup: `memory`, `subgroup` or `own-slots`.
    pub exchange: &'static str,
}

impl From<&GpuInfo> for GpuReport {
    fn from(gpu: &GpuInfo) -> Self {
        let GpuInfo {
            name,
            kind,
            backend,
            driver,
            binding_bytes,
            workgroup_bytes,
            subgroup_lanes,
            subgroup_operations,
            exchange,
            obstacle: _,
        } = gpu.clone();
        Self {
            name,
            kind: kind.to_string(),
            backend,
            driver,
            binding_bytes,
            workgroup_bytes,
            subgroup_lanes,
            subgroup_operations,
            exchange: exchange.name(),
        }
    }
}

/// The processor, and how much of it is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CpuReport {
    /// Its name, where the system tells.
    pub name: Option<String>,
    /// The threads.
    pub threads: usize,
}

/// What a self-test has found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The program.
    pub program: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Whether every comparison gave the CPU's result, and nothing failed.
    pub passed: bool,
    /// The GPU.
    pub gpu: GpuReport,
    /// The CPU.
    pub cpu: CpuReport,
    /// The operating system.
    pub system: String,
    /// What the program was built for.
    pub architecture: &'static str,
    /// Iterations of each comparison.
    pub iterations: u32,
    /// The comparisons.
    pub comparisons: Vec<Compared>,
    /// The speeds, unless they were not asked for.
    pub speeds: Vec<Speed>,
}

impl Report {
    /// What was found of a GPU on this machine.
    pub(super) fn new(
        gpu: &GpuInfo,
        iterations: u32,
        comparisons: Vec<Compared>,
        speeds: Vec<Speed>,
    ) -> Self {
        let mut report = Self {
            program: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            passed: false,
            gpu: gpu.into(),
            cpu: CpuReport { name: machine::cpu_name(), threads: rayon::current_num_threads() },
            system: machine::system_name(),
            architecture: std::env::consts::ARCH,
            iterations,
            comparisons,
            speeds,
        };
        report.passed = report.differ() == 0 && report.failed() == 0;
        report
    }

    /// The comparisons that did not give the CPU's result.
    pub fn differ(&self) -> usize {
        self.comparisons.iter().filter(|compared| !compared.same).count()
    }

    /// The measurements that failed.
    pub fn failed(&self) -> usize {
        self.speeds.iter().filter(|speed| matches!(speed.outcome, Outcome::Failed(_))).count()
    }

    /// Writes it as JSON, whole or not at all.
    ///
    /// # Errors
    /// [`Error::Write`](crate::Error::Write).
    pub fn write(&self, path: &Path) -> Result<()> {
        write_json(path, self)
    }
}
