//! Arrays of JSON objects.

use hdp_gpu::corpus::{Loaded, ReadOptions, TextOptions, VocabSource, read};

use super::{Folder, gzip, input_error, options};

fn json(name: &str, content: impl AsRef<[u8]>) -> hdp_gpu::Result<Loaded> {
    read(&Folder::new().write(name, content), &options(None, VocabSource::Beside))
}

#[test]
fn an_array_is_read_like_its_lines() {
    let objects =
        [r#"{"text": "ash, [birch] \"}", "n": {"a": [1, "]"]}}"#, r#"{"n": "é\\", "text": "cedar"}"#];
    let lines = json("a.jsonl", objects.join("\n")).expect("lines");
    let pretty = objects.map(|object| object.replace(", \"", ",\n    \"")).join(" ,\r\n  ");
    let arrays = [
        format!("[{}]", objects.join(",")),
        format!("\u{feff} [\n  {pretty}\n]\n\n"),
        format!("\n[{}\n,\n{}]", objects[0], objects[1]),
    ];
    for array in arrays {
        for (name, content) in
            [("a.json", array.clone().into()), ("a", gzip(&array)), ("b", array.clone().into())]
        {
            let loaded = json(name, content).expect("an array");
            assert_eq!(loaded.format, "json");
            assert_eq!((&loaded.corpus.w, &loaded.corpus.vocab), (&lines.corpus.w, &lines.corpus.vocab));
            let pieces = |loaded: &Loaded| loaded.corpus.metadata.columns[0].values[1].clone();
            assert_eq!(pieces(&loaded), pieces(&lines));
        }
    }
    // Others call their lines so.
    assert_eq!(json("a.json", objects.join("\n")).expect("lines").format, "jsonl");
    // And not everything in brackets is JSON.
    for text in ["[Music] ash birch\n", "[{sic}] ash birch\n", "[1] ash\n[2] birch\n", "[]\n birch ash"] {
        assert_eq!(json("a", text).expect("text").format, "text", "{text}");
    }
}

#[test]
fn fields_are_found_as_columns_are() {
    let loaded =
        json("a.json", r#"[{"ID": 1, "Text": "ash"}, {"Text": "birch", "ID": 2}]"#).expect("a field");
    assert_eq!(loaded.notes.text_column.as_deref(), Some("Text"));
    let folder = Folder::new();
    let path = folder.write("a.json", "[{\"id\": 1,\n\"content\": \"ash\"}]");
    let error = read(&path, &options(None, VocabSource::Beside)).expect_err("no text").to_string();
    assert!(
        error.ends_with(
            ":1: has no field called 'text' (the fields: id, content); give `text_column` content"
        ),
        "{error}"
    );
    let text = TextOptions {
        text_column: Some("content".into()),
        id_column: Some("id".into()),
        ..TextOptions::default()
    };
    let named = read(&path, &ReadOptions { text, ..options(None, VocabSource::Beside) }).expect("an array");
    assert_eq!(named.corpus.doc_names, Some(vec!["1".to_owned()]));
}

#[test]
fn wrong_arrays_are_named_by_line_and_column() {
    for (content, line, problem) in [
        ("[\n{\"text\": \"a\"},\n  {\"text\" \"b\"}]", 3, "is not a JSON object: expected `:` at column 11"),
        ("[{\"text\": \"a\"},\n{\n\"text\": b}]", 3, "is not a JSON object: expected value at column 9"),
        (
            "[{\"text\": \"a\"}, 7]",
            1,
            "is not a JSON object: invalid type: integer `7`, expected a JSON object",
        ),
        ("[{\"text\": \"a\"},]", 1, "is not a JSON object: EOF while parsing a value at column"),
        ("[{\"text\": \"a\"}\n{\"text\": \"b\"}]", 2, "is not a JSON object: trailing characters at column"),
        ("[{\"text\": \"a\"}\n", 2, "ends within its array: it is cut short, or a bracket is missing"),
        ("[\n{\"text\": \"a", 2, "is not a JSON object: EOF while parsing a string"),
        ("[{\"text\": \"a\"}]\n[]", 2, "goes on after the ']' of its array"),
        ("[{\"text\": 7}]", 1, "the field 'text' is not a string"),
        ("{\n \"rows\": [{\"text\": \"a\"}]}", 1, "is not a JSON object: EOF while parsing an object"),
    ] {
        let (found, shown) = input_error(json("a.json", content));
        assert_eq!(found, Some(line), "{content}: {shown}");
        assert!(shown.starts_with(problem), "{content}: {shown}");
    }
    assert_eq!(input_error(json("a.json", "[ ]")).1, "has no tokens");
}

#[test]
fn depth_and_size_do_no_harm() {
    let deep = 1_000_000;
    let nested = format!("[{{\"text\": \"ash\", \"x\": {}{}}}]", "[".repeat(deep), "]".repeat(deep));
    for name in ["a.json", "a"] {
        assert_eq!(json(name, &nested).expect("a deep value").corpus.vocab, ["ash"]);
    }
    for hostile in ["[".repeat(deep), "[{".repeat(deep), "[\"".repeat(deep), format!("[{}", "]".repeat(deep))]
    {
        json("a.json", hostile).expect_err("no array");
    }
}
