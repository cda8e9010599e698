//! Writes checkpoints on a thread of its own, one at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use super::{Kept, Store};
use crate::chain::Start;
use crate::corpus::Topics;
use crate::error::{Error, Result};
use crate::estimate::Samples;
use crate::run::logs::Rows;

/// A checkpoint to be written.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) kept: Kept,
    pub(crate) start: Start<Topics>,
    pub(crate) samples: Option<Arc<Samples>>,
    pub(crate) rows: Rows,
}

/// The thread that writes.
#[derive(Debug)]
pub(crate) struct Writer {
    jobs: Option<SyncSender<Job>>,
    done: Receiver<Result<()>>,
    busy: bool,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts a thread that writes to `store`.
    ///
    /// # Errors
    /// [`Error::Setting`] when the system refuses it.
    pub(crate) fn new(mut store: Store) -> Result<Self> {
        let (jobs, todo) = sync_channel::<Job>(1);
        let (tell, done) = sync_channel(1);
        let work = move || {
            for job in todo {
                let write =
                    AssertUnwindSafe(|| store.save(&job.kept, &job.start, &job.rows, job.samples.as_deref()));
                let written = catch_unwind(write)
                    .unwrap_or_else(|_| Err(Error::internal("writing a checkpoint ended in a panic")));
                // Nobody listens any more when a run ends with an error.
                let _ = tell.send(written);
            }
        };
        let thread = Builder::new().name("checkpoints".into()).spawn(work);
        let thread = thread.map_err(|error| Error::no_thread("that writes checkpoints", &error))?;
        Ok(Self { jobs: Some(jobs), done, busy: false, thread: Some(thread) })
    }

    /// Whether a checkpoint is being written.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy
    }

    /// Has `job` written; the writer must not be busy.
    ///
    /// # Panics
    /// When the thread has ended, which it never does by itself.
    pub(crate) fn start(&mut self, job: Job) {
        debug_assert!(!self.busy);
        let jobs = self.jobs.as_ref().expect("the channel is open until the writer is dropped");
        jobs.send(job).expect("the thread runs until the channel is closed");
        self.busy = true;
    }

    /// What came of the last job, once, if it has ended.
    pub(crate) fn poll(&mut self) -> Option<Result<()>> {
        let ended = self.done.try_recv().ok();
        self.busy &= ended.is_none();
        ended
    }

    /// Waits for the job that is being written, if there is one.
    ///
    /// # Panics
    /// When the thread has panicked.
    pub(crate) fn wait(&mut self) -> Option<Result<()>> {
        let busy = std::mem::take(&mut self.busy);
        busy.then(|| self.done.recv().expect("the thread answers every job"))
    }
}

impl Drop for Writer {
    /// Whatever ends the run, a checkpoint that is being written is written to its end.
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // A panic has been printed by then.
            let _ = thread.join();
        }
    }
}
