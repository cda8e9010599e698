//! The lowest rooms of the library use those below them and nothing above.

use std::fs;
use std::path::{Path, PathBuf};

/// From the lowest up; each may use those before it.
const ROOMS: [&str; 7] = ["error", "params", "rng", "dist", "files", "machine", "corpus"];

#[test]
fn corpora_and_what_is_below_them_use_nothing_above() {
    for (at, room) in ROOMS.iter().enumerate() {
        let found = files(room);
        assert!(!found.is_empty(), "{room}");
        for file in found {
            let text = fs::read_to_string(&file).expect("a source file");
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for used in code.flat_map(used) {
                assert!(ROOMS[..=at].contains(&used), "{} uses {used}", file.display());
            }
        }
    }
}

/// The rooms that a line names.
fn used(line: &str) -> impl Iterator<Item = &str> {
    let after = line.split("crate::").skip(1);
    after.map(|rest| &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())])
}

/// The files of a room: one of its name, and all in the folder of its name.
fn files(room: &str) -> Vec<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let file = source.join(format!("{room}.rs"));
    let mut files: Vec<PathBuf> = file.is_file().then_some(file).into_iter().collect();
    let mut folders = vec![source.join(room)];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).into_iter().flatten();
        for path in entries.map(|entry| entry.expect("a source file").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}
