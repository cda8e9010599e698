//! Training on text: what is said of it, what run.json and dropped-documents.csv hold, and standard input.

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::{Value, json};

use hdp_gpu::corpus::Preparation;

use super::{Folder, KEEP_ALL, UCI, gzip, names, read, train, trained};

/// Two documents that are long enough and one that is not.
fn content() -> String {
    let long = "The forest and the river, the mountain. ".repeat(12);
    format!("{long}\nA forest, a river\n{long}\n")
}

fn run_json(run: &std::path::Path) -> Value {
    serde_json::from_str(&read(run.join("run.json"))).expect("JSON")
}

#[test]
fn what_is_left_out_is_told_once() {
    let folder = Folder::new();
    let corpus = folder.write("corpus", content());
    let out = folder.path("run");
    let run = train(&corpus, &out, "--iterations 1").assert().success();
    run.stderr(starts_with(
        "left out: 3 words in the list of stop words (98 tokens)\n\
         emptied: 1 documents with fewer than 10 tokens left (2); they keep their rows\n",
    ))
    .stderr(contains(": 3 documents, 72 tokens, 3 words; training on cpu"));
    trained(&corpus, "--iterations 1");

    let dropped = "number,name,tokens_before,reason\n2,2,4,\"2 words left, fewer than 10\"\n";
    assert_eq!(read(out.join("dropped-documents.csv")), dropped);
    // Another run in the same folder has nothing to list.
    let flags = format!("--iterations 1 --force --quiet {KEEP_ALL}");
    train(&corpus, &out, &flags).assert().success().stderr(is_empty());
    assert_eq!(names(&out), super::RUN_FILES);
}

#[test]
fn run_json_has_every_setting_and_all_that_was_left_out() {
    let folder = Folder::new();
    let corpus =
        folder.write("corpus.csv", format!("id,text\n1,\"{}\"\n", content().replace('\n', "\"\n1,\"")));
    let extra = folder.write("extra", "mountain");
    let out = folder.path("run");
    let flags = "--iterations 1 --quiet --id-column id --min-doc-length 3 --bigrams 0.9 --extra-stopwords";
    train(&corpus, &out, flags).arg(&extra).assert().success();
    let info = run_json(&out);
    let preparation = &info["corpus"]["preparation"];
    let settings = json!({
        "text": {
            "encoding": "UTF-8", "text_column": null, "id_column": "id", "token_pattern": null,
            "lowercase": true, "stem": null,
            "bigrams": {"threshold": 0.9, "least_count": 10, "pairs": []},
        },
        "stopwords": {"language": "en", "words": ["mountain"]},
        "min_word_length": 1, "min_count": 10, "max_doc_share": null, "min_doc_length": 3,
    });
    assert_eq!(preparation["settings"], settings);
    let none = json!({"words": 0, "tokens": 0});
    let dropped = json!({
        "stop_words": {"words": 4, "tokens": 122}, "short_words": none, "rare_words": none, "common_words": none,
        "in_dropped_documents": {"words": 0, "tokens": 2}, "documents": [{"number": 2, "tokens": 4, "left": 2}],
    });
    assert_eq!(preparation["dropped"], dropped);
    assert_eq!(info["corpus"]["format"], "csv");
    serde_json::from_value::<Preparation>(preparation["settings"].clone())
        .expect("settings that can be read back");
    assert!(read(out.join("doc-topics.txt")).lines().all(|line| line.split('\t').nth(1) == Some("1")));
}

#[test]
fn a_folder_of_texts() {
    let folder = Folder::new();
    for name in ["letters/b.txt", "letters/1901/a.txt", "letters/.DS_Store"] {
        folder.write(name, content());
    }
    let out = folder.path("run");
    let run = train(folder.path("letters"), &out, "--iterations 1").assert().success();
    run.stderr(contains("warning: hidden files or folders: 1; they were left out\n"));
    let rows = read(out.join("doc-topics.txt"));
    let names: Vec<&str> = rows.lines().map(|line| line.split('\t').nth(1).expect("a name")).collect();
    assert_eq!(names, ["1901/a.txt", "b.txt"]);
    let inside = folder.path("letters/run");
    let refused = train(folder.path("letters"), &inside, "").assert().code(2);
    refused.stderr(starts_with("error: --out: "));
    assert!(!inside.exists());
}

#[test]
fn standard_input() {
    let folder = Folder::new();
    let corpus = folder.write("corpus", content());
    let from_file = trained(&corpus, "--iterations 2");
    for (at, input) in [content().into_bytes(), gzip(content())].into_iter().enumerate() {
        let out = folder.path(at.to_string());
        train("-", &out, "--iterations 2 --quiet").write_stdin(input).assert().success().stderr(is_empty());
        assert_eq!(read(out.join("trace.csv")), read(from_file.path("trace.csv")));
        assert_eq!(run_json(&out)["corpus"]["source"], "-");
    }
    let out = folder.path("counts");
    let counts = |flags: &str| train("-", &out, flags).write_stdin(UCI).assert();
    counts("").code(2).stderr(starts_with("error: --vocab: standard input is read as uci"));
    counts("--vocab none --quiet --iterations 1").success();
    let wrong = |input: &'static [u8]| train("-", &folder.path("no"), "").write_stdin(input).assert().code(2);
    wrong(b"").stderr(starts_with("error: standard input: is empty; "));
    wrong(b"\xff\n").stderr(starts_with("error: standard input:1: byte 1 of the file (0xFF) is not UTF-8; "));
    wrong(b"a b\n").stderr(contains("left after preparation").and(contains("tmp").not()));
    assert!(!folder.path("no").exists());
}

#[test]
fn the_sample_can_do_without_some_words() {
    let folder = Folder::new();
    let flags = "--iterations 1 --stopwords en --min-count 200";
    let run = train("sample", &folder.path("run"), flags).assert().success();
    run.stderr(starts_with("left out: ").and(contains(" words in the list of stop words")));
    let words = read(folder.path("run").join("vocab.txt"));
    assert!(words.lines().count() < 1315 && !words.lines().any(|word| word == "the"));
}
