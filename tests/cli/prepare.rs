//! `prepare`, and training from what it wrote and from a finished run's state: the same draws as from the original.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use predicates::str::{contains, ends_with};
use serde_json::Value;

use super::{Folder, UCI, hdp_gpu, names, read, train, trained};

const FLAGS: &str = "--iterations 20 --init-topics 5 --trace-every 1";

fn prepare(corpus: impl AsRef<Path>, out: &Path, flags: &str) -> Command {
    let mut command = hdp_gpu();
    command.arg("prepare").arg(corpus.as_ref()).arg("--out").arg(out).args(flags.split_whitespace());
    command
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats").join(name)
}

/// A run of `corpus`, whatever it warns of: trace and the corpus in run.json.
fn run(corpus: impl AsRef<Path>, flags: &str) -> (String, Value) {
    let folder = Folder::new();
    let out = folder.path("run");
    train(corpus.as_ref(), &out, &format!("{FLAGS} --quiet {flags}")).assert().success();
    let mut run: Value = serde_json::from_str(&read(out.join("run.json"))).expect("JSON");
    (read(out.join("trace.csv")), run["corpus"].take())
}

#[test]
fn training_goes_on_as_from_the_original() {
    let folder = Folder::new();
    for (name, flags) in [("gensim.uci", ""), ("csc.npz", ""), ("transposed.mtx", "--transpose")] {
        let out = folder.path(name);
        prepare(fixture(name), &out, flags)
            .assert()
            .success()
            .stdout(contains("14 documents, 69 tokens, 20 words"))
            .stderr(contains("warning: documents without tokens: 1"));
        let (trace, corpus) = run(fixture(name), flags);
        let (prepared_trace, prepared) = run(&out, "");
        assert_eq!(prepared_trace, trace, "{name}");
        assert_eq!(prepared["format"], "prepared");
        for key in ["digest", "vocabulary", "empty_documents", "unseen_words", "merged_entries"] {
            assert_eq!(prepared[key], corpus[key], "{name}: {key}");
        }
    }
}

#[test]
fn the_sample_can_be_prepared() {
    let folder = Folder::new();
    let out = folder.path("sample.hdp");
    prepare("sample", &out, "").assert().success().stdout(ends_with("1315 words from sample\n")).stderr("");
    assert_eq!(run(&out, "").0, run("sample", "").0);
}

#[test]
fn training_from_a_state_is_training_from_its_corpus() {
    let first = trained("sample", FLAGS);
    let (trace, corpus) = run(first.path("state.gz"), "");
    assert_eq!(trace, read(first.path("trace.csv")));
    assert_eq!((&corpus["format"], &corpus["documents"]), (&"state".into(), &1500.into()));
}

/// Runs a command that must be refused, with nothing new in `folder`; returns the error.
fn refused(command: &mut Command, folder: &Folder) -> String {
    let before = names(folder.0.path());
    let output = command.output().expect("the program starts");
    let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert_eq!(names(folder.0.path()), before, "{stderr}");
    stderr
}

#[test]
fn nothing_is_replaced_unasked() {
    let folder = Folder::new();
    let corpus = folder.write("corpus", UCI);
    let out = folder.write("out", "precious");
    let error = refused(&mut prepare(&corpus, &out, "--vocab none"), &folder);
    assert!(error.contains("--out: ") && error.contains("exists") && error.contains("--force"), "{error}");
    assert_eq!(read(&out), "precious");
    let error = refused(&mut prepare(&corpus, &corpus, "--vocab none --force"), &folder);
    assert!(error.contains("is read from"), "{error}");
    assert_eq!(read(&corpus), UCI);
    let error = refused(&mut prepare(&corpus, folder.0.path(), "--vocab none --force"), &folder);
    assert!(error.contains("is a folder"), "{error}");
    let error = refused(&mut prepare(&corpus, &folder.path("no/such/file"), "--vocab none"), &folder);
    assert!(error.contains("is not there"), "{error}");
    prepare(&corpus, &out, "--vocab none --force").assert().success();
    assert!(fs::read(&out).expect("the file").starts_with(b"\x89HDPGPU\n"));
    assert_eq!(names(folder.0.path()), ["corpus", "out"]);
}

#[test]
fn bad_input_leaves_no_file() {
    let folder = Folder::new();
    let corpus = folder.write("corpus", "1\n1\n1\n1 1 1.5\n");
    let error = refused(&mut prepare(&corpus, &folder.path("out"), "--vocab none"), &folder);
    assert!(error.contains("corpus:4: the count 1.5 is not a whole number"), "{error}");
    let out = folder.path("good");
    prepare(folder.write("corpus", UCI), &out, "--vocab none").assert().success();
    let whole = fs::read(&out).expect("the file");
    folder.write("cut", &whole[..whole.len() - 1]);
    let error = refused(&mut train(folder.path("cut"), &folder.path("run"), ""), &folder);
    assert!(error.contains("the prepared corpus is damaged"), "{error}");
    let error = refused(&mut prepare("sample", &folder.path("out"), "--index-base 0"), &folder);
    assert!(error.starts_with("error: --index-base: the sample has its own"), "{error}");
}

/// A corpus with its own words needs no vocabulary beside it, so it may come from anywhere.
#[test]
fn a_prepared_corpus_and_a_state_from_standard_input() {
    let folder = Folder::new();
    let prepared = folder.path("sample.hdp");
    prepare("sample", &prepared, "").assert().success();
    let from_file = trained(&prepared, "--iterations 2");
    for input in [prepared, from_file.path("state.gz")] {
        let out = Folder::new();
        let bytes = fs::read(&input).expect("a corpus");
        train("-", out.0.path(), "--force --quiet --iterations 2").write_stdin(bytes).assert().success();
        assert_eq!(read(out.path("trace.csv")), read(from_file.path("trace.csv")), "{}", input.display());
    }
}
