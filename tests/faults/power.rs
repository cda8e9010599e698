//! Losses of power: all changes of files are recorded, and a disk is made of each beginning of them, with what was not yet flushed
//! kept, dropped or kept in part.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use crate::injection::is_tried;
use crate::run_files::{assert_same, results};
use crate::seam::{command, end};
use crate::training::{TRAININGS, begin, folder, words};

/// A change of a file as `seam.c` has it.
#[derive(Debug)]
struct Change {
    kind: String,
    file: i32,
    place: usize,
    from: PathBuf,
    to: PathBuf,
    bytes: Vec<u8>,
}

/// All changes in a record, with relative paths made whole.
fn changes(record: &[u8], folder: &Path) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut rest = record;
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let line = String::from_utf8_lossy(&rest[..end]).into_owned();
        let fields: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| fields[at].parse::<usize>().expect("a length");
        rest = &rest[end + 1..];
        let mut take = |length: usize| {
            let (taken, after) = rest.split_at(length);
            rest = after;
            taken.to_vec()
        };
        let mut path = |length| folder.join(String::from_utf8(take(length)).expect("a path"));
        let (from, to) = (path(number(3)), path(number(4)));
        let bytes = take(number(5));
        let file = fields[1].parse().expect("a file");
        changes.push(Change { kind: fields[0].to_owned(), file, place: number(2), from, to, bytes });
    }
    changes
}

/// A name on the disk: a folder, or the number of a file.
#[derive(Clone, Copy, PartialEq)]
enum Node {
    Folder,
    File(usize),
}

#[derive(Clone, Default)]
struct Content {
    now: Vec<u8>,
    flushed: Vec<u8>,
}

/// What a disk has, and what of it is flushed.
#[derive(Default)]
struct Disk {
    files: Vec<Content>,
    names: BTreeMap<PathBuf, Node>,
    flushed_names: BTreeMap<PathBuf, Node>,
    /// What is open: the path of a folder, or a file.
    open: HashMap<i32, (PathBuf, Option<usize>)>,
}

impl Disk {
    /// What is there before the first change, on the disk for good.
    fn of(folder: &Path) -> Self {
        let mut disk = Self::default();
        disk.add(folder);
        disk.flushed_names = disk.names.clone();
        disk
    }

    fn add(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                self.names.insert(path.clone(), Node::Folder);
                self.add(&path);
            } else {
                let content = fs::read(&path).expect("a file");
                self.names.insert(path, Node::File(self.files.len()));
                self.files.push(Content { now: content.clone(), flushed: content });
            }
        }
    }

    fn apply(&mut self, change: &Change) {
        let Change { kind, file, place, from, to, bytes } = change;
        match kind.as_str() {
            "create" | "open" => self.opened(kind == "create", *file, *place == 1, from),
            "write" => {
                let content = self.content(*file);
                content.resize(content.len().max(place + bytes.len()), 0);
                content[*place..place + bytes.len()].copy_from_slice(bytes);
            }
            "truncate" => self.content(*file).resize(*place, 0),
            "fsync" => self.flush(*file),
            "rename" => {
                let node = self.names.remove(from).expect("a file to rename");
                self.names.insert(to.clone(), node);
            }
            "unlink" | "rmdir" => drop(self.names.remove(from)),
            "mkdir" => drop(self.names.insert(from.clone(), Node::Folder)),
            kind => panic!("{kind}"),
        }
    }

    fn opened(&mut self, creates: bool, file: i32, empties: bool, path: &Path) {
        let path: PathBuf =
            path.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect();
        let node = match self.names.get(&path) {
            Some(Node::File(number)) => Some(*number),
            None if creates => {
                self.files.push(Content::default());
                self.names.insert(path.clone(), Node::File(self.files.len() - 1));
                Some(self.files.len() - 1)
            }
            _ => None,
        };
        if let (Some(number), true) = (node, empties) {
            self.files[number].now.clear();
        }
        self.open.insert(file, (path, node));
    }

    fn content(&mut self, file: i32) -> &mut Vec<u8> {
        let (path, number) = &self.open[&file];
        let number = number.unwrap_or_else(|| panic!("{} is no file", path.display()));
        &mut self.files[number].now
    }

    /// A flush keeps the bytes of a file, or the names in a folder.
    fn flush(&mut self, file: i32) {
        let (path, number) = self.open[&file].clone();
        if let Some(number) = number {
            self.files[number].flushed = self.files[number].now.clone();
            return;
        }
        let is_in = |name: &PathBuf| name.parent() == Some(&path);
        self.flushed_names.retain(|name, _| !is_in(name));
        let names = self.names.iter().filter(|(name, _)| is_in(name));
        self.flushed_names.extend(names.map(|(name, &node)| (name.clone(), node)));
    }

    /// The newest checkpoint that a loss of power cannot take.
    fn flushed_checkpoint(&self, run: &Path) -> Option<u32> {
        let checkpoints = run.join("checkpoint");
        let is_there = |folder: &Path| self.flushed_names.get(folder) == Some(&Node::Folder);
        let iteration = |name: &PathBuf| {
            let name = name.file_name()?.to_str()?.strip_prefix("iteration-")?;
            name.strip_suffix(".checkpoint")?.parse().ok()
        };
        let names = self.flushed_names.keys().filter(|name| name.parent() == Some(&checkpoints));
        names.filter_map(iteration).max().filter(|_| is_there(run) && is_there(&checkpoints))
    }

    /// Makes `folder` what is left of the disk.
    fn restore(&self, folder: &Path, left: Left) {
        fs::remove_dir_all(folder).expect("a folder");
        fs::create_dir(folder).expect("a folder");
        let names = if left.has_names { &self.names } else { &self.flushed_names };
        for (path, node) in names.iter().filter(|(path, _)| path.parent().is_some_and(Path::is_dir)) {
            match *node {
                Node::Folder => fs::create_dir(path).expect("a folder"),
                Node::File(number) => {
                    let Content { now, flushed } = &self.files[number];
                    fs::write(path, if left.has_bytes { now } else { flushed }).expect("a file");
                }
            }
        }
    }
}

/// What is left of what was not flushed.
#[derive(Clone, Copy, Debug)]
struct Left {
    names: &'static str,
    has_names: bool,
    has_bytes: bool,
}

const LEFT: &[Left] = &[
    Left { names: "all", has_names: true, has_bytes: true },
    Left { names: "names alone", has_names: true, has_bytes: false },
    Left { names: "bytes alone", has_names: false, has_bytes: true },
    Left { names: "nothing", has_names: false, has_bytes: false },
];

/// Goes on with what a loss of power has left; the iteration from which it did.
fn go_on(folder: &Path, lines: &[&str], what: &str) -> Option<u32> {
    let mut last = words(lines[lines.len() - 1]);
    last.retain(|word| word != "--quiet" && word != "--resume");
    last.push("--resume".to_owned());
    let ended = end(&mut command(folder, &last), what);
    assert!(ended.status.success(), "{what}: {}: {}", ended.status, ended.stderr);
    let begins = ["going on from iteration ", "all "];
    let told = |line: &str| begins.iter().find_map(|begin| line.strip_prefix(begin)).map(str::to_owned);
    let told = ended.stderr.lines().find_map(told)?;
    told.split(' ').next()?.parse().ok()
}

fn every_loss(number: usize) {
    let (name, lines) = TRAININGS[number];
    let (_room, folder) = folder();
    begin(&folder, lines);
    let mut disk = Disk::of(&folder);
    let record = tempfile::NamedTempFile::new().expect("a file for the test");
    let mut last = command(&folder, &words(lines[lines.len() - 1]));
    let ended = end(last.env("SEAM_RECORD", record.path()), name);
    assert!(ended.status.success(), "{name}: {}", ended.stderr);
    let expected = results(&folder.join("run"));
    let (mut case, mut tried) = ((number as u64) << 40, 0);
    let mut changed = 0;
    for change in changes(&fs::read(record.path()).expect("a record"), &folder) {
        disk.apply(&change);
        changed += 1;
        for &left in LEFT {
            case += 1;
            if !is_tried(case) {
                continue;
            }
            let what = format!(
                "{name}: power lost at change {changed}, after {}, which leaves {}",
                change.kind, left.names
            );
            disk.restore(&folder, left);
            let from = go_on(&folder, lines, &what);
            let flushed = disk.flushed_checkpoint(&folder.join("run"));
            assert!(
                flushed.is_none_or(|flushed| from.is_some_and(|from| from >= flushed)),
                "{what}: {from:?}, {flushed:?}"
            );
            assert_same(&results(&folder.join("run")), &expected, &what);
            tried += 1;
        }
    }
    println!("{name}: power lost {tried} times, nothing that was flushed is lost");
    assert!(tried > 10, "{tried}");
}

#[test]
fn of_one_chain() {
    every_loss(0);
}

#[test]
fn of_a_run_that_goes_on() {
    every_loss(5);
}
