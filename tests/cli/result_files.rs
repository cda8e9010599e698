//! The tables and matrices of a run: headers, sums, rows for what is left, metadata, and the same bytes for any threads.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use approx::assert_relative_eq;
use serde_json::Value;

use super::results::model;
use super::{Folder, KEEP_ALL, csv_rows, read, read_state, train, trained};

/// Some texts, of which the third has no words that are kept; a column has a name of ours.
const TABLE: &str = "name,text,topic,place,meta_topic\n\
    a,ash birch ash cedar,tree,\"York, North\",x\n\
    b,birch birch cedar,,Leeds,y\n\
    c,7 8,number,\"the \"\"Moor\"\"\",\n\
    d,sail mast sail wind wind,sea,Hull,z\n";

fn text_run(flags: &str) -> Folder {
    let (folder, run) = (Folder::new(), Folder::new());
    let corpus = folder.write("table.csv", TABLE);
    let flags = format!("{KEEP_ALL} --id-column name --max-topics 20 --init-topics 4 --force {flags}");
    train(corpus, run.0.path(), &flags).assert().success();
    run
}

/// The records of a CSV file, the header first.
fn records(path: impl AsRef<Path>) -> Vec<Vec<String>> {
    let mut csv = csv::ReaderBuilder::new().has_headers(false).from_path(path).expect("a CSV file");
    csv.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect()).collect()
}

fn number<T: std::str::FromStr>(field: &str) -> T {
    field.parse().unwrap_or_else(|_| panic!("not a number: {field}"))
}

#[test]
fn topics_are_ranked_and_measured() {
    let run = trained("sample", "--preset paper --iterations 5 --init-topics 50");
    let (rows, model) = (csv_rows(run.path("topics.csv")), model(&run));
    let header = "topic,tokens,documents,share,psi,words,relevant_words,npmi,umass,exclusivity";
    let added = "rank,label,distinctiveness,background";
    assert_eq!(rows[0].join(","), format!("{header},{added}"));
    let mut documents: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for token in read_state(run.path("state.gz")).1 {
        documents.entry(token.topic).or_default().push(token.doc);
    }
    assert_eq!(rows.len() - 1, documents.len());
    let keys = read(run.path("topic-keys.txt"));
    let words: BTreeMap<&str, &str> = keys
        .lines()
        .map(|line| (line.split('\t').next().expect("a topic"), line.rsplit('\t').next().expect("words")))
        .collect();
    for (row, rank) in rows[1..].iter().zip(1..) {
        assert_eq!(number::<usize>(&row[10]), rank);
        assert!(row[11].split(' ').all(|word| row[6].split(' ').any(|other| other == word)), "{row:?}");
        let k: u16 = number(&row[0]);
        let docs = documents.get_mut(&k).expect("a topic with tokens");
        assert_eq!(number::<usize>(&row[1]), docs.len());
        docs.dedup();
        assert_eq!(number::<usize>(&row[2]), docs.len());
        assert_relative_eq!(number::<f64>(&row[3]), number::<f64>(&row[1]) / 153_215.0);
        assert_eq!(number::<f64>(&row[4]), model.psi[usize::from(k)]);
        assert_eq!(row[5], words[row[0].as_str()]);
        assert_eq!(row[6].split(' ').count(), row[5].split(' ').count());
        let [npmi, umass, exclusivity] = [7, 8, 9].map(|at| number::<f64>(&row[at]));
        assert!((-1.0..=1.0).contains(&npmi) && umass < 0.0 && (0.0..=1.0).contains(&exclusivity), "{row:?}");
    }
    assert!(rows[1..].is_sorted_by(|a, b| number::<u64>(&a[1]) >= number::<u64>(&b[1])));
}

#[test]
fn a_topic_with_one_word_has_no_coherence() {
    let folder = Folder::new();
    let corpus = folder.write("corpus", "ash ash ash\n");
    let run = trained(corpus, &format!("{KEEP_ALL} --iterations 1 --max-topics 1"));
    let rows = csv_rows(run.path("topics.csv"));
    assert_eq!(rows[1][..4].join(","), "0,3,1,1.0");
    assert_eq!(rows[1][5..].join(","), "ash,ash,,,1.0,1,ash,,0");
    // All topics have tokens of the document, so nothing is left.
    assert_eq!(read(run.path("doc-topics.csv")), "document,name,tokens,topic,share\n1,1,3,0,1.0\n");
    let map: Value = serde_json::from_str(&read(run.path("ldavis.json"))).expect("JSON");
    assert_eq!((&map["mdsDat"]["x"][0], &map["mdsDat"]["y"][0]), (&Value::from(0.0), &Value::from(0.0)));
}

#[test]
fn documents_have_their_metadata_and_all_of_their_shares() {
    for (flags, sd) in [("--iterations 3", ""), ("--iterations 8 --samples 4 --thin 2", ",sd")] {
        let rows = records(text_run(flags).path("doc-topics.csv"));
        let header = "document,name,tokens,meta_topic,place,meta_meta_topic,topic,share";
        assert_eq!(rows[0].join(","), format!("{header}{sd}"));
        let mut by_document: BTreeMap<u64, Vec<&Vec<String>>> = BTreeMap::new();
        rows[1..].iter().for_each(|row| by_document.entry(number(&row[0])).or_default().push(row));
        let about = |d: u64| by_document[&d][0][1..6].join("|");
        assert_eq!(about(1), "a|4|tree|York, North|x");
        assert_eq!(about(2), "b|3||Leeds|y");
        assert_eq!(about(3), "c|0|number|the \"Moor\"|");
        assert_eq!(about(4), "d|5|sea|Hull|z");
        for rows in by_document.values() {
            assert_relative_eq!(
                rows.iter().map(|row| number::<f64>(&row[7])).sum::<f64>(),
                1.0,
                epsilon = 1e-12
            );
            let topics: Vec<i64> = rows.iter().map(|row| number(&row[6])).collect();
            let with_tokens = topics.iter().filter(|&&topic| topic >= 0).count();
            assert!(
                topics[with_tokens..].iter().all(|&topic| topic == -1) && topics.len() <= with_tokens + 1
            );
            assert!(rows[..with_tokens].is_sorted_by(|a, b| number::<f64>(&a[7]) >= number::<f64>(&b[7])));
        }
        let empty = by_document[&3].iter().map(|row| row[6..8].join(",")).collect::<Vec<_>>();
        assert_eq!(empty, ["-1,1.0"]);
    }
}

#[test]
fn topics_have_their_documents() {
    let run = trained("sample", "--iterations 5 --init-topics 50");
    let rows = csv_rows(run.path("topic-docs.csv"));
    assert_eq!(rows[0].join(","), "topic,rank,document,name,tokens,share");
    type Ranked = (f64, u64, u64);
    let mut expected: BTreeMap<i64, Vec<Ranked>> = BTreeMap::new();
    for row in &csv_rows(run.path("doc-topics.csv"))[1..] {
        if row[3] != "-1" {
            let ranked = (number(&row[4]), number(&row[2]), number(&row[0]));
            expected.entry(number(&row[3])).or_default().push(ranked);
        }
    }
    let mut found: BTreeMap<i64, Vec<Ranked>> = BTreeMap::new();
    for row in &rows[1..] {
        let documents = found.entry(number(&row[0])).or_default();
        assert_eq!(number::<usize>(&row[1]), documents.len() + 1);
        assert_eq!(row[3], format!("sample-{:04}", number::<u64>(&row[2])));
        documents.push((number(&row[5]), number(&row[4]), number(&row[2])));
    }
    for ranked in expected.values_mut() {
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
        ranked.truncate(20);
    }
    assert_eq!(found, expected);
}

#[test]
fn words_have_their_topics_most_tokens_first() {
    let run = trained("sample", "--iterations 5 --init-topics 50");
    let model = model(&run);
    let text = read(run.path("word-topic-counts.txt"));
    assert_eq!(text.lines().count(), model.vocab.len());
    for (line, column) in text.lines().zip(model.n.columns()) {
        let mut fields = line.split(' ');
        assert_eq!(fields.next(), Some(column.word.to_string().as_str()));
        assert_eq!(fields.next(), Some(model.vocab[column.word as usize].as_str()));
        let pairs: Vec<(u16, u32)> = fields
            .map(|pair| pair.split_once(':').expect("topic:count"))
            .map(|(topic, count)| (number(topic), number(count)))
            .collect();
        assert!(pairs.is_sorted_by(|a, b| a.1 >= b.1), "{line}");
        let mut by_topic = pairs;
        by_topic.sort_unstable();
        assert_eq!(by_topic, column.iter().collect::<Vec<_>>());
    }
}

/// Cells that a spreadsheet would run as formulas, in values and in the names of columns.
#[test]
fn no_cell_is_run_by_a_spreadsheet() {
    let (folder, run) = (Folder::new(), Folder::new());
    let rows = [
        "=1+1,=1+1 ash birch,@sum,-5",
        "+cmd|x,ash birch cedar,'tis,+2.5",
        "'=a,birch cedar,''=a,-b",
        "plain,ash cedar,\tb,'",
    ];
    let corpus = folder.write("table.csv", format!("id,text,@place,=year\n{}\n", rows.join("\n")));
    let flags =
        "--id-column id --token-pattern \\S+ --max-topics 5 --init-topics 2 --iterations 3 --force --quiet";
    train(corpus, run.0.path(), &format!("{KEEP_ALL} {flags}")).assert().success();
    for name in ["doc-topics.csv", "doc-topics-wide.csv", "topics.csv", "topic-docs.csv"] {
        for cell in records(run.path(name)).iter().flatten() {
            let runs = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
            assert!(!runs, "{name}: {cell}");
        }
    }
    let table = records(run.path("doc-topics-wide.csv"));
    assert_eq!(table[0][1..5].join("|"), "name|tokens|'@place|'=year");
    assert_eq!(table[1][1..5].join("|"), "'=1+1|3|'@sum|-5");
    assert_eq!(table[2][1..5].join("|"), "'+cmd|x|3|'tis|+2.5");
    assert_eq!(table[3][1..5].join("|"), "''=a|2|'''=a|'-b");
    assert_eq!(table[4][3..5].join("|"), "'\tb|'");
    // What is read back makes the same page.
    let page = read(run.path("report.html"));
    super::hdp_gpu().arg("report").arg(run.0.path()).assert().success();
    assert!(read(run.path("report.html")) == page, "another page");
    let data = super::report::data(&page);
    assert_eq!(data["metadata"], serde_json::json!(["@place", "=year"]));
    let mut documents: Vec<_> = data["documents"].as_array().expect("documents").iter().collect();
    documents.sort_by_key(|document| document["number"].as_u64());
    assert_eq!(documents[2]["name"], "'=a");
    assert_eq!(documents[2]["meta"], serde_json::json!(["''=a", "-b"]));
}

/// The plain table: a column for each topic that has tokens, and rows that sum to 1.
#[test]
fn the_wide_table_is_theta() {
    for flags in ["--iterations 3", "--iterations 8 --samples 4 --thin 2"] {
        let run = text_run(flags);
        let table = records(run.path("doc-topics-wide.csv"));
        let topics = integers(run.path("theta.npz"), "topics");
        let header = ["document", "name", "tokens", "topic", "place", "meta_topic"].map(str::to_owned);
        assert_eq!(table[0][..6], header);
        let columns: Vec<String> = topics.iter().map(|k| format!("topic_{k}")).collect();
        assert_eq!((&table[0][6..], table.len()), (&columns[..], 5));
        let long = records(run.path("doc-topics.csv"));
        for row in &table[1..] {
            let shares: Vec<f64> = row[6..].iter().map(|share| number(share)).collect();
            assert_relative_eq!(shares.iter().sum::<f64>(), 1.0, epsilon = 1e-12);
            for stored in long[1..].iter().filter(|stored| stored[0] == row[0] && stored[6] != "-1") {
                let at = topics.iter().position(|k| k.to_string() == stored[6]).expect("an active topic");
                assert_eq!(shares[at], number::<f64>(&stored[7]));
            }
        }
        assert_eq!(integers(run.path("theta.npz"), "shape"), [4, topics.len() as i64]);
        assert!(topics.is_sorted() && topics.len() == array(run.path("theta.npz"), "alpha_psi").len());
    }
}

/// The whole numbers of an array in an npz file.
fn integers(path: impl AsRef<Path>, name: &str) -> Vec<i64> {
    array(path, name).into_iter().map(|value| value.to_bits() as i64).collect()
}

/// The f64 values of an array in an npz file.
fn array(path: impl AsRef<Path>, name: &str) -> Vec<f64> {
    let mut archive = zip::ZipArchive::new(File::open(path).expect("a file")).expect("a zip file");
    let mut bytes = Vec::new();
    archive.by_name(&format!("{name}.npy")).expect("the array").read_to_end(&mut bytes).expect("its bytes");
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert!(header.is_multiple_of(64) && bytes[..8] == *b"\x93NUMPY\x01\0");
    bytes[header..].as_chunks().0.iter().map(|&value| f64::from_le_bytes(value)).collect()
}

#[test]
fn matrices_hold_what_the_tables_hold() {
    let run = text_run("--iterations 8 --samples 4 --thin 2");
    let theta = array(run.path("theta.npz"), "data");
    let mut rows = records(run.path("doc-topics.csv"));
    rows.retain(|row| row[6] != "-1");
    rows[1..].sort_by_key(|row| (number::<u64>(&row[0]), number::<u64>(&row[6])));
    assert_eq!(theta, rows[1..].iter().map(|row| number(&row[7])).collect::<Vec<f64>>());
    let sd = rows[1..].iter().map(|row| number(&row[8])).collect::<Vec<f64>>();
    assert_eq!(array(run.path("theta.npz"), "sd"), sd);
    let prior = array(run.path("theta.npz"), "alpha_psi").iter().sum::<f64>();
    assert_relative_eq!(array(run.path("theta.npz"), "prior")[0], prior, max_relative = 1e-12);
    let floor = array(run.path("phi.npz"), "floor");
    assert_eq!(
        (floor.len(), array(run.path("phi.npz"), "sd").len()),
        (20, array(run.path("phi.npz"), "data").len())
    );
}

#[test]
fn the_same_bytes_with_any_number_of_threads() {
    for flags in ["--iterations 4 --init-topics 40", "--iterations 6 --init-topics 40 --samples 3 --thin 1"] {
        let [one, two] = [1, 2].map(|threads| trained("sample", &format!("{flags} --threads {threads}")));
        for name in super::RUN_FILES
            .iter()
            .filter(|name| !["checkpoint", "timing.csv", "run.json", "report.html"].contains(name))
        {
            let [one, two] = [&one, &two].map(|run| fs::read(run.path(name)).expect("a file"));
            assert!(one == two, "{name} differs");
        }
    }
}
