//! A prepared corpus that somebody writes to while it is mapped: never a wrong result, and never an end without a word.

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::hold::Hold;
use super::live::Live;
use super::{Folder, hdp_gpu, names, read, train, trained};

/// Where a run is held: on its way.
const ON_ITS_WAY: &str = "write timing.csv 4";

const FLAGS: &str = "--iterations 1000000 --trace-every 1 --checkpoint-every 1";

fn prepared(folder: &Folder) -> PathBuf {
    let path = folder.path("corpus");
    hdp_gpu().args(["prepare", "sample", "--out"]).arg(&path).assert().success();
    path
}

/// A run whose corpus `change` changes while it is held at `call`: it ends with an error that says so, without results, and goes on when
/// the corpus is as it was.
fn disturb_at(call: &str, flags: &str, change: impl FnOnce(&Path)) {
    let folder = Folder::new();
    let (corpus, run) = (prepared(&folder), folder.path("run"));
    let content = fs::read(&corpus).expect("a corpus");
    let (mut live, hold) = Live::train_held(&corpus, &run, flags, call);
    change(&corpus);
    hold.release();
    let code = live.exit_code();
    let said = live.stderr();
    assert!(matches!(code, Some(1 | 2)), "{code:?}: {said}");
    assert!(
        said.contains("changed while it was in use") || said.contains("cut off while it was in use"),
        "{said}"
    );
    let left = names(&run);
    let results = ["model.safetensors", "state.gz", "theta.npz", "doc-topics.txt", "report.html"];
    assert!(
        !left.iter().any(|name| results.contains(&name.as_str())),
        "no result comes of other words: {left:?}"
    );
    fs::write(&corpus, content).expect("a corpus");
    let rows = read(run.join("trace.csv")).lines().count();
    let finish =
        flags.split_once(" --finish ").map_or(String::new(), |(_, sweeps)| format!(" --finish {sweeps}"));
    let flags = format!("--iterations {} --trace-every 1{finish}", rows + 2);
    train(&corpus, &run, &format!("{flags} --resume --quiet")).assert().success();
    assert_eq!(read(run.join("trace.csv")), read(trained("sample", &flags).path("trace.csv")));
}

fn disturb(change: impl FnOnce(&Path)) {
    disturb_at(ON_ITS_WAY, FLAGS, change);
}

/// Overwrites words, of which nothing but the bytes tells: length and time are as they were.
fn overwrite_without_a_trace(corpus: &Path) {
    let time = fs::metadata(corpus).and_then(|metadata| metadata.modified()).expect("a time");
    let mut file = OpenOptions::new().write(true).open(corpus).expect("a file");
    file.seek(SeekFrom::Start(64)).and_then(|_| file.write_all(&[0; 4_000])).expect("a write");
    file.set_modified(time).expect("a time");
}

#[test]
fn that_is_cut_off() {
    disturb(|corpus| {
        OpenOptions::new().write(true).open(corpus).and_then(|file| file.set_len(4096)).expect("a file")
    });
}

#[test]
fn that_is_emptied() {
    disturb(|corpus| fs::write(corpus, "").expect("a file"));
}

#[test]
fn that_is_overwritten_with_words_that_are_none() {
    disturb(|corpus| {
        let mut file = OpenOptions::new().write(true).open(corpus).expect("a file");
        file.seek(SeekFrom::Start(64)).and_then(|_| file.write_all(&[0xff; 400_000])).expect("a write");
    });
}

#[test]
fn that_is_overwritten_with_other_words() {
    disturb(|corpus| {
        let mut file = OpenOptions::new().write(true).open(corpus).expect("a file");
        file.seek(SeekFrom::Start(64)).and_then(|_| file.write_all(&[0; 400_000])).expect("a write");
    });
}

#[test]
fn that_is_overwritten_without_a_trace() {
    disturb(overwrite_without_a_trace);
}

/// After the last checkpoint, and before the finish.
#[test]
fn that_is_overwritten_before_the_finish() {
    let flags = "--iterations 2 --trace-every 1 --checkpoint-every 9 --finish 1";
    disturb_at("rename iteration-2.checkpoint 1", flags, overwrite_without_a_trace);
}

#[test]
fn that_is_overwritten_while_results_are_written() {
    let flags = "--iterations 2 --trace-every 1";
    disturb_at("rename theta.npz 1", flags, overwrite_without_a_trace);
    disturb_at("rename report.html 1", flags, overwrite_without_a_trace);
}

/// Of an inference and of an evaluation nothing is left, or nothing is written.
#[test]
fn that_is_overwritten_while_new_documents_are_in_use() {
    let folder = Folder::new();
    let corpus = prepared(&folder);
    let run = trained("sample", "--iterations 2");
    let [run, out, corpus] =
        [run.0.path(), &folder.path("out"), &corpus].map(|path| path.display().to_string());
    let content = fs::read(&corpus).expect("a corpus");
    let infer = ["infer", &run, &corpus, "--out", &out, "--state"];
    let evaluate = |as_what| ["evaluate", &run, as_what, &corpus, "--out", &out];
    for (words, call) in [
        (infer, "rename state.gz 1"),
        (evaluate("--reference"), "thread thread 2"),
        (evaluate("--heldout"), "thread thread 2"),
    ] {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("hdp-gpu"));
        command.args(words).args(["--device", "cpu", "--threads", "1"]);
        let hold = Hold::at(&mut command, folder.0.path(), call);
        let mut live = Live::start(&mut command);
        hold.wait(&mut live);
        overwrite_without_a_trace(Path::new(&corpus));
        hold.release();
        let (code, said) = (live.exit_code(), live.stderr());
        assert_eq!(code, Some(2), "{words:?}: {said}");
        assert!(said.contains("changed while it was in use"), "{words:?}: {said}");
        let out = Path::new(&out);
        assert!(if out.is_dir() { names(out).is_empty() } else { !out.exists() }, "{words:?}: {said}");
        let _ = fs::remove_dir(out);
        fs::write(&corpus, &content).expect("a corpus");
    }
}

/// Renaming another file over it, as the program itself does, and removing it change nothing.
#[test]
fn that_is_replaced_or_removed() {
    let folder = Folder::new();
    let (corpus, run) = (prepared(&folder), folder.path("run"));
    let flags = "--iterations 30 --trace-every 1";
    let (mut live, hold) = Live::train_held(&corpus, &run, flags, ON_ITS_WAY);
    fs::write(folder.path("other"), "other").expect("a file");
    fs::rename(folder.path("other"), &corpus).expect("a file");
    fs::remove_file(&corpus).expect("a file");
    hold.release();
    assert_eq!(live.exit_code(), Some(0), "{}", live.stderr());
}
