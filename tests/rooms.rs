//! The rooms of the library, from the lowest up: a room uses those before it and none after it. docs/ARCHITECTURE.md shows
//! the same picture.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms from the lowest up. Each may use those before it.
const ROOMS: &[&str] = &[
    "error", "watch", "params", "rng", "heap", "dist", "machine", "files", "ranks", "corpus", "model",
    "device", "chain", "infer", "estimate", "evaluate", "run", "report", "synth", "selftest", "cli", "main",
];

/// What is left out of that: a room that must not use another, although it comes before it.
const APART: &[(&str, &str)] = &[("device/cpu", "device/gpu"), ("device/gpu", "device/cpu")];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The files below `folder`, by their path from `src` on.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).expect("a folder of the source").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The room of a file or of a path in the code: its first part.
fn room(path: &str) -> &str {
    path.split(['/', '.']).next().expect("a first part")
}

/// The rooms that a line of code names, as the library or the program does.
fn used(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    let places = ["crate::", "hdp_gpu::"].into_iter().flat_map(move |root| code.split(root).skip(1));
    let name =
        |rest: &'_ str| rest.find(|c: char| !(c.is_ascii_lowercase() || c == '_')).unwrap_or(rest.len());
    places.map(move |rest| &rest[..name(rest)]).filter(|name| !name.is_empty())
}

/// The ways around the names of rooms, which would hide an edge: several at once, a way up, what the crate shows at its root.
fn hidden(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    let at_root =
        code.split("crate::").skip(1).filter(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()));
    at_root.chain(code.contains("super::super::").then_some(code))
}

/// The edges of a file that point back, as what it uses.
fn back_edges<'a>(file: &str, text: &'a str) -> Vec<&'a str> {
    let at = |name: &str| ROOMS.iter().position(|room| *room == name);
    let own = at(room(file)).unwrap_or_else(|| panic!("{file} is in no room"));
    let is_back = |used: &&str| match at(used) {
        Some(other) => other > own,
        // A macro, or an item that the crate shows at its root.
        None => false,
    };
    let library = if file.starts_with("cli") || file == "main.rs" { "" } else { text };
    text.lines().flat_map(used).filter(is_back).chain(library.lines().flat_map(hidden)).collect()
}

#[test]
fn no_room_uses_one_above_it() {
    let source = source();
    let mut edges = 0;
    for path in files(&source).iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs")) {
        let file =
            path.strip_prefix(&source).expect("below it").to_str().expect("a name in UTF-8").to_owned();
        if file == "lib.rs" {
            continue;
        }
        let text = fs::read_to_string(path).expect("a file of the source");
        assert_eq!(back_edges(&file, &text), Vec::<&str>::new(), "{file}");
        edges += text.lines().flat_map(used).count();
        for (room, other) in APART {
            let other = other.replace('/', "::");
            let other = other.split("::").last().expect("a name");
            let names = [format!("super::{other}"), format!("device::{other}")];
            let is_used = file.starts_with(room) && names.iter().any(|name| text.contains(name));
            assert!(!is_used, "{file} uses {other}");
        }
    }
    assert!(edges > 300, "{edges} edges were seen");
}

#[test]
fn an_edge_that_points_back_is_seen() {
    assert_eq!(back_edges("model/phi.rs", "use crate::run::RunSpec;"), ["run"]);
    assert_eq!(back_edges("rng.rs", "    let x = crate::corpus::read(path);"), ["corpus"]);
    assert_eq!(back_edges("run/spec.rs", "use crate::report::page;\nuse crate::params::Init;"), ["report"]);
    for hidden in ["use crate::{run::RunSpec};", "use super::super::run::RunSpec;", "use crate::RunRecord;"] {
        assert_eq!(back_edges("model/phi.rs", hidden).len(), 1, "{hidden}");
    }
    assert!(back_edges("cli/mod.rs", "use hdp_gpu::run::Event;").is_empty());
    assert!(back_edges("model/phi.rs", "// as crate::run has it").is_empty());
}
