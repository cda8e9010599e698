//! The most memory that a whole run takes, from reading a prepared corpus to the last of its results, part by part.
//!
//! `cargo bench --bench memory` trains on a synthetic corpus of 14 million tokens, `cargo bench --bench memory -- 100 --init-topics 200`
//! on one of 100 million, with these flags of `train`, and `cargo bench --bench memory -- FILE` on a prepared one. It fails when the
//! run takes more than 8 bytes a token (its word, its topic, and the topic again, sorted by word) and 500 MB for the z of a checkpoint
//! that is being written and for all that grows with words, topics and documents. Linux only: elsewhere the system does not tell.

mod zipf;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use hdp_gpu::corpus::write_prepared;
use hdp_gpu::corpus::{LoadNotes, Preparation, ReadOptions, read};

const FLAGS: [&str; 8] =
    ["--quiet", "--device", "cpu", "--iterations", "4", "--trace-every", "2", "--checkpoint-every=1"];

const TOKEN_BYTES: f64 = 8.0;
const OTHER_BYTES: f64 = 500e6;

/// Files in the order in which a run writes them: each one ends a part of the run.
const PARTS: [(&str, &str); 14] = [
    ("run.json", "reading and starting"),
    ("checkpoint/iteration-0", "the first checkpoint"),
    ("topic-keys.txt", "sampling, checkpoints"),
    ("word-topic-counts.txt", "word-topic-counts.txt"),
    ("doc-topics.txt", "doc-topics.txt"),
    ("topics.csv", "topics.csv"),
    ("doc-topics.csv", "doc-topics.csv"),
    ("topic-docs.csv", "topic-docs.csv"),
    ("phi.npz", "phi.npz"),
    ("theta.npz", "theta.npz"),
    ("ldavis.json", "ldavis.json"),
    ("state.gz", "state.gz"),
    ("model.safetensors", "model.safetensors"),
    ("report.html", "report.html"),
];

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let corpus = args.first().filter(|arg| !arg.starts_with("--")).cloned();
    args.drain(..usize::from(corpus.is_some()));
    let folder = tempfile::tempdir().expect("a folder for the corpus and the run");
    let corpus = match corpus.as_deref().unwrap_or("14").parse::<usize>() {
        Ok(millions) => prepare(millions * 1_000_000, folder.path().join("corpus")),
        Err(_) => PathBuf::from(corpus.expect("no number")),
    };
    let tokens = read(&corpus, &ReadOptions::default()).expect("a prepared corpus").corpus.num_tokens();
    let peak = measure(&corpus, &folder.path().join("run"), &args);
    let bound = TOKEN_BYTES * tokens as f64 + OTHER_BYTES;
    println!(
        "peak {:.0} MB, {:.2} bytes a token; at most {:.0} MB",
        peak / 1e6,
        peak / tokens as f64,
        bound / 1e6
    );
    ExitCode::from(u8::from(peak > bound))
}

/// Writes a prepared corpus to `path`.
fn prepare(tokens: usize, path: PathBuf) -> PathBuf {
    let corpus = zipf::zipf_corpus(tokens).0;
    let (docs, words, tokens) = (corpus.num_docs(), corpus.vocab_size(), corpus.num_tokens());
    println!("{docs} documents, {tokens} tokens, {words} words");
    write_prepared(&path, &corpus, "uci", &Preparation::default(), &LoadNotes::default())
        .expect("room on the disk");
    path
}

/// Trains, prints what each part took, and returns the peak.
fn measure(corpus: &Path, out: &Path, flags: &[String]) -> f64 {
    let mut run = Command::new(env!("CARGO_BIN_EXE_hdp-gpu"))
        .arg("train")
        .arg(corpus)
        .arg("--out")
        .arg(out)
        .args(FLAGS)
        .args(flags)
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    println!(
        "{:<24} {:>8} {:>9} {:>9} {:>9}",
        "until there is", "seconds", "peak MB", "anonymous", "file MB"
    );
    let (mut parts, mut part, mut peak) = (PARTS.iter().peekable(), Part::new(), 0.0);
    while run.try_wait().expect("a child").is_none() {
        part.look(&run);
        if let Some((_, name)) = parts.next_if(|(file, _)| is_there(out, file)) {
            peak = part.end(&run, name).max(peak);
            part = Part::new();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(run.wait().expect("a child").success(), "the run failed");
    part.print("the end");
    part.peak.max(peak)
}

/// Whether a file is there; the name of a checkpoint is not written out.
fn is_there(out: &Path, file: &str) -> bool {
    match file.split_once('/') {
        Some((folder, _)) => fs::read_dir(out.join(folder)).is_ok_and(|mut files| files.next().is_some()),
        None => out.join(file).exists(),
    }
}

/// What a part of a run takes, in bytes.
struct Part {
    start: Instant,
    peak: f64,
    anonymous: f64,
    file: f64,
}

impl Part {
    fn new() -> Self {
        Self { start: Instant::now(), peak: 0.0, anonymous: 0.0, file: 0.0 }
    }

    fn look(&mut self, run: &Child) {
        let status = fs::read_to_string(format!("/proc/{}/status", run.id())).unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
            kib.map_or(0.0, |kib| 1024.0 * kib)
        };
        self.peak = self.peak.max(field("VmHWM:"));
        self.anonymous = self.anonymous.max(field("RssAnon:"));
        self.file = self.file.max(field("RssFile:"));
    }

    /// Prints the part and has the system forget its peak, which it returns.
    fn end(&self, run: &Child, name: &str) -> f64 {
        self.print(name);
        let _ = fs::write(format!("/proc/{}/clear_refs", run.id()), "5");
        self.peak
    }

    fn print(&self, name: &str) {
        let megabytes = [self.peak, self.anonymous, self.file].map(|bytes| format!("{:.0}", bytes / 1e6));
        let [peak, anonymous, file] = megabytes;
        println!("{name:<24} {:>8.1} {peak:>9} {anonymous:>9} {file:>9}", self.start.elapsed().as_secs_f64());
    }
}
