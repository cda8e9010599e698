//! The last words of a process that cannot go on: they need no memory and wait for nobody.

use std::fmt::{self, Write};
use std::panic::PanicHookInfo;
use std::sync::OnceLock;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use hdp_gpu::ranks::Ranks;

/// The longest message of a panic that is shown whole.
const MOST: usize = 1024;

/// A message in a place of its own; what has no room is left out.
struct Message {
    bytes: [u8; MOST],
    length: usize,
}

impl Write for Message {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = MOST - self.length;
        let text = &text.as_bytes()[..text.len().min(room)];
        self.bytes[self.length..self.length + text.len()].copy_from_slice(text);
        self.length += text.len();
        Ok(())
    }
}

/// Has panics tell where they were, and nothing else: what becomes of the work is said by the error that is made of them.
/// The standard library's own hook takes locks and memory, and hangs when there is no memory for them.
pub(super) fn tell_panics() {
    std::panic::set_hook(Box::new(|panic| say(&message_of(panic))));
}

fn message_of(panic: &PanicHookInfo<'_>) -> Message {
    let mut message = Message { bytes: [0; MOST], length: 0 };
    // Writing into it cannot fail.
    let _ = match panic.location() {
        Some(at) => write!(message, "panic in {}, line {}: ", at.file(), at.line()),
        None => write!(message, "panic: "),
    };
    let _ = writeln!(message, "{}", panic.payload_as_str().unwrap_or("no message"));
    message
}

fn say(message: &Message) {
    write_while_wanted(&message.bytes[..message.length]);
}

/// How long a reader of standard error is waited for once the process has been asked to end.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(1);

/// How often who waits for a reader looks whether the process has been asked to end.
#[cfg(unix)]
const LOOK: Duration = Duration::from_millis(50);

/// Whether nobody has taken what was said since the process was asked to end.
#[cfg(unix)]
static UNHEARD: AtomicBool = AtomicBool::new(false);

/// Writes to standard error, however long that takes, until the process is asked to end: a held terminal must not keep it.
#[cfg(unix)]
pub(super) fn write_while_wanted(bytes: &[u8]) {
    let mut waited = Duration::ZERO;
    for piece in bytes.chunks(PIECE) {
        while !is_taken_within(LOOK) {
            if !super::signals::is_asked() {
                continue;
            }
            waited += LOOK;
            if waited > PATIENCE || UNHEARD.load(Relaxed) {
                UNHEARD.store(true, Relaxed);
                return;
            }
        }
        write_all(piece);
    }
}

#[cfg(not(unix))]
pub(super) fn write_while_wanted(bytes: &[u8]) {
    write_all(bytes);
}

/// Standard error by way of [`write_while_wanted`], for what draws on a terminal.
#[cfg(unix)]
#[derive(Debug)]
pub(super) struct Stderr;

#[cfg(unix)]
impl std::io::Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        write_while_wanted(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(unix)]
impl std::os::fd::AsRawFd for Stderr {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        std::io::stderr().as_raw_fd()
    }
}

/// Writes to standard error as far as it takes anything within some time: whoever reads it may have stopped, and a thread that
/// waits for that holds its lock.
#[cfg(unix)]
pub(super) fn write_within(patience: Duration, bytes: &[u8]) {
    for piece in bytes.chunks(PIECE) {
        if !is_taken_within(patience) {
            return;
        }
        write_all(piece);
    }
}

/// What a pipe takes at once when it takes anything, on every system.
#[cfg(unix)]
const PIECE: usize = 512;

/// Whether standard error takes something, an error included, within some time.
#[cfg(unix)]
fn is_taken_within(patience: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stderr = std::io::stderr();
    let patience = Timespec::try_from(patience).ok();
    match poll(&mut [PollFd::new(&stderr, PollFlags::OUT)], patience.as_ref()) {
        Ok(taken) => taken > 0,
        // Where it cannot be asked it is written to as ever.
        Err(error) => error != rustix::io::Errno::INTR,
    }
}

#[cfg(not(unix))]
pub(super) fn write_within(_: Duration, bytes: &[u8]) {
    write_all(bytes);
}

/// Writes to standard error past its lock, which somebody may hold for ever.
#[cfg(unix)]
fn write_all(mut bytes: &[u8]) {
    use std::os::fd::AsFd;
    let stderr = std::io::stderr();
    while let Ok(written @ 1..) = rustix::io::write(stderr.as_fd(), bytes) {
        bytes = &bytes[written..];
    }
}

#[cfg(not(unix))]
fn write_all(bytes: &[u8]) {
    use std::io::Write as _;
    let _ = std::io::stderr().write_all(bytes);
}

/// Which of several processes this is, as it is said after what ends it.
static WHO: OnceLock<String> = OnceLock::new();

/// From now on the last words of a process that is one of several name it.
pub(super) fn name_rank(ranks: &Ranks) {
    if ranks.are_several() {
        WHO.get_or_init(|| format!("this was {}; all end with it\n", ranks.name()));
    }
}

/// What is said when a page of a mapped file cannot be had; of several processes one has temporary files, and all have MPI's shared memory.
#[cfg(unix)]
const LOST_MAP: &str = "\nerror: a prepared corpus was cut off while it was in use, or its disk failed; copy the file again, or prepare \
                        the corpus again; a run goes on from its last checkpoint with --resume\n";
#[cfg(unix)]
const LOST_MAP_OF_RANK: &str = "\nerror: a part of a file in memory cannot be had: a prepared corpus or a temporary file was cut off while \
                                it was in use, its disk failed, or MPI has no room in /dev/shm; see to the corpus, to the folder TMPDIR \
                                and to /dev/shm; a run goes on from its last checkpoint with --resume\n";

/// Has a mapped file that was cut off end the process with a sentence, and what ends it from within, as memory that is refused does and
/// has said, with the exit code of a failure.
#[cfg(unix)]
pub(super) fn listen_to_ends() -> std::io::Result<()> {
    use signal_hook::consts::{SIGABRT, SIGBUS};
    end_at(SIGBUS, |is_rank| if is_rank { LOST_MAP_OF_RANK } else { LOST_MAP })?;
    end_at(SIGABRT, |_| "")
}

/// Has a signal end the process with these words and, if it is one of several, its name.
#[cfg(unix)]
#[expect(unsafe_code, reason = "what a signal's handler may do is the caller's to see to")]
fn end_at(signal: i32, words: fn(bool) -> &'static str) -> std::io::Result<()> {
    let last_words = move || {
        write_all(words(WHO.get().is_some()).as_bytes());
        write_all(WHO.get().map_or(&[], String::as_bytes));
        signal_hook::low_level::exit(1);
    };
    // SAFETY: the handler makes system calls, to write and to end the process; it takes no lock and no memory, and a name that is being
    // given at this moment is left out.
    unsafe { signal_hook::low_level::register(signal, last_words) }.map(drop)
}
