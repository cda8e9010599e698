//! The files that grow while a run goes on: trace.csv, timing.csv and tokens_per_topic.csv, row by row.

use super::folder::{Folder, name};
use super::log::Log;
use super::record::damaged;
use super::trace::{TopicTokens, TraceRow};
use crate::chain::Progress;
use crate::error::Result;

/// The three logs of a run.
#[derive(Debug)]
pub(super) struct Logs {
    folder: Folder,
    trace: Log,
    timing: Log,
    tokens_per_topic: Log,
}

/// The content of the three logs, as a checkpoint has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Of trace.csv.
    pub trace: Vec<u8>,
    /// Of timing.csv.
    pub timing: Vec<u8>,
    /// Of tokens_per_topic.csv.
    pub tokens_per_topic: Vec<u8>,
}

impl Rows {
    /// The headers alone.
    pub(super) fn none() -> Self {
        let trace = "iteration,log_likelihood,log_likelihood_lda,active_topics,flag_topic_tokens,stuck_tokens,\
                     alpha,beta,gamma,max_topics\n";
        let timing = "iteration,seconds,phi_seconds,alias_seconds,z_seconds,count_seconds,l_psi_seconds,\
                      tokens_per_second,bytes_up,bytes_down,device,gpu_share,team,comm_seconds,comm_bytes\n";
        Self {
            trace: trace.into(),
            timing: timing.into(),
            tokens_per_topic: "iteration,topic,tokens\n".into(),
        }
    }

    /// The same with every column that timing.csv has now: a run that began before there were the last ones has them empty.
    fn with_all_columns(mut self) -> Self {
        let header = Self::none().timing;
        let columns = |line: &[u8]| line.iter().filter(|&&byte| byte == b',').count();
        let mut lines = self.timing.split_inclusive(|&byte| byte == b'\n');
        let missing = columns(&header).saturating_sub(lines.next().map_or(0, columns));
        if missing > 0 && self.timing.ends_with(b"\n") {
            let rows = lines.flat_map(|line| [&line[..line.len() - 1], &vec![b','; missing], b"\n"].concat());
            self.timing = header.iter().copied().chain(rows).collect();
        }
        self
    }
}

/// The tokens of topic `k` at each iteration of tokens_per_topic.csv in the folder of a run, 0 where it has none.
///
/// # Errors
/// [`crate::Error::Read`] or [`crate::Error::Input`] when the file is no plain one, or damaged.
pub fn topic_sizes(run: &Folder, k: u16) -> Result<Vec<(u32, u64)>> {
    let name = name::TOKENS_PER_TOPIC;
    let mut sizes: Vec<(u32, u64)> = Vec::new();
    let rows = csv::Reader::from_reader(run.open(name)?);
    for row in rows.into_deserialize() {
        let (iteration, topic, tokens): (u32, u16, u64) =
            row.map_err(|error| damaged(&run.file(name), format!("is no log of a run ({error})")))?;
        if sizes.last().is_none_or(|&(last, _)| last != iteration) {
            sizes.push((iteration, 0));
        }
        if let Some((_, size)) = sizes.last_mut().filter(|_| topic == k) {
            *size = tokens;
        }
    }
    Ok(sizes)
}

impl Logs {
    /// Logs with the given rows, which [`Self::flush`] writes, whatever the folder has of them.
    pub(super) fn new(folder: &Folder, rows: Rows) -> Self {
        let rows = rows.with_all_columns();
        Self {
            folder: folder.clone(),
            trace: Log::new(folder.file(name::TRACE), rows.trace),
            timing: Log::new(folder.file(name::TIMING), rows.timing),
            tokens_per_topic: Log::new(folder.file(name::TOKENS_PER_TOPIC), rows.tokens_per_topic),
        }
    }

    /// All rows so far.
    pub(super) fn rows(&self) -> Rows {
        Rows {
            trace: self.trace.rows().to_vec(),
            timing: self.timing.rows().to_vec(),
            tokens_per_topic: self.tokens_per_topic.rows().to_vec(),
        }
    }

    /// Writes the rows that were added; those that the system refuses wait for the next time.
    ///
    /// # Errors
    /// [`crate::Error::Write`].
    pub(super) fn flush(&mut self) -> Result<()> {
        self.folder.check_in_place()?;
        let Self { trace, timing, tokens_per_topic, .. } = self;
        tokens_per_topic.flush().and(trace.flush()).and(timing.flush())
    }

    /// Writes all rows for good.
    ///
    /// # Errors
    /// [`crate::Error::Write`].
    pub(super) fn finish(&mut self) -> Result<()> {
        self.folder.check_in_place()?;
        self.tokens_per_topic.write_anew()?;
        self.trace.write_anew()?;
        self.timing.write_anew()
    }

    /// Adds a state of the chain to trace.csv and tokens_per_topic.csv.
    pub(super) fn trace(&mut self, row: &TraceRow, topics: &TopicTokens) {
        let iteration = row.iteration.to_string();
        let rows = topics.tokens.iter();
        let rows = rows.map(|(k, tokens)| [iteration.clone(), k.to_string(), tokens.to_string()]);
        self.tokens_per_topic.push(rows);
        self.trace.push([row.fields()]);
    }

    /// Adds an iteration to timing.csv.
    pub(super) fn timing(&mut self, progress: &Progress, num_tokens: usize, device: &str) {
        let seconds = |seconds: f64| format!("{seconds:.6}");
        self.timing.push([[
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
            format!("{:.4}", progress.gpu_share),
            progress.team.map_or_else(String::new, |team| team.to_string()),
            seconds(progress.talk.seconds),
            progress.talk.bytes.to_string(),
        ]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_an_older_run_get_the_new_columns() {
        let header = "iteration,seconds,phi_seconds,alias_seconds,z_seconds,count_seconds,l_psi_seconds,\
                      tokens_per_second,bytes_up,bytes_down,device";
        let old = format!("{header}\n1,0,0,0,0,0,0,5,0,0,\"a, b\"\n2,0,0,0,0,0,0,5,0,0,cpu\n");
        let rows = Rows { timing: old.into(), ..Rows::none() }.with_all_columns();
        let expected = format!(
            "{header},gpu_share,team,comm_seconds,comm_bytes\n1,0,0,0,0,0,0,5,0,0,\"a, b\",,,,\n2,0,0,0,0,0,0,5,0,0,cpu,,,,\n"
        );
        assert_eq!(String::from_utf8_lossy(&rows.timing), expected);
        assert_eq!(rows.clone().with_all_columns(), rows);
        assert_eq!(Rows::none().with_all_columns(), Rows::none());
    }
}
