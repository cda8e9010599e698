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
    fs::create_dir(&out).expect("a folder");
    folder.write("run/trace.csv", "an earlier run");
    train(folder.path("missing"), &out, "--force").assert().code(2).stderr(contains("missing"));
    assert_eq!(names(&out), ["trace.csv"]);
    assert_eq!(read(out.join("trace.csv")), "an earlier run");
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
