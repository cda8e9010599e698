//! Writes checkpoints, one at a time: the chain's state at once, which spares a copy of z, and all else, with waiting for the
//! disk, on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::format::Rest;
use super::store::Draft;
use super::{Info, Store};
use crate::chain::State;
use crate::error::{Error, Result};

/// The thread that writes.
#[derive(Debug)]
pub(crate) struct Writer {
    store: Store,
    jobs: Option<SyncSender<Draft>>,
    /// What kept the last checkpoint from being begun.
    refused: Option<Error>,
    done: Receiver<Result<()>>,
    busy: bool,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts a thread that writes to `store`.
    pub(crate) fn new(store: Store) -> Self {
        let (jobs, todo) = sync_channel::<Draft>(1);
        let (tell, done) = sync_channel(1);
        let mut on_disk = store.clone();
        let work = move || {
            for draft in todo {
                let written = catch_unwind(AssertUnwindSafe(|| on_disk.end(draft)))
                    .unwrap_or_else(|_| Err(Error::internal("writing a checkpoint ended in a panic")));
                // Nobody listens any more when a run ends with an error.
                let _ = tell.send(written);
            }
        };
        let thread = Some(std::thread::spawn(work));
        Self { store, jobs: Some(jobs), refused: None, done, busy: false, thread }
    }

    /// Whether a checkpoint is being written.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy
    }

    /// Has a checkpoint written, of which `state` and `z` are no longer needed when this returns; the writer must not be busy.
    ///
    /// # Panics
    /// When the thread has ended, which it never does by itself.
    pub(crate) fn start(&mut self, info: &Info, state: &State, z: &[u16], rest: Rest) {
        debug_assert!(!self.busy);
        let jobs = self.jobs.as_ref().expect("the channel is open until the writer is dropped");
        match self.store.begin(info, state, z, rest) {
            Ok(draft) => jobs.send(draft).expect("the thread runs until the channel is closed"),
            Err(error) => self.refused = Some(error),
        }
        self.busy = true;
    }

    /// What came of the last job, once, if it has ended.
    pub(crate) fn poll(&mut self) -> Option<Result<()>> {
        let ended = self.refused.take().map(Err).or_else(|| self.done.try_recv().ok());
        self.busy &= ended.is_none();
        ended
    }

    /// Waits for the job that is being written, if there is one.
    ///
    /// # Panics
    /// When the thread has panicked.
    pub(crate) fn wait(&mut self) -> Option<Result<()>> {
        let busy = std::mem::take(&mut self.busy);
        let refused = self.refused.take().map(Err);
        busy.then(|| refused.unwrap_or_else(|| self.done.recv().expect("the thread answers every job")))
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
