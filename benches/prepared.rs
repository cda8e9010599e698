//! What reading a prepared corpus costs, beside reading the same corpus as text: 14 million tokens, or corpora of your
//! own with `cargo bench --bench prepared -- FILE…`.

mod zipf;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use hdp_gpu::corpus::write_prepared;
use hdp_gpu::corpus::{Corpus, Loaded, ReadOptions, read};

const MEASURED: usize = 7;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    // Cargo's own flags start with dashes.
    let files: Vec<PathBuf> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).map(PathBuf::from).collect();
    if files.is_empty() {
        measure(&write_uci(&zipf::zipf_corpus(14_000_000).0, folder.path()), folder.path());
    }
    for file in files {
        measure(&file, folder.path());
    }
}

/// Reads `file` and what it is prepared to; all files are in the system's cache.
fn measure(file: &Path, folder: &Path) {
    let prepared = folder.join("prepared");
    let (seconds, loaded) = median_read(file);
    let corpus = &loaded.corpus;
    println!("{}: {} documents, {} tokens", file.display(), corpus.num_docs(), corpus.num_tokens());
    write_prepared(&prepared, corpus, &loaded.format, &loaded.preparation, &loaded.notes).unwrap();
    let (prepared_seconds, again) = median_read(&prepared);
    assert!(again.corpus == *corpus, "the same corpus");
    for (name, path, seconds) in [("text", file, seconds), ("prepared", &prepared, prepared_seconds)] {
        let bytes = fs::metadata(path).unwrap().len() as f64;
        println!("  {name:<10} {:>8.1} MB {:>10.2} ms", bytes / 1e6, 1e3 * seconds);
    }
    println!("  ratio {:.1}", seconds / prepared_seconds);
}

fn median_read(file: &Path) -> (f64, Loaded) {
    let read = || read(file, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let loaded = read();
    let mut seconds: Vec<f64> = (0..MEASURED)
        .map(|_| {
            let start = Instant::now();
            let loaded = read();
            let seconds = start.elapsed().as_secs_f64();
            drop(loaded);
            seconds
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    (seconds[MEASURED / 2], loaded)
}

/// Writes `corpus` as a UCI bag of words, with its vocabulary.
fn write_uci(corpus: &Corpus, folder: &Path) -> PathBuf {
    fs::write(folder.join("vocab.zipf.txt"), corpus.vocab.join("\n")).unwrap();
    let mut body = Vec::new();
    let mut entries = 0;
    for d in 0..corpus.num_docs() {
        let mut words = corpus.w[corpus.doc(d)].to_vec();
        words.sort_unstable();
        for group in words.chunk_by(|a, b| a == b) {
            entries += 1;
            writeln!(body, "{} {} {}", d + 1, group[0] + 1, group.len()).unwrap();
        }
    }
    let header = format!("{}\n{}\n{entries}\n", corpus.num_docs(), corpus.vocab_size());
    let path = folder.join("docword.zipf.txt");
    fs::write(&path, [header.as_bytes(), &body].concat()).unwrap();
    path
}
