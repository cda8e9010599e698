//! Every call fails once, and from then on, and is the last one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::sleep;
use std::time::Duration;

use crate::run_files::{assert_same, results};
use crate::seam::{Fault, command, end, inject};
use crate::training::{TRAININGS, begin, folder, go_on, words};

const EINTR: i32 = 4;
const EIO: i32 = 5;
const ENOMEM: i32 = 12;
const EMFILE: i32 = 24;
const ENOSPC: i32 = 28;

const FAULTS: &[Fault] = &[
    Fault::Kill,
    Fault::Once(EIO),
    Fault::FromThenOn(EIO),
    Fault::Once(ENOSPC),
    Fault::FromThenOn(ENOSPC),
    Fault::Once(EMFILE),
    Fault::FromThenOn(EMFILE),
    Fault::Once(ENOMEM),
    Fault::Once(EINTR),
];

/// Whether a case is tried: every one, or a tenth that is spread over all of them.
pub(crate) fn is_tried(case: u64) -> bool {
    let all = std::env::var_os("HDP_GPU_FAULTS").is_some_and(|value| value == "all");
    all || (case.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).is_multiple_of(10)
}

/// The kinds of the calls that the last of some commands makes, in their order, and the results.
fn undisturbed(lines: &[&str]) -> (Vec<String>, BTreeMap<String, Vec<u8>>) {
    let (_room, folder) = folder();
    begin(&folder, lines);
    let last = lines[lines.len() - 1];
    let log = tempfile::NamedTempFile::new().expect("a file for the test");
    let ended = end(command(&folder, &words(last)).env("SEAM_LOG", log.path()), last);
    assert!(ended.status.success(), "{last}: {}", ended.stderr);
    let calls = fs::read_to_string(log.path()).expect("a log");
    (calls.lines().map(str::to_owned).collect(), results(&folder.join("run")))
}

/// One case: a fault, and the way on from it.
fn disturb(name: &str, lines: &[&str], fault: Fault, at: u64, expected: &BTreeMap<String, Vec<u8>>) {
    let (_room, folder) = folder();
    begin(&folder, lines);
    let what = format!("{name}: {fault:?} at call {at}");
    let mut last = command(&folder, &words(lines[lines.len() - 1]));
    inject(&mut last, fault, at);
    let ended = end(&mut last, &what);
    match ended.status.code() {
        // Success is success: nothing is missing that a resumption would make.
        Some(0) => assert_same(&results(&folder.join("run")), expected, &format!("{what}, at once")),
        Some(1 | 2) => {
            assert!(ended.stderr.contains("error: "), "{what}: ends without a word: {}", ended.stderr);
            assert!(!ended.stderr.contains("panic"), "{what}: {}", ended.stderr);
        }
        None if fault == Fault::Kill => {}
        _ => panic!("{what}: {}: {}", ended.status, ended.stderr),
    }
    go_on(&folder, lines, &what);
    assert_same(&results(&folder.join("run")), expected, &what);
}

/// The cases of a training that are tried.
fn cases(number: u64, calls: u64) -> Vec<(Fault, u64)> {
    let all = (1..=calls).flat_map(|at| FAULTS.iter().map(move |&fault| (fault, at)));
    (number << 32..).zip(all).filter(|&(case, _)| is_tried(case)).map(|(_, case)| case).collect()
}

/// Tries the cases of a training on both of a small machine's cores.
fn every_fault(number: usize) {
    let (name, lines) = TRAININGS[number];
    let (calls, expected) = undisturbed(lines);
    // Without the seam there would be none.
    assert!(calls.len() > 100, "{name}: {} calls", calls.len());
    let cases = cases(number as u64, calls.len() as u64);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(&(fault, at)) = cases.get(next.fetch_add(1, Relaxed)) {
                    disturb(name, lines, fault, at, &expected);
                }
            });
        }
    });
    println!("{name}: {} calls, {} faults injected, nothing lost", calls.len(), cases.len());
}

#[test]
fn of_one_chain() {
    every_fault(0);
}

#[test]
fn of_chains() {
    every_fault(1);
}

#[test]
fn of_chains_until_they_settle() {
    every_fault(2);
}

#[test]
fn of_samples() {
    every_fault(3);
}

#[test]
fn of_held_out_documents() {
    every_fault(4);
}

#[test]
fn of_a_run_that_goes_on() {
    every_fault(5);
}

#[test]
fn of_a_prepared_corpus() {
    every_fault(6);
}

#[test]
fn of_text_that_is_kept() {
    every_fault(7);
}

/// The calls of a training before its first iteration has a row.
fn calls_of_start(lines: &[&str]) -> u64 {
    let (_room, folder) = folder();
    begin(&folder, lines);
    let room = tempfile::tempdir().expect("a folder for the test");
    let [log, held] = ["log", "held"].map(|name| room.path().join(name));
    let mut last = command(&folder, &words(lines[lines.len() - 1]));
    last.env("SEAM_LOG", &log).env("SEAM_HOLD", "write timing.csv 1").env("SEAM_HELD", &held);
    let mut child = last.stderr(Stdio::null()).spawn().expect("the program starts");
    while !held.exists() {
        assert!(child.try_wait().expect("a child").is_none(), "ended before its first row");
        sleep(Duration::from_millis(2));
    }
    child.kill().and_then(|()| child.wait()).expect("a child");
    fs::read_to_string(&log).expect("a log").lines().count() as u64
}

/// Every moment of a start: a kill at each of the calls before the first iteration's row, and some after it.
#[test]
fn at_every_moment_of_a_start() {
    const AFTER: u64 = 4;
    let mut killed = 0;
    for (name, lines) in TRAININGS[..3].iter().chain(&TRAININGS[7..]) {
        let (_, expected) = undisturbed(lines);
        let start = calls_of_start(lines);
        assert!(start > 20, "{name}: {start}");
        for at in 1..=start + AFTER {
            disturb(name, lines, Fault::Kill, at, &expected);
            killed += 1;
        }
    }
    println!("killed at {killed} moments of a start, nothing lost");
}

/// The calls that strace sees are those that the seam counts, so that none escapes it.
#[test]
fn the_seam_is_complete() {
    if Command::new("strace").arg("-V").output().is_err() {
        println!("SKIPPED: the seam's completeness: strace is not installed");
        return;
    }
    // Chains, those that settle, a run that goes on, a prepared corpus, and text.
    for number in [1, 2, 5, 6, 7] {
        let (name, lines) = TRAININGS[number];
        assert_complete(name, lines);
    }
}

/// The calls that change files or start threads, and those by which the same could be done past the seam.
const CALLS: &str = "openat,open,creat,write,pwrite64,writev,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,ftruncate,\
                     mkdir,mkdirat,mmap,clone,clone3,?openat2,rmdir,link,linkat,symlink,symlinkat,truncate,fallocate,pwritev,?pwritev2,\
                     sendfile,copy_file_range,splice,sync_file_range";

fn assert_complete(name: &str, lines: &[&str]) {
    let (_room, folder) = folder();
    begin(&folder, lines);
    let room = tempfile::tempdir().expect("a folder for the test");
    let (log, trace) = (room.path().join("log"), room.path().join("trace"));
    let program = command(&folder, &words(lines[lines.len() - 1]));
    let mut traced = Command::new("strace");
    traced.args(["-ff", "-y", "-qq", "-s", "4096", "-e", &format!("trace={CALLS}"), "-o"]).arg(&trace);
    // The seam is for the program and not for strace.
    for (name, value) in program.get_envs() {
        let mut pair = name.to_os_string();
        pair.push("=");
        pair.push(value.expect("a value"));
        traced.arg("-E").arg(pair);
    }
    traced.arg("-E").arg(format!("SEAM_LOG={}", log.display()));
    traced.arg(program.get_program()).args(program.get_args()).current_dir(&folder);
    let ended = end(&mut traced, "strace");
    assert!(ended.status.success(), "{}", ended.stderr);
    let counted = tally(fs::read_to_string(&log).expect("a log").lines().map(str::to_owned));
    assert_eq!(tally(seen(room.path(), &folder)), counted, "{name}");
    println!("{name}: {counted:?}");
}

fn tally(kinds: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut tally = BTreeMap::new();
    kinds.for_each(|kind| *tally.entry(kind).or_default() += 1);
    tally
}

/// The kinds of the calls in all files of strace that concern `folder`, and of those that start threads.
fn seen(traces: &Path, folder: &Path) -> impl Iterator<Item = String> {
    let folder = folder.display().to_string();
    let mut kinds = Vec::new();
    for entry in fs::read_dir(traces).expect("traces") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("trace")) {
            let text = fs::read_to_string(path).expect("a trace");
            kinds.extend(text.lines().filter_map(|line| kind_of(line, &folder)));
        }
    }
    kinds.into_iter()
}

fn kind_of(line: &str, folder: &str) -> Option<String> {
    let (call, arguments) = line.split_once('(')?;
    let is_thread = call.starts_with("clone") && arguments.contains("CLONE_THREAD");
    // What is written may name the folder too.
    let concerned = match call {
        "write" | "pwrite64" | "writev" | "fsync" | "fdatasync" | "ftruncate" | "fallocate" | "pwritev"
        | "pwritev2" | "sync_file_range" => arguments.split('>').next()?.contains(folder),
        "mmap" | "clone" | "clone3" | "sendfile" | "copy_file_range" | "splice" => arguments.contains(folder),
        // The first path, whose place is the folder if it is relative.
        _ => {
            arguments.split('"').nth(1).is_some_and(|path| !path.starts_with('/') || path.starts_with(folder))
        }
    };
    let kind = match call {
        _ if is_thread => "thread",
        "openat" | "open" | "creat" => "open",
        "pwrite64" | "writev" => "write",
        "fdatasync" => "fsync",
        "renameat" | "renameat2" => "rename",
        "unlinkat" => "unlink",
        "mkdirat" => "mkdir",
        "clone" | "clone3" => return None,
        call => call,
    };
    (is_thread || concerned).then(|| kind.to_owned())
}
