//! Long work that somebody watches, and may stop.

mod meter;

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

pub(crate) use self::meter::{Meter, go_on_here, will_read};
use crate::error::{Error, Result};

/// How long work on a thread of its own goes on before it is looked at again.
const LOOK: Duration = Duration::from_millis(50);

/// Watches work from whatever thread it is done on.
pub trait Watch: Sync {
    /// Told from time to time which share of the work is done, from 0 to 1.
    fn share_done(&self, share: f64);

    /// Whether to stop: the work then ends soon, with [`Error::Interrupted`].
    fn should_stop(&self) -> bool {
        false
    }
}

/// Nobody.
impl Watch for () {
    fn share_done(&self, _: f64) {}
}

/// Fails when it is time to stop.
pub(crate) fn go_on(watch: &dyn Watch) -> Result<()> {
    if watch.should_stop() { Err(Error::Interrupted) } else { Ok(()) }
}

/// The watcher of some work, as it is told of a part of it.
pub(crate) struct Part<'a> {
    pub(crate) whole: &'a dyn Watch,
    /// The share that was done before.
    pub(crate) done: f64,
    /// The part's share of the whole.
    pub(crate) share: f64,
}

impl Watch for Part<'_> {
    fn share_done(&self, share: f64) {
        self.whole.share_done(self.done + share * self.share);
    }

    fn should_stop(&self) -> bool {
        self.whole.should_stop()
    }
}

/// Does `work` on a thread of its own, and has `watch` told from this one how much is read of the corpora that it reads. Reading, a finish and
/// the writing of results are stopped by it; what else is in `work` comes to its end.
///
/// ```
/// use hdp_gpu::corpus::{self, ReadOptions};
/// use hdp_gpu::watch::{Watch, watched};
/// use hdp_gpu::Error;
///
/// struct Impatient;
/// impl Watch for Impatient {
///     fn share_done(&self, share: f64) {
///         println!("{:.0} %", 100.0 * share);
///     }
///     fn should_stop(&self) -> bool {
///         true
///     }
/// }
///
/// let file = tempfile::Builder::new().suffix(".txt").tempfile().expect("a file");
/// std::fs::write(file.path(), "ash birch cedar fir\n".repeat(1_000_000)).expect("some room");
/// let read = watched(&Impatient, || corpus::read(file.path(), &ReadOptions::default()));
/// assert!(matches!(read, Err(Error::Interrupted)));
/// ```
///
/// # Errors
/// Those of `work`; [`Error::Interrupted`] when it was stopped; [`Error::Setting`] when the system refuses a thread.
pub fn watched<T: Send>(watch: &dyn Watch, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let meter = Arc::new(Meter::default());
    let (ended, end) = sync_channel::<()>(0);
    let done = thread::scope(|scope| {
        let counted = || {
            let _ended = ended;
            meter.count_here();
            work()
        };
        let spawned = thread::Builder::new().spawn_scoped(scope, counted);
        let worker = spawned.map_err(|error| Error::no_thread("to read on", &error))?;
        loop {
            if watch.should_stop() {
                meter.stop();
            }
            match end.recv_timeout(LOOK) {
                Err(RecvTimeoutError::Timeout) => watch.share_done(meter.share()),
                _ => break,
            }
        }
        worker.join().unwrap_or_else(|panic| resume_unwind(panic))
    });
    // What a stopped reader complains of is that it was stopped.
    if meter.is_stopped() { Err(Error::Interrupted) } else { done }
}

/// Has other threads do work for the one that is watched on this thread: what is returned is to be called on each of them first, as by the
/// `start_handler` of a pool of threads.
pub fn hand_on() -> impl Fn() + Send + Sync + 'static {
    let meter = Meter::here();
    move || {
        if let Some(meter) = &meter {
            meter.count_here();
        }
    }
}
