//! How a front end watches a run, and stops it.

use std::path::Path;

use super::needs::{Machine, Needs};
use super::record::{DeviceFailure, RunRecord};
use super::settled::Verdict;
use crate::chain::Progress;
use crate::device::AutoChoice;
use crate::error::Error;
use crate::params::Params;

/// Watches a run. The unit type watches nothing and never stops.
pub trait Observer {
    /// Something has happened.
    fn event(&mut self, event: &Event<'_>);

    /// Whether to stop after the current iteration, with a checkpoint and results.
    fn should_stop(&self) -> bool {
        false
    }

    /// The run has ended and the disk refuses what is left to write: whether to try again, after some waiting.
    fn waits_for_disk(&mut self, _error: &Error) -> bool {
        false
    }
}

impl Observer for () {
    fn event(&mut self, _: &Event<'_>) {}
}

/// What an iteration comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IterationReport {
    /// The iteration, and where its time went.
    pub progress: Progress,
    /// Topics that have tokens.
    pub active_topics: usize,
    /// The latest log-likelihood of the trace.
    pub log_likelihood: f64,
}

/// What happens in a run, in about this order.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A newer checkpoint than the one that is gone on from cannot be used.
    UnusableCheckpoint {
        /// The file.
        path: &'a Path,
        /// Why.
        problem: &'a str,
    },
    /// A run, or a chain of it, that is to go on has no checkpoint and starts from the beginning.
    NoCheckpoint {
        /// Its folder.
        path: &'a Path,
    },
    /// What the run needs, and what the machine has.
    Needs {
        /// What it needs.
        needs: &'a Needs,
        /// What there is.
        machine: &'a Machine,
    },
    /// The first chain is ready.
    Ready {
        /// What run.json says of it.
        record: &'a RunRecord,
    },
    /// A chain goes on.
    Resumed {
        /// Its number.
        chain: u32,
        /// The iterations that it has done.
        from: u32,
        /// Those that it will have done.
        to: u32,
    },
    /// From now on the observer is asked whether to stop.
    Training,
    /// A chain, whose turn will come, has done some iterations.
    Waiting {
        /// Its number.
        chain: u32,
        /// Its iterations.
        done: u32,
    },
    /// From now on, iterations are those of this chain.
    Turn {
        /// Its number.
        chain: u32,
        /// The iterations that it has done.
        done: u32,
    },
    /// An iteration has ended.
    Iteration(&'a IterationReport),
    /// All chains were looked at.
    Looked(&'a Verdict),
    /// It is known that the chains end with this iteration.
    EndKnown {
        /// The iteration.
        iteration: u32,
        /// Whether that was known before this process began.
        from_before: bool,
    },
    /// A device that chooses for itself has chosen.
    DeviceChosen(&'a AutoChoice),
    /// The device has failed and the CPU goes on.
    DeviceFailed(&'a DeviceFailure),
    /// The device has failed while held-out documents were scored, and the CPU has scored them.
    ScoredOnCpu(&'a Error),
    /// The disk refuses what a run writes on its way; it goes on in memory and tries again.
    DiskRefuses(&'a Error),
    /// All that waited for the disk is written.
    DiskAccepts,
    /// The last state of a chain is finished.
    Finishing {
        /// By so many sweeps.
        sweeps: u32,
    },
    /// The last iteration is done, and only results are left to write.
    Ending,
    /// All that the chains have done is on the disk, with which they can go on: nothing is lost by ending the process, until the next
    /// [`Event::Turn`].
    Kept,
    /// Tokens were in the topic that stands for all that are not represented.
    FlagTopicUsed {
        /// The most of them.
        tokens: u64,
        /// The parameters of the chain.
        params: &'a Params,
    },
    /// The run has failed; its checkpoints are kept.
    Failed {
        /// The iteration of the first chain's checkpoint.
        iteration: u32,
        /// Whether there are further chains.
        has_chains: bool,
    },
}
