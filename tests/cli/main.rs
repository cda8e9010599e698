//! The program as a user runs it: its commands, files, messages and exit codes.

mod chains;
mod completions;
mod damaged_run;
mod determinism;
mod devices;
#[cfg(target_os = "linux")]
mod disk;
mod doc_topics;
mod doctor;
mod evaluate;
mod files;
mod finish;
mod golden;
mod groups;
#[cfg(target_os = "linux")]
mod hold;
#[cfg(unix)]
mod hostile_run;
mod infer;
#[cfg(unix)]
mod interrupt;
#[cfg(target_os = "linux")]
mod limits;
mod live;
#[cfg(target_os = "linux")]
mod mapped;
#[cfg(target_os = "linux")]
mod memory;
mod messages;
mod needs;
mod odd_input;
mod out;
mod passages;
mod prepare;
mod refused;
mod report;
mod result_files;
mod results;
mod resume;
#[cfg(target_os = "linux")]
#[path = "../common/seam.rs"]
mod seam;
mod settings;
#[cfg(target_os = "linux")]
mod signals;
mod synth;
mod text;
mod topics;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tempfile::TempDir;

/// Every file of a finished run.
const RUN_FILES: &[&str] = &[
    "checkpoint",
    "doc-topics-wide.csv",
    "doc-topics.csv",
    #[cfg(feature = "parquet")]
    "doc-topics.parquet",
    "doc-topics.txt",
    "ldavis.json",
    "model.safetensors",
    "phi.npz",
    "report.html",
    "run.json",
    "state.gz",
    "theta.npz",
    "timing.csv",
    "tokens_per_topic.csv",
    "topic-docs.csv",
    "topic-keys.txt",
    "topics.csv",
    #[cfg(feature = "parquet")]
    "topics.parquet",
    "trace.csv",
    "vocab.txt",
    "word-topic-counts.txt",
];

/// The same of a run on text, which keeps it.
fn files_of_text_run() -> Vec<&'static str> {
    let mut files = RUN_FILES.to_vec();
    files.push("texts.bin");
    files.sort_unstable();
    files
}

/// A small bag of words whose second document is empty.
const UCI: &str = "3\n4\n5\n1 1 2\n1 3 1\n3 2 1\n3 3 3\n3 4 1\n";

/// Flags that leave nothing out of text.
const KEEP_ALL: &str = "--stopwords none --min-count 1 --min-doc-length 1";

/// A folder that goes when the test ends.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder for the test"))
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("the folder itself")).expect("a folder for the test");
        fs::write(&path, content).expect("a file for the test");
        path
    }
}

/// Whether tests are to mount disks of their own; they fail where that is not allowed, unless they are to be left out.
#[cfg(target_os = "linux")]
fn may_mount() -> bool {
    if std::env::var_os("HDP_GPU_SKIP_MOUNT_TESTS").is_some_and(|value| value == "1") {
        eprintln!("ignored: HDP_GPU_SKIP_MOUNT_TESTS is set");
        return false;
    }
    let mount = ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"];
    let mounted = std::process::Command::new("unshare").args(mount).status();
    assert!(
        mounted.is_ok_and(|status| status.success()),
        "unshare and mount are not allowed here: set HDP_GPU_SKIP_MOUNT_TESTS=1 to leave this out"
    );
    true
}

/// The program, of these tests' own build or the one that is named.
fn hdp_gpu() -> Command {
    let mut command = match std::env::var_os("HDP_GPU_PROGRAM") {
        Some(program) => Command::new(program),
        None => assert_cmd::cargo::cargo_bin_cmd!("hdp-gpu"),
    };
    // Mesa complains on standard error when it is not set.
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        command.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    }
    command
}

/// `train CORPUS --out OUT` with more flags, separated by spaces; on the CPU unless they name a device.
fn train(corpus: impl AsRef<OsStr>, out: &Path, flags: &str) -> Command {
    let device: &[&str] = if flags.contains("--device") { &[] } else { &["--device", "cpu"] };
    let mut command = hdp_gpu();
    command.arg("train").arg(corpus).arg("--out").arg(out).args(device).args(flags.split_whitespace());
    command
}

/// A run of `corpus` in a folder of its own, which has succeeded without a word.
fn trained(corpus: impl AsRef<OsStr>, flags: &str) -> Folder {
    let folder = Folder::new();
    train(corpus, folder.0.path(), &format!("--force --quiet {flags}"))
        .assert()
        .success()
        .stdout("")
        .stderr("");
    folder
}

/// The names of all files in `folder`, hidden ones too, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// The rows of a CSV file, the header first.
fn csv_rows(path: impl AsRef<Path>) -> Vec<Vec<String>> {
    read(path).lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn gzip(content: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content.as_ref()).expect("gzip in memory");
    encoder.finish().expect("gzip in memory")
}

fn gunzip(path: impl AsRef<Path>) -> String {
    let mut text = String::new();
    GzDecoder::new(File::open(path).expect("a gzip file")).read_to_string(&mut text).expect("gzip of text");
    text
}

/// A line of state.gz.
struct Token {
    doc: usize,
    source: String,
    pos: usize,
    typeindex: u32,
    word: String,
    topic: u16,
}

/// The three lines at the top of a state, and its tokens.
fn read_state(path: impl AsRef<Path>) -> ([String; 3], Vec<Token>) {
    let text = gunzip(path);
    let mut lines = text.lines();
    let top = std::array::from_fn(|_| lines.next().expect("three lines at the top").to_owned());
    let tokens = lines.map(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let [doc, source, pos, typeindex, word, topic] = fields[..] else { panic!("not six fields: {line}") };
        Token {
            doc: doc.parse().expect("a document"),
            source: source.to_owned(),
            pos: pos.parse().expect("a position"),
            typeindex: typeindex.parse().expect("a word number"),
            word: word.to_owned(),
            topic: topic.parse().expect("a topic"),
        }
    });
    (top, tokens.collect())
}
