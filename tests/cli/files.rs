//! Ordinary people's files by the command: what is said of them, and what run.json keeps.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use serde_json::{Value, json};
use zip::write::{SimpleFileOptions, ZipWriter};

use super::{Folder, KEEP_ALL, csv_rows, hdp_gpu, read, train};

/// A document of Word with one paragraph.
fn docx(text: &str) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    let mut archive = ZipWriter::new(&mut out);
    archive.start_file("word/document.xml", SimpleFileOptions::default()).expect("a file in a zip");
    let xml = format!("<w:document xmlns:w=\"w\"><w:p><w:t>{text}</w:t></w:p></w:document>");
    archive.write_all(xml.as_bytes()).expect("a file in a zip");
    archive.finish().expect("a zip");
    out.into_inner()
}

fn info(path: PathBuf) -> Value {
    serde_json::from_str(&read(path)).expect("JSON")
}

/// The names of the documents in doc-topics.csv, each once.
fn doc_names(run: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        csv_rows(run.join("doc-topics.csv"))[1..].iter().map(|row| row[1].clone()).collect();
    names.dedup();
    names
}

#[test]
fn a_mixed_folder_in_one_command() {
    let folder = Folder::new();
    folder.write("letters/a.txt", "ship sea sail wind");
    folder.write("letters/b.html", "<p>wheat corn</p><p>farm rain</p><script>var ship;</script>");
    folder.write("letters/c.docx", docx("sea wind ship crew"));
    folder.write("letters/d.pdf", "%PDF-1.4");
    folder.write("letters/e.png", b"\x89PNG\r\n\x1a\n");
    let (corpus, out) = (folder.path("letters"), folder.path("run"));
    let flags = format!("--iterations 2 {KEEP_ALL}");
    let run = train(&corpus, &out, &flags).assert().success();
    run.stderr(contains(
        "warning: PDF files and scans: 1 (d.pdf); they were left out; to have them read: convert it",
    ))
    .stderr(contains("warning: images: 1 (e.png); they were left out"));
    assert_eq!(doc_names(&out), ["a.txt", "b.html", "c.docx"]);
    assert_eq!(read(out.join("vocab.txt")), "corn\ncrew\nfarm\nrain\nsail\nsea\nship\nwheat\nwind\n");
    let corpus_info = &info(out.join("run.json"))["corpus"];
    assert_eq!((&corpus_info["skipped_files"], &corpus_info["bad_files"]), (&json!(2), &Value::Null));

    folder.write("letters/f.txt", b"caf\xe9\n");
    folder.write("letters/g.docx", "no zip");
    let refused = train(&corpus, &folder.path("no"), &flags).assert().code(2);
    refused
        .stderr(contains(
            ": 2 of its files cannot be read: f.txt:1: byte 4 of the file (0xE9) is not UTF-8; g.docx is no",
        ))
        .stderr(contains("leave out all that cannot be read with --skip-bad\n"));
    let skipping =
        train(&corpus, &folder.path("skipping"), &format!("{flags} --skip-bad")).assert().success();
    skipping.stderr(contains("warning: files that could not be read: 2; they were left out: f.txt:1: "));
    assert_eq!(info(folder.path("skipping/run.json"))["corpus"]["bad_files"], 2);
    assert_eq!(read(folder.path("skipping/trace.csv")), read(out.join("trace.csv")));

    // New documents come in any form, also alone.
    let letter = folder.write("letter.docx", docx("the crew of a ship"));
    let inferred =
        hdp_gpu().arg("infer").arg(&out).arg(&letter).arg("--out").arg(folder.path("new")).assert().success();
    inferred.stderr(contains("warning").not());
    assert_eq!(doc_names(&folder.path("new")), ["letter.docx"]);
    let all = folder.path("all");
    let inferred =
        hdp_gpu().arg("infer").arg(&out).arg(&corpus).arg("--skip-bad").arg("--out").arg(&all).assert();
    inferred.success().stderr(contains("files that could not be read: 2; "));
}

#[test]
fn tables_of_spreadsheets() {
    let folder = Folder::new();
    let german = "\u{feff}Nr;Text\r\n1;\"Schiff, See\r\nund Segel\"\r\n2;\"Korn; Feld\"\r\n2;Regen\r\n";
    let corpus = folder.write("Mappe1.csv", german);
    let out = folder.path("run");
    let flags = format!("--iterations 2 {KEEP_ALL} --id-column Nr");
    let run = train(&corpus, &out, &flags).assert().success();
    run.stderr(contains(
        "warning: nothing is called 'text', so the text is taken from 'Text'; --text-column names another\n",
    ))
    .stderr(contains("warning: documents with a name that an earlier one has: 1; the first is '2'; "));
    let corpus_info = info(out.join("run.json"))["corpus"].clone();
    assert_eq!((&corpus_info["text_column"], &corpus_info["repeated_names"]), (&json!("Text"), &json!(1)));
    assert_eq!(corpus_info["preparation"]["settings"]["text"].get("delimiter"), None);

    let given = folder.path("given");
    train(&corpus, &given, &format!("{flags} --delimiter ; --quiet")).assert().success();
    assert_eq!(
        info(given.join("run.json"))["corpus"]["preparation"]["settings"]["text"]["delimiter"],
        "semicolon"
    );
    assert_eq!(read(given.join("trace.csv")), read(out.join("trace.csv")));
    // Another table has another form.
    let other = folder.write("new.tsv", "Nr\ttext\n7\tSchiff; See\n");
    let inferred =
        hdp_gpu().arg("infer").arg(&given).arg(&other).arg("--out").arg(folder.path("new")).assert();
    inferred.success().stderr(is_empty());
    assert_eq!(doc_names(&folder.path("new")), ["7"]);
    let wrong = train(&corpus, &folder.path("no"), "--delimiter ab").assert().code(2);
    wrong.stderr(contains("'ab' is not a delimiter; give comma, semicolon, tab, pipe or another character"));
}

#[test]
fn an_array_of_json_is_prepared_and_trained_on() {
    let folder = Folder::new();
    let corpus =
        folder.write("posts.json", "[\n  {\"text\": \"ship sea\"},\n  {\"text\": \"corn field\"}\n]\n");
    let prepared = folder.path("posts.corpus");
    let keep: Vec<&str> = KEEP_ALL.split(' ').collect();
    hdp_gpu().arg("prepare").arg(&corpus).arg("--out").arg(&prepared).args(keep).assert().success();
    let out = folder.path("run");
    train(&prepared, &out, "--iterations 1 --quiet").assert().success().stderr(is_empty());
    assert_eq!(doc_names(&out).len(), 2);
}
