//! Random histories: whatever a run has been through, it ends with the bytes of one that was never disturbed, or is refused up front.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::history::{Device, History, history};
use crate::run_files::{assert_same, results};
use crate::seam::{Ended, Fault, command, end, inject};

/// How many histories are tried, unless the environment says otherwise.
const HISTORIES: u32 = 40;

/// How many of them each of several tests tries, which go on at the same time.
const PARTS: u32 = 2;

/// Why a run that was shorter may be refused to be made longer: the samples that it has had would not be those of the longer one.
const DOES_NOT_FIT: &[&str] = &["error: --iterations: the first of ", "error: --samples: "];

/// What has happened in all histories of a test.
#[derive(Default)]
struct Tally {
    refused: AtomicUsize,
    not_extended: AtomicUsize,
    gone_through: AtomicUsize,
    sittings: AtomicUsize,
    killed: AtomicUsize,
    asked_to_end: AtomicUsize,
    on_gpu: AtomicUsize,
}

/// The number of a GPU, a software one first, if there is one and tests may use it.
static GPU: LazyLock<Option<String>> = LazyLock::new(|| {
    if std::env::var_os("HDP_GPU_SKIP_GPU_TESTS").is_some_and(|value| value == "1") {
        return None;
    }
    let listed = Command::new(assert_cmd::cargo::cargo_bin!("hdp-gpu")).arg("devices").output().ok()?;
    let listed = String::from_utf8(listed.stdout).ok()?;
    let gpus: Vec<&str> = listed.lines().filter(|line| line.contains(", driver ")).collect();
    let line = gpus.iter().find(|line| line.contains(": software, ")).or(gpus.first())?;
    line.split_whitespace().next().map(str::to_owned)
});

fn run(folder: &Path, line: &str, fault: Option<(Fault, u64)>) -> Ended {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let mut command = command(folder, &words);
    command.env("XDG_RUNTIME_DIR", folder.parent().expect("a folder above it"));
    if let Some((fault, at)) = fault {
        inject(&mut command, fault, at);
    }
    end(&mut command, line)
}

/// A refusal is a sentence, and no panic.
fn assert_refused(ended: &Ended, line: &str) {
    assert_eq!(ended.status.code(), Some(2), "{line}: {}: {}", ended.status, ended.stderr);
    assert!(ended.stderr.contains("error: ") && !ended.stderr.contains("panic"), "{line}: {}", ended.stderr);
}

/// The results of the run that nothing disturbs, and how many calls it makes; none when it is refused up front.
fn undisturbed(history: &History) -> Option<(BTreeMap<String, Vec<u8>>, u64)> {
    let (_room, folder) = folder_of(history);
    let log = tempfile::NamedTempFile::new().expect("a file for the test");
    let line = history.whole();
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let ended = end(command(&folder, &words).env("SEAM_LOG", log.path()), &line);
    if !ended.status.success() {
        assert_refused(&ended, &line);
        println!("{line}: {}", ended.stderr.trim());
        assert!(!folder.join("run").exists(), "{line}: refused after the folder was made: {}", ended.stderr);
        return None;
    }
    let calls = fs::read_to_string(log.path()).expect("a log").lines().count() as u64;
    Some((results(&folder.join("run")), calls))
}

fn folder_of(history: &History) -> (tempfile::TempDir, std::path::PathBuf) {
    let room = tempfile::tempdir().expect("a folder for the test");
    let folder = room.path().canonicalize().expect("a folder").join("folder");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("corpus"), history.corpus.text()).expect("a corpus");
    (room, folder)
}

fn go_through(history: &History, tally: &Tally) {
    let Some((expected, calls)) = undisturbed(history) else {
        tally.refused.fetch_add(1, Relaxed);
        return;
    };
    let (_room, folder) = folder_of(history);
    let gpu = GPU.as_deref();
    for (number, sitting) in history.sittings.iter().enumerate() {
        let line = history.sitting(number, gpu);
        let fault = sitting.fault.map(|(fault, share)| (fault, 1 + share * calls / 1000));
        let ended = run(&folder, &line, fault);
        let cut = sitting.fault.map(|(fault, _)| fault);
        match ended.status.code() {
            Some(0) => {}
            Some(130) if cut == Some(Fault::Term) => {
                assert!(ended.stderr.contains("go on with: "), "{line}: {}", ended.stderr);
                tally.asked_to_end.fetch_add(1, Relaxed);
            }
            None if cut == Some(Fault::Kill) => drop(tally.killed.fetch_add(1, Relaxed)),
            // A number of iterations may not fit what was done, or a device the sampler.
            _ => assert_refused(&ended, &line),
        }
        tally.sittings.fetch_add(1, Relaxed);
        let is_gpu = matches!((sitting.device, gpu), (Device::Gpu(_), Some(_)));
        tally.on_gpu.fetch_add(usize::from(is_gpu), Relaxed);
    }
    let line = history.last();
    let mut before = folder.join("run").exists().then(|| results(&folder.join("run")));
    // Whoever looks into the folder takes away what a kill has left half written.
    before.iter_mut().for_each(|before| before.retain(|name, _| !name.contains(".writing-")));
    let ended = run(&folder, &line, None);
    if DOES_NOT_FIT.iter().any(|why| ended.stderr.contains(why)) {
        assert_refused(&ended, &line);
        assert_same(&results(&folder.join("run")), &before.expect("a run that does not fit"), &line);
        tally.not_extended.fetch_add(1, Relaxed);
        return;
    }
    assert!(ended.status.success(), "{line}: {}: {}", ended.status, ended.stderr);
    assert_same(&results(&folder.join("run")), &expected, &line);
    tally.gone_through.fetch_add(1, Relaxed);
}

fn go_through_many(part: u32) {
    let asked = std::env::var("HDP_GPU_HISTORIES").ok();
    let histories = asked.map_or(HISTORIES, |asked| asked.parse().expect("HDP_GPU_HISTORIES is a number"));
    let config = Config {
        cases: histories / PARTS,
        rng_seed: RngSeed::Fixed(u64::from(part)),
        failure_persistence: None,
        max_shrink_iters: 300,
        ..Config::default()
    };
    let tally = Tally::default();
    let gone_through = TestRunner::new(config).run(&history(), |history| {
        go_through(&history, &tally);
        Ok(())
    });
    if let Err(failure) = gone_through {
        panic!("{failure}");
    }
    let [refused, not_extended, through, sittings, killed, asked, on_gpu] = [
        &tally.refused,
        &tally.not_extended,
        &tally.gone_through,
        &tally.sittings,
        &tally.killed,
        &tally.asked_to_end,
        &tally.on_gpu,
    ]
    .map(|count| count.load(Relaxed));
    println!(
        "{through} histories of {sittings} sittings before the last, {on_gpu} of them on a GPU, {killed} killed and {asked} asked \
         to end, nothing lost; {refused} refused up front, and {not_extended} to be made longer"
    );
    assert!(through > refused && killed + asked > sittings / 3, "too little was tried");
}

#[test]
fn some() {
    go_through_many(1);
}

#[test]
fn others() {
    go_through_many(2);
}
