//! Topics over groups of documents and over time: topics-by-group.csv, what the page has of it, and columns from beside the corpus.

use std::collections::BTreeMap;
use std::path::Path;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::{Value, json};

use super::report::data;
use super::{Folder, KEEP_ALL, csv_rows, hdp_gpu, read, read_state, train, trained};

const WORDS: [&str; 2] = ["ship sea wind mast", "tree leaf root bark"];

/// 600 documents of 300 countries and some 20 years; those of odd countries, and later ones, are of trees.
fn speeches(folder: &Folder) -> std::path::PathBuf {
    let row = |d: usize| {
        let (country, year) = (d % 300, 2000 + d / 30);
        let words = format!("{} {}", WORDS[country % 2], WORDS[usize::from(d >= 300)]);
        let date =
            if d == 7 { "unknown".to_owned() } else { format!("{}.{}.{year}", 1 + d % 28, 1 + d % 12) };
        format!("d{d},{date},c{country},{},{words} {words}\n", d % 7)
    };
    let rows: String = (0..600).map(row).collect();
    folder.write("speeches.csv", format!("id,date,country,grade,text\n{rows}"))
}

/// The rows of topics-by-group.csv: column, unit, group, topic and the numbers.
fn rows(run: &Path) -> Vec<([String; 3], usize, Vec<f64>)> {
    let rows = csv_rows(run.join("topics-by-group.csv"));
    let header =
        "column,unit,group,topic,share,low,high,interval,documents,tokens,group_documents,group_tokens";
    assert_eq!(rows[0].join(","), header);
    let row = |row: &Vec<String>| {
        let key = [0, 1, 2].map(|at| row[at].clone());
        let numbers =
            row[4..7].iter().chain(&row[8..]).map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
        (key, row[3].parse().expect("a topic"), numbers)
    };
    rows[1..].iter().map(row).collect()
}

fn page_again(run: &Folder) -> Value {
    let page = read(run.path("report.html"));
    hdp_gpu().arg("report").arg(run.0.path()).assert().success();
    assert!(read(run.path("report.html")) == page, "another page");
    data(&page)
}

#[test]
fn groups_are_counted_as_the_state_has_them() {
    let folder = Folder::new();
    let flags = format!("--iterations 20 --init-topics 3 --id-column id {KEEP_ALL}");
    let run = trained(speeches(&folder), &flags);
    let corpus = csv_rows(folder.path("speeches.csv"));
    let mut expected: BTreeMap<(String, usize), f64> = BTreeMap::new();
    for token in read_state(run.path("state.gz")).1 {
        *expected.entry((corpus[token.doc + 1][2].clone(), usize::from(token.topic))).or_default() += 1.0;
    }
    let rows = rows(run.0.path());
    let mut sums: BTreeMap<&[String; 3], f64> = BTreeMap::new();
    for (key, topic, numbers) in &rows {
        *sums.entry(key).or_default() += numbers[0];
        let [share, low, high, documents, tokens, group_documents, group_tokens] = numbers[..] else {
            panic!()
        };
        assert!((share - tokens / group_tokens).abs() < 1e-12 && documents <= group_documents);
        let is_known = low <= share && share <= high;
        assert!(if group_documents > 1.0 { is_known } else { low.is_nan() && high.is_nan() }, "{numbers:?}");
        if key[0] == "country" {
            assert_eq!(expected.remove(&(key[2].clone(), *topic)), Some(tokens), "{key:?}");
        }
    }
    assert!(expected.is_empty(), "{expected:?}");
    assert!(sums.values().all(|sum| (sum - 1.0).abs() < 1e-9));
    let groups =
        |column: &str, unit: &str| sums.keys().filter(|key| key[0] == column && key[1] == unit).count();
    assert_eq!(["year", "month", "decade"].map(|unit| groups("date", unit)), [20, 240, 2]);
    assert_eq!((groups("country", ""), groups("grade", "")), (300, 7));
    // The most fitting unit comes first.
    assert_eq!(rows[0].0[1], "year");
}

#[test]
fn the_page_has_all_groups_and_says_what_it_has_not() {
    let folder = Folder::new();
    let flags = format!("--iterations 20 --init-topics 3 --id-column id {KEEP_ALL}");
    let run = trained(speeches(&folder), &flags);
    let data = page_again(&run);
    let columns: Vec<&Value> = data["groups"].as_array().expect("groups").iter().collect();
    let of = |field: &str| columns.iter().map(|column| column[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("column"), ["date", "country", "grade"]);
    assert_eq!(of("kind"), ["date", "name", "number"]);
    assert_eq!(of("notes")[0], json!(["Values that are no dates: 1, the first ‘unknown’."]));
    let units: Vec<_> =
        columns[0]["views"].as_array().expect("views").iter().map(|view| &view["unit"]).collect();
    assert_eq!(units, ["year", "month", "decade"]);
    let view = &columns[1]["views"][0];
    assert_eq!(view["values"].as_array().map(Vec::len), Some(300));
    assert!(columns[2]["views"][0]["at"] == json!([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    assert_eq!((&data["no_groups"], &data["has_samples"]), (&json!([]), &json!(false)));
}

#[test]
fn shares_of_samples_are_on_the_page_as_in_the_file() {
    let folder = Folder::new();
    let flags = format!("--iterations 24 --samples 6 --thin 2 --init-topics 3 --id-column id {KEEP_ALL}");
    let run = trained(speeches(&folder), &flags);
    let data = page_again(&run);
    assert_eq!(data["has_samples"], true);
    let view = &data["groups"][2]["views"][0];
    let first = data["topics"][0]["topic"].as_u64().expect("a topic") as usize;
    let millionths = |share: f64| (1e6 * share).round() as i64;
    let mut compared = 0;
    for (key, topic, numbers) in rows(run.0.path()).iter().filter(|row| row.0[0] == "grade") {
        let group = view["values"].as_array().expect("values").iter().position(|value| *value == key[2]);
        let mut cells = view["cells"][0].as_array().expect("cells").chunks(4);
        let cell = cells.find(|cell| cell[0].as_u64() == group.map(|group| group as u64));
        if let (true, Some(cell)) = (*topic == first, cell) {
            let shown: Vec<i64> = cell[1..].iter().filter_map(Value::as_i64).collect();
            assert_eq!(shown, numbers[..3].iter().map(|&share| millionths(share)).collect::<Vec<_>>());
            compared += 1;
        }
    }
    assert_eq!(compared, 7);
}

#[test]
fn a_topic_is_shown_over_time() {
    let folder = Folder::new();
    let flags = format!("--iterations 60 --init-topics 3 --id-column id {KEEP_ALL}");
    let run = trained(speeches(&folder), &flags);
    let rows = rows(run.0.path());
    let topic = rows[0].1;
    let share = |year: &str| {
        let found = rows.iter().find(|(key, k, _)| key[1] == "year" && key[2] == year && *k == topic);
        format!("{year}: {:.1}%", 100.0 * found.map_or(0.0, |row| row.2[0]))
    };
    let shown = hdp_gpu().arg("topics").arg(run.0.path()).arg(topic.to_string()).assert().success();
    shown.stdout(
        contains(format!("{}, {}, at most ", share("2000"), share("2019")))
            .and(contains("\ndate            ")),
    );
    // A file that is none is told of, and one that is not there missed by nobody.
    let path = run.path("topics-by-group.csv");
    std::fs::write(&path, "column,unit\na,b\n").expect("a file");
    let ask = || hdp_gpu().arg("topics").arg(run.0.path()).arg(topic.to_string()).assert();
    ask().code(2).stderr(contains("topics-by-group.csv: is no table of a run"));
    std::fs::remove_file(path).expect("a file of the run");
    ask().success();
}

/// A folder of files, what their names tell, and a table of more.
#[test]
fn columns_from_beside_the_corpus_stay_with_the_run() {
    let folder = Folder::new();
    for d in 0..12 {
        let name = format!("speeches/Session {}/C{}_{}.txt", d / 4, d % 4, 2000 + d / 4);
        folder.write(name, format!("{} {}", WORDS[d % 2], WORDS[d / 6]));
    }
    folder.write("speeches/notes.txt", WORDS[0]);
    let rows: String = (0..11).map(|d| format!("C{}_{},p{}\n", d % 4, 2000 + d / 4, d % 3)).collect();
    let table = folder.write("who.csv", format!("name,party\n{rows}nobody,p1\n"));
    let corpus = folder.path("speeches");
    let beside = |mut command: assert_cmd::Command| {
        command.args(["--name-pattern", "Session {session}/{country}_{year}.txt", "--metadata"]).arg(&table);
        command
    };
    let out = folder.path("run");
    let flags = format!("--iterations 6 --init-topics 2 {KEEP_ALL}");
    beside(train(&corpus, &out, &flags))
        .assert()
        .success()
        .stderr(contains("warning: names that --name-pattern does not fit: 1; their documents"))
        .stderr(contains(
            "warning: rows of --metadata that no document has: 1; they were left out, the first of 'nobody'",
        ))
        .stderr(contains("warning: documents without a row in --metadata: 2; they have no values"));
    let header = csv_rows(out.join("doc-topics.csv"))[0].join(",");
    assert_eq!(header, "document,name,tokens,session,country,year,party,topic,share");
    let bytes = || ["doc-topics.csv", "topics-by-group.csv", "trace.csv"].map(|name| read(out.join(name)));
    let trained_at_once = {
        let whole = folder.path("whole");
        beside(train(&corpus, &whole, &flags.replace("--iterations 6", "--iterations 9"))).assert().success();
        ["doc-topics.csv", "topics-by-group.csv", "trace.csv"].map(|name| read(whole.join(name)))
    };
    // Without them it is another corpus.
    train(&corpus, &out, &format!("--resume --iterations 9 {KEEP_ALL}")).assert().code(2);
    beside(train(&corpus, &out, &format!("--resume --iterations 9 {KEEP_ALL}"))).assert().success();
    assert!(bytes() == trained_at_once, "another run");
    let page = read(out.join("report.html"));
    hdp_gpu().arg("report").arg(&out).assert().success();
    assert!(read(out.join("report.html")) == page, "another page");

    let prepared = folder.path("prepared");
    let mut prepare = hdp_gpu();
    prepare.arg("prepare").arg(&corpus).arg("--out").arg(&prepared).args(KEEP_ALL.split(' '));
    beside(prepare).assert().success();
    let again = folder.path("again");
    train(&prepared, &again, "--iterations 9 --init-topics 2").assert().success();
    assert!(read(again.join("topics-by-group.csv")) == trained_at_once[1], "other groups");
}

#[test]
fn what_cannot_be_joined_is_refused() {
    let folder = Folder::new();
    let out = folder.path("run");
    let refused = |flags: &[&str], message: &str| {
        train("sample", &out, "").args(flags).assert().code(2).stderr(contains(message));
    };
    refused(&["--metadata", "x.csv"], "--metadata: the sample has its own");
    refused(&["--name-pattern", "{year}.txt"], "--name-pattern: the sample has its own");
    refused(
        &["--name-pattern", "year.txt"],
        "'year.txt' has no part in braces; give for example {country}_{year}.txt",
    );
    let table = folder.write("table.csv", "name,year\n1,1999\n");
    // A file that is read from is not written to.
    train(folder.write("corpus", "ash birch\n"), &table, "--force --metadata").arg(&table).assert().code(2);
    assert_eq!(read(&table), "name,year\n1,1999\n");
}

/// The page stays small with any number of groups and values of any length, and says what it lacks.
#[test]
fn very_many_groups_fit_into_the_page() {
    let folder = Folder::new();
    let long = "x".repeat(1 << 16);
    let row = |d: usize| {
        let words: Vec<String> = (0..40).map(|i| format!("w{}", (d * 31 + i * i * 7) % 97)).collect();
        let note = if d < 2 { long.as_str() } else { "short" };
        format!("\u{1b}[3{}m<script>{},{note},{}\n", d % 5_000, d % 5_000, words.join(" "))
    };
    let rows: String = (0..10_000).map(row).collect();
    let corpus = folder.write("corpus.csv", format!("=who,note,text\n{rows}"));
    let run = trained(corpus, &format!("--iterations 1 --init random:100 {KEEP_ALL}"));
    let page = read(run.path("report.html"));
    assert!(page.len() < 12 << 20, "{} bytes", page.len());
    let data = data(&page);
    let [who, note] = [0, 1].map(|column| &data["groups"][column]);
    let shown = who["views"][0]["values"].as_array().map_or(0, Vec::len);
    assert_eq!(who["column"], "=who");
    assert_eq!(
        who["notes"],
        json!([format!(
            "The page has the {shown} most distinctive of 5000 groups; topics-by-group.csv has all."
        )])
    );
    let names: Vec<_> = note["views"][0]["values"].as_array().expect("values").iter().collect();
    assert!(names.iter().all(|name| name.as_str().is_some_and(|name| name.chars().count() <= 201)));
    let groups = rows_of(run.0.path(), "'=who");
    assert_eq!(groups, 5_000);
}

/// The groups of a column in topics-by-group.csv.
fn rows_of(run: &Path, column: &str) -> usize {
    let rows = csv_rows(run.join("topics-by-group.csv"));
    let groups: std::collections::BTreeSet<&String> =
        rows.iter().filter(|row| row[0] == column).map(|row| &row[2]).collect();
    groups.len()
}
