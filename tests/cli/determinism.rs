//! The same corpus, flags and seed give the same bytes, on one thread, on two, and again.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::{Folder, csv_rows, gunzip, train};

/// The results that hold no time, the state decompressed.
pub(super) fn results(run: &Folder) -> Vec<(&'static str, Vec<u8>)> {
    results_in(run.0.path())
}

/// As [`results`], of the run in `run`.
pub(super) fn results_in(run: &Path) -> Vec<(&'static str, Vec<u8>)> {
    let names = [
        "trace.csv",
        "tokens_per_topic.csv",
        "doc-topics.txt",
        "doc-topics.csv",
        "topics.csv",
        "topic-keys.txt",
        "model.safetensors",
    ];
    let mut results: Vec<_> =
        names.into_iter().map(|name| (name, fs::read(run.join(name)).expect("a result"))).collect();
    results.push(("state.gz", gunzip(run.join("state.gz")).into_bytes()));
    results
}

/// A run of `corpus`, whatever it warns of.
fn run(corpus: &str, flags: &str) -> Folder {
    let run = Folder::new();
    train(corpus, run.0.path(), &format!("--force --quiet {flags}")).assert().success();
    run
}

fn same_on_any_threads(corpus: &str, flags: &str) {
    let first = run(corpus, &format!("{flags} --threads 1"));
    let expected = results(&first);
    for threads in [1, 2, 5] {
        let found = results(&run(corpus, &format!("{flags} --threads {threads}")));
        for ((name, expected), (_, found)) in expected.iter().zip(&found) {
            assert!(expected == found, "{name} of {flags:?} differs on {threads} threads");
        }
    }
    for row in &csv_rows(first.path("trace.csv"))[1..] {
        assert!(row.iter().all(|field| field.parse::<f64>().is_ok_and(f64::is_finite)), "{flags}: {row:?}");
    }
}

/// As [`same_on_any_threads`], on a bag of words with `entries` of (document, word, count), from 1.
fn same_for(docs: u32, words: u32, entries: &[(u32, u32, u32)], flags: &str) {
    let folder = Folder::new();
    let body: String = entries.iter().map(|(d, v, count)| format!("{d} {v} {count}\n")).collect();
    let corpus = folder.write("corpus", format!("{docs}\n{words}\n{}\n{body}", entries.len()));
    same_on_any_threads(corpus.to_str().expect("a path in UTF-8"), &format!("--vocab none {flags}"));
}

/// Some 2,000 tokens in 40 documents.
fn small() -> Vec<(u32, u32, u32)> {
    let entry = |d: u32, v: u32| (d, v, 1 + (d * 7 + v * 13) % 9);
    (1..=40).flat_map(|d| (1..=20).filter(move |v| (d + v) % 2 == 0).map(move |v| entry(d, v))).collect()
}

#[test]
fn from_one_topic() {
    same_on_any_threads("sample", "--iterations 40");
}

#[test]
fn from_many_topics() {
    same_on_any_threads("sample", "--iterations 20 --init-topics 50 --trace-every 5");
}

#[test]
fn with_an_exact_phi() {
    same_on_any_threads("sample", "--iterations 10 --trace-every 2 --phi dirichlet");
    same_for(40, 20, &small(), "--iterations 10 --trace-every 1 --init-topics 9 --phi dirichlet");
}

#[test]
fn by_direct_assignment() {
    same_on_any_threads("sample", "--iterations 20 --trace-every 5 --sampler direct");
    same_for(40, 20, &small(), "--iterations 10 --trace-every 1 --max-topics 65535 --sampler direct");
    same_for(40, 20, &small(), "--iterations 10 --trace-every 1 --max-topics 1 --sampler direct");
}

#[test]
fn a_document_of_200_000_tokens() {
    let mut entries: Vec<_> = (1..=50).map(|v| (2, v, 4_000)).collect();
    entries.extend([(1, 1, 3), (3, 50, 2)]);
    same_for(3, 50, &entries, "--iterations 6 --trace-every 1 --init-topics 20");
}

#[test]
fn with_all_that_can_be_learned() {
    let learn = "--alpha learn --beta learn:2,100 --gamma learn";
    same_on_any_threads("sample", &format!("--iterations 10 --trace-every 2 --init-topics 20 {learn}"));
    same_for(40, 20, &small(), &format!("--iterations 10 --trace-every 1 --sampler direct {learn}"));
    same_for(40, 20, &small(), "--iterations 10 --trace-every 1 --gamma 300 --init sequential");
    same_for(40, 20, &small(), "--iterations 10 --trace-every 1 --discount 0.3 --anneal 10:5");
}

#[test]
fn one_represented_topic() {
    same_for(40, 20, &small(), "--iterations 10 --trace-every 1 --max-topics 1");
}

#[test]
fn the_most_topics() {
    same_for(40, 20, &small(), "--iterations 4 --trace-every 1 --max-topics 65535 --init-topics 65534");
}

#[test]
fn one_word() {
    let entries: Vec<_> = (1..=30).map(|d| (d, 1, d)).collect();
    same_for(30, 1, &entries, "--iterations 20 --trace-every 1 --init-topics 10");
}

#[test]
fn one_document() {
    let entries: Vec<_> = (1..=40).map(|v| (1, v, v)).collect();
    same_for(1, 40, &entries, "--iterations 20 --trace-every 1 --init-topics 10");
}

#[test]
fn seeds_differ() {
    let [one, two] =
        [1, 2].map(|seed| results(&run("sample", &format!("--iterations 3 --init-topics 50 --seed {seed}"))));
    for ((name, one), (_, two)) in one.iter().zip(&two) {
        assert!(one != two, "{name} is the same for two seeds");
    }
}

/// Known answers: a change here is a change in the draws, and a line of its own in the CHANGELOG.
#[test]
fn the_draws_are_known() {
    for (flags, known) in [
        ("", "f9cc077a666032173c089b4fecc665dd7fb8b1717742c9e41f0caba5e2ce84a5"),
        ("--phi dirichlet", "cf8189f5f307d11c59b96b9c33044dbb0c17f98dba1d953bc931a0f905c3f5b0"),
        ("--sampler direct", "fcef8706829bd562c40041ff9e427adec28b887983b2712cc31fe4a55a29eb15"),
    ] {
        let run = run("sample", &format!("--preset paper --iterations 30 --seed 1 --init-topics 20 {flags}"));
        let trace = fs::read_to_string(run.path("trace.csv")).expect("a trace");
        // The six columns that every version has had.
        let six = |row: &str| row.split(',').take(6).collect::<Vec<_>>().join(",") + "\n";
        let trace: String = trace.lines().map(six).collect();
        let digest: String = Sha256::digest(&trace).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, known, "{flags}: {trace}");
    }
}
