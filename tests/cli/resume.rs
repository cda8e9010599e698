//! `train --resume`: a run that was stopped, however and how often, ends as if it had never been.

use std::fs;
use std::path::Path;
use std::time::Duration;

use predicates::prelude::*;
use serde_json::{Value, json};

use super::determinism::results;
use super::devices::gpu;
#[cfg(target_os = "linux")]
use super::hold::Hold;
#[cfg(target_os = "linux")]
use super::live::training;
use super::live::{Live, wait_for};
use super::{Folder, UCI, names, read, train, trained};

/// A small generator of moments; the draws of the program are not at stake here.
struct Moments(u64);

impl Moments {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Kills a process after a random time of at most `longest` milliseconds; false if it has ended by itself.
fn kill_some_time(run: &mut Live, longest: u64, moments: &mut Moments) -> bool {
    std::thread::sleep(Duration::from_millis(moments.below(longest)));
    let lives = run.ended().is_none();
    run.kill();
    lives
}

/// Kills a process while a checkpoint of it is written and has no name yet; false if it has ended by itself.
#[cfg(target_os = "linux")]
fn kill_while_it_writes(run: &mut Live, hold: &Hold) -> bool {
    wait_for("a checkpoint", || (hold.is_there() || run.ended().is_some()).then_some(()));
    run.kill();
    hold.is_there()
}

/// 50 times, on another device and with other threads each time, and every other time while a checkpoint is half-written.
#[cfg(target_os = "linux")]
#[test]
fn killed_at_any_moment() {
    const KILLS: u32 = 50;
    let flags = "--iterations 150 --init-topics 30 --trace-every 7 --samples 20 --thin 2 --finish 1";
    let expected = results(&trained("sample", flags));
    let gpu = gpu().map(|(_, number)| number);
    let mut moments = Moments(1);
    let (mut killed, mut while_writing) = (0, 0);
    while killed < KILLS {
        let folder = Folder::new();
        let out = folder.0.path();
        loop {
            // A GPU in software takes its time, so it does not make the last iterations.
            let gpu = gpu.as_deref().filter(|_| killed < KILLS && moments.below(2) == 0);
            let (device, longest) = gpu.map_or(("cpu", 600), |number| (number, 3000));
            let threads = 1 + moments.below(3);
            let every = ["1", "20ms"][moments.below(2) as usize];
            let sitting = format!("--device {device} --threads {threads} --checkpoint-every {every}");
            let mut command = training("sample", out, &format!("{flags} --resume --quiet {sitting}"));
            let number = 1 + moments.below(4);
            let at = (killed < KILLS && moments.below(2) == 0)
                .then(|| Hold::at(&mut command, out, &format!("rename .checkpoint {number}")));
            let mut run = Live::start(&mut command);
            let is_killed = match &at {
                Some(hold) => kill_while_it_writes(&mut run, hold),
                None => killed < KILLS && kill_some_time(&mut run, longest, &mut moments),
            };
            if is_killed {
                killed += 1;
                while_writing += u32::from(at.is_some());
            } else {
                assert_eq!(run.exit_code(), Some(0), "{}", run.stderr());
                break;
            }
        }
        for ((name, expected), (_, found)) in expected.iter().zip(&results(&folder)) {
            assert!(expected == found, "{name} differs after {killed} kills");
        }
        let left = names(&out.join("checkpoint"));
        assert!(left.len() == 3 && left[2] == "lock", "two checkpoints and the lock: {left:?}");
    }
    println!("{KILLS} kills, {while_writing} of them while a checkpoint was half-written");
    assert!(while_writing > 5, "{while_writing}");
}

/// A run of the sample that stops itself in the middle of an iteration.
fn stopped_in(iteration: u32, flags: &str) -> Folder {
    let folder = Folder::new();
    let flags = format!("--force --quiet --checkpoint-every 1 --inject-fault panic:{iteration} {flags}");
    train("sample", folder.0.path(), &flags)
        .assert()
        .code(1)
        .stderr(predicate::str::contains("go on with: "));
    folder
}

fn resumed(run: &Folder, flags: &str) -> assert_cmd::assert::Assert {
    train("sample", run.0.path(), &format!("--resume --quiet {flags}")).assert()
}

fn assert_same(run: &Folder, expected: &Folder) {
    for ((name, expected), (_, found)) in results(expected).iter().zip(&results(run)) {
        assert!(expected == found, "{name} differs");
    }
}

#[test]
fn samples_and_held_out_documents_go_on() {
    for flags in [
        "--iterations 9 --samples 4 --thin 2 --init-topics 10",
        "--iterations 9 --phi dirichlet --init-topics 10 --max-topics 30 --holdout 0.2",
        "--iterations 9 --samples 4 --thin 2 --gamma 200 --anneal 3:7",
        "--iterations 9 --preset paper --discount 0.2 --init sequential",
    ] {
        let run = stopped_in(6, flags);
        resumed(&run, "").success().stdout("").stderr("");
        assert_same(&run, &trained("sample", flags));
    }
}

/// What a command resolves to is the same at the start and with `--resume`.
#[test]
fn the_same_command_goes_on() {
    for flags in [
        "",
        "--preset auto",
        "--init auto --holdout 0.4",
        "--preset paper --init auto",
        "--preset default --init documents:300",
        "--preset paper",
        "--preset paper --max-topics auto",
        "--preset paper --max-topics auto --init-topics 200",
        "--max-topics 900",
        "--max-topics auto --init documents:300",
        "--psi sticks --sampler direct --alpha 0.5",
        "--preset paper --psi uniform --max-topics 20",
    ] {
        let folder = Folder::new();
        let (corpus, out) = (folder.write("corpus", UCI), folder.path("run"));
        let train = |flags: &str| train(&corpus, &out, &format!("--vocab none --quiet {flags}")).assert();
        let flags = format!("{flags} --iterations 2");
        train(&flags).success();
        train(&format!("{flags} --resume")).success();
        train("--iterations 3 --resume").success();
        let refused = train(&format!("{flags} --resume")).code(2);
        refused.stderr(predicate::str::contains("--iterations: 2 are asked for"));
    }
}

#[test]
fn a_finished_run_is_made_longer() {
    for flags in ["--samples 3 --thin 2", "--sampler direct --samples 3 --thin 2 --init-topics 10"] {
        let undisturbed = trained("sample", &format!("--iterations 14 --trace-every 5 {flags}"));
        // The last row is off the grid.
        let run = trained("sample", &format!("--iterations 8 --trace-every 5 {flags}"));
        run.write("evaluation.json", "of iteration 8");
        resumed(&run, "--iterations 14").success();
        assert!(!run.path("evaluation.json").exists());
        assert_same(&run, &undisturbed);
        let info: Value = serde_json::from_str(&read(run.path("run.json"))).expect("JSON");
        let times = info["resumed"].as_array().expect("a list");
        assert_eq!((times.len(), &times[0]["iteration"]), (1, &json!(8)));
        assert_eq!(info["iterations_done"], 14);
        assert!(read(run.path("report.html")).contains("--iterations 14"), "the command that repeats it");
        // And again, with nothing left to do but the results.
        fs::remove_file(run.path("state.gz")).expect("a file");
        resumed(&run, "").success();
        assert_same(&run, &undisturbed);
    }
}

#[test]
fn what_would_be_another_run_is_refused_with_both_values() {
    let run = trained("sample", "--preset paper --iterations 3 --alpha 0.2 --holdout 0.1");
    let before = results(&run);
    for (flags, words) in [
        ("--alpha 0.3", ["--alpha: 0.3 is asked for", "has 0.2"]),
        ("--beta 0.3", ["--beta: 0.3 is asked for", "has 0.01"]),
        ("--gamma 0.3", ["--gamma: 0.3 is asked for", "has 1"]),
        ("--max-topics 30", ["--max-topics: 30 is asked for", "has 1000"]),
        ("--init-topics 3", ["--init: random:3 is asked for", "has one"]),
        ("--gamma learn:2,1", ["--gamma: learn:2,1 from 1 is asked for", "has 1"]),
        ("--psi dp", ["--psi: dp is asked for", "has sticks"]),
        ("--discount 0.1", ["--discount: 0.1 is asked for", "has 0"]),
        ("--max-topics auto", ["--max-topics: auto from 256 is asked for", "has 1000"]),
        ("--anneal 5:10", ["--anneal: 5:10 is asked for", "has none"]),
        ("--seed 2", ["--seed: 2 is asked for", "has 1"]),
        ("--phi dirichlet", ["--phi: dirichlet is asked for", "has ppu"]),
        ("--sampler direct", ["--sampler: direct is asked for", "has ppu"]),
        ("--trace-every 2", ["--trace-every: 2 is asked for", "has 10"]),
        ("--holdout 0.2", ["--holdout: 0.2 is asked for", "has 0.1"]),
        ("--holdout-seed 2", ["--holdout-seed: 2 is asked for", "has 0"]),
        ("--preset paper", ["--alpha: 0.1 is asked for", "has 0.2"]),
        ("--min-count 50", ["138335 tokens", "153215 tokens"]),
        ("--iterations 2", ["--iterations: 2 are asked for", "has done 3"]),
        (
            "--iterations 4 --samples 3 --thin 1",
            ["--iterations: the first of 3 samples would be iteration 2", "give a number from 6 on"],
        ),
    ] {
        let [asked, has] = words;
        let said = predicate::str::contains(asked).and(predicate::str::contains(has));
        resumed(&run, flags).code(2).stderr(said);
    }
    assert!(before == results(&run));
    resumed(&run, "--iterations 4").success();
}

#[test]
fn samples_that_were_had_are_not_thrown_away() {
    let run = trained("sample", "--iterations 9 --samples 3 --thin 2");
    let said = predicate::str::contains("has had 3 of 3 samples, 2 iterations apart");
    resumed(&run, "--samples 1").code(2).stderr(said);
    resumed(&run, "--samples 1 --iterations 10").success();
}

#[test]
fn two_processes_do_not_train_in_one_folder() {
    let folder = Folder::new();
    let out = folder.path("run");
    let _first = Live::train("sample", &out, "--iterations 1000000 --quiet");
    wait_for("a run", || out.join("trace.csv").exists().then_some(()));
    for flag in ["--resume", "--force"] {
        let refused = train("sample", &out, flag).assert().code(2);
        refused.stderr(predicate::str::contains("another process is training in"));
    }
}

#[test]
fn a_run_that_is_not_there_begins() {
    let folder = Folder::new();
    let out = folder.path("run");
    train("sample", &out, "--iterations 2 --resume --quiet").assert().success();
    // Killed before its first checkpoint.
    let run = trained("sample", "--iterations 2");
    fs::remove_dir_all(run.path("checkpoint")).expect("a folder");
    resumed(&run, "").code(2).stderr(predicate::str::contains("no checkpoint to go on from"));
    let running = read(run.path("run.json")).replace("\"finished\"", "\"running\"");
    fs::write(run.path("run.json"), running).expect("a file");
    resumed(&run, "--iterations 2").success();
    assert_same(&run, &trained("sample", "--iterations 2"));
    // Folders of others are left alone.
    let other = Folder::new();
    other.write("letter.txt", "Dear");
    resumed(&other, "").code(2).stderr(predicate::str::contains("no run.json of this program"));
    assert_eq!(names(other.0.path()), ["letter.txt"]);
}

#[test]
fn a_damaged_checkpoint_is_left_for_the_one_before() {
    let undisturbed = trained("sample", "--iterations 8");
    let run = stopped_in(7, "--iterations 8");
    let folder = run.path("checkpoint");
    let checkpoints: Vec<_> = names(&folder).into_iter().filter(|name| name != "lock").collect();
    let newest = folder.join(&checkpoints[1]);
    let bytes = fs::read(&newest).expect("a checkpoint");
    fs::write(&newest, &bytes[..bytes.len() / 2]).expect("a file");
    let said = predicate::str::contains(format!("{} cannot be used (its checksum is wrong)", checkpoints[1]));
    resumed(&run, "").success().stderr(said);
    assert_same(&run, &undisturbed);

    // Of another version, and whole.
    let mut other = bytes.clone();
    let content = other.len() - 32;
    other[8] = 9;
    let sum: [u8; 32] = <sha2::Sha256 as sha2::Digest>::digest(&other[..content]).into();
    other[content..].copy_from_slice(&sum);
    for name in names(&folder).into_iter().filter(|name| name != "lock") {
        fs::write(folder.join(name), &other).expect("a file");
    }
    resumed(&run, "").code(2).stderr(predicate::str::contains("has version 9 of the format"));
    for name in names(&folder).into_iter().filter(|name| name != "lock") {
        fs::write(folder.join(name), "").expect("a file");
    }
    let said = predicate::str::contains("no checkpoint can be used").and(predicate::str::contains("--force"));
    resumed(&run, "").code(2).stderr(said);
}

/// Logs are in the checkpoint, so that nothing that is done to the files is in the way.
#[cfg(target_os = "linux")]
#[test]
fn changed_logs_are_mended() {
    let flags = "--iterations 50 --trace-every 2 --checkpoint-every 10";
    let undisturbed = trained("sample", flags);
    let folder = Folder::new();
    let out = folder.0.path();
    let (mut run, hold) = Live::train_held("sample", out, &format!("{flags} --force"), "write timing.csv 8");
    fs::remove_file(out.join("trace.csv")).expect("a file");
    fs::write(out.join("tokens_per_topic.csv"), "iteration;topic;tokens\r\n").expect("a file");
    hold.release();
    assert_eq!(run.exit_code(), Some(0), "{}", run.stderr());
    assert_same(&folder, &undisturbed);

    let trace = read(out.join("trace.csv"));
    fs::write(out.join("trace.csv"), trace.replace(',', ";")).expect("a file");
    fs::remove_file(out.join("timing.csv")).expect("a file");
    resumed(&folder, "").success();
    assert_same(&folder, &undisturbed);
    assert_eq!(read(out.join("timing.csv")).lines().count(), 51);
}

#[test]
fn names_and_metadata_are_of_the_corpus() {
    let folder = Folder::new();
    let table = |year: u32| {
        let rows = (0..30).map(|d| format!("d{d},{year},red green blue red {}\n", ["sky", "sea"][d % 2]));
        format!("id,year,text\n{}", rows.collect::<String>())
    };
    let [corpus, other] = [1999, 2001].map(|year| folder.write(format!("{year}.csv"), table(year)));
    let out = folder.path("run");
    let command = |corpus: &Path, flags: &str| {
        let keep = "--stopwords none --min-count 1 --min-doc-length 1 --quiet";
        train(corpus, &out, &format!("{keep} {flags}")).assert()
    };
    command(&corpus, "--iterations 3 --id-column id").success();
    let said = || {
        let problem = predicate::str::contains("has other names or metadata of documents");
        problem.and(predicate::str::contains("--id-column id"))
    };
    command(&corpus, "--resume --iterations 4").code(2).stderr(said());
    command(&other, "--resume --iterations 4 --id-column id").code(2).stderr(said());
    command(&corpus, "--resume --iterations 4 --id-column id").success();
    // The command that began the run stays, for whoever wants to repeat it.
    let info: Value = serde_json::from_str(&read(out.join("run.json"))).expect("JSON");
    let words = |command: &Value| command.as_array().expect("a list").len();
    assert!(!info["command"].to_string().contains("--resume"));
    assert_eq!(words(&info["resumed"][0]["command"]), words(&info["command"]) + 1);
}

#[test]
fn bad_luck_inside_leaves_the_checkpoint() {
    let undisturbed = trained("sample", "--iterations 20 --trace-every 2");
    for (fault, said) in [
        ("panic", "the program stopped itself (a panic on purpose)"),
        ("count", "iteration 6: counted 153216 tokens instead of 153215"),
    ] {
        let folder = Folder::new();
        let flags = format!("--iterations 20 --trace-every 2 --force --inject-fault {fault}:6 --quiet");
        let report = predicate::str::contains("please report it").and(predicate::str::contains(said));
        train("sample", folder.0.path(), &flags).assert().code(1).stderr(report);
        resumed(&folder, "").success();
        assert_same(&folder, &undisturbed);
    }
}
