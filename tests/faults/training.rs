//! Short trainings of every kind, and what they end with.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::seam::{Ended, command, end};

/// Names, and commands in their order; the last one is the one that is disturbed. RUN is the run's folder.
pub(crate) const TRAININGS: &[(&str, &[&str])] = &[
    ("one chain", &["train corpus --out run --iterations 6 --trace-every 2 --checkpoint-every 2"]),
    ("chains", &["train corpus --out run --iterations 3 --trace-every 1 --chains 2 --checkpoint-every 1"]),
    ("settled", &["train corpus --out run --iterations 50 --trace-every 1 --chains 2 --until settled"]),
    ("samples", &["train corpus --out run --iterations 6 --samples 3 --thin 1 --checkpoint-every 2"]),
    ("held out", &["train corpus --out run --iterations 3 --holdout 0.3"]),
    (
        "resume",
        &[
            "train corpus --out run --iterations 3 --trace-every 1",
            "train corpus --out run --iterations 6 --trace-every 1 --resume",
        ],
    ),
    ("prepared", &["prepare corpus --out prepared", "train prepared --out run --iterations 3"]),
    ("text", &["train text --out run --iterations 3 --trace-every 1"]),
];

/// Twenty documents of ten words as SVMlight.
pub(crate) fn corpus() -> String {
    let doc =
        |d: usize| (0..10).map(move |v| format!(" {v}:{}", 1 + (d * 3 + v * 7) % 4)).collect::<String>();
    (0..20).map(|d| format!("{d}{}\n", doc(d))).collect()
}

/// The same number of documents as text, which the run keeps.
fn text() -> String {
    let word = |number: usize| ["ship", "sea", "wind", "tree", "leaf"][number % 5];
    let sentence = |d: usize| format!("The {} and the {}, said {}.", word(d), word(2 * d + 1), word(3 * d));
    (0..20).map(|d| format!("{} {}\n", sentence(d), sentence(d / 2))).collect()
}

/// A folder with the corpus and the text, whose path has no links.
pub(crate) fn folder() -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    fs::write(folder.path().join("corpus"), corpus()).expect("a corpus");
    fs::write(folder.path().join("text"), text()).expect("text");
    let path = folder.path().canonicalize().expect("a folder");
    (folder, path)
}

/// The words of a command, with what all of these tests need.
pub(crate) fn words(line: &str) -> Vec<String> {
    let more = if line.starts_with("train") {
        " --format-of-corpus --device cpu --threads 2 --quiet --disk-patience 30ms"
    } else {
        " --format svmlight --vocab none --index-base 0"
    };
    let more = if line.starts_with("train prepared") {
        more.replace("--format-of-corpus ", "")
    } else {
        more.replace("--format-of-corpus", "--format svmlight --vocab none --index-base 0")
    };
    let more = if line.starts_with("train text") {
        more.replace(
            "--format svmlight --vocab none --index-base 0",
            "--format text --min-count 1 --min-doc-length 1",
        )
    } else {
        more
    };
    format!("{line}{more}").split_whitespace().map(str::to_owned).collect()
}

/// Runs all commands but the last one, undisturbed.
pub(crate) fn begin(folder: &Path, lines: &[&str]) {
    for line in &lines[..lines.len() - 1] {
        succeed(end(&mut command(folder, &words(line)), line), line);
    }
}

/// Goes on undisturbed with what the last command has left.
pub(crate) fn go_on(folder: &Path, lines: &[&str], what: &str) {
    let last = lines[lines.len() - 1];
    let resumed = if last.contains("--resume") { last.to_owned() } else { format!("{last} --resume") };
    succeed(end(&mut command(folder, &words(&resumed)), what), what);
}

fn succeed(Ended { status, stderr }: Ended, what: &str) {
    assert!(status.success(), "{what}: {status}: {stderr}");
}
