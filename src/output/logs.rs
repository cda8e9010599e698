//! The files that grow while a run goes on: trace.csv, timing.csv and tokens_per_topic.csv, row by row.

use std::fs::File;
use std::path::PathBuf;

use super::folder::{Folder, name};
use crate::chain::{Chain, Progress};
use crate::error::{Error, Result};

/// The three logs of a run.
#[derive(Debug)]
pub struct Logs {
    trace: Log,
    timing: Log,
    tokens_per_topic: Log,
}

impl Logs {
    /// Starts the logs with their headers.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn create(folder: &Folder) -> Result<Self> {
        Ok(Self {
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
        })
    }

    /// Adds the chain's state to trace.csv and tokens_per_topic.csv; returns the log-likelihood.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn trace(&mut self, chain: &dyn Chain, stuck_tokens: u64) -> Result<f64> {
        let iteration = chain.iteration().to_string();
        let likelihood = chain.log_likelihood();
        let n = &chain.counts().n;
        for (k, &tokens) in n.topic_tokens.iter().enumerate().filter(|&(_, &tokens)| tokens > 0) {
            self.tokens_per_topic.row(&[&iteration, &k.to_string(), &tokens.to_string()])?;
        }
        self.trace.row(&[
            &iteration,
            &format!("{:.3}", likelihood.model),
            &format!("{:.3}", likelihood.lda),
            &n.active_topics().to_string(),
            &chain.flag_topic_tokens().to_string(),
            &stuck_tokens.to_string(),
        ])?;
        Ok(likelihood.model)
    }

    /// Adds an iteration to timing.csv.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn timing(&mut self, progress: &Progress, num_tokens: usize, device: &str) -> Result<()> {
        let seconds = |seconds: f64| format!("{seconds:.6}");
        self.timing.row(&[
            &progress.iteration.to_string(),
            &seconds(progress.seconds),
            &seconds(progress.phi_seconds),
            &seconds(progress.alias_seconds),
            &seconds(progress.z.z_seconds),
            &seconds(progress.z.count_seconds),
            &seconds(progress.l_psi_seconds),
            &format!("{:.0}", num_tokens as f64 / progress.seconds),
            &progress.z.bytes_up.to_string(),
            &progress.z.bytes_down.to_string(),
            device,
        ])
    }
}

/// One growing CSV file.
#[derive(Debug)]
struct Log {
    path: PathBuf,
    writer: csv::Writer<File>,
}

impl Log {
    fn create(path: PathBuf, header: &str) -> Result<Self> {
        let file = File::create_new(&path).map_err(Error::write(&path))?;
        let mut log = Self { path, writer: csv::Writer::from_writer(file) };
        log.row(&header.split(',').collect::<Vec<_>>())?;
        Ok(log)
    }

    /// Writes a row at once, so that a run that is killed leaves whole rows.
    fn row(&mut self, fields: &[&str]) -> Result<()> {
        self.writer.write_record(fields).map_err(|error| Error::write(&self.path)(error.into()))?;
        self.writer.flush().map_err(Error::write(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_ends_with_a_whole_row_at_any_time() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("log.csv");
        let mut log = Log::create(path.clone(), "iteration,device").expect("a log");
        let mut expected = "iteration,device\n".to_owned();
        // Far more than a buffer holds.
        for iteration in 0..2000 {
            log.row(&[&iteration.to_string(), "cpu"]).expect("a row");
            expected += &format!("{iteration},cpu\n");
            if iteration % 97 == 0 {
                assert_eq!(std::fs::read_to_string(&path).expect("a log"), expected);
            }
        }
    }
}
