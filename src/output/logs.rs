//! The files that grow while a run goes on: trace.csv, timing.csv and tokens_per_topic.csv, row by row.

use std::fs::File;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::file::flush_folder;
use super::folder::{Folder, name};
use super::log::Log;
pub use super::log::Mark;
use crate::chain::{Chain, Progress};
use crate::error::Result;

/// The three logs of a run.
#[derive(Debug)]
pub struct Logs {
    trace: Log,
    timing: Log,
    tokens_per_topic: Log,
}

/// How far each log is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// trace.csv.
    pub trace: Mark,
    /// timing.csv.
    pub timing: Mark,
    /// tokens_per_topic.csv.
    pub tokens_per_topic: Mark,
}

impl Logs {
    /// Starts the logs with their headers.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn create(folder: &Folder) -> Result<Self> {
        let logs = Self {
            trace: Log::create(
                folder.file(name::TRACE),
                "iteration,log_likelihood,log_likelihood_lda,active_topics,flag_topic_tokens,stuck_tokens",
            )?,
            timing: Log::create(
                folder.file(name::TIMING),
                "iteration,seconds,phi_seconds,alias_seconds,z_seconds,count_seconds,l_psi_seconds,\
                 tokens_per_second,bytes_up,bytes_down,device",
            )?,
            tokens_per_topic: Log::create(folder.file(name::TOKENS_PER_TOPIC), "iteration,topic,tokens")?,
        };
        // Their names are kept too.
        flush_folder(folder.path());
        Ok(logs)
    }

    /// Goes on with the logs of a run, cut back to `marks`; `Err` says what is wrong with them.
    ///
    /// # Errors
    /// When a log is not what it was at its mark.
    pub fn resume(folder: &Folder, marks: &Marks) -> Result<Self, String> {
        // Nothing is cut unless all of them hold.
        Self::holds(folder, marks)?;
        Ok(Self {
            trace: Log::resume(plain(folder, name::TRACE)?, &marks.trace)?,
            timing: Log::resume(plain(folder, name::TIMING)?, &marks.timing)?,
            tokens_per_topic: Log::resume(plain(folder, name::TOKENS_PER_TOPIC)?, &marks.tokens_per_topic)?,
        })
    }

    /// Whether the logs of a run still hold what they did at `marks`; `Err` says what is wrong.
    ///
    /// # Errors
    /// As [`Self::resume`].
    pub fn holds(folder: &Folder, marks: &Marks) -> Result<(), String> {
        Log::holds(&plain(folder, name::TRACE)?, &marks.trace)?;
        Log::holds(&plain(folder, name::TIMING)?, &marks.timing)?;
        Log::holds(&plain(folder, name::TOKENS_PER_TOPIC)?, &marks.tokens_per_topic)
    }

    /// How far the logs are.
    pub fn marks(&self) -> Marks {
        Marks {
            trace: self.trace.mark(),
            timing: self.timing.mark(),
            tokens_per_topic: self.tokens_per_topic.mark(),
        }
    }

    /// Writes the rows that were added; those that the system refuses wait for the next time.
    ///
    /// # Errors
    /// [`crate::Error::Write`].
    pub fn flush(&mut self) -> Result<()> {
        let Self { trace, timing, tokens_per_topic } = self;
        tokens_per_topic.flush().and(trace.flush()).and(timing.flush())
    }

    /// All rows up to `marks` are on the disk for good.
    pub(crate) fn settle(&mut self, marks: &Marks) {
        self.trace.settle(&marks.trace);
        self.timing.settle(&marks.timing);
        self.tokens_per_topic.settle(&marks.tokens_per_topic);
    }

    /// The disk may have lost rows that were not settled: they are written again.
    pub(crate) fn unsettle(&mut self) {
        [&mut self.trace, &mut self.timing, &mut self.tokens_per_topic].into_iter().for_each(Log::unsettle);
    }

    /// Has the disk keep all rows.
    ///
    /// # Errors
    /// [`crate::Error::Write`].
    pub(crate) fn sync(&self) -> Result<()> {
        [&self.trace, &self.timing, &self.tokens_per_topic].into_iter().try_for_each(Log::sync)
    }

    /// Other handles of the files, by which a second thread can have them flushed to the disk.
    pub(crate) fn handles(&self) -> Result<Vec<File>> {
        [&self.trace, &self.timing, &self.tokens_per_topic].into_iter().map(Log::handle).collect()
    }

    /// Adds the chain's state to trace.csv and tokens_per_topic.csv; returns the log-likelihood.
    pub fn trace(&mut self, chain: &dyn Chain, stuck_tokens: u64) -> f64 {
        let iteration = chain.iteration().to_string();
        let likelihood = chain.log_likelihood();
        let n = &chain.counts().n;
        let active = n.topic_tokens.iter().enumerate().filter(|&(_, &tokens)| tokens > 0);
        let rows = active.map(|(k, tokens)| [iteration.clone(), k.to_string(), tokens.to_string()]);
        self.tokens_per_topic.rows(rows);
        self.trace.rows([[
            iteration.clone(),
            format!("{:.3}", likelihood.model),
            format!("{:.3}", likelihood.lda),
            n.active_topics().to_string(),
            chain.flag_topic_tokens().to_string(),
            stuck_tokens.to_string(),
        ]]);
        likelihood.model
    }

    /// Adds an iteration to timing.csv.
    pub fn timing(&mut self, progress: &Progress, num_tokens: usize, device: &str) {
        let seconds = |seconds: f64| format!("{seconds:.6}");
        self.timing.rows([[
            progress.iteration.to_string(),
            seconds(progress.seconds),
            seconds(progress.phi_seconds),
            seconds(progress.alias_seconds),
            seconds(progress.z.z_seconds),
            seconds(progress.z.count_seconds),
            seconds(progress.l_psi_seconds),
            format!("{:.0}", num_tokens as f64 / progress.seconds),
            progress.z.bytes_up.to_string(),
            progress.z.bytes_down.to_string(),
            device.to_owned(),
        ]]);
    }
}

/// The path of a log that is a plain file: nothing else is written to.
fn plain(folder: &Folder, name: &str) -> Result<PathBuf, String> {
    folder.plain_file(name).map_err(|error| error.to_string())
}
