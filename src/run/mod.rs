//! A run: what was asked, what happened, and everything in between.
//!
//! [`Opening`] looks into the run's folder, [`Opening::ask`] finds out what is meant beside what is there, [`Asked::on`] takes the corpus and
//! the device, and [`Run::train`] trains all chains, watched by an [`Observer`]. [`train`] does all of it.
//!
//! ```
//! use hdp_gpu::corpus::{self, DocumentOptions};
//! use hdp_gpu::run::{self, FrontEnd, Mode, RunRequest};
//!
//! let folder = tempfile::tempdir().expect("a folder for the run");
//! let texts = vec!["ash birch cedar fir oak ash birch cedar fir oak"; 20];
//! let loaded = corpus::from_texts(&texts, &DocumentOptions::default())?;
//! let request = RunRequest { iterations: Some(5), ..RunRequest::default() };
//! let out = folder.path().join("run");
//! let ended = run::train(&out, Mode::New, &request, loaded, FrontEnd::default(), &mut ())?;
//! let chain = &ended.chains[0];
//! assert_eq!(chain.record.iterations_done, 5);
//! assert_eq!(chain.history.timing.len(), 5);
//! assert!(out.join("model.safetensors").exists());
//! # Ok::<(), hdp_gpu::Error>(())
//! ```

mod advance;
pub mod checkpoint;
mod finish;
pub mod folder;
mod holdout;
mod journal;
pub mod kept_text;
mod last_state;
mod log;
pub mod logs;
mod member;
pub mod needs;
mod observer;
mod opening;
mod origin;
mod outcome;
pub mod plan;
pub mod record;
mod request;
pub mod results;
mod schedule;
pub mod settled;
mod spec;
pub mod together;
mod trace;

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

pub use self::finish::{Finish, FinishRecord};
pub use self::journal::Every;
pub use self::last_state::LastState;
pub use self::observer::{Event, IterationReport, Observer};
pub use self::opening::{Asked, Opening};
pub use self::origin::Mode;
pub use self::outcome::{ChainOutcome, Outcome};
pub use self::plan::{Plan, Sampling, Until};
pub use self::record::{DeviceFailure, RunRecord, Status};
pub use self::request::RunRequest;
pub use self::spec::{Holdout, OnDeviceError, RunSpec};
pub use self::trace::{History, TimingRow, TopicTokens, TraceRow};
use crate::corpus::holdout::Split;
use crate::corpus::{Corpus, Labels, Loaded, Portion, SpooledText};
pub use crate::device::Place;
use crate::error::Result;
use crate::model::trained::Model;

/// What a front end hands in: how a run was asked for, how it is repeated, and the page that shows it.
#[derive(Clone, Debug)]
pub struct FrontEnd {
    /// The words by which this run, or its going on, was asked for.
    pub command: Vec<String>,
    /// How a run is repeated, in a line.
    pub repeat: fn(&RunRecord) -> String,
    /// Writes the page of a run.
    pub page: Option<WritePage>,
    /// Whether results are written too, beside run.json, the logs and the checkpoints: [`LastState`] makes them at any time.
    pub results: bool,
}

/// Writes the page of a run, with how it is repeated.
pub type WritePage = fn(&Finished<'_>, fn(&RunRecord) -> String) -> Result<()>;

impl Default for FrontEnd {
    fn default() -> Self {
        Self { command: Vec::new(), repeat: |record| record.command.join(" "), page: None, results: true }
    }
}

impl FrontEnd {
    fn write_page(&self, finished: &Finished<'_>) -> Result<()> {
        self.page.map_or(Ok(()), |write| write(finished, self.repeat))
    }
}

/// A run's last state, and what there is to tell of its chains: what a page shows.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'a> {
    /// The documents with their names and metadata.
    pub corpus: &'a Corpus,
    /// The topics of the first chain's tokens.
    pub z: &'a [u16],
    /// Its model.
    pub model: &'a Model,
    /// All chains, the first one first.
    pub runs: &'a [Reported<'a>],
}

/// A chain with its folder.
#[derive(Clone, Copy, Debug)]
pub struct Reported<'a> {
    /// Its folder.
    pub folder: &'a folder::Folder,
    /// What run.json says of it.
    pub record: &'a RunRecord,
    /// The rows of its logs.
    pub history: &'a History,
}

/// A run that is ready to be made.
pub struct Run {
    asked: Asked,
    corpus: Arc<Corpus>,
    /// What the documents are called, if the corpus does not have it.
    labels: Option<Labels>,
    /// Those of its documents that this process has, with others or by itself.
    portion: Portion,
    split: Option<Split>,
    /// The documents' own text, if it is to be kept with the run, until it is there.
    text: Mutex<Option<SpooledText>>,
    place: Place,
    every: Every,
    front_end: FrontEnd,
    /// What there is to keep of the first chain before its first iteration.
    kept: checkpoint::Kept,
    /// Since when the corpus is loaded.
    start: Instant,
}

impl Run {
    /// The corpus, or a part of it, with the names and metadata of its documents.
    fn labelled<'a>(&self, corpus: &'a Corpus) -> Result<Cow<'a, Corpus>> {
        match &self.labels {
            None => Ok(Cow::Borrowed(corpus)),
            Some(labels) => labels.on(corpus).map(Cow::Owned),
        }
    }
}

/// Trains a run in the folder `out`, from its beginning or where it was left, on the threads of the current pool.
///
/// # Errors
/// When what is asked for cannot be, the device fails, or the disk refuses results.
pub fn train(
    out: &Path,
    mode: Mode,
    request: &RunRequest,
    loaded: Loaded,
    front_end: FrontEnd,
    observer: &mut dyn Observer,
) -> Result<Outcome> {
    let asked = Opening::new(out, mode, observer)?.ask(request, &[], observer)?;
    let place = asked.place(request)?;
    asked.on(loaded, place, Every::default(), front_end, observer)?.train(observer)
}
