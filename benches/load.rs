//! How fast corpora are read, on one core: a folder of text, its lines packed with zstd, and UCI.
//!
//! Where the system tells, time that other programs took is not counted.
//! `cargo bench --bench load` writes and reads synthetic ones; `cargo bench --bench load -- FILE…` reads yours.

mod zipf;

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Instant;

use hdp_gpu::Corpus;
use hdp_gpu::corpus::{ReadOptions, VocabSource, read};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

const TOKENS: usize = 6_000_000;
const READINGS: usize = 5;

fn main() {
    // Cargo's own flags start with dashes.
    let files: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    for file in &files {
        measure(file, Path::new(file), fs::metadata(file).unwrap().len(), VocabSource::Beside);
    }
    if !files.is_empty() {
        return;
    }
    let (corpus, _) = zipf::zipf_corpus(TOKENS);
    let folder = tempfile::tempdir().unwrap();
    let (texts, lines, uci) =
        (folder.path().join("texts"), folder.path().join("lines.zst"), folder.path().join("docword.txt"));
    fs::create_dir(&texts).unwrap();
    let docs: Vec<String> = (0..corpus.num_docs()).map(|d| text(&corpus, d)).collect();
    for (d, doc) in docs.iter().enumerate() {
        fs::write(texts.join(format!("{d}.txt")), doc).unwrap();
    }
    let all = docs.join("\n");
    fs::write(&lines, compress_to_vec(all.as_bytes(), CompressionLevel::Fastest)).unwrap();
    let entries = write_uci(&corpus);
    fs::write(&uci, &entries).unwrap();
    measure("folder of text", &texts, docs.iter().map(|doc| doc.len() as u64).sum(), VocabSource::Beside);
    measure("text in zstd", &lines, all.len() as u64, VocabSource::Beside);
    measure("UCI", &uci, entries.len() as u64, VocabSource::None);
}

/// A document's words, with a capital and a full stop every ten or so.
fn text(corpus: &Corpus, d: usize) -> String {
    let mut text = String::new();
    for i in corpus.doc(d) {
        let word = spelled(corpus.w[i]);
        match i % 10 {
            0 => write!(text, "{}{}", word[..1].to_uppercase(), &word[1..]).unwrap(),
            9 => writeln!(text, " {word}.").unwrap(),
            _ => write!(text, " {word}").unwrap(),
        }
    }
    text
}

/// A word of two to ten letters, as frequent ones are shorter.
fn spelled(v: u32) -> String {
    let letters = ["ka", "to", "mi", "ne", "su", "ra", "li", "vo", "pe", "du", "ch", "st"];
    let mut rest = v as usize;
    let mut word = String::from("a");
    while rest > 0 || word.len() < 4 {
        word.push_str(letters[rest % letters.len()]);
        rest /= letters.len();
    }
    word
}

fn write_uci(corpus: &Corpus) -> String {
    let mut body = String::new();
    let mut entries = 0;
    for d in 0..corpus.num_docs() {
        let mut words = corpus.w[corpus.doc(d)].to_vec();
        words.sort_unstable();
        for same in words.chunk_by(|a, b| a == b) {
            writeln!(body, "{} {} {}", d + 1, same[0] + 1, same.len()).unwrap();
            entries += 1;
        }
    }
    format!("{}\n{}\n{entries}\n{body}", corpus.num_docs(), corpus.vocab_size())
}

fn measure(name: &str, path: &Path, bytes: u64, vocab: VocabSource) {
    let options = ReadOptions { vocab, ..ReadOptions::default() };
    let mut seconds: Vec<f64> = (0..READINGS)
        .map(|_| {
            let start = Stopwatch::start();
            let loaded = read(path, &options).unwrap_or_else(|error| panic!("{error}"));
            std::hint::black_box(&loaded);
            start.seconds()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    let (megabytes, median) = (bytes as f64 / 1e6, seconds[READINGS / 2]);
    println!("{name:<16} {megabytes:>7.1} MB {median:>7.2} s {:>7.1} MB/s", megabytes / median);
}

/// The time that this thread has been running, where the system tells; other programs do not count then.
struct Stopwatch(Instant, Option<f64>);

impl Stopwatch {
    fn start() -> Self {
        Self(Instant::now(), Self::running())
    }

    fn seconds(&self) -> f64 {
        match (self.1, Self::running()) {
            (Some(start), Some(end)) => end - start,
            _ => self.0.elapsed().as_secs_f64(),
        }
    }

    fn running() -> Option<f64> {
        let nanoseconds = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        nanoseconds.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
    }
}
