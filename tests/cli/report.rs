//! report.html: made with every run, made again from its files, and safe whatever the corpus holds.

use predicates::str::contains;

use super::{Folder, KEEP_ALL, hdp_gpu, read, train, trained};

/// The data in a page.
pub(super) fn data(page: &str) -> serde_json::Value {
    let start = page.find("id=\"data\">").expect("data") + "id=\"data\">".len();
    let end = start + page[start..].find("</script>").expect("its end");
    serde_json::from_str(&page[start..end]).expect("JSON")
}

#[test]
fn made_again_from_the_runs_files_it_is_the_same() {
    let folder = Folder::new();
    let rows: String = (0..40)
        .map(|d| format!("{d},{},{},ship sea wind mast tree leaf {d}\n", 1800 + d % 3, d % 2))
        .collect();
    let corpus = folder.write("corpus.csv", format!("id,year,topic,text\n{rows}"));
    let run = trained(&corpus, &format!("--iterations 30 --id-column id --init-topics 4 {KEEP_ALL}"));
    let page = read(run.path("report.html"));
    hdp_gpu().arg("report").arg(run.0.path()).assert().success().stdout(contains("report.html\n"));
    assert!(read(run.path("report.html")) == page, "another page");
    let data = data(&page);
    // The second one has another name in doc-topics.csv.
    assert_eq!(data["metadata"], serde_json::json!(["year", "topic"]));
    assert_eq!(data["groups"][0]["column"], "year");
    assert_eq!(data["groups"][0]["kind"], "date");
    let view = &data["groups"][0]["views"][0];
    assert_eq!(view["values"], serde_json::json!(["1800", "1801", "1802"]));
    assert_eq!(data["bag"], false);
    let topic = &data["topics"][0];
    assert!(topic["docs"][0][2].as_array().is_some_and(|passage| !passage.is_empty()));
    let tokens: u64 =
        data["topics"].as_array().expect("topics").iter().filter_map(|topic| topic["tokens"].as_u64()).sum();
    assert_eq!(Some(tokens), data["num_tokens"].as_u64());
    // A group's shares sum to 1 over topics.
    let topics =
        view["cells"].as_array().expect("topics").iter().map(|cells| cells.as_array().expect("cells"));
    let of_first = topics.flat_map(|cells| cells.chunks(4).filter(|cell| cell[0] == 0));
    let sum: i64 = of_first.filter_map(|cell| cell[1].as_i64()).sum();
    assert!((sum - 1_000_000).abs() <= 4, "{sum}");
}

#[test]
fn passages_can_be_left_out() {
    let run = trained("sample", "--iterations 3 --no-text");
    let has_passages = |page: &std::path::Path| {
        !data(&read(page))["topics"][0]["docs"][0][2].as_array().expect("a passage").is_empty()
    };
    assert!(!has_passages(&run.path("report.html")));
    // Made again, it is as the run was trained.
    hdp_gpu().arg("report").arg(run.0.path()).assert().success();
    assert!(!has_passages(&run.path("report.html")));

    let run = trained("sample", "--iterations 3");
    let out = run.path("with.html");
    let report = || {
        let mut command = hdp_gpu();
        command.arg("report").arg(run.0.path()).arg("--out").arg(&out);
        command
    };
    report().assert().success();
    assert!(has_passages(&out));
    report().assert().code(2).stderr(contains("exists and is left as it is"));
    report().arg("--force").assert().success();
}

#[test]
fn nothing_of_the_run_is_replaced() {
    let run = trained("sample", "--iterations 1");
    let state = std::fs::read(run.path("state.gz")).expect("a file");
    for command in ["report", "evaluate"] {
        let onto = |out: &std::path::Path| {
            let mut command =
                hdp_gpu().arg(command).arg(run.0.path()).arg("--force").arg("--out").arg(out).assert();
            command = command.code(2);
            String::from_utf8_lossy(&command.get_output().stderr).into_owned()
        };
        assert!(onto(&run.path("state.gz")).contains("is read from, and would be replaced"), "{command}");
        #[cfg(unix)]
        assert!(onto("/dev/null".as_ref()).contains("is a link or a device, not a plain file"), "{command}");
    }
    assert!(std::fs::read(run.path("state.gz")).expect("a file") == state);
}

#[test]
fn several_runs_are_laid_over_each_other() {
    let folder = Folder::new();
    let runs =
        ["1", "2"].map(|seed| trained("sample", &format!("--iterations 40 --trace-every 1 --seed {seed}")));
    let out = folder.path("both.html");
    hdp_gpu()
        .arg("report")
        .args(runs.iter().map(|run| run.0.path()))
        .arg("--out")
        .arg(&out)
        .assert()
        .success();
    let data = data(&read(&out));
    assert_eq!(data["runs"].as_array().map(Vec::len), Some(2));
    assert_eq!(data["runs"][1]["trace"]["iteration"].as_array().map(Vec::len), Some(41));
    assert!(data["diagnostics"][0]["rhat"].as_f64().is_some());
    // Both have found the larger themes of the sample.
    let matching = &data["matching"];
    assert_eq!(matching["runs"], serde_json::json!([0, 1]));
    let found = |topic: &serde_json::Value| {
        topic["found"].as_array().expect("runs").iter().filter(|found| !found.is_null()).count()
    };
    let topics = matching["topics"].as_array().expect("topics");
    let runs: Vec<usize> = topics.iter().map(found).collect();
    assert!(
        runs.is_sorted_by(|a, b| a >= b) && runs.iter().filter(|&&runs| runs == 2).count() > 8,
        "{runs:?}"
    );
    let label = topics[0]["label"].as_array().expect("words");
    assert!((1..=3).contains(&label.len()) && topics[0]["found"][1][2].as_f64().is_some_and(|it| it >= 0.8));
    assert!(data["settled"][0].as_str().is_some_and(|sentence| sentence.contains("R-hat")));
    hdp_gpu().arg("report").arg(folder.path("none")).assert().code(2);
}

#[test]
fn topics_have_labels_marks_and_a_size_from_which_they_are_shown() {
    let run = trained("sample", "--iterations 60");
    let shown = data(&read(run.path("report.html")));
    assert_eq!(shown["matching"], serde_json::Value::Null);
    let topics = shown["topics"].as_array().expect("topics");
    let table = super::csv_rows(run.path("topics.csv"));
    assert!(shown["fold_below"].as_u64().is_some_and(|below| (1..=154).contains(&below)));
    for (topic, row) in topics.iter().zip(&table[1..]) {
        let places = topic["label"].as_array().expect("a label").iter().filter_map(serde_json::Value::as_u64);
        let words: Vec<&str> = places.filter_map(|at| shown["words"][at as usize].as_str()).collect();
        assert_eq!(words.join(" "), row[11]);
        assert_eq!(topic["distinctiveness"].as_f64(), row[12].parse().ok());
        assert_eq!(topic["background"], row[13] == "1");
    }
    let out = run.path("other.html");
    let fold = ["--fold-below", "1%", "--out"];
    hdp_gpu().arg("report").arg(run.0.path()).args(fold).arg(&out).assert().success();
    assert_eq!(data(&read(&out))["fold_below"], 1533);
}

#[test]
fn words_of_the_corpus_end_no_script() {
    let folder = Folder::new();
    let hostile = ["</script><script>alert(1)</script>", "<!--", "\"'\\", "{{7*7}}", "שלום", "🦀"];
    let line = hostile.join(" ") + &format!(" {}\n", "x".repeat(10_000));
    let corpus = folder.write("corpus.txt", line.repeat(5));
    // Windows has no such names.
    let run = folder.path(if cfg!(windows) { "run" } else { "<img src=x onerror=alert(1)>" });
    train(&corpus, &run, &format!("--iterations 3 --quiet --token-pattern \\S+ --keep-case {KEEP_ALL}"))
        .assert()
        .success();
    let page = read(run.join("report.html"));
    assert!(!page.contains("alert(1)</script>") && !page.contains("<img src=x"));
    let data = data(&page);
    let words: Vec<&str> =
        data["words"].as_array().expect("words").iter().filter_map(serde_json::Value::as_str).collect();
    assert!(hostile.iter().all(|word| words.contains(word)), "{words:?}");
}
