//! What a run writes on its way: rows of its logs, samples, and checkpoints to go on from.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{DeviceFailure, Plan, Watcher, insist};
use crate::chain::{Chain, Progress, Start};
use crate::checkpoint::{Info, Job, Past, Run, Store, Writer};
use crate::error::{Error, Result};
use crate::estimate::Samples;
use crate::output::Folder;
use crate::output::logs::{Logs, Rows};

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

/// Logs, samples and checkpoints of a run.
#[derive(Debug)]
pub struct Journal {
    run: Run,
    logs: Logs,
    samples: Option<Arc<Samples>>,
    writer: Writer,
    every: Every,
    /// When the last checkpoint was taken, and the iteration.
    last: (Instant, u32),
    /// Whether the run has rows and a checkpoint already.
    resumed: bool,
    /// Whether the last attempt to write a checkpoint failed.
    failed: bool,
    /// Whether the watcher knows that something waits for the disk.
    told: bool,
    past: Past,
    /// Since when there is time that `past.seconds` lacks; none while the chain rests.
    since: Option<Instant>,
    /// The latest log-likelihood.
    log_likelihood: f64,
}

impl Journal {
    /// Of a new run.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn create(folder: &Folder, run: Run, every: Every) -> Result<Self> {
        let logs = Logs::create(folder, Rows::none())?;
        Ok(Self::new(run, logs, Store::new(folder), every))
    }

    /// Of a run that goes on as `past` tells, with the `rows` and `samples` that it has so far.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn resume(
        folder: &Folder,
        run: Run,
        every: Every,
        store: Store,
        past: Past,
        rows: Rows,
        samples: Option<Samples>,
    ) -> Result<Self> {
        let mut journal = Self::new(run, Logs::create(folder, rows)?, store, every);
        journal.resumed = true;
        journal.samples = samples.map(Arc::new);
        journal.past = past;
        Ok(journal)
    }

    fn new(run: Run, logs: Logs, store: Store, every: Every) -> Self {
        Self {
            run,
            logs,
            samples: None,
            writer: Writer::new(store),
            every,
            last: (Instant::now(), 0),
            resumed: false,
            failed: false,
            told: false,
            past: Past::default(),
            since: Some(Instant::now()),
            log_likelihood: f64::NAN,
        }
    }

    /// How long the run is, and what it keeps.
    pub fn plan(&self) -> Plan {
        self.run.course()
    }

    /// Has the run end with iteration `end`, or with the last of its plan; it must not have passed the first of several samples
    /// that are then due. Samples of another course are dropped.
    pub fn set_end(&mut self, end: Option<u32>) {
        let before = self.run.course();
        self.run.end = end;
        if self.run.course() != before {
            self.samples = None;
        }
    }

    /// The rows of trace.csv so far.
    pub fn trace_rows(&self) -> &[u8] {
        self.logs.trace_rows()
    }

    /// The latest log-likelihood of the trace.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// Time counts as the run's from now on.
    pub(super) fn go_on(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// Time is not the run's until it goes on.
    pub(super) fn rest(&mut self) {
        self.past.seconds = self.past().seconds;
        self.since = None;
    }

    /// What there is to tell of all iterations so far.
    fn past(&self) -> Past {
        let seconds = self.past.seconds + self.since.map_or(0.0, |since| since.elapsed().as_secs_f64());
        Past { seconds, ..self.past.clone() }
    }

    /// The first row, unless the run has it, and a checkpoint, which also keeps what is new in a run that goes on.
    ///
    /// # Errors
    /// When the device fails, the state is not one that can be, or the disk refuses the row.
    pub fn begin(&mut self, chain: &mut dyn Chain) -> Result<()> {
        if self.resumed {
            self.log_likelihood = chain.state().log_likelihood().model;
        } else {
            self.trace(chain)?;
        }
        self.logs.flush()?;
        self.take(chain)
    }

    /// Notes that the device was left for the CPU.
    pub(super) fn device_failed(&mut self, failure: DeviceFailure) {
        self.past.device_failure = Some(failure);
    }

    /// Adds an iteration to timing.csv.
    pub(super) fn timing(&mut self, progress: &Progress, num_tokens: usize, device: &str) {
        self.past.stuck_tokens = progress.z.stuck_tokens;
        self.logs.timing(progress, num_tokens, device);
    }

    /// Adds the chain's state to the trace.
    pub(super) fn trace(&mut self, chain: &dyn Chain) -> Result<()> {
        chain.state().check()?;
        let log_likelihood = self.logs.trace(chain, self.past.stuck_tokens);
        if !log_likelihood.is_finite() {
            let problem =
                format!("iteration {}: the log-likelihood is {log_likelihood}", chain.state().iteration());
            return Err(Error::internal(problem));
        }
        self.log_likelihood = log_likelihood;
        self.past.most_flag_topic_tokens =
            self.past.most_flag_topic_tokens.max(chain.state().flag_topic_tokens());
        Ok(())
    }

    /// Adds the chain's state to the samples.
    pub(super) fn sample(&mut self, chain: &mut dyn Chain) -> Result<()> {
        let (state, z) = chain.state_and_z()?;
        let samples = self.samples.get_or_insert_with(|| Arc::new(Samples::new(state)));
        // A copy is made only while a checkpoint is being written.
        Arc::make_mut(samples).add(state, &z);
        Ok(())
    }

    /// After an iteration: writes rows, and a checkpoint if one is due. What the disk refuses is kept for the next time.
    pub(super) fn keep(&mut self, chain: &mut dyn Chain, watcher: &mut dyn Watcher) -> Result<()> {
        let flushed = self.logs.flush();
        let written = self.writer.poll();
        self.failed = written.as_ref().map_or(self.failed, Result::is_err);
        self.tell(flushed.err().or_else(|| written?.err()), watcher);
        if self.writer.is_busy() || !self.is_due(chain.state().iteration()) {
            return Ok(());
        }
        self.take(chain)
    }

    /// Tells the watcher when the disk begins to refuse, and when all is written again.
    fn tell(&mut self, refused: Option<Error>, watcher: &mut dyn Watcher) {
        match refused {
            Some(error) if !self.told => {
                watcher.disk_refuses(&error);
                self.told = true;
            }
            None if self.told && !self.failed && !self.writer.is_busy() => {
                watcher.disk_accepts();
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
        let info = Info {
            version: env!("CARGO_PKG_VERSION").into(),
            iteration: chain.state().iteration(),
            concentrations: chain.state().params().concentrations(),
            run: self.run.clone(),
            past: self.past(),
        };
        let start = Start::of(chain)?;
        let (samples, rows) = (self.samples.clone(), self.logs.rows());
        self.last = (Instant::now(), chain.state().iteration());
        self.writer.start(Job { info, start, rows, samples });
        Ok(())
    }

    /// The last checkpoint, and the last row if it is off the grid: all of it is on the disk when this returns. What there
    /// is to tell, and the samples.
    ///
    /// # Errors
    /// When the device fails, or the disk refuses and the watcher has lost its patience.
    pub fn end(
        mut self,
        chain: &mut dyn Chain,
        watcher: &mut dyn Watcher,
    ) -> Result<(Past, Option<Arc<Samples>>)> {
        self.go_on();
        // Whatever came of the one before, there is another one now.
        self.writer.wait();
        insist(watcher, self.told, || {
            self.take(chain)?;
            self.writer.wait().unwrap_or(Ok(()))
        })?;
        if !chain.state().iteration().is_multiple_of(self.run.plan.trace_every) {
            self.trace(chain)?;
        }
        insist(watcher, false, || self.logs.finish())?;
        // A run that was interrupted may have grown since the last of them.
        if let Some(samples) = &mut self.samples {
            Arc::make_mut(samples).grow(chain.state().params().k_star());
        }
        Ok((self.past(), self.samples))
    }
}
