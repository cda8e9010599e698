//! Passages of documents are their own text: in every format, language and place, for as long as a run is there.

use std::io::{Cursor, Write};
use std::path::Path;
use std::{fs, iter};

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::{Value, json};
use zip::write::{SimpleFileOptions, ZipWriter};

use super::report::data;
use super::{Folder, KEEP_ALL, gzip, hdp_gpu, read, train};

/// Documents of some sentences each.
const DOCS: [&str; 4] = [
    "The ship left Port-au-Prince at 6 a.m. with the crew of the old ship. \"Storms?\" asked the captain; the crew laughed.",
    "Nobody knew the harbour's name. A ship, they said: an OLD ship & its captain!",
    "<b>Trees</b> grew by the river, and leaves fell. The river was cold.",
    "Leaves, leaves, leaves... Who counts the trees of the river?",
];

/// Sentences by languages, two documents each.
const LANGUAGES: [(&str, [&str; 2]); 8] = [
    (
        "fr",
        [
            "L’homme qui rit n’était pas l'ami d'Étienne. Les élèves lisaient déjà !",
            "Où est l’élève ? L'homme lisait.",
        ],
    ),
    (
        "de",
        [
            "Die Straße zum Großen Bären war gesperrt. „Über Nacht“, sagte er, „schneite es.“",
            "Er sagte nichts. Die Straße war weiß!",
        ],
    ),
    (
        "ru",
        [
            "Все счастливые семьи похожи друг на друга. Каждая несчастливая семья несчастлива по-своему.",
            "Семья была счастлива… А друг?",
        ],
    ),
    (
        "ar",
        [
            "ذهبت الطفلة إلى المدرسة في الصباح. هل قرأت الكتاب؟ نعم، قرأت الكتاب كله.",
            "الكتاب في المدرسة. أين الطفلة؟",
        ],
    ),
    ("hi", ["बच्चा नदी के किनारे खेल रहा था। नदी का पानी ठंडा था।", "क्या पानी साफ़ था? बच्चा नदी में था।"]),
    ("zh", ["船长站在甲板上，望着大海。风暴来了，船员们很害怕！", "大海很平静。船长笑了。"]),
    (
        "ja",
        ["船長は甲板に立って海を見ていた。「嵐が来るぞ！」と彼は叫んだ。", "海は静かだった。船長は笑った。"],
    ),
    ("th", ["กัปตันยืนอยู่บนดาดฟ้าเรือและมองออกไปที่ทะเล พายุกำลังมา", "ทะเลสงบ กัปตันหัวเราะ"]),
];

/// A Word document of one paragraph.
fn docx(text: &str) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("word/document.xml", SimpleFileOptions::default()).expect("a file in a zip");
    let body = format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    write!(
        archive,
        r#"<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>"#
    )
    .expect("a file in a zip");
    archive.finish().expect("a zip").into_inner()
}

/// Trains on `corpus` and returns the report's data.
fn report(corpus: &Path, flags: &str) -> (Folder, Value) {
    let folder = Folder::new();
    let run = folder.path("run");
    let flags = format!("--iterations 4 --init-topics 2 --min-word-length 1 --quiet {KEEP_ALL} {flags}");
    train(corpus, &run, &flags).assert().success();
    let page = data(&read(run.join("report.html")));
    (folder, page)
}

/// Every passage with the number of its document: its parts.
fn passages(page: &Value) -> Vec<(usize, Vec<String>)> {
    let of_topic = |topic: &Value| topic["docs"].as_array().expect("documents").clone();
    let topics = page["topics"].as_array().expect("topics");
    let passage = |doc: Value| {
        let place = doc[0].as_u64().expect("a place") as usize;
        let number = page["documents"][place]["number"].as_u64().expect("a number") as usize;
        let parts: Vec<String> = serde_json::from_value(doc[2].clone()).expect("a passage of text");
        (number, parts)
    };
    topics.iter().flat_map(of_topic).map(passage).collect()
}

/// Every passage must be whole sentences of its document, as they are written, with words of it marked.
fn are_the_documents_own(page: &Value, docs: &[&str], what: &str) {
    let found = passages(page);
    let mut numbers: Vec<usize> = found.iter().map(|&(number, _)| number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers, (1..=docs.len()).collect::<Vec<_>>(), "{what}");
    for (number, parts) in found {
        let (text, doc) = (parts.concat(), docs[number - 1]);
        let at = doc.find(&text).unwrap_or_else(|| panic!("{what}: {text:?} is not in {doc:?}"));
        let before = doc[..at].trim_end().chars().next_back();
        let last = text.trim_end_matches(['"', '“', '」']).chars().next_back();
        let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        assert!(ends(before) && (ends(last) || at + text.len() == doc.len()), "{what}: {text:?}");
        assert!(parts.len() % 2 == 1 && parts.len() > 1, "{what}: {parts:?}");
        let is_word = |part: &String| part.chars().any(char::is_alphanumeric) && !part.contains(' ');
        assert!(parts.iter().skip(1).step_by(2).all(is_word), "{what}: {parts:?}");
    }
}

#[test]
fn in_every_format() {
    let folder = Folder::new();
    let lines: String = DOCS.map(|doc| format!("{doc}\n")).concat();
    let table = |separator: char| {
        let rows = DOCS.map(|doc| format!("1{separator}\"{}\"\n", doc.replace('"', "\"\"")));
        format!("year{separator}text\n{}", rows.concat())
    };
    let objects = DOCS.map(|doc| json!({ "text": doc, "year": 1 }).to_string());
    let mallet: String = (1..).zip(DOCS).map(|(number, doc)| format!("{number} x {doc}\n")).collect();
    let utf16: Vec<u8> = iter::once(0xfeff).chain(lines.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let files: [(&str, Vec<u8>, &str); 9] = [
        ("lines.txt", lines.clone().into_bytes(), ""),
        ("packed.txt.gz", gzip(&lines), ""),
        ("utf16.txt", utf16, "--encoding utf-16"),
        ("table.csv", table(',').into_bytes(), ""),
        ("semicolons.csv", table(';').into_bytes(), ""),
        ("table.tsv", table('\t').into_bytes(), ""),
        ("lines.jsonl", objects.join("\n").into_bytes(), ""),
        ("array.json", format!("[{}]", objects.join(",")).into_bytes(), ""),
        ("corpus.mallet", mallet.into_bytes(), "--format mallet"),
    ];
    for (name, content, flags) in files {
        let (_, page) = report(&folder.write(name, content), flags);
        are_the_documents_own(&page, &DOCS, name);
    }
    for (number, doc) in (1..).zip(DOCS) {
        folder.write(format!("folder/{number}.txt"), doc);
    }
    let (_, page) = report(&folder.path("folder"), "");
    are_the_documents_own(&page, &DOCS, "a folder");
    // What a reader of a web page sees.
    let shown = "The sea & the ships were far. Nobody saw the sea.";
    folder.write("pages/1.html", "<p>The sea &amp; the <i>ships</i> were far. Nobody saw the sea.</p>");
    folder.write("pages/2.docx", docx("The sea and the ships. Who saw them?"));
    let (_, page) = report(&folder.path("pages"), "");
    are_the_documents_own(&page, &[shown, "The sea and the ships. Who saw them?"], "pages");
}

#[test]
fn of_standard_input() {
    let folder = Folder::new();
    let flags = format!("--format text --iterations 2 --quiet {KEEP_ALL}");
    let run = folder.path("run");
    train("-", &run, &flags).write_stdin(DOCS.join("\n")).assert().success();
    are_the_documents_own(&data(&read(run.join("report.html"))), &DOCS, "standard input");
}

#[test]
fn in_many_languages() {
    let folder = Folder::new();
    for (code, docs) in LANGUAGES {
        let corpus = folder.write(format!("{code}.txt"), docs.map(|doc| format!("{doc}\n")).concat());
        let (_, page) = report(&corpus, &format!("--language {code}"));
        are_the_documents_own(&page, &docs, code);
    }
}

/// Stop words part neighbours, stems and pairs have other forms than what is marked.
#[test]
fn of_words_that_were_prepared() {
    let folder = Folder::new();
    let doc = "In New York the captains of New York's ships were sailing. Sailed they the new ship?";
    let corpus = folder.write("corpus.txt", format!("{doc}\n").repeat(20));
    let run = folder.path("run");
    let flags = "--iterations 4 --init-topics 1 --quiet --language en --stem auto --bigrams 0.4 --min-count 1 --min-doc-length 1";
    train(&corpus, &run, flags).assert().success();
    assert!(read(run.join("vocab.txt")).contains("new_york"));
    let page = data(&read(run.join("report.html")));
    let marked: Vec<String> =
        passages(&page).into_iter().flat_map(|(_, parts)| parts.into_iter().skip(1).step_by(2)).collect();
    for word in ["New", "York", "York's", "captains", "ships", "sailing"] {
        assert!(marked.iter().any(|marked| marked == word), "{word}: {marked:?}");
    }
    assert!(!marked.iter().any(|word| ["the", "were", "In"].contains(&word.as_str())), "{marked:?}");
}

/// A run keeps its text, whatever becomes of it; one that is not to have any has none.
#[test]
fn as_long_as_the_run_is_there() {
    let folder = Folder::new();
    let corpus = folder.write("corpus.txt", DOCS.join("\n"));
    let run = folder.path("run");
    let go = |flags: &str| {
        let flags = format!("--init-topics 2 --checkpoint-every 1 --quiet {KEEP_ALL} {flags}");
        train(&corpus, &run, &flags).assert().success();
    };
    let page = |out: &str| {
        let mut command = hdp_gpu();
        command.arg("report").arg(&run).arg("--force").arg("--out").arg(folder.path(out));
        command.assert().success();
        data(&read(folder.path(out)))
    };
    go("--iterations 2 --chains 2");
    let kept = fs::read(run.join("texts.bin")).expect("text");
    are_the_documents_own(&page("first.html"), &DOCS, "a run");
    // A further chain is a run of its own, and has the text of all.
    let chain = data(&read(run.join("chains/2/report.html")));
    are_the_documents_own(&chain, &DOCS, "a chain");
    assert!(!run.join("chains/2/texts.bin").exists());
    let time = || fs::metadata(run.join("texts.bin")).and_then(|found| found.modified()).expect("a time");
    let written = time();
    go("--iterations 4 --chains 2 --resume");
    assert_eq!(time(), written, "it was written again");
    assert_eq!(fs::read(run.join("texts.bin")).expect("text"), kept);
    are_the_documents_own(&page("second.html"), &DOCS, "a run that went on");

    let other = folder.path("other");
    train(&corpus, &other, &format!("--init run:{} --iterations 2 --quiet {KEEP_ALL}", run.display()))
        .assert()
        .success();
    are_the_documents_own(&data(&read(other.join("report.html"))), &DOCS, "a run from another one");

    // Without the file, as in runs of the first versions, passages are lists of words.
    fs::remove_file(run.join("texts.bin")).expect("a file");
    let words = &page("words.html")["topics"][0]["docs"][0][2];
    assert!(words[0][0].is_string() && words[0][1].is_u64(), "{words}");

    go("--iterations 2 --force");
    assert!(run.join("texts.bin").exists());
    go("--iterations 3 --resume --no-text");
    assert!(!run.join("texts.bin").exists());
    assert_eq!(page("none.html")["topics"][0]["docs"][0][2], json!([]));
    go("--iterations 2 --force --no-text");
    assert!(!run.join("texts.bin").exists());
    // Other text is not taken for the documents' own.
    let corpus = folder.write("corpus.txt", DOCS.map(str::to_uppercase).join("\n"));
    train(&corpus, &run, &format!("--iterations 2 --force --quiet {KEEP_ALL}")).assert().success();
    fs::write(run.join("texts.bin"), &kept).expect("a file");
    are_the_documents_own(&page("same.html"), &DOCS, "the same words");
    let corpus = folder.write("corpus.txt", DOCS.join(" other\n"));
    train(&corpus, &run, &format!("--iterations 2 --force --quiet {KEEP_ALL}")).assert().success();
    fs::write(run.join("texts.bin"), &kept).expect("a file");
    let other = page("other.html");
    let lists = other["topics"].as_array().expect("topics").iter().flat_map(|topic| topic["docs"].as_array());
    assert!(lists.flatten().any(|doc| doc[2][0].is_array()));
}

/// Text goes through the folder for temporary files, and is not kept where that has no room.
#[test]
#[cfg(unix)]
fn by_way_of_a_temporary_file() {
    let folder = Folder::new();
    let corpus = folder.write("corpus.txt", DOCS.join("\n"));
    let go = |run: &str, flags: &str, temporary: &str| {
        let flags = format!("--iterations 2 --quiet {KEEP_ALL} {flags}");
        train(&corpus, &folder.path(run), &flags).env("TMPDIR", folder.path(temporary)).assert()
    };
    go("refused", "", "none").code(1).stderr(contains("none"));
    go("without", "--no-text", "none").success();
    fs::create_dir(folder.path("temporary")).expect("a folder");
    go("with", "", "temporary").success();
    assert_eq!(super::names(&folder.path("temporary")), [""; 0]);
    assert!(folder.path("with/texts.bin").exists());
}

/// A bag of words has no text, and neither has what was prepared before.
#[test]
fn none_of_what_has_no_text() {
    let folder = Folder::new();
    let corpus = folder.write("corpus.txt", DOCS.join("\n"));
    let prepared = folder.path("prepared.corpus");
    let prepare = ["--stopwords", "none", "--min-count", "1", "--min-doc-length", "1", "--out"];
    hdp_gpu().arg("prepare").arg(&corpus).args(prepare).arg(&prepared).assert().success();
    for (corpus, flags) in [(prepared, ""), (folder.write("docword.txt", super::UCI), "--vocab none")] {
        let run = folder.path("run");
        train(&corpus, &run, &format!("--iterations 2 --quiet --force {flags}")).assert().success();
        assert!(!run.join("texts.bin").exists());
        assert!(data(&read(run.join("report.html")))["topics"][0]["docs"][0][2][0].is_array());
    }
}

#[test]
fn on_the_terminal() {
    let folder = Folder::new();
    let mut docs = DOCS.to_vec();
    docs.push("The ship \u{1b}[31mand\u{7} the \u{202e}river.");
    let corpus = folder.write("corpus.txt", docs.join("\n"));
    let run = folder.path("run");
    train(&corpus, &run, &format!("--iterations 2 --init-topics 1 --quiet {KEEP_ALL}")).assert().success();
    let topics = || {
        let mut command = hdp_gpu();
        command.arg("topics").arg(&run);
        command
    };
    let list = String::from_utf8(topics().assert().success().get_output().stdout.clone()).expect("UTF-8");
    let topic =
        list.lines().nth(1).and_then(|line| line.split_whitespace().nth(1)).expect("a topic").to_owned();
    let printed = topics().arg(&topic).assert().success();
    let text = String::from_utf8(printed.get_output().stdout.clone()).expect("UTF-8");
    assert!(text.contains("[ship]"), "{text}");
    let bare = text.replace(['[', ']'], "");
    assert!(DOCS.iter().any(|doc| bare.lines().any(|line| line.trim() == *doc)), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
    // With colours they are bold and underlined.
    let coloured = topics().arg(&topic).env("CLICOLOR_FORCE", "1").env("TERM", "xterm").assert().success();
    let coloured = String::from_utf8(coloured.get_output().stdout.clone()).expect("UTF-8");
    assert!(coloured.contains("\u{1b}[1m\u{1b}[4m") && !coloured.contains("[ship]"), "{coloured:?}");
    // A model that was passed on alone has no documents.
    fs::remove_file(run.join("texts.bin")).expect("a file");
    topics().arg(&topic).assert().success().stdout(contains("[ship]").not());
}
