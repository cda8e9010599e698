//! run.json: every setting, and what the run was made of.

use std::io::Write;

use serde::Serialize;

use super::file::write_whole;
use super::folder::{RunFolder, name};
use crate::corpus::{self, Corpus, Dropped, LoadNotes, Preparation};
use crate::error::Result;
use crate::params::Settings;
use crate::train::DeviceFailure;

/// The content of run.json.
#[derive(Clone, Debug, Serialize)]
pub struct RunInfo {
    /// This program.
    pub program: &'static str,
    /// Its version.
    pub version: &'static str,
    /// How far the run is.
    pub status: Status,
    /// The command line.
    pub command: Vec<String>,
    /// Every setting, defaults included.
    pub settings: SettingsInfo,
    /// The corpus.
    pub corpus: CorpusInfo,
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
    /// Seconds from the loaded corpus to the last result.
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
    /// The device asked for.
    pub device: String,
    /// The kernel asked for.
    pub kernel: &'static str,
    /// What happens when the device fails.
    pub on_device_error: &'static str,
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
            merged_entries: notes.merged_entries,
            unused_vocabulary_lines: notes.unused_lines,
            repeated_words: notes.repeated_words,
            hidden_files: notes.hidden_files,
            skipped_links: notes.skipped_links,
            preparation: PreparationInfo { settings, dropped: notes.dropped },
        }
    }
}

/// Writes run.json.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_run(folder: &RunFolder, info: &RunInfo) -> Result<()> {
    write_whole(&folder.file(name::RUN), |out| {
        serde_json::to_writer_pretty(&mut *out, info)?;
        writeln!(out)
    })
}
