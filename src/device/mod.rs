//! Where the z step runs: one small trait, one folder or file a way.

pub mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;

use crate::error::Result;
use crate::model::alias::WordTables;
use crate::model::counts::Counts;

/// A place that holds z and samples it.
pub trait Device: Send {
    /// The device as a person would name it.
    fn name(&self) -> String;

    /// Samples z given Φ and Ψ (step 3) and counts it; `counts` comes with the counts of z as it was.
    ///
    /// # Errors
    /// When the device fails.
    fn sample_z(&mut self, tables: &WordTables, iteration: u32, counts: &mut Counts) -> Result<ZReport>;

    /// Its driver, when it has one.
    fn driver(&self) -> Option<String> {
        None
    }

    /// Whether this device can be lost while it works.
    fn can_fail(&self) -> bool {
        false
    }

    /// A copy of z.
    ///
    /// # Errors
    /// When the device fails.
    fn z(&mut self) -> Result<Vec<u16>>;
}

/// What a z step has to tell beside the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ZReport {
    /// Tokens that had nothing to draw from (A_v + B = 0) and kept their topic.
    pub stuck_tokens: u64,
    /// Time spent sampling.
    pub z_seconds: f64,
    /// Time spent counting.
    pub count_seconds: f64,
    /// Bytes fetched from the device: n and d go up to the host.
    pub bytes_up: u64,
    /// Bytes sent to the device: Φ and its tables go down.
    pub bytes_down: u64,
}
