//! Training on text: what is said of it, what run.json and dropped-documents.csv hold, and standard input.

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::{Value, json};

use hdp_gpu::corpus::Preparation;

use super::{Folder, KEEP_ALL, UCI, gzip, hdp_gpu, names, read, train, trained};

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
    let run = train(&corpus, &out, "--iterations 1 --min-count 10 --min-doc-length 10").assert().success();
    run.stderr(starts_with(
        "language: English (en), recognised; --language names another\n\
         left out: 3 words in the list of stop words (98 tokens)\n\
         emptied: 1 documents with fewer than 10 tokens left (2); they keep their rows\n",
    ))
    .stderr(contains(": 3 documents, 72 tokens, 3 words; training on cpu"));
    trained(&corpus, "--iterations 1 --min-count 10 --min-doc-length 10");

    let dropped = "number,name,tokens_before,reason\n2,2,4,\"2 words left, fewer than 10\"\n";
    assert_eq!(read(out.join("dropped-documents.csv")), dropped);
    // Another run in the same folder has nothing to list.
    let flags = format!("--iterations 1 --force --quiet {KEEP_ALL}");
    train(&corpus, &out, &flags).assert().success().stderr(is_empty());
    assert_eq!(names(&out), super::files_of_text_run());
}

#[test]
fn run_json_has_every_setting_and_all_that_was_left_out() {
    let folder = Folder::new();
    let corpus =
        folder.write("corpus.csv", format!("id,text\n1,\"{}\"\n", content().replace('\n', "\"\n1,\"")));
    let extra = folder.write("extra", "mountain");
    let out = folder.path("run");
    let flags = "--iterations 1 --quiet --id-column id --min-count 10 --min-doc-length 3 --bigrams 0.9 --extra-stopwords";
    train(&corpus, &out, flags).arg(&extra).assert().success();
    let info = run_json(&out);
    let preparation = &info["corpus"]["preparation"];
    let settings = json!({
        "text": {
            "rules": 2, "language": "en", "segmenter": null, "encoding": "UTF-8", "text_column": null, "id_column": "id", "token_pattern": null,
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

fn preparation(run: &std::path::Path) -> Value {
    run_json(run)["corpus"]["preparation"]["settings"].clone()
}

/// Short documents, as a beginner's first corpus has them.
fn short_documents() -> String {
    let words =
        ["harbour", "captain", "storm", "wheat", "farmer", "harvest", "market", "money", "bank", "paper"];
    let word = |i: usize| words[i * i % 10];
    (0..64)
        .map(|d| {
            format!(
                "The {} and the {} of the {}: a {} in the {}\n",
                word(d),
                word(d + 1),
                word(d + 3),
                word(d / 2),
                word(d + 4)
            )
        })
        .collect()
}

#[test]
fn short_documents_are_kept() {
    let folder = Folder::new();
    let corpus = folder.write("corpus", short_documents());
    let out = folder.path("run");
    let run = train(&corpus, &out, "--iterations 2").assert().success();
    run.stderr(contains(
        "\nchosen: --min-count 2 and --min-doc-length 1, for 64 documents with 320 tokens that are no stop words\n",
    ))
    .stderr(contains("warning").not());
    let settings = preparation(&out);
    assert_eq!((&settings["min_count"], &settings["min_doc_length"]), (&json!(2), &json!(1)));
    assert!(!out.join("dropped-documents.csv").exists());
}

#[test]
fn the_papers_preset_has_the_papers_thresholds() {
    let folder = Folder::new();
    let corpus = folder.write("corpus", short_documents());
    let out = folder.path("run");
    train(&corpus, &out, "--iterations 2 --preset paper --min-doc-length 3 --quiet").assert().success();
    let settings = preparation(&out);
    assert_eq!((&settings["min_count"], &settings["min_doc_length"]), (&json!(10), &json!(3)));
    // What a run had is kept when it goes on, and flags need not be given again.
    train(&corpus, &out, "--iterations 4 --resume --quiet").assert().success();
    assert_eq!(preparation(&out), settings);
    let corpus = folder.write("uneven", "ash birch ".repeat(10) + "\n" + &"elm oak fir ash\n".repeat(3));
    let losing =
        train(&corpus, &folder.path("losing"), "--iterations 1 --quiet --min-doc-length 10").assert();
    let told =
        "warning: 3 of 4 documents were emptied; lower --min-count or --min-doc-length if that is too many\n";
    losing.success().stderr(told);
}

#[test]
fn a_run_goes_on_with_the_language_that_it_had() {
    let folder = Folder::new();
    let corpus = folder.write("corpus", "L'homme et la mer\nLa mer de l’homme et le vent\n".repeat(3));
    let flags = "--language fr --stem auto --quiet --trace-every 1";
    let (whole, parts) = (folder.path("whole"), folder.path("parts"));
    train(&corpus, &whole, &format!("{flags} --iterations 4")).assert().success().stderr(is_empty());
    assert_eq!(read(whole.join("vocab.txt")), "homm\nmer\nvent\n");
    train(&corpus, &parts, &format!("{flags} --iterations 2")).assert().success();
    train(&corpus, &parts, "--resume --iterations 3 --quiet").assert().success().stderr(is_empty());
    // What the program says itself has all flags once more.
    train(&corpus, &parts, &format!("{flags} --resume --iterations 4")).assert().success().stderr(is_empty());
    assert_eq!(read(parts.join("trace.csv")), read(whole.join("trace.csv")));
    for (flag, asked) in [("--language", "en"), ("--stem", "english"), ("--bigrams", "0.5")] {
        let refused = train(&corpus, &parts, &format!("--resume {flag} {asked}")).assert().code(2);
        refused.stderr(contains(format!("{flag}: {asked} is asked for, and the run that goes on has ")));
    }
    assert_eq!(preparation(&parts), preparation(&whole));
    assert_eq!(preparation(&whole)["text"]["stem"], "french");
    let counts = train("sample", &folder.path("no"), "--language fr").assert().code(2);
    counts.stderr(starts_with("error: --language: sample has its words already; leave it out"));
    let unknown = train(&corpus, &folder.path("no"), "--language Klingon").assert().code(2);
    unknown.stderr(contains("'Klingon' is neither auto nor one of: af ak am ar "));
    train(&corpus, &folder.path("en"), "--iterations 1 --language fr --stopwords en")
        .assert()
        .success()
        .stderr(contains("language:").not());
}

/// A run from before there were versions of the rules has none of their fields in run.json, and infers by the first.
#[test]
fn an_older_run_infers_as_it_did() {
    let folder = Folder::new();
    let corpus = folder.write("corpus", "co-operation cat's operation cat\n".repeat(6));
    let run = folder.path("run");
    train(&corpus, &run, &format!("--iterations 2 --quiet {KEEP_ALL}")).assert().success();
    let new = folder.write("new", "operation co-operation cat\n");
    let tokens = |out: &str| {
        let out = folder.path(out);
        let mut infer = hdp_gpu();
        infer.args(["infer", "--quiet"]).arg(&run).arg(&new).arg("--out").arg(&out);
        infer.assert().success();
        let info: Value = serde_json::from_str(&read(out.join("infer.json"))).expect("JSON");
        info["corpus"]["tokens"].clone()
    };
    assert_eq!(tokens("by-new-rules"), 3);
    let mut info = run_json(&run);
    let text = info["corpus"]["preparation"]["settings"]["text"].as_object_mut().expect("text");
    for field in ["rules", "language", "segmenter"] {
        text.remove(field).expect("a field");
    }
    std::fs::write(run.join("run.json"), info.to_string()).expect("an older run.json");
    // `co` has no number there.
    assert_eq!(tokens("by-old-rules"), 4);
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
    run.stderr(starts_with(
        "warning: 64717 of 122484 tokens that are no stop words were left out; lower --min-count",
    ))
    .stderr(contains("\nleft out: ").and(contains(" words in the list of stop words")));
    let words = read(folder.path("run").join("vocab.txt"));
    assert!(words.lines().count() < 1315 && !words.lines().any(|word| word == "the"));
}
