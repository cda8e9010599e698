//! What a chain writes on its way: rows of its logs, samples, and checkpoints to go on from.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::advance::retry;
use super::checkpoint::{Job, Kept, Store, Writer};
use super::finish::{finished, shown};
use super::folder::Folder;
use super::logs::{Logs, Rows};
use super::observer::{Event, Observer};
use super::plan::Plan;
use super::record::DeviceFailure;
use super::trace::{History, TraceRow};
use crate::chain::{Chain, Progress, Start};
use crate::corpus::{Corpus, Topics};
use crate::device::AutoChoice;
use crate::error::{Error, Result};
use crate::estimate::Samples;

/// How long after a failed checkpoint the next attempt comes, at most.
const RETRY: Duration = Duration::from_secs(30);

/// How often checkpoints are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// After so many iterations.
    Iterations(u32),
    /// After so much time.
    Time(Duration),
}

impl Default for Every {
    fn default() -> Self {
        Self::Time(Duration::from_secs(600))
    }
}

/// Logs, samples, checkpoints and the record of a chain.
#[derive(Debug)]
pub(super) struct Journal {
    kept: Kept,
    logs: Logs,
    history: History,
    samples: Option<Arc<Samples>>,
    writer: Writer,
    every: Every,
    /// When the last checkpoint was taken, and the iteration.
    last: (Instant, u32),
    /// Whether the chain has rows and a checkpoint already.
    resumed: bool,
    /// Whether the last attempt to write a checkpoint failed.
    failed: bool,
    /// Whether the observer knows that something waits for the disk.
    told: bool,
    /// Failures of other ranks' devices that the observer has not been told of.
    failed_ranks: Vec<DeviceFailure>,
    /// Since when there is time that the record lacks; none while the chain rests.
    since: Option<Instant>,
}

impl Journal {
    /// Of a new chain.
    ///
    /// # Errors
    /// [`Error::Setting`] when the system refuses a thread.
    pub(super) fn create(folder: &Folder, kept: Kept, every: Every) -> Result<Self> {
        Self::new(kept, Logs::new(folder, Rows::none()), Store::new(folder), every)
    }

    /// Of a chain that goes on with the rows and samples that it has so far.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub(super) fn resume(
        folder: &Folder,
        kept: Kept,
        every: Every,
        store: Store,
        (rows, history): (Rows, History),
        samples: Option<Samples>,
    ) -> Result<Self> {
        let mut journal = Self::new(kept, Logs::new(folder, rows), store, every)?;
        journal.resumed = true;
        journal.history = history;
        journal.samples = samples.map(Arc::new);
        Ok(journal)
    }

    fn new(kept: Kept, logs: Logs, store: Store, every: Every) -> Result<Self> {
        let writer = Writer::new(store)?;
        Ok(Self {
            kept,
            logs,
            history: History::default(),
            samples: None,
            writer,
            every,
            last: (Instant::now(), 0),
            resumed: false,
            failed: false,
            told: false,
            failed_ranks: Vec::new(),
            since: Some(Instant::now()),
        })
    }

    /// How long the run is, and what it keeps.
    pub(super) fn plan(&self) -> Plan {
        self.kept.course()
    }

    /// Has the run end with iteration `end`, or with the last of its plan; it must not have passed the first of several samples
    /// that are then due. Samples of another course are dropped.
    pub(super) fn set_end(&mut self, end: Option<u32>) {
        let before = self.kept.course();
        self.kept.end = end;
        if self.kept.course() != before {
            self.samples = None;
        }
    }

    /// All rows so far.
    pub(super) fn history(&self) -> &History {
        &self.history
    }

    /// The latest log-likelihood of the trace.
    pub(super) fn log_likelihood(&self) -> f64 {
        self.history.trace.last().map_or(f64::NAN, |row| row.log_likelihood)
    }

    /// Time counts as the chain's from now on.
    pub(super) fn go_on(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// The chain rests here, so that [`Self::keep`] needs no more than where it is; time is not its own until it goes on.
    ///
    /// # Errors
    /// When the state is not one that can be.
    pub(super) fn rest_at(&mut self, chain: &dyn Chain) -> Result<()> {
        chain.state().check()?;
        chain.state().corpus().check_content()?;
        self.kept.record.describe(chain);
        self.rest();
        Ok(())
    }

    /// Time is not the chain's until it goes on.
    pub(super) fn rest(&mut self) {
        self.count_time();
        self.since = None;
    }

    /// Adds the time so far to the record.
    fn count_time(&mut self) {
        if let Some(since) = &mut self.since {
            self.kept.record.wall_seconds += since.elapsed().as_secs_f64();
            *since = Instant::now();
        }
    }

    /// The first row, unless the run has it, and a checkpoint, which also keeps what is new in a run that goes on.
    ///
    /// # Errors
    /// When the device fails, the state is not one that can be, or the disk refuses the row and the observer has lost its patience.
    pub(super) fn begin(&mut self, chain: &mut dyn Chain, observer: &mut dyn Observer) -> Result<()> {
        if !self.resumed {
            self.trace(chain)?;
        }
        retry(observer, false, || self.logs.flush())?;
        self.take(chain)
    }

    /// Notes what a device has chosen for itself.
    pub(super) fn device_chosen(&mut self, choice: AutoChoice) {
        self.kept.record.chosen = Some(choice);
    }

    /// Notes that the device was left for the CPU.
    pub(super) fn device_failed(&mut self, failure: DeviceFailure) {
        self.kept.record.device_error = Some(failure);
    }

    /// Adds an iteration to timing.csv.
    pub(super) fn timing(&mut self, progress: &Progress, num_tokens: usize, device: &str) {
        self.kept.stuck_tokens = progress.z.stuck_tokens;
        self.history.push_timing(progress);
        self.logs.timing(progress, num_tokens, device);
    }

    /// Adds the chain's state to the trace.
    pub(super) fn trace(&mut self, chain: &dyn Chain) -> Result<()> {
        chain.state().check()?;
        let row = TraceRow::of(chain, self.kept.stuck_tokens);
        let log_likelihood = row.log_likelihood;
        if !log_likelihood.is_finite() {
            let problem = format!("iteration {}: the log-likelihood is {log_likelihood}", row.iteration);
            return Err(Error::internal(problem));
        }
        self.history.push_state(row, chain);
        let topics = self.history.topic_tokens.last().expect("it has just been added");
        self.logs.trace(&row, topics);
        self.kept.most_flag_topic_tokens = self.kept.most_flag_topic_tokens.max(row.flag_topic_tokens);
        Ok(())
    }

    /// Adds the chain's state, or a finished copy of it, to the samples. `corpus` is all documents.
    pub(super) fn sample(&mut self, chain: &mut dyn Chain, corpus: &Arc<Corpus>) -> Result<()> {
        let finished = finished(chain, corpus, self.kept.sweeps(corpus.num_tokens()))?;
        let (state, z) = shown(finished.as_ref(), chain)?;
        let samples = self.samples.get_or_insert_with(|| Arc::new(Samples::new(state)));
        // A copy is made only while a checkpoint is being written.
        Arc::make_mut(samples).add(state, &z);
        Ok(())
    }

    /// After an iteration: writes rows, and a checkpoint if one is due. What the disk refuses is kept for the next time.
    pub(super) fn write_due(&mut self, chain: &mut dyn Chain, observer: &mut dyn Observer) -> Result<()> {
        let flushed = self.logs.flush();
        let written = self.writer.poll();
        self.failed = written.as_ref().map_or(self.failed, Result::is_err);
        self.report_disk(flushed.err().or_else(|| written?.err()), observer);
        if self.writer.is_busy() || !self.is_due(chain.state().iteration()) {
            return Ok(());
        }
        match self.take(chain) {
            // There was no room for the topics of other ranks: that is a failed checkpoint, and no more.
            Err(error @ Error::Write { .. }) => {
                (self.failed, self.last) = (true, (Instant::now(), chain.state().iteration()));
                self.report_disk(Some(error), observer);
                Ok(())
            }
            taken => {
                self.report_ranks(observer);
                taken
            }
        }
    }

    /// Reports to the observer when the disk begins to refuse, and when all is written again.
    fn report_disk(&mut self, refused: Option<Error>, observer: &mut dyn Observer) {
        match refused {
            Some(error) if !self.told => {
                observer.event(&Event::DiskRefuses(&error));
                self.told = true;
            }
            None if self.told && !self.failed && !self.writer.is_busy() => {
                observer.event(&Event::DiskAccepts);
                self.told = false;
            }
            _ => {}
        }
    }

    fn is_due(&self, iteration: u32) -> bool {
        let (time, last) = self.last;
        let by_plan = match self.every {
            Every::Iterations(iterations) => iteration - last >= iterations,
            Every::Time(every) => time.elapsed() >= every,
        };
        by_plan || self.failed && time.elapsed() >= RETRY
    }

    /// Copies the chain's state and has it written.
    fn take(&mut self, chain: &mut dyn Chain) -> Result<()> {
        chain.state().check()?;
        chain.state().corpus().check_content()?;
        let start = chain.start()?;
        self.count_time();
        self.kept.record.describe(chain);
        self.failed_ranks.extend(self.kept.record.hear_ranks(chain));
        self.write(start);
        Ok(())
    }

    /// Tells the observer which other ranks have left their devices.
    fn report_ranks(&mut self, observer: &mut dyn Observer) {
        self.failed_ranks.drain(..).for_each(|failure| observer.event(&Event::DeviceFailed(&failure)));
    }

    /// Has `start`, as the record describes it, written.
    fn write(&mut self, start: Start<Topics>) {
        let (samples, rows) = (self.samples.clone(), self.logs.rows());
        self.last = (Instant::now(), start.iteration);
        self.writer.start(Job { kept: self.kept.clone(), start, rows, samples });
    }

    /// Writes a checkpoint of a chain that rests at `at`: it is on the disk when this returns.
    ///
    /// # Errors
    /// As [`Self::end`].
    pub(super) fn keep(&mut self, at: &Start<Topics>, observer: &mut dyn Observer) -> Result<()> {
        self.writer.wait();
        retry(observer, self.told, || {
            self.write(at.clone());
            self.writer.wait().unwrap_or(Ok(()))
        })
    }

    /// The last checkpoint, and the last row if it is off the grid: all of it is on the disk when this returns.
    ///
    /// # Errors
    /// When the device fails, or the disk refuses and the observer has lost its patience.
    pub(super) fn end(mut self, chain: &mut dyn Chain, observer: &mut dyn Observer) -> Result<Ended> {
        self.go_on();
        // Whatever came of the one before, there is another one now.
        self.writer.wait();
        retry(observer, self.told, || {
            self.take(chain)?;
            self.writer.wait().unwrap_or(Ok(()))
        })?;
        self.report_ranks(observer);
        if !chain.state().iteration().is_multiple_of(self.kept.record.settings.plan.trace_every) {
            self.trace(chain)?;
        }
        retry(observer, false, || self.logs.finish())?;
        // A run that was interrupted may have grown since the last of them.
        if let Some(samples) = &mut self.samples {
            Arc::make_mut(samples).grow(chain.state().params().k_star());
        }
        self.rest();
        Ok(Ended { kept: self.kept, history: self.history, samples: self.samples })
    }
}

/// What is left of a journal when its chain has ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) kept: Kept,
    pub(super) history: History,
    pub(super) samples: Option<Arc<Samples>>,
}
