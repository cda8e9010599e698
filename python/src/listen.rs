//! Work on threads of its own, while the thread of Python waits for Ctrl-C and hands on what the work tells.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hdp_gpu::error::caught;
use hdp_gpu::watch::{Watch, hand_on, watched};
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

/// Does `work` on so many threads, without the interpreter's lock and until Ctrl-C, in a process that may.
pub(crate) fn on_threads<T: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    until_ctrl_c(py, None, || pool(threads)?.install(work))
}

/// Does `work` without the interpreter's lock and until Ctrl-C, in a process that may, and has a watcher told how much is read.
pub(crate) fn until_ctrl_c<T: Send>(
    py: Python<'_>,
    watcher: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    guard::check()?;
    let ear = Ear { watcher: watcher.map(|watcher| watcher.clone().unbind()), raised: Mutex::default() };
    let done = py.detach(|| watched(&ear, || caught(work)));
    match ear.raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(raised) => Err(raised),
        None => done.map_err(exception),
    }
}

/// Hears Ctrl-C on the thread that came from Python.
struct Ear {
    watcher: Option<Py<PyAny>>,
    raised: Mutex<Option<PyErr>>,
}

impl Ear {
    /// Asks Python, and keeps what that raises.
    fn ask(&self, question: impl FnOnce(Python<'_>) -> PyResult<()>) {
        if let Err(error) = Python::attach(question) {
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}

impl Watch for Ear {
    fn share_done(&self, share: f64) {
        if let Some(watcher) = &self.watcher {
            self.ask(|py| watcher.call_method1(py, "share", (share,)).map(drop));
        }
    }

    fn should_stop(&self) -> bool {
        self.ask(|py| py.check_signals());
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// Does `work` without the interpreter's lock. What panics in it is an error like any other.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(exception)
}

/// So many threads.
fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let hand_on = hand_on();
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .start_handler(move |_| hand_on())
        .build()
        .map_err(|error| Error::no_thread("to work on", &error))
}
