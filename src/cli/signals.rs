//! Ctrl-C, and the signals that ask a process to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::eprint_line;

/// A second Ctrl-C ends the process at once, but not one that comes sooner than a person means it.
const DELIBERATE: Duration = Duration::from_secs(1);

/// Whether somebody has asked the process to end.
#[derive(Clone, Debug)]
pub(super) struct Interrupted {
    asked: Arc<AtomicBool>,
    /// Whether the last iteration is done, and only results are left to write.
    ending: Arc<AtomicBool>,
}

impl Interrupted {
    /// Listens to Ctrl-C, SIGTERM and SIGHUP from now on.
    pub(super) fn listen() -> Self {
        let interrupted = Self { asked: Arc::default(), ending: Arc::default() };
        let (heard, mut first) = (interrupted.clone(), None);
        if ctrlc::set_handler(move || heard.ctrl_c(&mut first)).is_err() {
            eprint_line("warning: Ctrl-C cannot be caught here and will end the run without results");
        }
        #[cfg(unix)]
        interrupted.listen_to_signals();
        interrupted
    }

    pub(super) fn is_set(&self) -> bool {
        self.asked.load(Relaxed)
    }

    /// From now on only results are written.
    pub(super) fn set_ending(&self) {
        self.ending.store(true, Relaxed);
    }

    fn ctrl_c(&self, first: &mut Option<Instant>) {
        match *first {
            Some(first) if first.elapsed() > DELIBERATE => {
                eprint_line("\nstopped at once; the last checkpoint is kept, and --resume goes on from it");
                std::process::exit(130);
            }
            Some(_) => {}
            None => {
                *first = Some(Instant::now());
                self.asked.store(true, Relaxed);
                if self.ending.load(Relaxed) {
                    eprint_line(
                        "\nthe run has ended and its results are being written; Ctrl-C again stops at once",
                    );
                } else {
                    eprint_line(
                        "\ninterrupted: ending after this iteration and writing a checkpoint and the results",
                    );
                }
            }
        }
    }

    /// These ask once or several times, and never end a process that is writing.
    #[cfg(unix)]
    fn listen_to_signals(&self) {
        use signal_hook::consts::{SIGHUP, SIGTERM, SIGXFSZ};
        use signal_hook::flag::register;
        // What cannot be listened to ends the process, as it would any other.
        let _ = register(SIGTERM, Arc::clone(&self.asked));
        if !is_ignored(SIGHUP) {
            let _ = register(SIGHUP, Arc::clone(&self.asked));
        }
        // A write beyond the limit on the size of files fails, instead of ending the process.
        let _ = register(SIGXFSZ, Arc::default());
    }
}

/// Whether a signal was ignored when the process began, as SIGHUP is by nohup; no where the system does not tell.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
