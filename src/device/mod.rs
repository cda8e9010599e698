//! Where the z step runs: one small trait, one folder or file a way.

mod auto;
pub mod choice;
pub mod cpu;
mod exchange;
#[cfg(feature = "testing")]
mod faulty;
mod forced_division;
#[cfg(feature = "gpu")]
mod gpu;
#[cfg_attr(not(feature = "testing"), path = "no_hooks.rs")]
mod hooks;
mod hybrid;
pub mod list;
#[cfg(not(feature = "gpu"))]
mod no_gpu;
mod options;
mod place;
mod recent;
#[cfg(feature = "testing")]
mod stand_in;

#[cfg(all(feature = "gpu", target_endian = "big"))]
compile_error!("GPUs have little-endian memory: for a big-endian machine, build without the feature gpu");

use std::borrow::Cow;
use std::ops::Range;

pub use self::auto::AutoChoice;
pub use self::exchange::Exchange;
pub use self::forced_division::ForcedDivision;
#[cfg(all(feature = "gpu", feature = "testing"))]
#[doc(hidden)]
pub use self::gpu::packing;
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
#[cfg(feature = "testing")]
pub use self::stand_in::{StandIn, Work};
use crate::error::{Error, Result};
use crate::model::alias::WordTables;
use crate::model::counts::Counts;
use crate::model::z_counts::ZCounts;
use crate::params::Params;

/// The team sizes of a GPU: lanes per document.
pub const TEAMS: [u32; 5] = [4, 8, 16, 32, 64];

/// What a z step samples, and from what.
#[derive(Clone, Debug)]
pub struct ZStep<'a> {
    /// Φ and Ψ as integers.
    pub tables: &'a WordTables,
    /// The iteration.
    pub iteration: u32,
    /// For every topic up to K*, whether it had tokens before; more may be said to have some, never fewer.
    pub is_active: &'a [bool],
    /// The documents whose topics are sampled; the others keep theirs.
    pub docs: Range<usize>,
}

/// A place that holds z and samples it.
pub trait Device: Send {
    /// The device as a person would name it.
    fn name(&self) -> String;

    /// The documents of its corpus, empty ones too.
    fn num_docs(&self) -> usize;

    /// Samples z of all documents given Φ and Ψ (step 3) and counts it; n of `counts` comes as it was before.
    ///
    /// # Errors
    /// When the device fails.
    fn sample_z(&mut self, tables: &WordTables, iteration: u32, counts: &mut Counts) -> Result<ZReport> {
        let mut is_active = vec![false; counts.n.topic_tokens.len()];
        self.z()?.iter().for_each(|&k| is_active[usize::from(k)] = true);
        let step = ZStep { tables, iteration, is_active: &is_active, docs: 0..self.num_docs() };
        let mut counted = ZCounts::default();
        counted.resize(tables, is_active.len());
        self.submit_z(&step)?;
        let report = self.collect_z(&step, Some(&mut counted))?;
        counted.take_into(tables, counts);
        Ok(report)
    }

    /// The first part of a z step: gives the device its work. The second part must follow before anything else is asked of it.
    ///
    /// # Errors
    /// When the device fails.
    fn submit_z(&mut self, step: &ZStep<'_>) -> Result<()>;

    /// The second part of a z step, given the same as the first: does or waits for what is left, and adds to `counts`, if they
    /// are asked for.
    ///
    /// # Errors
    /// When the device fails, or nothing was submitted.
    fn collect_z(&mut self, step: &ZStep<'_>, counts: Option<&mut ZCounts>) -> Result<ZReport>;

    /// Sees the device through what was submitted, on this thread alone, which sleeps meanwhile; the second part is then only left
    /// with what was counted.
    ///
    /// # Errors
    /// When the device fails, or nothing was submitted.
    fn wait_z(&mut self) -> Result<()> {
        Ok(())
    }

    /// The team sizes that it can sample with, lanes per document, smallest first; none when it has no such choice.
    fn teams(&self) -> &[u32] {
        &[]
    }

    /// The team size that it samples with, when it has a choice.
    fn team(&self) -> Option<u32> {
        None
    }

    /// Samples with another of its team sizes from the next z step on; the result is the same.
    fn set_team(&mut self, _: u32) {}

    /// The part of the tokens that a GPU has.
    fn gpu_share(&self) -> f64 {
        // Only a GPU's counts are checked.
        if self.is_checked() { 1.0 } else { 0.0 }
    }

    /// Why a GPU was left that had no topics, so that nothing is lost and the device goes on without it; told once.
    fn take_error(&mut self) -> Option<Error> {
        None
    }

    /// What a device that chooses for itself has chosen since the last time, and by which figures.
    fn take_choice(&mut self) -> Option<AutoChoice> {
        None
    }

    /// It has failed, and is left: who opens it again at the same place may want to know.
    fn lose(&mut self) {}

    /// Whether what it counts is checked: a GPU's is, with whatever driver it has.
    fn is_checked(&self) -> bool {
        false
    }

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

    /// z, lent where it is in the host's memory and fetched where it is not.
    ///
    /// # Errors
    /// When the device fails.
    fn z(&mut self) -> Result<Cow<'_, [u16]>>;

    /// Copies the topics of some documents' tokens to the host.
    ///
    /// # Errors
    /// When the device fails.
    fn fetch_z(&mut self, docs: Range<usize>, z: &mut [u16]) -> Result<()>;

    /// Replaces the topics of some documents' tokens.
    ///
    /// # Errors
    /// When the device fails.
    fn send_z(&mut self, docs: Range<usize>, z: &[u16]) -> Result<()>;
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
    /// Submissions to the device.
    pub submits: u32,
    /// Times that the host waited for the device.
    pub waits: u32,
}

/// How documents are given to a GPU, in words; a team size says it in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// All lanes that the GPU runs together for a document: for long ones, or few of them.
    Workgroup,
    /// As few lanes as can be for a document: for very many short ones.
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

    /// The team size that it stands for, on a GPU that runs `width` lanes together.
    #[cfg(feature = "gpu")]
    fn team(self, width: u32) -> u32 {
        match self {
            Self::Workgroup => width,
            Self::Invocation => TEAMS[0],
        }
    }
}
