//! Golden bytes: what known commands write, by digest. A change here is a change in draws or in a format that users rely on, and
//! a line of its own in the CHANGELOG.
//!
//! `HDP_GPU_GOLDEN=write` writes tests/fixtures/golden.txt anew; `HDP_GPU_PROGRAM` names another build of the program to compare.

use std::fmt::Write;
use std::fs;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{Folder, KEEP_ALL, UCI, gunzip, read, train};

const KNOWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/golden.txt");

/// A folder with corpora that are hard in some way, and text with metadata.
fn corpora() -> Folder {
    let folder = Folder::new();
    let uci = |docs: u32, words: u32, entries: Vec<(u32, u32, u32)>| {
        let body: String = entries.iter().map(|(d, v, count)| format!("{d} {v} {count}\n")).collect();
        format!("{docs}\n{words}\n{}\n{body}", entries.len())
    };
    let small = (1..=40).flat_map(|d| (1..=20).map(move |v| (d, v, 1 + (d * 7 + v * 13) % 9)));
    folder.write("small", uci(40, 20, small.filter(|(d, v, _)| (d + v) % 2 == 0).collect()));
    let mut giant: Vec<_> = (1..=50).map(|v| (2, v, 4_000)).collect();
    giant.extend([(1, 1, 3), (3, 50, 2)]);
    folder.write("giant", uci(3, 50, giant));
    folder.write("one-word", uci(30, 1, (1..=30).map(|d| (d, 1, d)).collect()));
    folder.write("one-document", uci(1, 40, (1..=40).map(|v| (1, v, v)).collect()));
    folder.write("empty-document", UCI);
    let row = |d: usize| format!("Nr {d},{},The ship {d} sails the sea; a bank and money\n", d % 3);
    folder.write("table.csv", format!("id,year,text\n{}", (1..=30).map(row).collect::<String>()));
    folder
}

/// Names, corpora and flags; a further command after a bar is given to the same folder.
const CASES: &[(&str, &str, &str)] = &[
    ("default", "sample", "--iterations 25"),
    ("paper", "sample", "--preset paper --iterations 30 --init-topics 20"),
    ("one topic", "sample", "--preset paper --iterations 30 --seed 7"),
    ("dirichlet", "sample", "--preset paper --phi dirichlet --iterations 12 --init-topics 20"),
    ("direct", "sample", "--preset paper --sampler direct --iterations 12 --init-topics 20"),
    (
        "learned",
        "sample",
        "--phi dirichlet --max-topics 60 --init-topics 20 --iterations 8 --trace-every 1 --alpha learn \
         --beta learn:2,100 --gamma learn:3,1",
    ),
    ("learned direct", "small", "--sampler direct --beta learn:2,100 --iterations 10 --trace-every 1"),
    ("samples", "sample", "--iterations 14 --samples 4 --thin 3"),
    ("held out", "sample", "--iterations 12 --holdout 0.1 --holdout-seed 3"),
    ("chains", "sample", "--iterations 10 --chains 3 --samples 2 --thin 2"),
    ("resumed", "sample", "--iterations 8 --trace-every 3|--resume --iterations 17 --samples 2"),
    ("small", "small", "--iterations 10 --trace-every 2"),
    ("more chains", "small", "--iterations 8 --trace-every 2|--resume --chains 2"),
    ("grown", "small", "--phi ppu --iterations 8 --trace-every 1 --gamma 300 --init sequential"),
    ("annealed", "small", "--iterations 10 --trace-every 1 --discount 0.3 --anneal 10:5"),
    ("lda", "small", "--iterations 10 --trace-every 1 --psi uniform --max-topics 8"),
    ("sticks", "small", "--iterations 10 --trace-every 1 --psi sticks --alpha learn --gamma learn"),
    ("one represented topic", "small", "--iterations 6 --trace-every 1 --max-topics 1"),
    ("most topics", "small", "--iterations 3 --trace-every 1 --max-topics 65535 --init-topics 65534"),
    ("stuck", "empty-document", "--iterations 30 --trace-every 1 --max-topics 2 --init one --beta 1e-6"),
    ("giant", "giant", "--iterations 4 --trace-every 1 --init-topics 20"),
    ("one word", "one-word", "--phi ppu --iterations 12 --trace-every 3 --init-topics 10"),
    ("one document", "one-document", "--phi ppu --iterations 12 --trace-every 3 --init-topics 10"),
    ("text", "table.csv", "--iterations 10 --trace-every 5 --text-column text --id-column id"),
];

/// run.json without times, commands, the machine, the folder and what is found of chains.
fn record(path: &Path, folder: &Folder) -> String {
    let mut kept = String::new();
    // The indentation of the list or object that is left out.
    let mut left_out: Option<usize> = None;
    let folder =
        serde_json::to_string(&format!("{}{MAIN_SEPARATOR}", folder.0.path().display())).expect("a string");
    for line in read(path).replace(folder.trim_matches('"'), "/").lines() {
        let indentation = line.len() - line.trim_start().len();
        let key = line.trim_start();
        match left_out {
            Some(outer) if indentation > outer => {}
            Some(_) => left_out = None,
            None if key.starts_with("\"command\": [") || key.starts_with("\"chains\": {") => {
                left_out = Some(indentation);
            }
            None if ["wall_seconds", "threads"]
                .iter()
                .any(|name| key.starts_with(&format!("\"{name}\""))) => {}
            None if indentation == 2 && key.starts_with("\"device\"") => {}
            None => kept += &format!("{line}\n"),
        }
    }
    kept
}

/// A line for each file of the run in `run`: what it is of, its name and its digest.
fn digests(case: &str, run: &Path, folder: &Folder) -> String {
    let files = [
        ("trace.csv", fs::read(run.join("trace.csv")).expect("a trace")),
        ("state", gunzip(run.join("state.gz")).into_bytes()),
        ("model.safetensors", fs::read(run.join("model.safetensors")).expect("a model")),
        ("run.json", record(&run.join("run.json"), folder).into_bytes()),
    ];
    let mut lines = String::new();
    for (name, bytes) in files {
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(lines, "{case}\t{name}\t{digest}").expect("a string takes everything");
    }
    lines
}

fn found() -> String {
    let folder = corpora();
    let mut found = String::new();
    for (case, corpus, flags) in CASES {
        let run = folder.path("run");
        let is_text = corpus.ends_with("csv");
        let read_as = if is_text { KEEP_ALL } else { "--vocab none" };
        let (corpus, read_as) = match *corpus {
            "sample" => (PathBuf::from("sample"), ""),
            file => (folder.path(file), read_as),
        };
        for flags in flags.split('|') {
            train(&corpus, &run, &format!("--quiet {read_as} {flags}")).assert().success();
        }
        found += &digests(case, &run, &folder);
        for number in 2..=3 {
            let chain = run.join(format!("chains/{number}"));
            if chain.exists() {
                found += &digests(&format!("{case}, chain {number}"), &chain, &folder);
            }
        }
        fs::remove_dir_all(run).expect("the run's folder");
    }
    found
}

#[test]
fn bytes_are_known() {
    let found = found();
    if std::env::var_os("HDP_GPU_GOLDEN").is_some_and(|value| value == "write") {
        fs::write(KNOWN, &found).expect("the known digests");
    }
    let known = read(KNOWN);
    assert_eq!(known.lines().count(), found.lines().count(), "as many files");
    for (known, found) in known.lines().zip(found.lines()) {
        assert_eq!(known, found);
    }
}
