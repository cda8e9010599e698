//! Checkpoints: all that a run needs to go on exactly as if it had never stopped.

mod format;
mod resume;
mod store;
mod writer;

use serde::{Deserialize, Serialize};

use crate::chain::Start;
use crate::corpus::{self, Corpus};
use crate::error::Result;
use crate::estimate::Samples;
use crate::params::{Concentrations, Settings};
use crate::run::DeviceFailure;
use crate::run::logs::Rows;
use crate::run::plan::{Plan, Until};

pub use format::{Unusable, read};
pub use store::{Found, Store, last_iteration};
pub(crate) use writer::{Job, Writer};

/// A checkpoint that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// What it is of.
    pub info: Info,
    /// Where the chain goes on.
    pub start: Start,
    /// The rows of the logs.
    rows: Rows,
    /// Sums over samples as they were written; empty when there are none.
    sums: Vec<u8>,
}

impl Checkpoint {
    /// The rows of trace.csv.
    pub fn trace(&self) -> &[u8] {
        &self.rows.trace
    }

    /// What a chain on `corpus` goes on with, the samples that `plan` has had so far among it.
    ///
    /// # Errors
    /// Says what does not fit such a chain.
    pub fn open(self, corpus: &Corpus, plan: &Plan) -> Result<Opened, String> {
        let Self { info, start, rows, sums } = self;
        if start.z.len() != corpus.num_tokens() {
            return Err(format!("it has {} tokens, and the chain {}", start.z.len(), corpus.num_tokens()));
        }
        // Those of another plan are not among what is asked for.
        let same = *plan == info.run.course();
        let taken = if same { plan.sampling.taken(info.iteration, plan.iterations) } else { 0 };
        let samples = (taken > 0).then(|| Samples::read(&sums, corpus, start.l.len())).transpose()?;
        if samples.as_ref().map_or(0, Samples::count) != taken {
            return Err(format!("it does not have the {taken} samples that the run has had"));
        }
        Ok(Opened { info, start, rows, samples })
    }
}

/// What a run goes on with.
#[derive(Clone, Debug)]
pub struct Opened {
    /// What it was.
    pub info: Info,
    /// Where its chain is.
    pub start: Start,
    /// The rows of its logs.
    pub rows: Rows,
    /// The samples that it has had.
    pub samples: Option<Samples>,
}

/// What a checkpoint is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Info {
    /// The version of the program that wrote it.
    pub version: String,
    /// The iterations done.
    pub iteration: u32,
    /// α, β and γ as they are after them.
    pub concentrations: Concentrations,
    /// The run.
    pub run: Run,
    /// What there is to tell of the iterations so far.
    pub past: Past,
}

/// What a run is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What decides its draws.
    pub recipe: Recipe,
    /// How long it is to be, at most.
    pub plan: Plan,
    /// How many chains it has, this one and those beside it.
    #[serde(default = "one_chain")]
    pub chains: u32,
    /// What it goes on until.
    #[serde(default)]
    pub until: Until,
    /// The iteration that it ends with, once its chains have settled.
    #[serde(default)]
    pub end: Option<u32>,
    /// The preset that the settings started from.
    pub preset: String,
    /// Whether passages of documents are kept out of the report.
    pub no_text: bool,
    /// The command that began it.
    pub command: Vec<String>,
}

fn one_chain() -> u32 {
    1
}

impl Run {
    /// The plan as far as it is carried out.
    pub fn course(&self) -> Plan {
        self.plan.ending(self.end)
    }
}

/// What decides a run's draws: with another value of any of these it is another run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Priors, truncation, start, seed and sampler.
    #[serde(flatten)]
    pub settings: Settings,
    /// The documents held out, if there are any.
    pub holdout: Option<Holdout>,
    /// The corpus, held-out documents included.
    pub corpus: CorpusId,
}

/// Which documents are held out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Holdout {
    /// The share of documents with tokens.
    pub share: f64,
    /// The seed that chooses them.
    pub seed: u64,
}

/// What tells one corpus from another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusId {
    /// SHA-256 of sizes, tokens and words.
    pub digest: String,
    /// SHA-256 of the documents' names and metadata.
    pub labels: String,
    /// D.
    pub documents: usize,
    /// N.
    pub tokens: usize,
    /// V.
    pub words: usize,
}

impl CorpusId {
    /// That of `corpus`.
    pub fn of(corpus: &Corpus) -> Self {
        Self {
            digest: corpus::digest(corpus),
            labels: corpus::labels_digest(corpus),
            documents: corpus.num_docs(),
            tokens: corpus.num_tokens(),
            words: corpus.vocab_size(),
        }
    }
}

/// How a run went on after a stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resumption {
    /// From the state after this iteration.
    pub iteration: u32,
    /// By this command.
    pub command: Vec<String>,
}

/// What there is to tell of a run beside its state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Past {
    /// Seconds that it has taken, from the loaded corpus on.
    pub seconds: f64,
    /// How it went on after a stop.
    pub resumed: Vec<Resumption>,
    /// The most tokens that the flag topic had in any row of the trace.
    pub most_flag_topic_tokens: u64,
    /// Tokens that were stuck in the last iteration.
    pub stuck_tokens: u64,
    /// The last failure of a device after which the CPU took over.
    pub device_failure: Option<DeviceFailure>,
}
