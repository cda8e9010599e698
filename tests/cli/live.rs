//! A run that goes on while a test looks at it, and interferes.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::Folder;
#[cfg(target_os = "linux")]
use super::hold::Hold;

/// Far more than any wait takes.
const PATIENCE: Duration = Duration::from_secs(240);

/// A process that ends with the test, whatever happens.
pub(super) struct Live {
    child: Child,
    stderr: PathBuf,
    _room: Folder,
}

impl Drop for Live {
    fn drop(&mut self) {
        // Both fail when it has ended, as it should.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program, which hears the end of its terminal even where the tests themselves do not, as under nohup.
fn program() -> Command {
    let program = assert_cmd::cargo::cargo_bin!("hdp-gpu");
    if cfg!(target_os = "linux") {
        let mut command = Command::new("env");
        command.arg("--default-signal=HUP").arg(program);
        command
    } else {
        Command::new(program)
    }
}

/// `train CORPUS --out OUT` with more flags, separated by spaces; on the CPU unless they name a device.
pub(super) fn training(corpus: impl AsRef<OsStr>, out: &Path, flags: &str) -> Command {
    let device: &[&str] = if flags.contains("--device") { &[] } else { &["--device", "cpu"] };
    let mut command = program();
    command.arg("train").arg(corpus).arg("--out").arg(out).args(device).args(flags.split_whitespace());
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        command.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    }
    command
}

/// Waits until `done` gives something.
pub(super) fn wait_for<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = done() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
        sleep(Duration::from_millis(5));
    }
}

impl Live {
    /// Starts a command and keeps what it says.
    pub(super) fn start(command: &mut Command) -> Self {
        let room = Folder::new();
        let stderr = room.path("stderr");
        let file = File::create(&stderr).expect("a file for the test");
        let child = command.stdout(Stdio::null()).stderr(file).spawn().expect("the program starts");
        Self { child, stderr, _room: room }
    }

    /// Starts `train CORPUS --out OUT` with more flags, separated by spaces; on the CPU unless they name a device.
    pub(super) fn train(corpus: impl AsRef<OsStr>, out: &Path, flags: &str) -> Self {
        Self::start(&mut training(corpus, out, flags))
    }

    /// As [`Self::train`], and waits until it is held at a call on a file of the run.
    #[cfg(target_os = "linux")]
    pub(super) fn train_held(corpus: impl AsRef<OsStr>, out: &Path, flags: &str, call: &str) -> (Self, Hold) {
        let mut command = training(corpus, out, flags);
        let hold = Hold::at(&mut command, out, call);
        let mut live = Self::start(&mut command);
        hold.wait(&mut live);
        (live, hold)
    }

    /// Its process.
    #[cfg(unix)]
    pub(super) fn id(&self) -> String {
        self.child.id().to_string()
    }

    /// What it reads from, if that is a pipe.
    #[cfg(target_os = "linux")]
    pub(super) fn stdin(&mut self) -> std::process::ChildStdin {
        self.child.stdin.take().expect("a pipe")
    }

    /// What it has said so far.
    pub(super) fn stderr(&self) -> String {
        fs::read_to_string(&self.stderr).expect("a file of the test")
    }

    /// Waits until it has said something.
    #[cfg(target_os = "linux")]
    pub(super) fn wait_for_word(&mut self, word: &str) {
        wait_for(word, || {
            let ended = self.ended();
            let said = self.stderr().contains(word);
            assert!(said || ended.is_none(), "ended without {word:?}: {}", self.stderr());
            said.then_some(())
        });
    }

    /// Sends a signal by its name.
    #[cfg(unix)]
    pub(super) fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.id()]).status().expect("kill starts");
        assert!(sent.success());
    }

    /// Kills it at once.
    pub(super) fn kill(&mut self) {
        self.child.kill().expect("a child");
        self.child.wait().expect("a child");
    }

    /// How it ended, if it has.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("a child")
    }

    /// Waits for its end; its exit code.
    pub(super) fn exit_code(&mut self) -> Option<i32> {
        wait_for("the end of the run", || self.ended()).code()
    }
}

/// Waits until the trace of a run has rows beside the header and the first.
pub(super) fn wait_for_rows(out: &Path, rows: usize) {
    let trace = out.join("trace.csv");
    wait_for("rows of the trace", || {
        let text = fs::read_to_string(&trace).unwrap_or_default();
        (text.lines().count() >= rows + 2).then_some(())
    });
}
