//! Ctrl-C and a termination signal: the run ends after a whole iteration, with all its results.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Folder, RUN_FILES, csv_rows, hdp_gpu, names, read, read_state};

/// Far more than either wait takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// A run that ends with the test, whatever happens.
struct Run(Child);

impl Drop for Run {
    fn drop(&mut self) {
        // Both fail when it has ended, as it should.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until `done` gives something.
fn wait_for<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = done() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
        sleep(Duration::from_millis(20));
    }
}

fn start(out: &Path) -> Run {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("hdp-gpu"));
    command.args(["train", "sample", "--iterations", "1000000", "--trace-every", "3", "--out"]).arg(out);
    Run(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts"))
}

/// Sends `signal` to a run and checks what it leaves.
fn interrupt(signal: &str) {
    let folder = Folder::new();
    let out = folder.path("run");
    let mut run = start(&out);
    let trace = out.join("trace.csv");
    wait_for("rows of the trace", || (trace.exists() && csv_rows(&trace).len() >= 4).then_some(()));
    let sent = Command::new("kill").args([signal, &run.0.id().to_string()]).status().expect("kill starts");
    assert!(sent.success());
    let status = wait_for("the end of the run", || run.0.try_wait().expect("a child"));
    assert_eq!(status.code(), Some(130));

    assert_eq!(names(&out), RUN_FILES);
    let (trace, timing) = (csv_rows(&trace), csv_rows(out.join("timing.csv")));
    let last = &trace.last().expect("rows")[0];
    assert_eq!(*last, timing.last().expect("rows")[0]);
    assert_eq!(timing.len() - 1, last.parse::<usize>().expect("an iteration"));
    let info: Value = serde_json::from_str(&read(out.join("run.json"))).expect("JSON");
    assert_eq!(info["status"], "interrupted");
    assert_eq!(info["iterations_done"].to_string(), *last);
    assert_eq!(read_state(out.join("state.gz")).1.len(), 153_215);
    hdp_gpu().arg("topics").arg(&out).assert().success();
}

#[test]
fn by_ctrl_c() {
    interrupt("-INT");
}

#[test]
fn by_termination() {
    interrupt("-TERM");
}
