//! The time of readers and result files grows like what they read and write, and not like its square.
//!
//! What is compared is the time that the processor has spent on one thread, at two sizes. It is counted by the system's ticks, and
//! others that use the same caches lengthen it, so the machine should have nothing else to do.

#![cfg(target_os = "linux")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hdp_gpu::corpus::{self, Format, PrepareOptions, ReadOptions, VocabSource};
use hdp_gpu::run::{self, FrontEnd, Mode, RunRequest};

/// The larger size is so many times the smaller one.
const TIMES: usize = 8;

/// The most that the time may grow: n ln n by a factor of 10 or 11, caches that no longer hold everything by some more; a square by
/// 64.
const MOST: f64 = 28.0;

/// What the processor has spent on this thread.
fn spent() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("times of this thread");
    Duration::from_nanos(text.split(' ').next().and_then(|text| text.parse().ok()).expect("nanoseconds"))
}

/// The least time of three that `work` takes at `size`.
fn time(size: usize, work: &dyn Fn(usize, &Path)) -> Duration {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let measured = |repetition: usize| {
        let room = folder.path().join(repetition.to_string());
        fs::create_dir(&room).expect("a folder");
        let before = spent();
        work(size, &room);
        spent() - before
    };
    (0..3).map(measured).min().expect("three times")
}

fn options(format: Format) -> ReadOptions {
    let vocab = if format.is_text() { VocabSource::Beside } else { VocabSource::None };
    ReadOptions { format: Some(format), vocab, prepare: PrepareOptions::keep_all(), ..ReadOptions::default() }
}

fn read(format: Format, room: &Path, content: &str) -> corpus::Loaded {
    let path: PathBuf = room.join("corpus");
    fs::write(&path, content).expect("a corpus");
    corpus::read(&path, &options(format)).expect("a corpus")
}

/// Trains a table with an iteration and writes its results.
fn train(room: &Path, table: &str) {
    let loaded = read(Format::Csv, room, table);
    let request = RunRequest { iterations: Some(1), ..RunRequest::default() };
    run::train(&room.join("run"), Mode::New, &request, loaded, FrontEnd::default(), &mut ()).expect("a run");
}

/// A table with two documents and columns of these names.
fn columns(names: impl Iterator<Item = String>) -> String {
    let names: String = names.flat_map(|name| [",".to_owned(), name]).collect();
    let row = format!("ash birch{}\n", ",".repeat(names.matches(',').count()));
    format!("text{names}\n{row}{row}")
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, at| {
        let _ = writeln!(text, "{}", line(at));
        text
    })
}

/// What is done, the smaller size, and how.
type Case = (&'static str, usize, fn(usize, &Path));

const CASES: &[Case] = &[
    ("a table with columns of equal names", 4_000, |n, room| {
        train(room, &columns((0..n).map(|_| "year".to_owned())));
    }),
    ("a table with columns of different names", 4_000, |n, room| {
        train(room, &columns((0..n).map(|at| format!("c{at}"))));
    }),
    ("a table with columns that have our names", 4_000, |n, room| {
        train(room, &columns((0..n).map(|at| ["topic", "meta_topic", "share"][at % 3].to_owned())));
    }),
    ("columns of groups, names, dates and numbers", 4_000, |n, room| {
        let row =
            |at: usize| format!("ash birch,c{},{}-{:02},{}", at / 2, 1000 + at % 3000, 1 + at % 12, at % 150);
        train(room, &format!("text,country,date,grade\n{}", lines(n, row)));
    }),
    ("a column with a value of its own for each document", 20_000, |n, room| {
        train(room, &format!("text,title\n{}", lines(n, |at| format!("ash birch,t{at}"))));
    }),
    ("a table of metadata", 20_000, |n, room| {
        let table = room.join("table.csv");
        fs::write(&table, format!("year,name\n{}", lines(n, |at| format!("{at},{}", n - at))))
            .expect("a table");
        let corpus = room.join("corpus");
        fs::write(&corpus, lines(n, |_| "ash birch".to_owned())).expect("a corpus");
        corpus::read(&corpus, &ReadOptions { metadata: Some(table), ..options(Format::Text) })
            .expect("a corpus");
    }),
    ("names that a pattern is tried on", 2_000, |n, room| {
        let name = "x".repeat(n);
        let path = room.join("corpus.csv");
        fs::write(&path, format!("id,text\n{name},ash\naxbxcxd!,birch\n")).expect("a corpus");
        let name_pattern = "{a}x{b}x{c}x{d}!".parse().ok();
        let text = corpus::TextOptions { id_column: Some("id".into()), ..corpus::TextOptions::default() };
        corpus::read(&path, &ReadOptions { name_pattern, text, ..options(Format::Csv) }).expect("a corpus");
    }),
    ("a table with rows", 4_000, |n, room| {
        train(room, &format!("text\n{}", lines(n, |_| "ash birch cedar".to_owned())));
    }),
    ("objects with fields of their own", 4_000, |n, room| {
        read(Format::Jsonl, room, &lines(n, |at| format!(r#"{{"text":"ash birch","f{}":1}}"#, at % 50)));
    }),
    ("an object with many fields", 20_000, |n, room| {
        let fields: String = (0..n).map(|at| format!(r#","f{at}":1"#)).collect();
        read(Format::Jsonl, room, &format!(r#"{{"text":"ash birch"{fields}}}"#));
    }),
    ("objects of an array", 20_000, |n, room| {
        let objects = lines(n, |at| format!(r#"{{"text":"ash birch","n":[{at}]}},"#));
        read(Format::Json, room, &format!(r#"[{objects}{{"text":"elm"}}]"#));
    }),
    ("a table with rows of several lines, the last of which is wrong", 20_000, |n, room| {
        let path = room.join("corpus.csv");
        let rows = lines(n, |at| format!("{at};\"ash\r\nbirch\""));
        fs::write(&path, format!("id;text\n{rows}1")).expect("a table");
        corpus::read(&path, &options(Format::Csv)).expect_err("a row that is too short");
    }),
    ("a folder of web pages that are never closed", 2_000, |n, room| {
        for (at, part) in ["<", "<!--", "<a \"", "</", "<script>", "&", "&#", "<p>ash</p>"].iter().enumerate()
        {
            fs::write(room.join(format!("{at}.html")), part.repeat(100 * n)).expect("a page");
        }
        corpus::read(room, &options(Format::Folder)).expect("a folder");
    }),
    ("a folder of bad files", 200, |n, room| {
        for at in 0..n {
            fs::write(room.join(format!("{at}.txt")), b"\xff").expect("a file");
        }
        corpus::read(room, &options(Format::Folder)).expect_err("nothing but bad files");
    }),
    ("lines with words of their own", 20_000, |n, room| {
        read(Format::Text, room, &lines(n, |at| format!("w{at} x{}", at % 100)));
    }),
    ("a line with many words", 20_000, |n, room| {
        read(Format::Text, room, &(0..n).map(|at| format!("w{at} ")).collect::<String>());
    }),
    ("documents of svmlight", 20_000, |n, room| {
        read(Format::Svmlight, room, &lines(n, |at| format!("0 {}:1 {}:2", at % 97, 100 + at)));
    }),
    ("a document of svmlight with many words", 20_000, |n, room| {
        let pairs: String = (0..n).map(|at| format!(" {at}:1")).collect();
        read(Format::Svmlight, room, &format!("0{pairs}\n"));
    }),
    // Both sizes fit into caches: the order of a bag is drawn all over it.
    ("a large count of svmlight", 100_000, |n, room| {
        read(Format::Svmlight, room, &format!("0 0:{n} 1:{n}\n"));
    }),
    ("documents of LDA-C", 20_000, |n, room| {
        read(Format::Ldac, room, &lines(n, |at| format!("2 {}:1 {}:1", at % 97, 100 + at)));
    }),
    ("documents of UCI, backwards", 20_000, |n, room| {
        let entries = lines(n, |at| format!("{} {} 1", n - at, at + 1));
        read(Format::Uci, room, &format!("{n}\n{n}\n{n}\n{entries}"));
    }),
    ("entries of Matrix Market", 20_000, |n, room| {
        let entries = lines(n, |at| format!("{} {} 1", at + 1, n - at));
        let header = "%%MatrixMarket matrix coordinate integer general";
        read(Format::Mm, room, &format!("{header}\n{n} {n} {n}\n{entries}"));
    }),
    ("tokens of a state", 20_000, |n, room| {
        let tokens = lines(n, |at| format!("{at} d{at} 0 {at} w{at} 0"));
        read(Format::State, room, &format!("#doc source pos typeindex type topic\n{tokens}"));
    }),
];

#[test]
#[ignore = "measures time, which asks for a quiet machine: tests/run.sh --all"]
fn time_grows_like_the_size() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let mut grown = Vec::new();
    for &(what, size, work) in CASES {
        let ratio = pool.install(|| {
            let [small, large] = [size, TIMES * size].map(|size| time(size, &work));
            large.as_secs_f64() / small.as_secs_f64()
        });
        println!("{what}: {TIMES} times as many take {ratio:.1} times as long");
        grown.extend((ratio > MOST).then(|| format!("{what}: {ratio:.1}")));
    }
    assert!(grown.is_empty(), "{grown:?}");
}
