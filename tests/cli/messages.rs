//! What is printed during and after a run, and readers that go away.

use std::process::{Child, Command, Stdio};

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};

use super::{Folder, RUN_FILES, names, train, trained};

/// The program with both of its outputs in pipes.
fn piped(args: &[&str], path: &std::path::Path) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("hdp-gpu"));
    command.args(args).arg(path).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

#[test]
fn a_run_ends_with_its_largest_topics() {
    let folder = Folder::new();
    let out = folder.path("run");
    let run = train("sample", &out, "--iterations 2 --init-topics 20").assert().success();
    run.stdout(contains("2 iterations in "))
        .stdout(contains(out.to_str().expect("a path in UTF-8")))
        .stderr(contains("sample: 1500 documents, 153215 tokens, 1315 words; training on cpu"));
}

#[test]
fn quiet_keeps_warnings_only() {
    let folder = Folder::new();
    let flags = "--quiet --iterations 5 --init-topics 2 --max-topics 3 --gamma 50";
    let run = train("sample", &folder.path("run"), flags).assert().success();
    run.stdout(is_empty()).stderr(contains("warning: up to ").and(contains("--max-topics 6")));
    trained("sample", "--iterations 1");
}

#[test]
fn a_closed_standard_output_is_no_error() {
    let run = trained("sample", "--iterations 1 --init-topics 50");
    let mut topics = piped(&["topics"], run.0.path());
    drop(topics.stdout.take());
    let output = topics.wait_with_output().expect("it ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_closed_standard_error_does_not_end_a_run() {
    let folder = Folder::new();
    let out = folder.path("run");
    let mut run = piped(&["train", "sample", "--iterations", "2", "--out"], &out);
    drop(run.stderr.take());
    let output = run.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(names(&out), RUN_FILES);

    let mut refused = piped(&["train", "sample", "--out"], &out);
    drop(refused.stderr.take());
    assert_eq!(refused.wait().expect("it ends").code(), Some(2));
}
