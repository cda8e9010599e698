//! Metadata from beside the corpus: tables that are joined by documents' names, and patterns for these names.

use std::path::{Path, PathBuf};

use hdp_gpu::Result;
use hdp_gpu::corpus::{Loaded, NamePattern, ReadOptions, TextOptions, VocabSource, read, write_prepared};

use super::{Folder, input_error, options};

/// Two of its three documents have names that end alike.
fn speeches() -> (Folder, PathBuf) {
    let folder = Folder::new();
    folder.write("speeches/Session 74 - 2019/FRA_74_2019.txt", "ash birch");
    folder.write("speeches/Session 75 - 2020/FRA_75_2020.txt", "ash cedar");
    folder.write("speeches/Session 75 - 2020/EU_CAN_75_2020.txt", "birch cedar");
    let path = folder.path().join("speeches");
    (folder, path)
}

fn joined(corpus: &Path, table: PathBuf) -> Result<Loaded> {
    read(corpus, &ReadOptions { metadata: Some(table), ..options(None, VocabSource::Beside) })
}

fn by_pattern(corpus: &Path, pattern: &str) -> Result<Loaded> {
    let name_pattern: NamePattern = pattern.parse().expect("a pattern");
    read(corpus, &ReadOptions { name_pattern: Some(name_pattern), ..options(None, VocabSource::Beside) })
}

/// The columns, with the values of all documents in one string.
fn metadata(loaded: &Loaded) -> Vec<(&str, String)> {
    let columns = loaded.corpus.metadata.columns.iter();
    columns.map(|column| (column.name.as_str(), column.values.join("|"))).collect()
}

fn column<'a>(name: &'a str, values: &str) -> (&'a str, String) {
    (name, values.to_owned())
}

#[test]
fn a_table_is_joined_by_names_of_every_kind() {
    let (folder, corpus) = speeches();
    let tables = [
        (
            "a.csv",
            "when,Name,who\n2019,FRA_74_2019.txt,Macron\n2020,EU_CAN_75_2020.txt,\"Trudeau, J.\"\n2018,GER.txt,M\n",
        ),
        (
            "a.tsv",
            "id\twhen\twho\nFRA_74_2019\t2019\tMacron\nEU_CAN_75_2020\t2020\tTrudeau, J.\nx\t2018\tM\n",
        ),
        (
            "semicolons.csv",
            "file;when;who\nSession 74 - 2019/FRA_74_2019;2019;Macron\nEU_CAN_75_2020;2020;Trudeau, J.\nx;;\n",
        ),
        (
            "a.jsonl",
            "{\"document\":\"FRA_74_2019\",\"when\":2019,\"who\":\"Macron\"}\n\
             {\"when\":2020,\"document\":\"EU_CAN_75_2020\",\"who\":\"Trudeau, J.\"}\n{\"document\":\"x\",\"when\":null}\n",
        ),
        (
            "a.json",
            "[{\"id\":\"FRA_74_2019\",\"when\":2019,\"who\":\"Macron\"},\n\
             {\"id\":\"EU_CAN_75_2020\",\"when\":2020,\"who\":\"Trudeau, J.\"}, {\"id\":\"x\"}]",
        ),
    ];
    for (name, content) in tables {
        let loaded = joined(&corpus, folder.write(name, content)).expect(name);
        assert_eq!(
            metadata(&loaded),
            [column("when", "2019|2020|"), column("who", "Macron|Trudeau, J.|")],
            "{name}"
        );
        let notes = &loaded.notes;
        assert_eq!((notes.unjoined_rows, notes.unjoined_docs), (1, 1), "{name}");
        let warnings = notes.warnings().join("\n");
        assert!(
            warnings
                .contains("rows of `metadata` that no document has: 1; they were left out, the first of '")
        );
        assert!(warnings.contains(
            "documents without a row in `metadata`: 1; they have no values in its columns; the \
                                   first is 'Session 75 - 2020/FRA_75_2020.txt'"
        ));
    }
}

#[test]
fn counts_have_numbers_for_names_and_prepared_corpora_theirs() {
    let folder = Folder::new();
    let table = folder.write("table.csv", "year,id\n1999,2\n1998,1\n");
    let counts = folder.write("counts", "2\n2\n2\n1 1 1\n2 2 1\n");
    let number = ReadOptions { metadata: Some(table.clone()), ..options(None, VocabSource::None) };
    let loaded = read(&counts, &number).expect("counts");
    assert_eq!(metadata(&loaded), [column("year", "1998|1999")]);
    assert!(loaded.notes.warnings().is_empty(), "{:?}", loaded.notes.warnings());
    // They are in what is prepared of it, which takes others.
    let prepared = folder.path().join("prepared");
    let Loaded { format, corpus, preparation, notes, .. } = &loaded;
    write_prepared(&prepared, corpus, format, preparation, notes).expect("a file");
    let other = folder.write("other.csv", "id,who\n1,b\n2,a\n");
    let metadata_of = |table| ReadOptions { metadata: Some(table), ..ReadOptions::default() };
    let again = read(&prepared, &metadata_of(other)).expect("a prepared corpus");
    assert_eq!(metadata(&again), [column("year", "1998|1999"), column("who", "b|a")]);
    let twice = read(&prepared, &metadata_of(table)).expect_err("the column is there");
    assert!(
        twice
            .to_string()
            .contains("the documents have a column 'year' already; give one of them another name")
    );
}

#[test]
fn the_column_of_names_may_be_called_as_that_of_the_text() {
    let folder = Folder::new();
    let corpus = folder.write("corpus.csv", "key,text\nb,ash\na,birch\n");
    let table = folder.write("table.csv", "id,key,year\n1,a,1999\n2,b,1998\n");
    let text = TextOptions { id_column: Some("key".into()), ..TextOptions::default() };
    let options = ReadOptions { metadata: Some(table), text, ..options(None, VocabSource::Beside) };
    assert_eq!(
        metadata(&read(&corpus, &options).expect("a table")),
        [column("id", "2|1"), column("year", "1998|1999")]
    );
}

#[test]
fn tables_that_cannot_be_joined_are_refused() {
    let (folder, corpus) = speeches();
    let cases = [
        (
            "name,year\nFRA_74_2019,1\nx,2\nSession 74 - 2019/FRA_74_2019.txt,3\n",
            Some(4),
            "an earlier row is of the document 'Session 74 - 2019/FRA_74_2019.txt' too",
        ),
        (
            "name,year\nx,1\n",
            None,
            "none of its 1 rows is of a document: the first has the name 'x', and the first document is \
                                    called 'Session 74 - 2019/FRA_74_2019.txt'",
        ),
        ("name,year\n", None, "has no rows"),
        ("name,year,year\nx,1,2\n", Some(1), "two columns are called 'year': name, year, year"),
        ("name,year\nx\n", Some(2), "has 1 fields, and the header 2"),
    ];
    for (content, line, problem) in cases {
        let found = input_error(joined(&corpus, folder.write("table.csv", content)));
        assert_eq!((found.0, found.1.as_str()), (line, problem));
    }
    let object =
        joined(&corpus, folder.write("t.jsonl", "{\"name\":\"x\"}\nnot json\n")).expect_err("no JSON");
    assert!(object.to_string().contains("t.jsonl:2: is not a JSON object"), "{object}");
    let counts = joined(&corpus, folder.write("t", "2\n2\n2\n1 1 1\n2 2 1\n")).expect_err("counts");
    assert!(counts.to_string().contains("is read as uci, which is no table of documents"), "{counts}");
    assert!(joined(&corpus, folder.path().join("none.csv")).is_err());
}

#[test]
fn a_name_that_two_documents_end_in_is_of_neither() {
    let folder = Folder::new();
    folder.write("corpus/a/one.txt", "ash");
    folder.write("corpus/b/one.txt", "birch");
    folder.write("corpus/b/two.txt", "birch");
    let table = folder.write("table.csv", "name,year\none,1\ntwo,2\na/one,3\n");
    let loaded = joined(&folder.path().join("corpus"), table).expect("a folder");
    assert_eq!(metadata(&loaded), [column("year", "3||2")]);
    assert_eq!((loaded.notes.unjoined_rows, loaded.notes.first_unjoined_row.as_deref()), (1, Some("one")));
}

#[test]
fn columns_come_from_names() {
    let (folder, corpus) = speeches();
    let pattern = "Session {session} - {year}/{country}_{session}_{year}.txt";
    let loaded = by_pattern(&corpus, pattern).expect("names that fit");
    assert_eq!(
        metadata(&loaded),
        [
            column("session", "74|75|75"),
            column("year", "2019|2020|2020"),
            column("country", "FRA|EU_CAN|FRA")
        ]
    );
    assert!(loaded.notes.warnings().is_empty(), "{:?}", loaded.notes.warnings());
    folder.write("speeches/README.txt", "ash");
    let loaded = by_pattern(&corpus, "{country}_{session}_{year}.txt").expect("names that fit");
    let warnings = loaded.notes.warnings();
    assert_eq!(
        warnings,
        [
            "names that `name_pattern` does not fit: 1; their documents have no values in its columns; the first is 'README.txt'"
        ]
    );
    let error = by_pattern(&corpus, "{year}.html").expect_err("no name fits").to_string();
    assert_eq!(
        error,
        "`name_pattern`: '{year}.html' fits none of 4 names, the first of which is 'README.txt'; write the names with braces \
         around what changes, and * for what does not matter"
    );
    let table = folder.write("table.csv", "name,year\nREADME,1\n");
    let both = ReadOptions {
        metadata: Some(table),
        name_pattern: Some("{country}_{session}_{year}.txt".parse().expect("a pattern")),
        ..options(None, VocabSource::Beside)
    };
    let error = read(&corpus, &both).expect_err("two columns of a name").to_string();
    assert!(error.contains("the documents have a column 'year' already"), "{error}");
}

/// Values and names that anybody may have made.
#[test]
fn hostile_values_stay_what_they_are() {
    let folder = Folder::new();
    let corpus = folder.write("corpus.csv", "id,text\na,ash\nb,birch\n");
    let long = "x".repeat(1 << 20);
    let table = format!("name,\u{1b}[31m,<script>,\nb,\u{7}\u{0}\"\",{long},=1+1\na,{{7*7}},\u{202e},\n");
    let text = TextOptions { id_column: Some("id".into()), ..TextOptions::default() };
    let options = ReadOptions {
        metadata: Some(folder.write("table.csv", table)),
        text,
        ..options(None, VocabSource::Beside)
    };
    let loaded = read(&corpus, &options).expect("a table");
    let names: Vec<&str> = metadata(&loaded).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["\u{1b}[31m", "<script>", ""]);
    assert_eq!(loaded.corpus.metadata.columns[1].values, ["\u{202e}", &long]);
}
