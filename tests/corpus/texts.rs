//! Text in every format, encoding and place: one corpus comes out of all of them.

use hdp_gpu::corpus::{
    Format, Loaded, Metadata, MetadataColumn, ReadOptions, TextOptions, VocabSource, read,
};
use hdp_gpu::{Error, Result};

use super::{Folder, gzip, input_error, options, text, zstd};

/// Four documents, one of them empty, with words that each format must carry unharmed.
const DOCS: [&str; 4] =
    ["The cat's \"hat\", the hat", "", "Été: one, two; two\tthree", "naïve cat\u{2014}Straße ΟΔΟΣ 42 {x}"];
const IDS: [&str; 4] = ["a", "b/c", "d", "e f"];

fn keep_all() -> ReadOptions {
    options(None, VocabSource::Beside)
}

fn with_text(text: TextOptions) -> ReadOptions {
    ReadOptions { text, ..keep_all() }
}

fn named(text_column: Option<&str>, id_column: Option<&str>) -> TextOptions {
    TextOptions {
        text_column: text_column.map(str::to_owned),
        id_column: id_column.map(str::to_owned),
        ..TextOptions::default()
    }
}

fn encoded(name: &str) -> ReadOptions {
    with_text(TextOptions { encoding: Some(name.parse().expect("an encoding")), ..TextOptions::default() })
}

fn column(name: &str, values: [&str; 4]) -> MetadataColumn {
    MetadataColumn { name: name.into(), values: values.map(str::to_owned).to_vec() }
}

fn lines() -> String {
    DOCS.map(|doc| format!("{doc}\n")).concat()
}

/// The documents as a table, every field in quotation marks.
fn table(separator: char, titles: [&str; 3]) -> String {
    let quoted = |fields: [&str; 3]| {
        let fields = fields.map(|field| format!("\"{}\"", field.replace('"', "\"\"")));
        fields.join(&separator.to_string()) + "\n"
    };
    let rows: Vec<String> = (0..4).map(|d| quoted([IDS[d], DOCS[d], "1999"])).collect();
    quoted(titles) + &rows.concat()
}

fn jsonl() -> String {
    (0..4).map(|d| serde_json::json!({"id": IDS[d], "text": DOCS[d]}).to_string() + "\n").collect()
}

/// Asserts that `loaded` has the same documents as the lines of text, and returns it.
fn same_as_lines(loaded: Result<Loaded>, format: Format) -> Loaded {
    let loaded = loaded.expect("a corpus");
    let expected = text(lines());
    assert_eq!(loaded.format, format.name());
    assert_eq!(loaded.corpus.vocab, expected.corpus.vocab, "{format}");
    assert_eq!(loaded.corpus.w, expected.corpus.w, "{format}");
    assert_eq!(loaded.corpus.doc_start, expected.corpus.doc_start, "{format}");
    loaded
}

#[test]
fn every_format_gives_one_corpus() {
    let folder = Folder::new();
    for d in 0..4 {
        folder.write(&format!("texts/{}.txt", IDS[d]), DOCS[d].replace(' ', "\r\n"));
    }
    let loaded = same_as_lines(read(&folder.path().join("texts"), &keep_all()), Format::Folder);
    assert_eq!(loaded.corpus.doc_names, Some(IDS.map(|id| format!("{id}.txt")).to_vec()));
    assert_eq!(loaded.corpus.metadata, Metadata::default());

    // MALLET's ids have no spaces.
    let mallet =
        (0..4).map(|d| format!("{} l{d} {}\n", ["a", "b", "d", "e"][d], DOCS[d])).collect::<String>();
    let path = folder.write("corpus.mallet", mallet);
    let loaded =
        same_as_lines(read(&path, &options(Some(Format::Mallet), VocabSource::Beside)), Format::Mallet);
    assert_eq!(loaded.corpus.doc_names, Some(["a", "b", "d", "e"].map(str::to_owned).to_vec()));
    assert_eq!(loaded.corpus.metadata.columns, [column("label", ["l0", "l1", "l2", "l3"])]);

    for (name, content, format) in [
        ("corpus.csv", table(',', ["id", "text", "year"]), Format::Csv),
        ("corpus.TSV", table('\t', ["id", "text", "year"]), Format::Tsv),
    ] {
        let loaded = same_as_lines(read(&folder.write(name, content), &keep_all()), format);
        assert_eq!(loaded.corpus.doc_names, None);
        assert_eq!(loaded.corpus.metadata.columns, [column("id", IDS), column("year", ["1999"; 4])]);
    }
    for name in ["corpus.jsonl", "corpus.ndjson", "corpus"] {
        let loaded = same_as_lines(read(&folder.write(name, jsonl()), &keep_all()), Format::Jsonl);
        assert_eq!(loaded.corpus.metadata.columns, [column("id", IDS)]);
    }
    for packed in [gzip(jsonl()), zstd(jsonl())] {
        same_as_lines(read(&folder.write("packed", packed), &keep_all()), Format::Jsonl);
    }
    same_as_lines(
        read(&folder.write("c.csv.zst", zstd(table(',', ["id", "text", "year"]))), &keep_all()),
        Format::Csv,
    );
}

#[test]
fn columns_are_found_by_name() {
    let folder = Folder::new();
    let path = folder.write("corpus.csv", table(',', ["id", "body", "year"]));
    let loaded = same_as_lines(read(&path, &with_text(named(Some("body"), Some("id")))), Format::Csv);
    assert_eq!(loaded.corpus.doc_names, Some(IDS.map(str::to_owned).to_vec()));
    assert_eq!(loaded.corpus.metadata.columns, [column("year", ["1999"; 4])]);
    let text = loaded.preparation.text.expect("text");
    assert_eq!((text.text_column.as_deref(), text.id_column.as_deref()), (Some("body"), Some("id")));

    let (line, problem) = input_error(read(&path, &keep_all()));
    assert_eq!(
        (line, problem.as_str()),
        (Some(1), "no column is called 'text' (the columns: id, body, year)")
    );
    let (_, problem) = input_error(read(&path, &with_text(named(Some("body"), Some("name")))));
    assert!(problem.starts_with("no column is called 'name'"), "{problem}");
    let twice = folder.write("twice.csv", "text,text\na,b\n");
    assert!(input_error(read(&twice, &keep_all())).1.starts_with("two columns are called 'text'"));
}

#[test]
fn json_values_are_kept_as_they_are_written() {
    let folder = Folder::new();
    let content = concat!(
        "{\"n\": 1e400, \"text\": \"one\", \"tags\": [\"x\",  {\"y\": null}], \"id\": 7}\n",
        "{\"text\": null, \"n\": \"s\\u00e9\", \"late\": true, \"id\": \"b\"}\n\n",
    );
    let path = folder.write("corpus.jsonl", content);
    let loaded = read(&path, &with_text(named(None, Some("id")))).expect("JSON Lines");
    assert_eq!(loaded.corpus.doc_names, Some(vec!["7".into(), "b".into()]));
    assert_eq!(loaded.corpus.doc_start, [0, 1, 1]);
    let columns: Vec<(&str, Vec<&str>)> = loaded
        .corpus
        .metadata
        .columns
        .iter()
        .map(|column| (column.name.as_str(), column.values.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(
        columns,
        [
            ("n", vec!["1e400", "sé"]),
            ("tags", vec!["[\"x\",  {\"y\": null}]", ""]),
            ("late", vec!["", "true"])
        ]
    );
}

#[test]
fn a_folder_leaves_out_hidden_files_and_foreign_links_and_says_so() {
    let folder = Folder::new();
    for (name, content) in [
        ("a/x.txt", "four"),
        ("a.txt", "three"),
        ("B.txt", "one"),
        ("a-b.txt", "two"),
        (".git/x", "no"),
        ("a/.x", "no"),
    ] {
        folder.write(&format!("texts/{name}"), content);
    }
    let texts = folder.path().join("texts");
    #[cfg(unix)]
    let links = {
        use std::os::unix::fs::symlink;
        let outside = folder.write("outside.txt", "outside");
        let foreign = [(outside, "link.txt"), (texts.clone(), "circle"), ("nowhere".into(), "dangling")];
        for (target, name) in &foreign {
            symlink(target, texts.join(name)).expect("a link");
        }
        symlink("a.txt", texts.join("inside.txt")).expect("a link");
        foreign.len() as u64
    };
    #[cfg(not(unix))]
    let links = 0;
    let loaded = read(&texts, &keep_all()).expect("a folder");
    let mut expected = vec!["B.txt", "a-b.txt", "a.txt", "a/x.txt"];
    expected.extend((links > 0).then_some("inside.txt"));
    assert_eq!(loaded.corpus.doc_names.expect("names"), expected);
    assert_eq!((loaded.notes.hidden_files, loaded.notes.skipped_links), (2, links));
    assert!(
        loaded.notes.warnings()[0].starts_with("hidden files or folders: 2"),
        "{:?}",
        loaded.notes.warnings()
    );
}

#[test]
fn what_is_no_text_in_a_folder_is_named() {
    let folder = Folder::new();
    folder.write("texts/a.txt", "fine");
    for (content, place) in [(&b"\x89PNG\r\n\x1a\n\0\0"[..], ":1: "), (b"PK\x03\x04\0\0", ": ")] {
        folder.write("texts/b/picture", content);
        let error = read(&folder.path().join("texts"), &keep_all()).expect_err("no text").to_string();
        assert!(
            error.contains(&format!("picture{place}")) && error.contains("take it out of the folder"),
            "{error}"
        );
    }
    std::fs::create_dir(folder.path().join("empty")).expect("a folder");
    folder.write("empty/.hidden", "x");
    let (_, problem) = input_error(read(&folder.path().join("empty"), &keep_all()));
    assert_eq!(problem, "has no files but 1 hidden ones and 0 links");
}

#[test]
fn other_encodings_are_decoded() {
    let folder = Folder::new();
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let path = folder.write("utf-16", utf_16(&lines()));
    same_as_lines(read(&path, &encoded("utf-16le")), Format::Text);
    // A mark tells what it is.
    let path = folder.write("marked", utf_16(&format!("\u{feff}{}", jsonl())));
    same_as_lines(read(&path, &keep_all()), Format::Jsonl);
    let latin = read(&folder.write("latin", b"caf\xe9 \x93th\xe9\x94\n"), &encoded("latin1")).expect("Latin");
    assert_eq!(latin.corpus.vocab, ["café", "thé"]);
    assert_eq!(latin.preparation.text.expect("text").encoding, "windows-1252");
}

#[test]
fn bytes_that_mean_nothing_are_named_with_their_place() {
    let folder = Folder::new();
    let long = "word ".repeat(30_000);
    let cases: [(Vec<u8>, &str, u64, String); 6] = [
        (b"one\r\ntwo\xfftwo\n".to_vec(), "utf-8", 2, "byte 9 of the file (0xFF) is not UTF-8".into()),
        (b"caf\xc3".to_vec(), "utf-8", 1, "byte 4 of the file is not UTF-8".into()),
        (b"a\0\n\0\0\xd8b\0".to_vec(), "utf-16le", 2, "byte 5 of the file (0x00) is not UTF-16LE".into()),
        (b"\x82\xa0\n\x82\xff".to_vec(), "shift_jis", 2, "byte 4 of the file (0x82) is not Shift_JIS".into()),
        // The decoder blames the first of two bytes, when the second is the last of the file.
        (b"a\n\x1b$".to_vec(), "iso-2022-jp", 2, "byte 3 of the file is not ISO-2022-JP".into()),
        (
            [long.as_bytes(), b"\nx\xe9 y"].concat(),
            "utf-8",
            2,
            format!("byte {} of the file (0xE9) is not UTF-8", long.len() + 3),
        ),
    ];
    for (content, encoding, line, problem) in cases {
        for (name, format) in
            [("plain", Format::Text), ("corpus.csv", Format::Csv), ("corpus.jsonl", Format::Jsonl)]
        {
            let path = folder.write(name, &content);
            let options = ReadOptions { format: Some(format), ..encoded(encoding) };
            let found = input_error(read(&path, &options));
            if format == Format::Text {
                assert_eq!(found, (Some(line), problem.clone()));
            }
        }
    }
}

#[test]
fn wrong_tables_and_objects() {
    let cases = [
        (Format::Csv, "id,text\n1,a b\n2\n", 3, "has 1 fields, and the header 2"),
        (Format::Csv, "id,text\n1,a b\n2,a,b\n", 3, "has 3 fields, and the header 2"),
        (
            Format::Csv,
            "id,text\n1,a\n2,\"open\n3,b\n4,c\n",
            3,
            "a quotation mark opens a field and none closes it",
        ),
        (
            Format::Jsonl,
            "{\"text\": \"a\"}\n[1]\n",
            2,
            "is not a JSON object: invalid type: sequence, expected a",
        ),
        (
            Format::Jsonl,
            "{\"text\": \"a\"}\n{\"text\": \n",
            2,
            "is not a JSON object: EOF while parsing a value",
        ),
        (Format::Jsonl, "{\"text\": \"a\"}\n\n{}\n", 2, "is a blank line"),
        (Format::Jsonl, "{\"body\": \"a\"}\n", 1, "has no field called 'text'"),
        (Format::Jsonl, "{\"text\": 7}\n", 1, "the field 'text' is not a string"),
        (Format::Mallet, "a x one\nb\n", 2, "'b' is not 'id label text'"),
        (Format::Mallet, "a x one\n\nb y z\n", 2, "is a blank line"),
    ];
    for (format, content, line, problem) in cases {
        let path = Folder::new();
        let found =
            input_error(read(&path.write("corpus", content), &options(Some(format), VocabSource::Beside)));
        assert_eq!(found.0, Some(line), "{content:?}: {}", found.1);
        assert!(found.1.starts_with(problem), "{content:?}: {}", found.1);
    }
    // Line ends in quotation marks are fine, at the end too.
    let path = Folder::new();
    let fine = read(&path.write("corpus.csv", "text\n\"one\ntwo\"\n\"three\nfour\"\r\n"), &keep_all());
    assert_eq!(fine.expect("a table").corpus.doc_start, [0, 2, 4]);
}

#[test]
fn flags_that_do_not_fit_the_format() {
    let folder = Folder::new();
    let lines = folder.write("corpus", "one two\n");
    let counts = folder.write("counts", "1 0:1\n");
    let numbered = |text| ReadOptions { vocab: VocabSource::None, ..with_text(text) };
    let encoding = encoded("latin1").text;
    for (path, options, flag) in [
        (&lines, with_text(named(Some("a"), None)), "text_column"),
        (&lines, with_text(named(None, Some("a"))), "id_column"),
        (&counts, numbered(named(Some("a"), None)), "text_column"),
        (&counts, numbered(encoding), "encoding"),
    ] {
        let error = read(path, &options).expect_err(flag);
        assert!(matches!(&error, Error::Setting { setting: found, .. } if *found == flag), "{error}");
    }
    let table = folder.write("table.csv", "text\na\n");
    let error = read(&table, &with_text(named(None, Some("text")))).expect_err("one column for both");
    assert!(matches!(error, Error::Setting { setting: "id_column", .. }), "{error}");
    let as_folder = options(Some(Format::Folder), VocabSource::Beside);
    assert_eq!(input_error(read(&lines, &as_folder)), (None, "is not a folder".into()));
}
