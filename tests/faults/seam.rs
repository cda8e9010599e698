//! The program with `seam.c` before the system.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::library::stand_before;

/// Far more than a short training takes, whatever else the machine does.
const PATIENCE: Duration = Duration::from_secs(240);

/// What happens at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The process is killed.
    Kill,
    /// The process is asked to end.
    Term,
    /// The call fails, with the number of an error.
    Once(i32),
    /// It fails, and all later ones do.
    FromThenOn(i32),
}

/// How a process ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stderr: String,
}

/// A command of the program, which sees the files below `folder` through the seam.
pub(crate) fn command(folder: &Path, arguments: &[String]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("hdp-gpu"));
    stand_before(command.args(arguments).current_dir(folder), folder);
    command
}

/// Has `fault` happen at call number `at`.
pub(crate) fn inject(command: &mut Command, fault: Fault, at: u64) {
    let shown = match fault {
        Fault::Kill => "kill".to_owned(),
        Fault::Term => "term".to_owned(),
        Fault::Once(number) | Fault::FromThenOn(number) => number.to_string(),
    };
    command.env("SEAM_AT", at.to_string()).env("SEAM_FAULT", shown);
    if matches!(fault, Fault::FromThenOn(_)) {
        command.env("SEAM_ON", "1");
    }
}

/// Runs a command to its end, which must come.
pub(crate) fn end(command: &mut Command, what: &str) -> Ended {
    let room = tempfile::tempdir().expect("a folder for the test");
    let stderr = room.path().join("stderr");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&stderr).expect("a file"));
    let mut child = command.spawn().expect("the program starts");
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return Ended { status, stderr: fs::read_to_string(&stderr).expect("a file") };
        }
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{what}: does not end; it has said {}", fs::read_to_string(&stderr).unwrap_or_default());
        }
        sleep(Duration::from_millis(2));
    }
}
