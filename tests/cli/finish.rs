//! `--finish`: results are of finished copies of states, and the chain goes on as if there were none.

use std::fs;

use predicates::str::contains;
use serde_json::{Value, json};

use super::determinism::results_in;
use super::{Folder, hdp_gpu, read, read_state, train, trained};

fn info(run: &Folder) -> Value {
    serde_json::from_str(&read(run.path("run.json"))).expect("JSON")
}

/// The results of the runs `a` and `b` that differ.
fn differing(a: &Folder, b: &Folder) -> Vec<&'static str> {
    let pairs = results_in(a.0.path()).into_iter().zip(results_in(b.0.path()));
    pairs.filter(|((_, a), (_, b))| a != b).map(|((name, _), _)| name).collect()
}

/// What a finish makes.
const MADE: [&str; 6] =
    ["doc-topics.txt", "doc-topics.csv", "topics.csv", "topic-keys.txt", "model.safetensors", "state.gz"];

#[test]
fn results_are_finished_and_the_trace_is_the_chains() {
    let [plain, finished] =
        [0, 3].map(|sweeps| trained("sample", &format!("--iterations 6 --finish {sweeps}")));
    assert_eq!(differing(&plain, &finished), MADE);
    assert_eq!(info(&plain).get("finished"), None);
    let record = info(&finished);
    assert_eq!((&record["settings"]["finish"], &record["finished"]["sweeps"]), (&json!("3"), &json!(3)));
    assert_eq!(record["concentrations"], info(&plain)["concentrations"]);
    assert_ne!(record["concentrations"], record["finished"]["concentrations"]);
    // All of them are of the same state.
    let ([_, alpha, _], tokens) = read_state(finished.path("state.gz"));
    let mut topics: Vec<u16> = tokens.iter().map(|token| token.topic).collect();
    topics.sort_unstable();
    topics.dedup();
    assert_eq!(record["finished"]["active_topics"], json!(topics.len()));
    let alpha: f64 = alpha.split_whitespace().filter_map(|part| part.parse::<f64>().ok()).sum();
    let learned = record["finished"]["concentrations"]["alpha"].as_f64().expect("α");
    assert!((alpha - learned).abs() < 1e-9, "{alpha} {learned}");
    assert!(read(finished.path("report.html")).contains("3 sweeps of direct assignment"));
    // The page is made again from the files alone.
    let page = fs::read(finished.path("report.html")).expect("a page");
    hdp_gpu().arg("report").arg(finished.0.path()).assert().success();
    assert!(fs::read(finished.path("report.html")).expect("a page") == page);
}

/// However long it went on with being looked at, and wherever.
#[test]
fn a_run_that_goes_on_is_one_that_was_never_finished() {
    let flags = "--trace-every 2 --finish 2 --threads";
    let whole = trained("sample", &format!("--iterations 9 {flags} 1"));
    let parts = Folder::new();
    for (iterations, finish) in [(3, 5), (4, 0), (9, 2)] {
        let flags = format!("--quiet --resume --iterations {iterations} {flags} 3 --finish {finish}");
        train("sample", parts.0.path(), &flags.replacen("--finish 2", "", 1)).assert().success();
    }
    assert_eq!(differing(&whole, &parts), <[&str; 0]>::default());
    // Written again, by another process.
    train("sample", parts.0.path(), "--quiet --resume").assert().success();
    assert_eq!(differing(&whole, &parts), <[&str; 0]>::default());
}

#[test]
fn samples_and_held_out_scores_are_those_of_finished_states() {
    let flags = "--iterations 8 --samples 3 --thin 2 --holdout 0.2";
    let run = |finish| trained("sample", &format!("{flags} --finish {finish}"));
    let [plain, finished] = [run(0), run(2)];
    assert_eq!(differing(&plain, &finished), MADE);
    let score = |run: &Folder| info(run)["holdout"]["completion"]["per_word"].as_f64().expect("a score");
    assert_ne!(score(&plain), score(&finished));
    // Sums of samples that were stopped on their way.
    let parts = Folder::new();
    for _ in 0..3 {
        let flags = format!("--quiet --resume {flags} --finish 2 --checkpoint-every 1");
        train("sample", parts.0.path(), &flags).assert().success();
        fs::remove_file(parts.path("checkpoint/iteration-8.checkpoint")).expect("the newest checkpoint");
    }
    assert_eq!(differing(&finished, &parts), <[&str; 0]>::default());
    // Samples of two kinds are no mean of anything.
    train("sample", finished.0.path(), "--quiet --resume --finish 1")
        .assert()
        .code(2)
        .stderr(contains("has had 3 of 3 samples with 2; leave out --finish, or raise --iterations"));
    train("sample", finished.0.path(), "--quiet --resume --finish 1 --iterations 14").assert().success();
}

#[test]
fn chains_are_finished_one_by_one() {
    let run = trained("sample", "--iterations 4 --chains 2 --finish 2");
    let alone = trained("sample", "--iterations 4 --seed 2 --finish 2");
    let found = results_in(&run.path("chains/2"));
    assert!(found == results_in(alone.0.path()));
    assert_eq!(info(&run)["finished"]["sweeps"], json!(2));
}

#[test]
fn by_default_short_runs_direct_assignment_and_the_papers_have_none() {
    let sweeps = |flags: &str| info(&trained("sample", flags))["finished"]["sweeps"].as_u64();
    assert_eq!(sweeps("--iterations 24"), None);
    assert_eq!(sweeps("--iterations 50"), Some(2));
    assert_eq!(sweeps("--iterations 50 --samples 3"), None);
    assert_eq!(sweeps("--iterations 25 --preset paper"), None);
    assert_eq!(sweeps("--iterations 25 --sampler direct"), None);
}

#[test]
fn what_cannot_be_finished_is_refused() {
    let folder = Folder::new();
    for (flags, said) in [
        ("--sampler direct --finish 3", "direct assignment is what a finish is made of; leave out --finish"),
        ("--finish some", "give a number of sweeps, or auto"),
    ] {
        train("sample", &folder.path("run"), flags).assert().code(2).stderr(contains(said));
        assert!(!folder.path("run").exists());
    }
}
