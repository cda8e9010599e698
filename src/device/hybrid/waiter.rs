//! A thread that has a GPU while it works and sleeps until it has ended; a GPU that does not come back stays with its thread.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::device::Device;
use crate::error::{Error, Result, caught};

/// The time that a GPU may take is counted in so many slices: a process that is stopped meanwhile, and its GPU with it, loses one.
const SLICES: u32 = 100;

/// A GPU that has work, and when it was given it.
type Busy = (Box<dyn Device>, Instant);

/// A GPU that has ended, and the seconds since it was given its work.
type Ended = (Box<dyn Device>, f64);

/// A thread that waits for a GPU.
pub(super) struct Waiter {
    give: Sender<Busy>,
    back: Receiver<Result<Ended>>,
}

impl Waiter {
    /// Starts the thread.
    pub(super) fn new() -> Result<Self> {
        let (give, work) = channel::<Busy>();
        let (done, back) = channel();
        let wait = move || {
            for (mut gpu, submitted) in work {
                let waited = caught(|| gpu.wait_z());
                // A GPU that has failed ends here: its driver may take its time to let go of it.
                let ended = waited.map(|()| (gpu, submitted.elapsed().as_secs_f64()));
                if done.send(ended).is_err() {
                    break;
                }
            }
        };
        let spawned = thread::Builder::new().name("waits for the GPU".into()).spawn(wait);
        spawned.map_err(|error| Error::internal(format!("a GPU cannot be waited for ({error})")))?;
        Ok(Self { give, back })
    }

    /// Has the thread wait for a GPU.
    pub(super) fn begin(&self, gpu: Box<dyn Device>, submitted: Instant) {
        // A thread that is gone is found out at the end.
        let _ = self.give.send((gpu, submitted));
    }

    /// The GPU, once it has ended; none if it does not within `patience`.
    ///
    /// # Errors
    /// When the GPU has failed.
    pub(super) fn end(&self, patience: Duration) -> Result<Option<Ended>> {
        for _ in 0..SLICES {
            match self.back.recv_timeout(patience / SLICES) {
                Ok(ended) => return ended.map(Some),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::internal("the thread that waits for a GPU has ended"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        Ok(None)
    }
}
