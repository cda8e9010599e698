//! Scores of a run: the same from training and from the run's files, what is written and what is refused.

use std::path::Path;

use assert_cmd::Command;
use predicates::str::contains;
use serde_json::Value;

use super::{Folder, csv_rows, hdp_gpu, read, read_state, train, trained};

fn evaluate(run: &Path, flags: &str) -> Command {
    let mut command = hdp_gpu();
    command.arg("evaluate").arg(run).args(["--device", "cpu"]).args(flags.split_whitespace());
    command
}

fn json(path: impl AsRef<Path>) -> Value {
    serde_json::from_str(&read(path)).expect("JSON")
}

#[test]
fn held_out_documents_are_scored_from_the_runs_own_files() {
    let run = trained("sample", "--iterations 30 --init-topics 30 --holdout 0.1");
    let held_out = csv_rows(run.path("heldout-documents.csv"));
    assert_eq!(held_out[0], ["number", "name", "tokens"]);
    assert_eq!(held_out.len(), 1 + 150);
    // They have no part in training.
    let (_, tokens) = read_state(run.path("state.gz"));
    let numbers: Vec<usize> = held_out[1..].iter().map(|row| row[0].parse().expect("a number")).collect();
    assert!(tokens.iter().all(|token| !numbers.contains(&(token.doc + 1))));
    let info = json(run.path("run.json"));
    assert_eq!(info["holdout"]["documents"], 150);
    let total: u64 = held_out[1..].iter().map(|row| row[2].parse::<u64>().expect("a number")).sum();
    assert_eq!(
        (&info["holdout"]["tokens"], info["corpus"]["tokens"].as_u64()),
        (&total.into(), Some(total + tokens.len() as u64))
    );

    evaluate(run.0.path(), "--particles 10").assert().success().stdout(contains("completion     -"));
    let evaluation = json(run.path("evaluation.json"));
    assert_eq!(evaluation["completion"], info["holdout"]["completion"]);
    let per_word = |name: &str| evaluation[name]["per_word"].as_f64().expect("a number");
    // Better than words at random, V = 1315. A whole document is harder than its second half, of which the first is known.
    assert!(per_word("completion") > -(1315f64.ln()) + 0.5, "{}", per_word("completion"));
    let harder = per_word("completion") - per_word("left_to_right");
    assert!((0.0..0.3).contains(&harder), "{harder}");
    evaluate(run.0.path(), "")
        .assert()
        .code(2)
        .stderr(contains("evaluation.json exists and is left as it is"));
    evaluate(run.0.path(), "--particles 0 --force --threads 1").assert().success();
    let again = json(run.path("evaluation.json"));
    assert_eq!(again["completion"], evaluation["completion"]);
    assert_eq!(again["left_to_right"], Value::Null);
}

#[test]
fn another_seed_holds_out_others() {
    let [one, two, three] = ["0", "0", "1"]
        .map(|seed| trained("sample", &format!("--iterations 1 --holdout 0.01 --holdout-seed {seed}")))
        .map(|run| read(run.path("heldout-documents.csv")));
    assert_eq!(one, two);
    assert_ne!(one, three);
}

#[test]
fn coherence_is_that_of_topics_csv() {
    let run = trained("sample", "--iterations 20 --init-topics 20");
    let out = run.path("scores.json");
    evaluate(run.0.path(), &format!("--out {}", out.display())).assert().success().stdout(contains(
        "completion     no documents were held out: train with --holdout, or give --heldout\nUMass",
    ));
    let evaluation = json(&out);
    let topics = csv_rows(run.path("topics.csv"));
    let column = |name: &str| topics[0].iter().position(|column| column == name).expect("a column");
    let figures = evaluation["topics"].as_array().expect("topics");
    assert_eq!(figures.len(), topics.len() - 1);
    for (row, figures) in topics[1..].iter().zip(figures) {
        assert_eq!(row[column("topic")], figures["topic"].to_string());
        for measure in ["umass", "npmi", "exclusivity"] {
            // A topic with a single word has no coherence.
            let (listed, found) = (row[column(measure)].parse::<f64>().ok(), figures[measure].as_f64());
            let same = listed.zip(found).map_or(listed == found, |(a, b)| (a - b).abs() < 1e-9);
            assert!(same, "{measure} of {row:?}: {found:?}");
        }
    }
}

#[test]
fn other_corpora_are_prepared_as_the_runs_was() {
    let folder = Folder::new();
    let line = "Ships sail from harbours; a garden grows trees.\n";
    let corpus = folder.write("corpus.txt", line.repeat(20));
    let run = trained(&corpus, "--iterations 5 --min-doc-length 2");
    let heldout = folder.write("heldout.txt", "a ship zeppelin\nships sail the harbours of trees\n");
    let flags = format!("--heldout {} --reference {}", heldout.display(), corpus.display());
    evaluate(run.0.path(), &flags)
        .assert()
        .success()
        .stdout(contains("nats per word, 2 tokens of 1 document; 2 tokens of unknown words left out"));
}

#[test]
fn shares_that_cannot_be_held_out_are_refused() {
    let folder = Folder::new();
    for share in ["0", "1", "-0.5", "nan", "0.00001"] {
        let flags = format!("--holdout {share}");
        train("sample", &folder.path("run"), &flags).assert().code(2).stderr(contains("--holdout: "));
    }
    train("sample", &folder.path("run"), "--samples 11 --thin 5 --iterations 50")
        .assert()
        .code(2)
        .stderr(contains("--samples: 11 states, 5 iterations apart, do not fit in --iterations 50"));
    assert!(!folder.path("run").exists());
}
