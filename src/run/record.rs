//! What happened in a run: run.json, and what checkpoints, resumptions, reports and front ends know of a run.

use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::finish::FinishRecord;
use super::folder::{Folder, name};
use super::settled::Verdict;
use super::spec::{Holdout, RunSpec};
use super::together::RankRecord;
use crate::chain::Chain;
use crate::corpus::{self, Corpus, Dropped, LoadNotes, Preparation};
use crate::device::AutoChoice;
use crate::error::{Error, Result};
use crate::evaluate::Score;
use crate::files::whole::write_whole;
use crate::params::{Concentrations, Size};

/// What happened in a run: the content of run.json, and the greater part of what checkpoints know beside the state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// This program.
    pub program: String,
    /// Its version.
    pub version: String,
    /// How far the run is.
    pub status: Status,
    /// The command that began the run, as the front end tells it.
    pub command: Vec<String>,
    /// Every setting, defaults included.
    pub settings: RunSpec,
    /// The corpus.
    pub corpus: CorpusRecord,
    /// The documents that were held out, when there are any.
    pub holdout: Option<HoldoutRecord>,
    /// The device that sampled z; after a failure, the CPU.
    pub device: String,
    /// Its driver, when it has one.
    pub driver: Option<String>,
    /// The kernel that was asked for, if it is a GPU.
    pub kernel: Option<String>,
    /// What a device that chooses for itself has chosen last, and by which figures.
    pub chosen: Option<AutoChoice>,
    /// The failure after which the CPU took over.
    pub device_error: Option<DeviceFailure>,
    /// Threads of the host.
    pub threads: usize,
    /// The processes that trained together in the end, if they were several; device and threads are the first one's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<RankRecord>,
    /// Iterations done.
    pub iterations_done: u32,
    /// α, β and γ after them.
    pub concentrations: Concentrations,
    /// K* after them.
    pub max_topics: u32,
    /// The finish of the last state, if there was one; all that is said elsewhere is the chain's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<FinishRecord>,
    /// What became of the chains of the run, when it has several; this file is also that of the first.
    pub chains: Option<ChainsRecord>,
    /// How the run went on after a stop.
    pub resumed: Vec<Resumption>,
    /// Seconds from the loaded corpus to the last result, those before a stop included.
    pub wall_seconds: f64,
}

/// A device that was left for the CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceFailure {
    /// The first iteration whose result is the CPU's.
    pub iteration: u32,
    /// Which device failed, why, and what to do.
    pub error: String,
}

/// How a run went on after a stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resumption {
    /// From the state after this iteration.
    pub iteration: u32,
    /// By this command, as the front end tells it.
    pub command: Vec<String>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Sampling, or ended without a word.
    Running,
    /// All iterations done.
    Finished,
    /// Ended by Ctrl-C or a termination signal after a whole iteration.
    Interrupted,
}

impl Status {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Interrupted => "interrupted",
        }
    }
}

/// The chains of a run, the first of which is in its own folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainsRecord {
    /// How many have begun.
    pub count: usize,
    /// Whether they agree, and stay.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// That in words.
    pub sentence: String,
    /// The mean over chains of the completion of held-out documents, nats per word.
    pub completion_mean: Option<f64>,
    /// Seconds that they have taken together.
    pub wall_seconds: f64,
}

/// The documents that a run held out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HoldoutRecord {
    /// What was asked for.
    #[serde(flatten)]
    pub asked: Holdout,
    /// How many they are.
    pub documents: usize,
    /// Their tokens.
    pub tokens: usize,
    /// Document completion at the end of the run.
    pub completion: Option<Score>,
}

/// The corpus of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorpusRecord {
    /// Where it came from.
    pub source: String,
    /// The format it was read as.
    pub format: String,
    /// The vocabulary's file, when there is one.
    pub vocabulary: Option<String>,
    /// SHA-256 of sizes, tokens and words.
    pub digest: String,
    /// D, empty documents included.
    pub documents: usize,
    /// Documents without a token, which training leaves out.
    pub empty_documents: u64,
    /// N.
    pub tokens: usize,
    /// V.
    pub words: usize,
    /// Words of the vocabulary that no document has.
    pub unseen_words: u64,
    /// The columns of metadata, as the input names them.
    pub metadata: Vec<String>,
    /// Repeated (document, word) entries that were summed.
    pub merged_entries: u64,
    /// Lines of the vocabulary's file past the V words.
    pub unused_vocabulary_lines: u64,
    /// Lines of the vocabulary's file that repeat an earlier one.
    pub repeated_words: u64,
    /// Hidden files and folders of a corpus folder, which were left out.
    pub hidden_files: u64,
    /// Links of a corpus folder that were left out.
    pub skipped_links: u64,
    /// Files of a corpus folder that were left out because nothing here reads their kind.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped_files: u64,
    /// Files of a corpus folder that could not be read and were left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bad_files: u64,
    /// Documents with a name that an earlier one has.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated_names: u64,
    /// The column or field with the text, when it was taken without having been named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_column: Option<String>,
    /// How words and documents were chosen.
    pub preparation: PreparationRecord,
}

/// Whether there is nothing to tell.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How words and documents were chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreparationRecord {
    /// Every setting, enough to prepare other text in the same way.
    pub settings: Preparation,
    /// What was left out.
    pub dropped: Dropped,
}

impl CorpusRecord {
    /// What is trained on of it, without what is held out.
    pub fn size(&self, holdout: Option<&HoldoutRecord>) -> Size {
        let (docs, tokens) = holdout.map_or((0, 0), |held_out| (held_out.documents, held_out.tokens));
        let with_tokens = self.documents.saturating_sub(self.empty_documents as usize);
        let (docs, tokens) = (with_tokens.saturating_sub(docs), self.tokens.saturating_sub(tokens));
        Size { docs, tokens, words: self.words }
    }

    /// What is to be told of a corpus read from `source` as `format`.
    pub fn of(
        corpus: &Corpus,
        source: String,
        format: String,
        settings: Preparation,
        notes: LoadNotes,
    ) -> Self {
        Self {
            source,
            format,
            vocabulary: notes.vocab_file.as_ref().map(|file| file.display().to_string()),
            digest: corpus::digest(corpus),
            documents: corpus.num_docs(),
            empty_documents: notes.empty_docs,
            tokens: corpus.num_tokens(),
            words: corpus.vocab_size(),
            unseen_words: notes.unseen_words,
            metadata: corpus.metadata.columns.iter().map(|column| column.name.clone()).collect(),
            merged_entries: notes.merged_entries,
            unused_vocabulary_lines: notes.unused_lines,
            repeated_words: notes.repeated_words,
            hidden_files: notes.hidden_files,
            skipped_links: notes.skipped_links,
            skipped_files: notes.skipped_files.iter().map(|kind| kind.files).sum(),
            bad_files: notes.bad_files,
            repeated_names: notes.repeated_names,
            text_column: notes.text_column,
            preparation: PreparationRecord { settings, dropped: notes.dropped },
        }
    }
}

/// Writes `info` as JSON that a person can read.
///
/// # Errors
/// [`Error::Write`].
pub fn write_json(path: &Path, info: &impl Serialize) -> Result<()> {
    write_whole(path, |out| {
        serde_json::to_writer_pretty(&mut *out, info)?;
        writeln!(out)
    })
}

impl RunRecord {
    /// Reads run.json.
    ///
    /// # Errors
    /// [`Error::Read`] or [`Error::Input`] when it is missing or damaged.
    pub fn read(run: &Folder) -> Result<Self> {
        let path = run.file(name::RUN);
        serde_json::from_slice(&run.read(name::RUN)?)
            .map_err(|error| damaged(&path, format!("is not what this program writes ({error})")))
    }

    /// Writes run.json.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write(&self, run: &Folder) -> Result<()> {
        run.check_in_place()?;
        write_json(&run.file(name::RUN), self)
    }

    /// The size of what is trained on.
    pub fn size(&self) -> Size {
        self.corpus.size(self.holdout.as_ref())
    }

    /// Puts in where a chain is, and on what.
    pub(super) fn describe(&mut self, chain: &dyn Chain) {
        self.device = chain.device_name();
        self.driver = chain.device_driver();
        // Only a GPU has a driver, and a kernel.
        let kernel = self.settings.kernel.filter(|_| self.driver.is_some());
        self.kernel = kernel.map(|kernel| kernel.name().to_owned());
        self.iterations_done = chain.state().iteration();
        self.concentrations = chain.state().params().concentrations();
        self.max_topics = chain.state().params().max_topics();
    }

    /// Puts in what ranks have told of their devices; returns failures that were not there, but for those of the first rank, which tells
    /// its own.
    pub(super) fn hear_ranks(&mut self, chain: &dyn Chain) -> Vec<DeviceFailure> {
        let heard = self.ranks.iter_mut().zip(chain.devices_of_ranks()).map(|(rank, told)| rank.hear(told));
        heard.enumerate().filter_map(|(rank, failure)| failure.filter(|_| rank > 0)).collect()
    }

    /// Whether the corpus was text, whose words are in their order.
    pub fn is_text(&self) -> bool {
        self.corpus.preparation.settings.text.is_some()
    }
}

/// A file of a run that is not as the program wrote it.
pub(crate) fn damaged(path: &Path, problem: impl Into<String>) -> Error {
    Error::input(path, problem, "copy the run folder again, or train again")
}
