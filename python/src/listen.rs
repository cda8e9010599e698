//! Work on threads of its own, while the thread of Python waits for Ctrl-C and hands on what the work tells.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hdp_gpu::error::caught;
use hdp_gpu::infer::Watch;
use hdp_gpu::{Error, Result};
use pyo3::prelude::*;

use crate::errors::exception;
use crate::guard;

/// How long Python waits before it looks for Ctrl-C again.
const PATIENCE: Duration = Duration::from_millis(50);

/// What work tells, in Python's words: a method of the watcher with its arguments.
#[derive(Clone, Debug)]
pub(crate) enum Message {
    /// Chain `.0` begins, or goes on, after `.1` iterations.
    Turn(u32, u32),
    /// A chain has so many iterations.
    Progress(State),
    /// A chain has a new row in its trace.
    Row(State),
    /// So much of some work on documents is done.
    Share(f64),
    /// Something is not as it should be.
    Warning(String),
}

/// Where a chain is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    pub(crate) chain: u32,
    pub(crate) iteration: u32,
    pub(crate) active_topics: usize,
    pub(crate) log_likelihood: f64,
}

impl Message {
    /// Hands it to the watcher; returns whether that wants the work to stop.
    fn hand_on(self, watcher: &Bound<'_, PyAny>) -> PyResult<bool> {
        let told = match self {
            Self::Progress(State { chain, iteration, active_topics, log_likelihood }) => {
                watcher.call_method1("progress", (chain, iteration, active_topics, log_likelihood))
            }
            Self::Row(State { chain, iteration, active_topics, log_likelihood }) => {
                watcher.call_method1("row", (chain, iteration, active_topics, log_likelihood))
            }
            Self::Turn(chain, done) => watcher.call_method1("turn", (chain, done)),
            Self::Share(share) => watcher.call_method1("share", (share,)),
            Self::Warning(text) => watcher.call_method1("warn", (text,)),
        };
        told?.is_truthy()
    }
}

/// The work's end of the line.
pub(crate) struct Link {
    stop: Arc<AtomicBool>,
    messages: SyncSender<Message>,
    handled: Mutex<Receiver<()>>,
}

impl Link {
    /// Tells Python, and goes on when it has been heard: whoever is told may stop the work at this point.
    pub(crate) fn tell(&self, message: Message) {
        if self.messages.send(message).is_ok() {
            let _ = self.handled.lock().unwrap_or_else(PoisonError::into_inner).recv();
        }
    }
}

impl Watch for Link {
    fn share_done(&self, share: f64) {
        self.tell(Message::Share(share));
    }

    fn should_stop(&self) -> bool {
        self.stop.load(Relaxed)
    }
}

/// What has come of work, and what was raised meanwhile: by Ctrl-C or by who was told. The work was then asked to stop.
pub(crate) struct Heard<T> {
    pub(crate) done: Result<T>,
    pub(crate) raised: Option<PyErr>,
}

/// Does `work` on so many threads, and has `watcher` told of it.
pub(crate) fn listen<T: Send>(
    watcher: &Bound<'_, PyAny>,
    threads: usize,
    work: impl FnOnce(&Link) -> Result<T> + Send,
) -> Heard<T> {
    let py = watcher.py();
    let (messages, told) = sync_channel(0);
    let (answers, handled) = sync_channel(1);
    let stop = Arc::new(AtomicBool::new(false));
    let link = Link { stop: Arc::clone(&stop), messages, handled: Mutex::new(handled) };
    let told = Mutex::new(told);
    let mut raised = None;
    let done = std::thread::scope(|scope| {
        let worker = scope.spawn(move || caught(|| pool(threads)?.install(|| work(&link))));
        loop {
            let message =
                py.detach(|| told.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE));
            let is_message = message.is_ok();
            let wants_stop = match message {
                Ok(message) => message.hand_on(watcher),
                Err(RecvTimeoutError::Timeout) => Ok(false),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            match wants_stop.and_then(|wants_stop| pressed(watcher).map(|()| wants_stop)) {
                Ok(false) => {}
                Ok(true) => stop.store(true, Relaxed),
                Err(error) => {
                    raised.get_or_insert(error);
                    stop.store(true, Relaxed);
                }
            }
            if is_message {
                let _ = answers.send(());
            }
        }
        worker.join().unwrap_or_else(|_| Err(Error::internal("a thread has ended before its time")))
    });
    Heard { done, raised }
}

/// Raises what Ctrl-C has raised, at once or kept by the watcher.
fn pressed(watcher: &Bound<'_, PyAny>) -> PyResult<()> {
    watcher.py().check_signals()?;
    watcher.call_method0("look").map(drop)
}

/// Does `work` on so many threads, without the interpreter's lock, in a process that may.
pub(crate) fn on_threads<T: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    guard::check()?;
    detached(py, || pool(threads)?.install(work))
}

/// Does `work` without the interpreter's lock. What panics in it is an error like any other.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(exception)
}

/// So many threads.
fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Error::no_thread("to work on", &error))
}
