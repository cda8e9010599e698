//! Where the z step runs: one small trait, one folder or file a way.

pub mod choice;
pub mod cpu;
#[cfg(feature = "testing")]
mod faulty;
#[cfg(feature = "gpu")]
mod gpu;
#[cfg(feature = "testing")]
mod hooks;
pub mod list;
#[cfg(not(feature = "gpu"))]
mod no_gpu;
#[cfg(all(feature = "gpu", not(feature = "testing")))]
mod no_hooks;
mod options;
mod place;

use std::borrow::Cow;

#[cfg(feature = "gpu")]
pub use self::gpu::shader_source;
#[cfg(feature = "gpu")]
pub(crate) use self::gpu::{device_bytes, host_bytes};
#[cfg(feature = "testing")]
pub use self::hooks::{Fault, Hooks};
#[cfg(not(feature = "gpu"))]
pub(crate) use self::no_gpu::{device_bytes, host_bytes};
pub use self::options::OpenOptions;
pub use self::place::Place;
use crate::error::{Error, Result};
use crate::model::alias::WordTables;
use crate::model::counts::Counts;
use crate::params::Params;

/// A place that holds z and samples it.
pub trait Device: Send {
    /// The device as a person would name it.
    fn name(&self) -> String;

    /// Samples z given Φ and Ψ (step 3) and counts it; `counts` comes with the counts of z as it was.
    ///
    /// # Errors
    /// When the device fails.
    fn sample_z(&mut self, tables: &WordTables, iteration: u32, counts: &mut Counts) -> Result<ZReport> {
        self.submit_z(tables, iteration, counts)?;
        self.collect_z(tables, counts)
    }

    /// The first part of [`Self::sample_z`]: gives the device its work. The second part must follow before anything else is
    /// asked of it.
    ///
    /// # Errors
    /// When the device fails.
    fn submit_z(&mut self, tables: &WordTables, iteration: u32, counts: &Counts) -> Result<()>;

    /// The second part of [`Self::sample_z`], with the same tables and counts: does or waits for what is left, and counts.
    ///
    /// # Errors
    /// When the device fails, or nothing was submitted.
    fn collect_z(&mut self, tables: &WordTables, counts: &mut Counts) -> Result<ZReport>;

    /// Whether the host has nothing to do for this device between the two parts.
    fn leaves_host_idle(&self) -> bool {
        false
    }

    /// Makes room for topics up to the larger K* of `params`.
    ///
    /// # Errors
    /// When the device fails.
    fn grow(&mut self, params: &Params) -> Result<()>;

    /// Its driver, when it has one.
    fn driver(&self) -> Option<String> {
        None
    }

    /// The kernel that it runs, when it has several.
    fn kernel(&self) -> Option<Kernel> {
        None
    }

    /// z, lent where it is in the host's memory and fetched where it is not.
    ///
    /// # Errors
    /// When the device fails.
    fn z(&mut self) -> Result<Cow<'_, [u16]>>;
}

/// That the second part of a z step has no first one.
fn nothing_submitted() -> Error {
    Error::internal("z is collected that was not submitted")
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

/// How documents are given to a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// A workgroup a document: for long documents, or fewer of them than the GPU has lanes.
    Workgroup,
    /// An invocation a document: for very many short ones.
    Invocation,
}

impl Kernel {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Workgroup, Self::Invocation];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Workgroup => "workgroup",
            Self::Invocation => "invocation",
        }
    }
}
