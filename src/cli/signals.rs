//! Ctrl-C, and the signals that ask a process to end: heard from the first moment of every command.
//!
//! A command whose work is on the disk, or has not begun, ends at once. Training first ends its iteration and writes a
//! checkpoint, and has some time for its results.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hdp_gpu::{Error, Result, remove_temporary_files};

use super::command::typed_command;
use super::{faults, line_of};

/// A second request ends the process at once, but not one that comes sooner than a person or a scheduler means it.
const DELIBERATE: Duration = Duration::from_secs(1);

/// How often a process that is ending looks whether it is time.
const TICK: Duration = Duration::from_millis(20);

/// How long a reader of standard error is waited for before something is left unsaid.
const PATIENCE: Duration = Duration::from_secs(1);

const EXIT_CODE: u8 = 130;

/// What a request to end finds.
static NOW: Now = Now {
    left_to_others: AtomicBool::new(false),
    asked: AtomicBool::new(false),
    at_stake: AtomicBool::new(false),
    grace: AtomicU64::new(0),
    launched: AtomicBool::new(false),
    way_on: Mutex::new(None),
};

struct Now {
    /// Whether another process is to hear it, and not this one.
    left_to_others: AtomicBool,
    /// Whether somebody has asked the process to end.
    asked: AtomicBool,
    /// Whether there is something in memory that is worth more than ending at once.
    at_stake: AtomicBool,
    /// The time that results have from the request on, in milliseconds.
    grace: AtomicU64,
    /// Whether a launcher has started the process, and may end it at any moment.
    launched: AtomicBool,
    /// The command that goes on, if it is not the one that was typed.
    way_on: Mutex<Option<String>>,
}

/// Listens from now on.
///
/// # Errors
/// [`Error::Setting`] when the system has no thread to give.
pub(super) fn listen() -> Result<()> {
    sources::listen().map_err(|error| Error::no_thread("that hears Ctrl-C and signals", &error))
}

/// Whether somebody has asked the process to end.
pub(super) fn is_asked() -> bool {
    NOW.asked.load(Relaxed)
}

/// From now on another process hears the requests, and says when this one is to end.
pub(super) fn leave_to_others() {
    NOW.left_to_others.store(true, Relaxed);
}

/// From now on a launcher may not wait until the process has ended.
pub(super) fn set_launched() {
    NOW.launched.store(true, Relaxed);
}

/// From now on ending at once would lose something, or not.
pub(super) fn set_at_stake(at_stake: bool) {
    NOW.at_stake.store(at_stake, Relaxed);
}

/// The time that results have from the request on.
pub(super) fn set_grace(grace: Duration) {
    NOW.grace.store(u64::try_from(grace.as_millis()).unwrap_or(u64::MAX), Relaxed);
}

/// From now on `command` goes on with what has been begun.
pub(super) fn set_way_on(command: String) {
    *NOW.way_on.lock().unwrap_or_else(PoisonError::into_inner) = Some(command);
}

/// What the first request does, and those that come `again`, of which it is asked every [`TICK`].
fn attend(mut again: impl FnMut() -> bool) -> ! {
    while NOW.left_to_others.load(Relaxed) {
        again();
    }
    let first = Instant::now();
    NOW.asked.store(true, Relaxed);
    if NOW.at_stake.load(Relaxed) {
        say("\ninterrupted: ending after this iteration and writing a checkpoint and the results");
        if NOW.launched.load(Relaxed) {
            say(format_args!(
                "if the launcher leaves no time for it, the last checkpoint is kept; go on with: {}",
                way_on()
            ));
        }
    } else {
        end("\ninterrupted");
    }
    loop {
        if again() && first.elapsed() > DELIBERATE {
            end("\nstopped at once; the last checkpoint is kept");
        }
        let grace = Duration::from_millis(NOW.grace.load(Relaxed));
        if !NOW.at_stake.load(Relaxed) && first.elapsed() > grace {
            end("\nstopped before all results were written; the checkpoint is");
        }
    }
}

/// Ends the process, whatever its other threads do.
fn end(said: &str) -> ! {
    remove_temporary_files();
    say(format_args!("{said}; go on with: {}", way_on()));
    exit()
}

/// Says a line, unless nobody takes it: a terminal may be held, and a reader stopped.
fn say(line: impl Display) {
    faults::write_within(PATIENCE, line_of(line).as_bytes());
}

/// The command that goes on.
fn way_on() -> String {
    NOW.way_on.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_else(typed_command)
}

/// Nothing that libraries want to do at the end is done while other threads still use them.
#[cfg(unix)]
fn exit() -> ! {
    signal_hook::low_level::exit(i32::from(EXIT_CODE))
}

#[cfg(not(unix))]
fn exit() -> ! {
    std::process::exit(i32::from(EXIT_CODE))
}

#[cfg(unix)]
mod sources {
    use std::io;
    use std::sync::Arc;
    use std::thread;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::flag::register;
    use signal_hook::iterator::Signals;

    /// Listens on a thread of its own.
    pub(super) fn listen() -> io::Result<()> {
        // A write beyond the limit on the size of files fails, instead of ending the process.
        register(SIGXFSZ, Arc::default())?;
        super::super::faults::listen_to_ends()?;
        let heard = [SIGINT, SIGTERM].into_iter().chain((!is_ignored(SIGHUP)).then_some(SIGHUP));
        let mut signals = Signals::new(heard)?;
        let attend = move || {
            while signals.wait().next().is_none() {}
            super::attend(|| {
                thread::sleep(super::TICK);
                signals.pending().next().is_some()
            })
        };
        thread::Builder::new().name("signals".into()).spawn(attend).map(drop)
    }

    /// Whether a signal was ignored when the process began, as SIGHUP is by nohup; no where the system does not tell.
    fn is_ignored(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
    }
}

#[cfg(not(unix))]
mod sources {
    use std::io;
    use std::sync::mpsc::channel;
    use std::thread;

    /// Listens on a thread of its own.
    pub(super) fn listen() -> io::Result<()> {
        let (tell, requests) = channel();
        let attend = move || {
            if requests.recv().is_ok() {
                super::attend(|| requests.recv_timeout(super::TICK).is_ok());
            }
        };
        thread::Builder::new().name("signals".into()).spawn(attend)?;
        // Nobody hears any more when the process ends.
        let pressed = move || {
            let _ = tell.send(());
        };
        ctrlc::set_handler(pressed).map_err(io::Error::other)
    }
}
