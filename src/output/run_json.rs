//! run.json: every setting, and what the run was made of.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::folder::{Folder, FolderKind, name};
use crate::checkpoint::Resumption;
use crate::corpus::{self, Corpus, Dropped, LoadNotes, Preparation};
use crate::error::{Error, Result};
use crate::evaluate::Score;
use crate::files::whole::write_whole;
use crate::params::{Concentrations, Settings};
use crate::train::DeviceFailure;
use crate::train::settled::Verdict;

/// The content of run.json.
#[derive(Clone, Debug, Serialize)]
pub struct RunInfo {
    /// This program.
    pub program: &'static str,
    /// Its version.
    pub version: &'static str,
    /// How far the run is.
    pub status: Status,
    /// The command that began the run.
    pub command: Vec<String>,
    /// Every setting, defaults included.
    pub settings: SettingsInfo,
    /// The corpus.
    pub corpus: CorpusInfo,
    /// The documents that were held out, when there are any.
    pub holdout: Option<HoldoutInfo>,
    /// The device that sampled z; after a failure, the CPU.
    pub device: String,
    /// Its driver, when it has one.
    pub driver: Option<String>,
    /// The kernel that it ran, when it has several.
    pub kernel: Option<&'static str>,
    /// The failure after which the CPU took over.
    pub device_error: Option<DeviceFailure>,
    /// Threads of the host.
    pub threads: usize,
    /// Iterations done.
    pub iterations_done: u32,
    /// α, β and γ after them.
    pub concentrations: Concentrations,
    /// K* after them.
    pub max_topics: u32,
    /// What became of the chains of the run, when it has several; this file is also that of the first.
    pub chains: Option<ChainsInfo>,
    /// How the run went on after a stop.
    pub resumed: Vec<Resumption>,
    /// Seconds from the loaded corpus to the last result, those before a stop included.
    pub wall_seconds: f64,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Sampling, or ended without a word.
    Running,
    /// All iterations done.
    Finished,
    /// Ended by Ctrl-C or a termination signal after a whole iteration.
    Interrupted,
}

/// The settings of a run.
#[derive(Clone, Debug, Serialize)]
pub struct SettingsInfo {
    /// The preset that the other settings started from.
    pub preset: String,
    /// Priors, truncation, start and seed.
    #[serde(flatten)]
    pub model: Settings,
    /// Iterations asked for.
    pub iterations: u32,
    /// Iterations between rows of the trace.
    pub trace_every: u32,
    /// States at the end that θ and Φ are a mean of.
    pub samples: u32,
    /// Iterations from one of them to the next.
    pub thin: u32,
    /// Chains, with seeds one after the other.
    pub chains: u32,
    /// What they go on until.
    pub until: &'static str,
    /// Whether passages of documents are kept out of the report.
    pub no_text: bool,
    /// The device asked for.
    pub device: String,
    /// The kernel asked for.
    pub kernel: &'static str,
    /// What happens when the device fails.
    pub on_device_error: &'static str,
}

/// The chains of a run, the first of which is in its own folder.
#[derive(Clone, Debug, Serialize)]
pub struct ChainsInfo {
    /// How many have begun.
    pub count: usize,
    /// Whether they agree, and stay.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// That in words.
    pub sentence: String,
    /// The mean over chains of the completion of held-out documents, nats a word.
    pub completion_mean: Option<f64>,
    /// Seconds that they have taken together.
    pub wall_seconds: f64,
}

/// The documents that a run held out.
#[derive(Clone, Debug, Serialize)]
pub struct HoldoutInfo {
    /// The share of documents with tokens.
    pub share: f64,
    /// The seed that chose them.
    pub seed: u64,
    /// How many they are.
    pub documents: usize,
    /// Their tokens.
    pub tokens: usize,
    /// Document completion at the end of the run.
    pub completion: Option<Score>,
}

/// The corpus of a run.
#[derive(Clone, Debug, Serialize)]
pub struct CorpusInfo {
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
    /// How words and documents were chosen.
    pub preparation: PreparationInfo,
}

/// How words and documents were chosen.
#[derive(Clone, Debug, Serialize)]
pub struct PreparationInfo {
    /// Every setting, enough to prepare other text in the same way.
    pub settings: Preparation,
    /// What was left out.
    pub dropped: Dropped,
}

impl CorpusInfo {
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
            preparation: PreparationInfo { settings, dropped: notes.dropped },
        }
    }
}

/// Writes the file that says what a folder holds: run.json or infer.json.
///
/// # Errors
/// [`Error::Write`].
pub fn write_info(folder: &Folder, kind: FolderKind, info: &impl Serialize) -> Result<()> {
    write_json(&folder.file(kind.info()), info)
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

/// How far a run is, as [`Status`] is written; none when its folder has no run.json yet.
///
/// # Errors
/// [`Error::Read`] or [`Error::Input`] when run.json is damaged.
pub fn read_status(run: &Folder) -> Result<Option<String>> {
    if !run.file(name::RUN).exists() {
        return Ok(None);
    }
    let (path, info) = read_info(run)?;
    let status = info["status"].as_str().map(str::to_owned);
    status.map(Some).ok_or_else(|| damaged(&path, "does not say how far the run is"))
}

/// How the corpus of a run was prepared.
///
/// # Errors
/// [`Error::Read`] or [`Error::Input`] when run.json is missing or damaged.
pub fn read_preparation(run: &Folder) -> Result<Preparation> {
    let (path, mut info) = read_info(run)?;
    let settings = info.pointer_mut("/corpus/preparation/settings").map_or(Value::Null, Value::take);
    serde_json::from_value(settings)
        .map_err(|error| damaged(&path, format!("does not say how the run's corpus was prepared ({error})")))
}

/// The tokens that a run held out; none if it did not.
pub(super) fn read_held_out_tokens(run: &Folder) -> Result<Option<u64>> {
    let (path, info) = read_info(run)?;
    match &info["holdout"] {
        Value::Null => Ok(None),
        holdout => match holdout["tokens"].as_u64() {
            Some(tokens) => Ok(Some(tokens)),
            None => Err(damaged(&path, "does not say how much the run held out")),
        },
    }
}

/// run.json, and where it is.
pub(crate) fn read_info(run: &Folder) -> Result<(PathBuf, Value)> {
    let path = run.file(name::RUN);
    let info = serde_json::from_slice(&run.read(name::RUN)?)
        .map_err(|error| damaged(&path, format!("is not JSON ({error})")))?;
    Ok((path, info))
}

/// A file of a run that is not as the program wrote it.
pub(crate) fn damaged(path: &Path, problem: impl Into<String>) -> Error {
    Error::input(path, problem, "copy the run folder again, or train again")
}

/// The command line. A path need not be UTF-8, and then only its file needs the exact bytes.
pub fn command_line() -> Vec<String> {
    std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect()
}

/// A command line as a shell reads it back.
pub fn shell_line(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    let quoted = words.iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}
