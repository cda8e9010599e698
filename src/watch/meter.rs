//! How far the work of a thread has come, for work that is watched from another thread: readers count what they read here.

use std::cell::RefCell;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::error::{Error, Result};

thread_local! {
    /// The meter of this thread's work, if anybody watches it.
    static HERE: RefCell<Option<Arc<Meter>>> = const { RefCell::new(None) };
}

/// Bytes that have been read, of so many, and whether somebody wants the work to stop.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    read: AtomicU64,
    whole: AtomicU64,
    is_stopped: AtomicBool,
}

impl Meter {
    /// The one of this thread's work.
    pub(crate) fn here() -> Option<Arc<Self>> {
        HERE.with_borrow(Clone::clone)
    }

    /// Has the work that this thread does from now on count here.
    pub(crate) fn count_here(self: &Arc<Self>) {
        HERE.set(Some(Arc::clone(self)));
    }

    /// The share that has been read, from 0 to 1: files that are read twice stay at 1.
    pub(super) fn share(&self) -> f64 {
        let (read, whole) = (self.read.load(Relaxed), self.whole.load(Relaxed));
        if whole == 0 { 0.0 } else { (read as f64 / whole as f64).min(1.0) }
    }

    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }

    /// Counts bytes that were read; fails when it is time to stop.
    pub(crate) fn count(&self, bytes: usize) -> io::Result<usize> {
        if self.is_stopped() {
            return Err(io::Error::other("it was told to stop"));
        }
        self.read.fetch_add(bytes as u64, Relaxed);
        Ok(bytes)
    }
}

/// Says how many bytes this thread's work will read.
pub(crate) fn will_read(bytes: impl FnOnce() -> u64) {
    if let Some(meter) = Meter::here() {
        meter.whole.store(bytes(), Relaxed);
    }
}

/// Fails when this thread's work is to stop.
pub(crate) fn go_on_here() -> Result<()> {
    let is_stopped = HERE.with_borrow(|meter| meter.as_ref().is_some_and(|meter| meter.is_stopped()));
    if is_stopped { Err(Error::Interrupted) } else { Ok(()) }
}
