//! Rules of the house that can be read off the source.

use std::fs;
use std::path::{Path, PathBuf};

use hdp_gpu::error::NAMES;

/// The files of the library, with their text.
fn library() -> Vec<(PathBuf, String)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders = vec![source.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the source") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).expect("a file of the source");
                files.push((path.strip_prefix(&source).expect("below it").to_owned(), text));
            }
        }
    }
    files.retain(|(path, _)| !path.starts_with("cli") && !path.ends_with("main.rs"));
    assert!(files.len() > 100, "{} files", files.len());
    files
}

/// Whether a line has a command-line flag in it.
fn has_flag(line: &str) -> bool {
    line.match_indices("--").any(|(at, _)| line[at + 2..].starts_with(|c: char| c.is_ascii_lowercase()))
}

#[test]
fn the_library_names_no_flags() {
    assert!(has_flag(r#""lower --alpha""#) && !has_flag("// --- a line") && !has_flag("x --> y"));
    for (path, text) in library() {
        for (number, line) in (1..).zip(text.lines()) {
            assert!(!has_flag(line), "{}:{number}: {line}", path.display());
        }
    }
}

#[test]
fn the_library_reads_no_arguments() {
    for (path, text) in library() {
        assert!(!text.contains("env::args"), "{}", path.display());
    }
}

/// A setting that an error names is one that front ends know.
#[test]
fn errors_name_known_settings() {
    let mut seen = 0;
    for (path, text) in library() {
        for (at, call) in text.match_indices("Error::setting(") {
            let argument = text[at + call.len()..].trim_start();
            if let Some((name, _)) = argument.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
                assert!(NAMES.contains(&name), "{}: {name}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 30, "{seen} calls");
}
