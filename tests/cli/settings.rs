//! Learned concentrations, laws of Ψ, room for topics that grows, and starts.

use serde_json::{Value, json};

use super::{Folder, csv_rows, read, train, trained};

/// A column of trace.csv, by name.
fn trace(run: &Folder, name: &str) -> Vec<f64> {
    let rows = csv_rows(run.path("trace.csv"));
    let at = rows[0].iter().position(|column| column == name).expect("the column");
    rows[1..].iter().map(|row| row[at].parse().expect("a number")).collect()
}

fn info(run: &Folder) -> Value {
    serde_json::from_str(&read(run.path("run.json"))).expect("JSON")
}

#[test]
fn what_is_learned_moves_and_is_told() {
    let flags = "--iterations 6 --trace-every 1 --phi dirichlet --max-topics 60 --init-topics 20";
    let learned = "--alpha learn --beta learn:2,100 --gamma learn:3,1";
    let run = trained("sample", &format!("{flags} {learned}"));
    let settings = &info(&run)["settings"];
    assert_eq!(settings["learn"]["alpha"], json!({"shape": 1.0, "rate": 1.0}));
    assert_eq!(settings["learn"]["beta"], json!({"shape": 2.0, "rate": 100.0}));
    assert_eq!(settings["learn"]["gamma"], json!({"shape": 3.0, "rate": 1.0}));
    for name in ["alpha", "beta", "gamma"] {
        let values = trace(&run, name);
        assert_eq!(Some(values[0]), settings[name].as_f64(), "the start");
        assert!(values.windows(2).all(|pair| pair[0] != pair[1] && pair[1] > 0.0), "{name}: {values:?}");
        assert_eq!(info(&run)["concentrations"][name].as_f64(), values.last().copied());
    }
    let fixed = trained("sample", &format!("{flags} --alpha 0.3 --gamma 2"));
    for (name, value) in [("alpha", 0.3), ("beta", 0.01), ("gamma", 2.0)] {
        assert_eq!(trace(&fixed, name), [value; 7]);
    }
}

#[test]
fn what_was_learned_is_said_at_the_end() {
    let folder = Folder::new();
    let run = train("sample", &folder.path("run"), "--iterations 2").assert().success();
    let said = String::from_utf8(run.get_output().stdout.clone()).expect("text");
    assert!(said.contains("\nlearned: α = ") && said.contains(", γ = "), "{said}");
}

/// With a γ this large the first room for topics is far too small.
#[test]
fn room_for_topics_grows() {
    let run = trained("sample", "--iterations 4 --trace-every 1 --gamma 200");
    let k_star = trace(&run, "max_topics");
    assert!(k_star[0] == 256.0 && k_star[4] > 1000.0 && k_star.is_sorted(), "{k_star:?}");
    assert_eq!(trace(&run, "flag_topic_tokens"), [0.0; 5]);
    assert_eq!(info(&run)["settings"]["max_topics"], 256);
    assert_eq!(info(&run)["max_topics"].as_f64(), Some(k_star[4]));
    assert!(read(run.path("report.html")).contains("The represented topics grew to "));
}

#[test]
fn lda_has_as_many_topics_as_it_is_told() {
    let run = trained("sample", "--iterations 5 --trace-every 1 --psi uniform --max-topics 20");
    assert_eq!(trace(&run, "active_topics")[1..], [20.0; 5]);
    assert_eq!(trace(&run, "gamma"), [1.0; 6]);
    let psi = &csv_rows(run.path("topics.csv"))[1..];
    assert_eq!(psi.len(), 20);
}

#[test]
fn documents_start_whole() {
    let run = trained("sample", "--iterations 1 --trace-every 1 --init documents:7 --max-topics 9");
    assert_eq!(trace(&run, "active_topics")[0], 7.0);
    let one = trained("sample", "--iterations 1 --trace-every 1 --init one");
    assert_eq!(trace(&one, "active_topics")[0], 1.0);
    let sequential = trained("sample", "--iterations 1 --trace-every 1 --init sequential");
    assert!(trace(&sequential, "active_topics")[0] > 5.0);
    // Words that go together are in a topic together from the start.
    let random = trained("sample", "--iterations 1 --trace-every 1 --init-topics 20");
    assert!(trace(&sequential, "log_likelihood")[0] > trace(&random, "log_likelihood")[0] + 1e5);
}

/// The topics of a model keep their numbers, and what it does not know finds a place.
#[test]
fn a_run_starts_from_another() {
    let before = trained("sample", "--iterations 40 --trace-every 40");
    let folder = Folder::new();
    let state = before.path("state.gz");
    let flags = format!("--iterations 1 --trace-every 1 --init run:{}", before.0.path().display());
    let after = trained(&state, &flags);
    let likelihood = trace(&after, "log_likelihood");
    let reached = trace(&before, "log_likelihood")[1];
    assert!(likelihood[0] > reached - 0.02 * reached.abs(), "{likelihood:?} after {reached}");
    let largest = |run: &Folder| csv_rows(run.path("topics.csv"))[1][0].clone();
    assert_eq!(largest(&before), largest(&after));

    let grown = folder.write("grown.txt", "ship sea captain zeppelin\nzeppelin zeppelin\nbank money\n");
    let flags = format!("{flags} {}", super::KEEP_ALL);
    assert_eq!(trace(&trained(&grown, &flags), "active_topics").len(), 2);

    let narrow = folder.path("narrow");
    train(&grown, &narrow, &format!("{flags} --max-topics 2"))
        .assert()
        .code(2)
        .stderr(predicates::str::contains("--max-topics: 2 topics leave no room beside topic "));
    assert!(!narrow.exists());
}
