//! Tables as spreadsheets and programs write them: what separates their fields, which column has the text, and where a bad row
//! is.

use hdp_gpu::Error;
use hdp_gpu::corpus::{Delimiter, Loaded, ReadOptions, TextOptions, VocabSource, read};

use super::{Folder, gzip, input_error, options};

/// Reads `content` from a file called `name`.
fn table(name: &str, content: impl AsRef<[u8]>, text: TextOptions) -> hdp_gpu::Result<Loaded> {
    let options = ReadOptions { text, ..options(None, VocabSource::Beside) };
    read(&Folder::new().write(name, content), &options)
}

fn given(delimiter: &str) -> TextOptions {
    TextOptions { delimiter: Some(delimiter.parse().expect("a delimiter")), ..TextOptions::default() }
}

/// The columns of metadata with their first values.
fn metadata(loaded: &Loaded) -> Vec<(&str, &str)> {
    let columns = loaded.corpus.metadata.columns.iter();
    columns.map(|column| (column.name.as_str(), column.values[0].as_str())).collect()
}

#[test]
fn a_table_of_a_german_spreadsheet() {
    let content = "\u{feff}Nr;Verfasser;Text;Betrag\r\n1;\"Müller; Anna\";\"Das Schiff, der Hafen\r\nund die See\";1,50\r\n\
                   2;Bert;\"Er sagte: \"\"Sturm\"\"\";2,00\r\n";
    let loaded = table("Mappe1.csv", content, TextOptions::default()).expect("a table");
    assert_eq!(
        loaded.corpus.vocab,
        ["das", "der", "die", "er", "hafen", "sagte", "schiff", "see", "sturm", "und"]
    );
    assert_eq!(loaded.corpus.doc_start, [0, 7, 10]);
    assert_eq!(metadata(&loaded), [("Nr", "1"), ("Verfasser", "Müller; Anna"), ("Betrag", "1,50")]);
    let warnings = loaded.notes.warnings();
    assert_eq!(
        warnings,
        ["nothing is called 'text', so the text is taken from 'Text'; `text_column` names another"]
    );
    // Nothing of it holds for other files.
    let text = loaded.preparation.text.expect("text");
    assert_eq!((text.text_column, text.delimiter), (None, None));
}

#[test]
fn delimiters_are_recognised() {
    let cases = [
        ("a.csv", "id,text\n1,ash; birch| cedar\n2,elm\n"),
        ("a.csv", "id;text\n1;ash, birch| cedar\n2;elm\n"),
        ("a.csv", "id\ttext\n1\tash, birch; cedar\n2\telm\n"),
        ("a.csv", "id|text\n1|ash, birch; cedar\n2|elm\n"),
        ("a.tsv", "id\ttext\n1\tash, birch; cedar\n2\telm\n"),
        ("a.tsv", "id,text\n1,ash birch cedar\n2,elm\n"),
        // Only the header tells, for a row is wrong.
        ("a.csv", "id;text\n1;ash, birch\n2;cedar; elm\n"),
        // A name with another delimiter in it.
        ("a.csv", "\"id;no\",text\n1,ash birch cedar\n2,elm\n"),
        ("a.csv", "id|notes, and more|text\n1||ash birch cedar\n2||elm\n"),
    ];
    for (name, content) in cases {
        match table(name, content, TextOptions::default()) {
            Ok(loaded) => assert_eq!(loaded.corpus.doc_start, [0, 3, 4], "{content:?}"),
            Err(error) => {
                assert!(error.to_string().contains(":3: has 3 fields, and the header 2"), "{error}")
            }
        }
    }
    // Without a column for the text, that all rows are alike.
    let (_, problem) = input_error(table("a.csv", "Rede, Datum;Ort\nx;y\nz;w\n", TextOptions::default()));
    assert_eq!(problem, "no column is called 'text' (the columns: Rede, Datum, Ort)");
    let packed = table("a.csv.gz", gzip("id;text\n1;ash\n"), TextOptions::default()).expect("a packed table");
    assert_eq!(metadata(&packed), [("id", "1")]);
    let sixteen: Vec<u8> =
        "\u{feff}id\ttext\r\n1\tash\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(
        metadata(&table("a.csv", sixteen, TextOptions::default()).expect("Unicode text")),
        [("id", "1")]
    );
    // Nothing but the header is within the part that is looked at.
    let long = format!("id;text\n1;\"{}\"\n", "ash, birch\n".repeat(20_000));
    assert_eq!(table("a.csv", long, TextOptions::default()).expect("a long row").corpus.num_tokens(), 40_000);
}

#[test]
fn a_delimiter_can_be_given() {
    for (name, content) in
        [("comma", ","), ("semicolon", ";"), ("tab", "\t"), ("\\t", "\t"), ("|", "|"), ("#", "#")]
    {
        let content = format!("id{content}text\n1{content}ash\n");
        let loaded = table("a.csv", content, given(name)).expect(name);
        assert_eq!(metadata(&loaded), [("id", "1")]);
        let stored = loaded.preparation.text.expect("text").delimiter.expect("what was given");
        assert_eq!(stored.parse::<Delimiter>(), name.parse());
    }
    assert_eq!(";".parse::<Delimiter>().expect("a delimiter").to_string(), "semicolon");
    for wrong in ["", "\"", "\n", "ab", "a", "ä", " "] {
        assert!(wrong.parse::<Delimiter>().is_err_and(|why| why.contains("is not a delimiter")), "{wrong:?}");
    }
    // What was said counts, also against the header.
    assert!(table("a.csv", "id;text\n1;ash\n", given("comma")).is_err());
    let other = table("a.jsonl", "{\"text\": \"ash\"}\n", given("comma")).expect_err("no table");
    assert!(matches!(other, Error::Setting { setting: "delimiter", .. }), "{other}");
}

#[test]
fn other_files_are_read_on_their_own_merits() {
    let text = TextOptions { text_column: Some("body".into()), ..given("semicolon") };
    let loaded = table("a.csv", "id;body\n1;ash birch\n", text).expect("a table");
    let folder = Folder::new();
    let other = folder.write("b.csv", "body,id\nbirch,2\n");
    let like = ReadOptions { like: Some(loaded.preparation), ..ReadOptions::default() };
    assert_eq!(read(&other, &like).expect("another table").corpus.vocab, ["birch"]);
}

#[test]
fn the_column_with_the_text_is_taken_or_offered() {
    let offer = |columns: &str, text: TextOptions| -> Result<Loaded, String> {
        let row = "x,".repeat(columns.matches(',').count()) + "x";
        table("a.csv", format!("{columns}\n{row}\n"), text).map_err(|error| error.to_string())
    };
    let usual = |columns: &str| offer(columns, TextOptions::default());
    for columns in ["id,TEXT", "id, Text ", "Text,body"] {
        assert_eq!(usual(columns).expect("the same word").notes.warnings().len(), 1, "{columns}");
    }
    assert_eq!(usual("id,text,Text").expect("the word itself").notes.warnings(), [""; 0]);
    for (columns, remedy) in [
        ("id,Body", "(the columns: id, Body); give `text_column` Body"),
        ("id,Full Text,date", "(the columns: id, Full Text, date); give `text_column` 'Full Text'"),
        ("abstract,year", "give `text_column` abstract"),
        // Two of them, or none.
        ("body,content", "name one of them with `text_column`"),
        ("Text,TEXT", "name one of them with `text_column`"),
        ("id,words", "name one of them with `text_column`"),
    ] {
        let error = usual(columns).expect_err(columns);
        assert!(error.contains(":1: no column is called 'text'") && error.ends_with(remedy), "{error}");
    }
    let named = |text: Option<&str>, id: Option<&str>| TextOptions {
        text_column: text.map(str::to_owned),
        id_column: id.map(str::to_owned),
        ..TextOptions::default()
    };
    let error = offer("id,Rede,body", named(Some("rede"), None)).expect_err("another case");
    assert!(
        error.ends_with("no column is called 'rede' (the columns: id, Rede, body); give `text_column` Rede"),
        "{error}"
    );
    let error = offer("Id,text", named(None, Some("id"))).expect_err("another case");
    assert!(error.ends_with("give `id_column` Id"), "{error}");
    // The names are not the text.
    let error = offer("Text,words", named(None, Some("Text"))).expect_err("no text");
    assert!(error.ends_with("name one of them with `text_column`"), "{error}");
}

#[test]
fn a_bad_row_is_named_by_its_line() {
    let cases = [
        ("id,text\n1,a\n2\n", 3),
        ("id,text\r\n1,a\r\n2\r\n3,b\r\n", 3),
        ("\u{feff}id,text\r\n1,a\r\n2\r\n", 3),
        ("id,text\n\n\n1,a\n\n2\n", 6),
        ("\n\r\nid,text\n1,a\n2\n", 5),
        ("id,text\n1,\"a\nb\n\nc\"\n2\n", 6),
        ("id,text\r\n1,\"a\r\nb\"\r\n\r\n2\r\n", 5),
        ("id,text\r\n1,\"a\nb\"\r\n\"2\r\nx\"\r\n", 4),
        ("id,text\r1,a\r2\r", 3),
        ("id,text\n1,a", 0),
        ("id,text\n1,a\n2", 3),
    ];
    for (content, line) in cases {
        for content in [content.as_bytes().to_vec(), gzip(content)] {
            let found = table("a.csv", content, TextOptions::default());
            match line {
                0 => drop(found.expect("a good table")),
                _ => assert_eq!(input_error(found).0, Some(line)),
            }
        }
    }
    let open = "id,text\r\n\r\n1,\"a\r\nb\"\r\n2,\"open\r\n3,c\r\n4,d\r\n";
    let (line, problem) = input_error(table("a.csv", open, TextOptions::default()));
    assert_eq!((line, problem.as_str()), (Some(5), "a quotation mark opens a field and none closes it"));
    // Far into a file of another encoding.
    let rows = "1;\"é\r\né\"\r\n".repeat(40_000);
    let content: Vec<u8> =
        format!("\u{feff}id;text\r\n{rows}2\r\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(input_error(table("a.csv", content, TextOptions::default())).0, Some(80_002));
}
