//! Checkpoints: all that a run needs to go on exactly as if it had never stopped.

mod format;
mod resume;
mod store;
mod writer;

use serde::{Deserialize, Serialize};

use super::logs::Rows;
use super::plan::Plan;
use super::record::RunRecord;
use super::trace::{History, TraceRow};
use crate::chain::Start;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::estimate::Samples;

pub use format::{Unusable, read};
pub(super) use format::{VERSION as FORMAT, state_bytes};
pub use store::{Found, Store, last_iteration};
pub(crate) use writer::{Job, Writer};

/// A checkpoint that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// What it is of.
    pub kept: Kept,
    /// Where the chain goes on.
    pub start: Start,
    /// The rows of the logs.
    rows: Rows,
    /// The same as numbers.
    history: History,
    /// Sums over samples as they were written; empty when there are none.
    sums: Vec<u8>,
}

impl Checkpoint {
    /// The rows of the trace.
    pub fn trace(&self) -> &[TraceRow] {
        &self.history.trace
    }

    /// What a chain on `corpus` goes on with, the samples that `plan` has had so far among it.
    ///
    /// # Errors
    /// Says what does not fit such a chain.
    pub fn open(self, corpus: &Corpus, plan: &Plan) -> Result<Opened, String> {
        let Self { kept, start, rows, history, sums } = self;
        if start.z.len() != corpus.num_tokens() {
            return Err(format!("it has {} tokens, and the chain {}", start.z.len(), corpus.num_tokens()));
        }
        // Those of another plan are not among what is asked for.
        let same = *plan == kept.course();
        let taken = if same { plan.sampling.taken(kept.iteration(), plan.iterations) } else { 0 };
        let samples = (taken > 0).then(|| Samples::read(&sums, corpus, start.l.len())).transpose()?;
        if samples.as_ref().map_or(0, Samples::count) != taken {
            return Err(format!("it does not have the {taken} samples that the run has had"));
        }
        Ok(Opened { kept, start, rows, history, samples })
    }
}

/// What a run goes on with.
#[derive(Clone, Debug)]
pub struct Opened {
    /// What it was.
    pub kept: Kept,
    /// Where its chain is.
    pub start: Start,
    /// The rows of its logs.
    pub rows: Rows,
    /// The same as numbers.
    pub history: History,
    /// The samples that it has had.
    pub samples: Option<Samples>,
}

/// What a checkpoint is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// The run as it was then.
    pub record: RunRecord,
    /// SHA-256 of the documents' names and metadata.
    pub labels: String,
    /// The iteration that the run ends with, once its chains have settled.
    pub end: Option<u32>,
    /// The most tokens that the flag topic had in any row of the trace.
    pub most_flag_topic_tokens: u64,
    /// Tokens that were stuck in the last iteration.
    pub stuck_tokens: u64,
}

impl Kept {
    /// The plan as far as it is carried out.
    pub fn course(&self) -> Plan {
        self.record.settings.plan.ending(self.end)
    }

    /// The iterations done.
    pub fn iteration(&self) -> u32 {
        self.record.iterations_done
    }
}
