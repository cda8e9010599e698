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

/// Documents of a few words each, in which the urn finds far too many topics.
#[test]
fn a_small_corpus_has_a_preset_of_its_own() {
    let folder = Folder::new();
    let rows: String =
        (1..=30).flat_map(|d| (1..=4).map(move |i| format!("{d} {} 1\n", 1 + (d * i) % 40))).collect();
    let corpus = folder.write("corpus", format!("30\n40\n120\n{rows}"));
    let said = |name: &str, flags: &str| {
        let run = train(&corpus, &folder.path(name), &format!("--vocab none --iterations 5 {flags}"))
            .assert()
            .success();
        String::from_utf8(run.get_output().stdout.clone()).expect("text")
    };
    let told =
        "topics are many for 30 documents of 120 tokens together: --preset small is for small corpora\n";
    assert!(said("default", "--preset default --init documents:20").contains(told));
    assert!(!said("paper", "--preset paper --init-topics 50").contains("--preset small"));
    let settings = |name: &str| -> Value {
        let record = read(folder.path(name).join("run.json"));
        serde_json::from_str::<Value>(&record).expect("JSON")["settings"].clone()
    };
    for (name, flags) in [("auto", ""), ("small", "--preset small"), ("seeded", "--alpha 1 --init auto")] {
        said(name, flags);
        let settings = settings(name);
        assert_eq!((&settings["preset"], &settings["phi"]), (&json!("small"), &json!("dirichlet")));
        assert_eq!(settings["learn"]["beta"], json!({"shape": 2.0, "rate": 20.0}));
        assert_eq!(settings["learn"]["gamma"], json!({"shape": 2.0, "rate": 4.0}));
        assert_eq!(settings["init"], json!("documents:8"));
    }
    for (name, flags) in [("urn", "--phi ppu"), ("narrow", "--beta 0.01"), ("few", "--max-topics 30")] {
        said(name, flags);
        assert_eq!((&settings(name)["preset"], &settings(name)["phi"]), (&json!("default"), &json!("ppu")));
    }
}

/// With a γ this large the first room for topics is far too small.
#[test]
fn room_for_topics_grows() {
    let run = trained("sample", "--iterations 4 --trace-every 1 --gamma 200 --init documents:100");
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

/// What people type who know how many topics they want.
#[test]
fn a_number_of_topics_is_lda() {
    let folder = Folder::new();
    let out = folder.path("run");
    let flags = "--iterations 4 --trace-every 1";
    let said = train("sample", &out, &format!("{flags} --topics 20")).assert().success();
    let line = "fitting LDA with 20 topics, as --topics asks; without it, the HDP learns their number\n";
    said.stderr(predicates::str::contains(line));
    let in_full = trained("sample", &format!("{flags} --psi uniform --max-topics 20 --init documents:20"));
    for name in ["trace.csv", "state.gz", "topics.csv"] {
        let [short, long] =
            [out.join(name), in_full.path(name)].map(|path| std::fs::read(path).expect("a file"));
        assert!(short == long, "{name} differs");
    }
    let settings = |run: &std::path::Path| {
        let record: Value = serde_json::from_str(&read(run.join("run.json"))).expect("JSON");
        record["settings"].clone()
    };
    assert_eq!(settings(&out), settings(in_full.0.path()));
    // With the flag, and without it, the run goes on.
    train("sample", &out, "--iterations 5 --resume --topics 20 --quiet").assert().success();
    train("sample", &out, "--iterations 6 --resume --quiet").assert().success();
    assert_eq!(settings(&out)["init"], "documents:20");
    train("sample", &out, "--iterations 7 --resume --topics 21").assert().code(2);

    for (flag, why) in [
        ("--psi dp", "where every topic has the same share of Ψ; leave out --psi, or --topics to learn"),
        ("--max-topics 30", "where so many can be represented, and no more; leave out --max-topics"),
        ("--gamma 1", "where a uniform Ψ has no γ; leave out --gamma, or --topics"),
        ("--discount 0.5", "where a uniform Ψ has no sticks; leave out --discount"),
        ("--preset paper", "where a preset is for topics whose number is learned; leave out --preset"),
    ] {
        let refused = train("sample", &folder.path("other"), &format!("--topics 20 {flag}")).assert().code(2);
        let text = format!("--topics: 20 topics and no others are LDA, {why}");
        refused.stderr(predicates::str::contains(text));
    }
    assert!(!folder.path("other").exists());
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
