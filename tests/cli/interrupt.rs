//! Ctrl-C and a termination signal: the run ends after a whole iteration, with a checkpoint and all its results.

use std::process::Command;

use serde_json::Value;

#[cfg(target_os = "linux")]
use super::hold::Hold;
use super::live::{Live, wait_for_rows};
use super::{Folder, RUN_FILES, csv_rows, hdp_gpu, names, read, read_state};

/// Sends `signal` to a run and checks what it leaves.
fn interrupt(signal: &str) {
    let folder = Folder::new();
    let out = folder.path("a run");
    let mut run = Live::train("sample", &out, "--iterations 1000000 --trace-every 3 --grace 1h");
    wait_for_rows(&out, 2);
    run.signal(signal);
    assert_eq!(run.exit_code(), Some(130));

    assert_eq!(names(&out), RUN_FILES);
    let (trace, timing) = (csv_rows(out.join("trace.csv")), csv_rows(out.join("timing.csv")));
    let last = &trace.last().expect("rows")[0];
    assert_eq!(*last, timing.last().expect("rows")[0]);
    assert_eq!(timing.len() - 1, last.parse::<usize>().expect("an iteration"));
    let info: Value = serde_json::from_str(&read(out.join("run.json"))).expect("JSON");
    assert_eq!(info["status"], "interrupted");
    assert_eq!(info["iterations_done"].to_string(), *last);
    assert_eq!(read_state(out.join("state.gz")).1.len(), 153_215);
    hdp_gpu().arg("topics").arg(&out).assert().success();

    let checkpoint = format!("iteration-{last}.checkpoint");
    assert!(names(&out.join("checkpoint")).contains(&checkpoint));
    let said = run.stderr();
    assert!(said.contains(&format!("interrupted after iteration {last} of 1000000; go on with: ")), "{said}");
    // The path has a space.
    assert!(said.contains(&format!("--out '{}'", out.display())) && said.contains(" --resume\n"), "{said}");
}

#[test]
fn by_ctrl_c() {
    interrupt("-INT");
}

#[test]
fn by_termination() {
    interrupt("-TERM");
}

#[test]
fn by_the_end_of_the_terminal() {
    interrupt("-HUP");
}

/// A closed terminal, and some schedulers, ask more than once.
#[test]
fn by_many_signals_at_once() {
    let folder = Folder::new();
    let out = folder.path("run");
    let mut run = Live::train("sample", &out, "--iterations 1000000 --trace-every 3 --grace 1h");
    wait_for_rows(&out, 2);
    // All of them from one process, within the second in which they count as one.
    let script = "for signal in HUP HUP TERM INT INT TERM; do kill -$signal $0; done";
    let sent = Command::new("sh").args(["-c", script, &run.id()]).status().expect("a shell");
    assert!(sent.success());
    assert_eq!(run.exit_code(), Some(130));
    assert_eq!(names(&out), RUN_FILES);
}

#[cfg(target_os = "linux")]
#[test]
fn nohup_is_heeded() {
    let folder = Folder::new();
    let out = folder.path("run");
    let mut command = std::process::Command::new("nohup");
    command.arg(assert_cmd::cargo::cargo_bin!("hdp-gpu"));
    command.args(["train", "sample", "--device", "cpu", "--iterations", "20", "--trace-every", "1", "--out"]);
    let hold = Hold::at(command.arg(&out), &out, "write timing.csv 4");
    let mut run = Live::start(&mut command);
    hold.wait(&mut run);
    run.signal("-HUP");
    hold.release();
    assert_eq!(run.exit_code(), Some(0), "{}", run.stderr());
}
