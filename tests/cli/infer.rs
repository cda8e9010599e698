//! Topics of new documents: the run's preparation, what is unknown, what is written and what is refused.

use std::ffi::OsStr;
use std::path::Path;

use assert_cmd::Command;
use predicates::str::contains;
use serde_json::Value;

use super::{Folder, csv_rows, hdp_gpu, names, read, read_state, trained};

fn infer(run: &Path, corpus: impl AsRef<OsStr>, out: &Path, flags: &str) -> Command {
    let mut command = hdp_gpu();
    command.arg("infer").arg(run).arg(corpus).arg("--out").arg(out);
    command.args(["--device", "cpu"]).args(flags.split_whitespace());
    command
}

/// Text in which `new york` is a pair and `ships` has the stem of `ship`, trained on with both.
fn run_of_text(folder: &Folder) -> Folder {
    let line =
        "The ships of New York sail. A ship sails, and sailing ships sailed to the harbours of New York.\n";
    let other = "Gardens grow green; a gardener's garden grew green trees.\n";
    let corpus = folder.write("corpus.txt", format!("{}{}", line.repeat(12), other.repeat(12)));
    trained(corpus, "--iterations 20 --bigrams 0.5 --stem english --min-doc-length 3 --init-topics 2")
}

#[test]
fn new_text_is_prepared_as_the_runs_was() {
    let folder = Folder::new();
    let run = run_of_text(&folder);
    let vocab = read(run.path("vocab.txt"));
    assert!(vocab.lines().any(|word| word == "new_york") && vocab.lines().any(|word| word == "ship"));
    // One document that would be too short, with words that would be too rare.
    let new = folder.write("new.txt", "A ship from New York, the harbours and a zeppelin\n");
    let out = folder.path("out");
    infer(run.0.path(), &new, &out, "--state").assert().success().stdout(contains(
        "1 token (25.0 %) of 1 word that the model does not know: zeppelin\n\
         1 document, 3 known tokens in ",
    ));
    let (_, tokens) = read_state(out.join("state.gz"));
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    assert_eq!(words, ["ship", "new_york", "harbour"]);
    assert_eq!(read(out.join("unknown-words.csv")), "word,tokens\nzeppelin,1\n");
    let info: Value = serde_json::from_str(&read(out.join("infer.json"))).expect("JSON");
    assert_eq!(info["program"], "hdp-gpu");
    assert_eq!((&info["known_tokens"], &info["unknown_tokens"]), (&3.into(), &1.into()));
    assert_eq!(info["corpus"]["preparation"]["dropped"]["stop_words"]["tokens"], 5);
}

#[test]
fn shares_sum_to_one_and_nothing_known_gives_the_prior() {
    let folder = Folder::new();
    let run = run_of_text(&folder);
    let new =
        folder.write("new.csv", "id,text,year\nx,ship ship garden tree,1850\ny,,1851\nz,zeppelin,1852\n");
    let out = folder.path("out");
    let inferred = infer(run.0.path(), &new, &out, "--id-column id").assert().success();
    inferred.stdout(contains("2 documents without known words: their topics are the prior's\n"));
    let rows = csv_rows(out.join("doc-topics.csv"));
    assert_eq!(rows[0].join(","), "document,name,tokens,unknown,year,topic,share");
    for (name, prior_only) in [("x", false), ("y", true), ("z", true)] {
        let of_doc: Vec<_> = rows.iter().filter(|row| row[1] == name).collect();
        let sum: f64 = of_doc.iter().map(|row| row[6].parse::<f64>().expect("a share")).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{name}: {sum}");
        assert_eq!(of_doc.len() == 1 && of_doc[0][5] == "-1", prior_only, "{name}");
    }
    let unknown: Vec<&str> = rows.iter().filter(|row| row[1] == "z").map(|row| row[3].as_str()).collect();
    assert_eq!(unknown, ["1"]);
}

/// The files of an inference without what has times or paths in it.
fn results(out: &Path) -> Vec<(String, Vec<u8>)> {
    let names = names(out).into_iter().filter(|name| name != "infer.json");
    names.map(|name| (name.clone(), std::fs::read(out.join(name)).expect("a file"))).collect()
}

#[test]
fn threads_and_neighbours_change_nothing() {
    let folder = Folder::new();
    let run = trained("sample", "--iterations 10 --init-topics 20");
    let [one, two] = ["one", "two"].map(|name| folder.path(name));
    infer(run.0.path(), "sample", &one, "--state --threads 1 --quiet")
        .assert()
        .success()
        .stdout("")
        .stderr("");
    infer(run.0.path(), "sample", &two, "--state --threads 2 --quiet").assert().success();
    assert_eq!(names(&one), ["doc-topics.csv", "infer.json", "state.gz", "theta.npz"]);
    assert!(results(&one) == results(&two));

    let text = run_of_text(&folder);
    let lines = ["ship garden garden", "new york tree", "harbour ship green"];
    let rows = |name: &str, lines: &[&str]| -> Vec<String> {
        let (new, out) = (folder.write(name, lines.join("\n")), folder.path(format!("{name}-out")));
        infer(text.0.path(), new, &out, "").assert().success();
        let rows = csv_rows(out.join("doc-topics.csv"));
        let last = lines.len().to_string();
        rows.into_iter().filter(|row| row[0] == last).map(|row| row[2..].join(",")).collect()
    };
    assert_eq!(rows("all", &lines), rows("alone", &lines[2..]));
}

#[test]
fn only_an_inference_is_replaced() {
    let folder = Folder::new();
    let run = trained("sample", "--iterations 1");
    let out = run.path("inferred");
    infer(run.0.path(), "sample", &out, "--samples 1 --burn-in 1 --state").assert().success();
    let again = |flags: &str| infer(run.0.path(), "sample", &out, flags);
    again("").assert().code(2).stderr(contains("exists and is left as it is"));
    again("--force --samples 1 --burn-in 1").assert().success();
    assert_eq!(names(&out), ["doc-topics.csv", "infer.json", "theta.npz"]);
    let onto_run = infer(run.0.path(), "sample", run.0.path(), "--force").assert().code(2);
    onto_run.stderr(contains("has files and no infer.json of this program, so --force does not touch it"));
    infer(&folder.path("none"), "sample", &folder.path("out"), "")
        .assert()
        .code(2)
        .stderr(contains("not the folder of a finished run"));
    infer(run.0.path(), "sample", &folder.path("out"), "--samples 0")
        .assert()
        .code(2)
        .stderr(contains("--samples: 0 cannot be used"));
    infer(run.0.path(), folder.path("none"), &folder.path("out"), "").assert().code(2);
    std::fs::write(run.path("run.json"), "{}").expect("a file");
    infer(run.0.path(), "sample", &folder.path("out"), "")
        .assert()
        .code(2)
        .stderr(contains("run.json: is not what this program writes"));
    assert!(!folder.path("out").exists());
}
