//! An existing --out: left as it is, or with --force the run in it replaced and nothing else.

use std::fs;
use std::path::Path;

use predicates::str::{contains, starts_with};

use super::{Folder, RUN_FILES, names, read, train};

/// A command that must be refused because of --out, before the corpus is looked for.
fn refused(out: &Path, flags: &str, why: &str) {
    let refusal = train("missing", out, flags).assert().code(2).stdout("");
    refusal.stderr(starts_with("error: --out: ")).stderr(contains(why));
}

#[test]
fn a_folder_is_left_as_it_is() {
    let folder = Folder::new();
    let out = folder.path("run");
    fs::create_dir(&out).expect("a folder");
    folder.write("run/trace.csv", "an earlier run");
    folder.write("run/notes.txt", "my notes");
    refused(&out, "", "--force");
    assert_eq!(names(&out), ["notes.txt", "trace.csv"]);
    assert_eq!(read(out.join("trace.csv")), "an earlier run");
    assert_eq!(read(out.join("notes.txt")), "my notes");
}

#[test]
fn a_file_is_left_as_it_is() {
    let folder = Folder::new();
    let out = folder.write("run", "a file");
    refused(&out, "", "is not a folder");
    refused(&out, "--force", "is not a folder");
    assert_eq!(read(&out), "a file");
}

#[cfg(unix)]
#[test]
fn a_path_below_a_file_is_refused_before_the_corpus_is_read() {
    let folder = Folder::new();
    let file = folder.write("file", "a file");
    refused(&file.join(""), "", "cannot become a folder");
    refused(&file.join("run"), "", "cannot become a folder");
    assert_eq!(read(&file), "a file");
}

#[test]
fn force_replaces_the_run_and_keeps_foreign_files() {
    let folder = Folder::new();
    let out = folder.path("run");
    train("sample", &out, "--iterations 3 --trace-every 1 --quiet").assert().success();
    folder.write("run/notes.txt", "my notes");
    folder.write("run/state.gz", "nonsense");
    train("sample", &out, "--iterations 2 --trace-every 1 --quiet --force").assert().success();
    let mut expected: Vec<&str> = RUN_FILES.to_vec();
    expected.push("notes.txt");
    expected.sort_unstable();
    assert_eq!(names(&out), expected);
    assert_eq!(read(out.join("notes.txt")), "my notes");
    assert_eq!(read(out.join("trace.csv")).lines().count(), 4);
    super::read_state(out.join("state.gz"));
}

#[test]
fn a_refused_corpus_leaves_the_run_that_force_would_replace() {
    let folder = Folder::new();
    let out = folder.path("run");
    train("sample", &out, "--iterations 1 --quiet").assert().success();
    folder.write("run/trace.csv", "an earlier run");
    train(folder.path("missing"), &out, "--force").assert().code(2).stderr(contains("missing"));
    assert_eq!(names(&out), RUN_FILES);
    assert_eq!(read(out.join("trace.csv")), "an earlier run");
}

/// Names like those of a run do not make one.
#[test]
fn force_does_not_touch_a_folder_that_is_no_run() {
    let folder = Folder::new();
    let corpus = folder.write("docword.trees.txt", super::UCI);
    folder.write("vocab.txt", "ash\nbirch\ncedar\ndate\n");
    folder.write("state.gz", "mine");
    let out = folder.path("");
    for run_json in [None, Some("{}"), Some("{\"program\": \"another\"}")] {
        run_json.map(|content| folder.write("run.json", content));
        refused(&out, "--force", "has files and no run.json of this program");
        train(&corpus, &out, "--force").assert().code(2).stderr(starts_with("error: --out: "));
        assert_eq!(read(folder.path("vocab.txt")), "ash\nbirch\ncedar\ndate\n");
        assert_eq!(read(folder.path("state.gz")), "mine");
    }
}

#[test]
fn force_does_not_touch_the_folder_of_its_corpus() {
    let folder = Folder::new();
    let out = folder.path("run");
    train("sample", &out, "--iterations 1 --quiet").assert().success();
    let inside = folder.write("run/docword.trees.txt", super::UCI);
    let beside = folder.write("docword.trees.txt", super::UCI);
    let words = read(out.join("vocab.txt"));
    let holds = |run: &mut assert_cmd::Command, input: &str| {
        run.assert().code(2).stderr(starts_with("error: --out: ")).stderr(contains(input));
    };
    holds(&mut train(&inside, &out, "--force --vocab none"), "docword.trees.txt");
    holds(train("docword.trees.txt", Path::new("."), "--force").current_dir(&out), "docword.trees.txt");
    holds(train(&beside, &out, "--force").arg("--vocab").arg(out.join("vocab.txt")), "vocab.txt");
    assert_eq!(read(out.join("vocab.txt")), words);
    train(&beside, &out, "--force --quiet --iterations 1 --vocab none").assert().success();
}

/// What a run that was killed while it wrote leaves behind.
#[test]
fn half_written_files_are_removed() {
    let folder = Folder::new();
    let out = folder.path("run");
    fs::create_dir(&out).expect("a folder");
    folder.write("run/.writing-a1b2c3", "half");
    train("sample", &out, "--iterations 1 --quiet --force").assert().success();
    assert_eq!(names(&out), RUN_FILES);
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_cannot_be_made_is_refused_before_the_corpus_is_read() {
    refused(Path::new("/proc/none/run"), "", "/proc refuses new files");
}

#[test]
fn missing_parents_are_made() {
    let folder = Folder::new();
    let out = folder.path("some/new folder/für 実験/");
    train("sample", &out, "--iterations 1 --quiet").assert().success();
    assert_eq!(names(&out), RUN_FILES);
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_only_by_force() {
    let folder = Folder::new();
    let real = folder.path("real");
    fs::create_dir(&real).expect("a folder");
    let link = folder.path("link");
    std::os::unix::fs::symlink(&real, &link).expect("a link");
    refused(&link, "", "exists");
    assert!(names(&real).is_empty());
    train("sample", &link, "--iterations 1 --quiet --force").assert().success();
    assert_eq!(names(&real), RUN_FILES);

    let dangling = folder.path("dangling");
    std::os::unix::fs::symlink(folder.path("nowhere"), &dangling).expect("a link");
    refused(&dangling, "--force", "is not a folder");
}
