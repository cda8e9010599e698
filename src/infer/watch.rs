//! How long work on new documents is watched and stopped.

use crate::error::{Error, Result};

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
