//! Signals in every phase: whatever a command is about, the first one ends it, with what is whole kept and nothing half-written.
//!
//! But for the scoring of held-out documents, each command here would go on for long, or is held in a call, so that no machine
//! is too busy for the difference.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::hold::Hold;
use super::live::{Live, training, wait_for, wait_for_rows};
use super::{Folder, names, read, train, trained};

/// Waits until a process hears signals, which it does before it does anything else.
fn wait_for_ears(live: &Live) {
    let status = format!("/proc/{}/status", live.id());
    wait_for("a process that hears signals", || {
        let status = fs::read_to_string(&status).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        let mask = u64::from_str_radix(caught.trim(), 16).expect("a mask");
        // SIGTERM, the 15th.
        (mask >> 14 & 1 == 1).then_some(())
    });
}

/// The time that a process has worked, in hundredths of a second, which is how Linux counts; none when it has ended.
fn worked(live: &Live) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", live.id())).ok()?;
    // The name, in brackets, may have blanks. Of what comes after it, the 12th and 13th field are times.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

/// Waits until a process is in the midst of its work, whose beginning takes a fraction of this time.
fn wait_for_work(live: &Live) {
    wait_for("a second's work", || worked(live).filter(|&worked| worked > 100));
}

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("hdp-gpu"));
    command.args(arguments);
    command
}

/// The time that each thread of a process has worked or waited for a processor.
fn scheduled(live: &Live, times: &mut HashMap<String, Duration>) {
    for task in fs::read_dir(format!("/proc/{}/task", live.id())).into_iter().flatten().flatten() {
        let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        let times_of = text.split_whitespace().take(2).filter_map(|time| time.parse::<u64>().ok());
        let time = Duration::from_nanos(times_of.sum());
        times
            .entry(task.file_name().to_string_lossy().into_owned())
            .and_modify(|had| *had = time.max(*had))
            .or_insert(time);
    }
}

/// Sends SIGTERM; the process ends before it has worked for two seconds on each of two processors, and before it has lain idle
/// for long, however busy the machine is. Its exit code, and what it has to say.
fn asked_to_end(mut live: Live) -> (Option<i32>, String) {
    const IDLE: Duration = Duration::from_secs(30);
    let (before, start) = (worked(&live), Instant::now());
    let mut times = HashMap::new();
    scheduled(&live, &mut times);
    let sum = |times: &HashMap<String, Duration>| times.values().sum::<Duration>();
    let scheduled_before = sum(&times);
    live.signal("-TERM");
    let mut last = before;
    wait_for("the end of the process", || {
        last = worked(&live).or(last);
        scheduled(&live, &mut times);
        live.ended().map(drop)
    });
    assert!(last <= before.map(|before| before + 400), "{before:?} {last:?}");
    let idle = start.elapsed().saturating_sub(sum(&times).saturating_sub(scheduled_before));
    assert!(idle < IDLE, "idle for {idle:?}: {}", live.stderr());
    (live.exit_code(), live.stderr())
}

/// As [`asked_to_end`]; it ends with the exit code of what was interrupted, and the command that goes on.
fn ended(live: Live) -> String {
    let (code, said) = asked_to_end(live);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("go on with: "), "{said}");
    said
}

/// Whether `folder`, or a folder in it, has a file that is half written.
fn has_half_written(folder: &Path) -> bool {
    fs::read_dir(folder).expect("a folder").any(|entry| {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with(".writing-") || path.is_dir() && has_half_written(&path)
    })
}

#[test]
fn while_standard_input_is_read_its_copy_goes() {
    let run = trained("sample", "--iterations 2");
    let run = run.0.path().display().to_string();
    let commands: &[&[&str]] = &[
        &["train", "-", "--out", "out"],
        &["prepare", "-", "--out", "out"],
        &["infer", &run, "-", "--out", "out"],
        &["evaluate", &run, "--heldout", "-", "--out", "out"],
    ];
    for arguments in commands {
        let (folder, spool) = (Folder::new(), Folder::new());
        let mut command = program(arguments);
        command.current_dir(folder.0.path()).env("TMPDIR", spool.0.path()).stdin(Stdio::piped());
        let mut live = Live::start(&mut command);
        let mut input = live.stdin();
        input.write_all(b"words that never end\n").expect("a reader");
        wait_for("the copy of standard input", || (!names(spool.0.path()).is_empty()).then_some(()));
        let said = ended(live);
        assert_eq!(names(spool.0.path()), Vec::<String>::new(), "{said}");
        assert_eq!(names(folder.0.path()), Vec::<String>::new(), "{said}");
        drop(input);
    }
}

#[test]
fn while_documents_are_inferred_or_scored() {
    let run = trained("sample", "--iterations 2 --holdout 0.5");
    let run = run.0.path().display().to_string();
    let commands: &[&[&str]] = &[
        &["infer", &run, "sample", "--out", "out", "--samples", "100000000", "--device", "cpu"],
        &["evaluate", &run, "--out", "out", "--samples", "100000000", "--device", "cpu"],
    ];
    for arguments in commands {
        let folder = Folder::new();
        let live = Live::start(program(arguments).current_dir(folder.0.path()));
        wait_for_work(&live);
        let said = ended(live);
        assert_eq!(names(folder.0.path()), Vec::<String>::new(), "{said}");
    }
}

#[test]
fn while_a_corpus_is_drawn() {
    let folder = Folder::new();
    let arguments = ["synth", "--out", "out", "--docs", "50000", "--doc-length", "1000"];
    let live = Live::start(program(&arguments).current_dir(folder.0.path()));
    wait_for_work(&live);
    ended(live);
}

/// A run that was asked to end while it scored held-out documents; none if that was over too soon.
fn interrupted_scoring(flags: &str) -> Option<Folder> {
    let folder = Folder::new();
    let mut live = Live::train("sample", &folder.path("run"), &format!("{flags} --threads 1"));
    // The model is the last file before the scores.
    wait_for("the results", || {
        (folder.path("run/model.safetensors").exists() || live.ended().is_some()).then_some(())
    });
    let (code, said) = asked_to_end(live);
    if code == Some(0) {
        return None;
    }
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains(" --resume"), "{said}");
    Some(folder)
}

/// The scoring takes a fraction of a second, so it is tried until the request comes within it.
#[test]
fn while_held_out_documents_are_scored_and_then_it_goes_on() {
    let flags = "--iterations 3 --trace-every 1 --holdout 0.9";
    let folder = (0..50).find_map(|_| interrupted_scoring(flags)).expect("a request while it scores");
    assert!(!has_half_written(&folder.path("run")));
    assert!(names(&folder.path("run/checkpoint")).contains(&"iteration-3.checkpoint".to_owned()));
    train("sample", &folder.path("run"), &format!("{flags} --resume --quiet")).assert().success();
    let undisturbed = trained("sample", flags);
    let completion = |run: &Path| {
        let record: serde_json::Value = serde_json::from_str(&read(run.join("run.json"))).expect("JSON");
        record["holdout"]["completion"].clone()
    };
    assert!(completion(undisturbed.0.path()).is_object());
    assert_eq!(completion(&folder.path("run")), completion(undisturbed.0.path()));
}

/// Phases in which a command is held, and the call: reading a corpus, preparing, starting, writing results, beginning another chain,
/// and what commands after a training write. Words that begin with a slash are files of the test.
const HELD: &[(&str, &str)] = &[
    ("train /corpus --vocab none --out /out --device cpu", "open corpus 2"),
    ("prepare /corpus --vocab none --out /out", "rename out 1"),
    ("train /corpus --vocab none --out /out --device cpu", "rename run.json 1"),
    ("train /corpus --vocab none --out /out --device cpu --iterations 2", "rename theta.npz 1"),
    ("train /corpus --vocab none --out /out --device cpu --iterations 2", "open out/.writing- 12"),
    ("train /corpus --vocab none --out /out --device cpu --iterations 2 --chains 2", "mkdir chains/2 1"),
    ("report /run --out /out.html", "rename out.html 1"),
    ("evaluate /run --out /out.json --device cpu", "rename out.json 1"),
    ("infer /run /corpus --vocab none --out /out --device cpu", "rename theta.npz 1"),
];

#[test]
fn while_a_disk_holds_a_command() {
    let folder = Folder::new();
    let corpus = folder.write("corpus", super::UCI);
    let flags = "--vocab none --iterations 2 --quiet";
    train(corpus, &folder.path("run"), flags).assert().success();
    for (line, call) in HELD {
        let path = |word: &str| match word.strip_prefix('/') {
            Some(name) => folder.path(name).display().to_string(),
            None => word.to_owned(),
        };
        let words: Vec<String> = line.split(' ').map(path).collect();
        let mut command = program(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let hold = Hold::at(&mut command, folder.0.path(), call);
        let mut live = Live::start(&mut command);
        hold.wait(&mut live);
        let said = ended(live);
        assert!(!has_half_written(folder.0.path()), "{line}: {said}");
        let _ = fs::remove_dir_all(folder.path("out"));
    }
}

#[test]
fn while_a_state_is_finished() {
    let folder = Folder::new();
    let flags = "--iterations 2 --finish 1000000000";
    let mut live = Live::train("sample", &folder.path("run"), flags);
    live.wait_for_word("sweeps");
    let said = ended(live);
    assert!(names(&folder.path("run/checkpoint")).contains(&"iteration-2.checkpoint".to_owned()), "{said}");
}

/// The last checkpoint waits for a disk, which is given up.
#[test]
fn while_a_disk_is_waited_for() {
    let folder = Folder::new();
    let run = folder.path("run");
    let flags = "--iterations 9 --checkpoint-every 1 --disk-patience 1h";
    let (mut live, hold) = Live::train_held("sample", &run, flags, "write timing.csv 4");
    let limit =
        Command::new("prlimit").args([&format!("--pid={}", live.id()), "--fsize=2000:unlimited"]).status();
    assert!(limit.expect("prlimit starts").success());
    hold.release();
    live.wait_for_word("trying again for ");
    let said = ended(live);
    assert!(said.contains("cannot be written") && said.contains(" --resume"), "{said}");
}

/// An iteration that does not end, as on a device that hangs: the second request ends it.
#[test]
fn a_second_time() {
    let folder = Folder::new();
    let run = folder.path("run");
    let (mut live, _hold) = Live::train_held("sample", &run, "--checkpoint-every 1", "write timing.csv 4");
    live.signal("-TERM");
    live.wait_for_word("interrupted: ending after this iteration");
    wait_for("the end", || {
        sleep(Duration::from_millis(100));
        live.signal("-TERM");
        live.ended()
    });
    assert_eq!(live.exit_code(), Some(130));
    assert!(live.stderr().contains("stopped at once; the last checkpoint is kept; go on with: "));
}

/// As when a terminal is held by Ctrl-S: whoever wants to say something waits, and holds what others would need to say anything.
#[test]
fn while_nobody_takes_what_is_said() {
    let folder = Folder::new();
    let (fifo, _kept_open) = pipe(&folder);
    fill(&fifo);
    let mut live = Live::start(&mut said_to(&fifo, training("sample", &folder.path("run"), "")));
    wait_for_ears(&live);
    live.signal("-TERM");
    assert_eq!(live.exit_code(), Some(130));
}

/// The same in the midst of a training: its checkpoint comes all the same.
#[test]
fn while_nobody_takes_what_a_training_says() {
    let folder = Folder::new();
    let (fifo, _kept_open) = pipe(&folder);
    let run = folder.path("run");
    // Looks, of which each says something.
    let flags = "--iterations 1000000 --trace-every 1 --chains 2 --until settled --grace 1ms";
    let mut command = said_to(&fifo, training("sample", &run, flags));
    let hold = Hold::at(&mut command, &run, "write timing.csv 2");
    let mut live = Live::start(&mut command);
    hold.wait(&mut live);
    fill(&fifo);
    hold.release();
    wait_for("a thread that has something to say", || waits_to_say(&live).then_some(()));
    live.signal("-TERM");
    assert_eq!(live.exit_code(), Some(130));
    let done = read(run.join("timing.csv")).lines().count() - 1;
    assert!(names(&run.join("checkpoint")).contains(&format!("iteration-{done}.checkpoint")), "{done}");
}

/// A pipe, and what keeps it open.
fn pipe(folder: &Folder) -> (std::path::PathBuf, File) {
    let fifo = folder.path("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo starts").success());
    let kept_open = File::options().read(true).write(true).open(&fifo).expect("a pipe");
    (fifo, kept_open)
}

/// Fills a pipe to its last byte.
fn fill(fifo: &Path) {
    for size in ["bs=512", "bs=1"] {
        let mut fill = Command::new("dd");
        fill.args(["if=/dev/zero", "oflag=nonblock", size]).arg(format!("of={}", fifo.display()));
        let filled = fill.stderr(Stdio::null()).status().expect("dd starts");
        assert!(!filled.success(), "it ends when the pipe is full");
    }
}

/// The command, with its standard error in a pipe.
fn said_to(fifo: &Path, command: Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"exec "$@" 2>"$0""#]).arg(fifo).arg(command.get_program()).args(command.get_args());
    shell
}

/// Whether a thread of the process waits until its standard error takes something: in write, poll or ppoll.
fn waits_to_say(live: &Live) -> bool {
    let [write, polls] = if cfg!(target_arch = "aarch64") { ["64 0x2 ", "73 "] } else { ["1 0x2 ", "271 "] };
    let tasks = fs::read_dir(format!("/proc/{}/task", live.id())).into_iter().flatten().flatten();
    let mut calls = tasks.map(|task| fs::read_to_string(task.path().join("syscall")).unwrap_or_default());
    calls.any(|call| call.starts_with(write) || call.starts_with(polls) || call.starts_with("7 "))
}

/// The iteration is ended and a checkpoint written in any case; results have the time that they are given.
#[test]
fn while_a_run_trains_with_no_time_for_results() {
    let folder = Folder::new();
    let run = folder.path("run");
    let live = Live::train("sample", &run, "--iterations 1000000 --trace-every 1 --grace 1ms");
    wait_for_rows(&run, 2);
    ended(live);
    assert!(!has_half_written(&run));
    let done = names(&run.join("checkpoint")).len();
    assert!(done >= 2, "a lock and checkpoints");
    let last = read(run.join("timing.csv")).lines().count() - 1;
    train("sample", &run, &format!("--iterations {} --resume --quiet", last + 2)).assert().success();
    let undisturbed = trained("sample", &format!("--iterations {} --trace-every 1", last + 2));
    assert_eq!(read(run.join("trace.csv")), read(undisturbed.path("trace.csv")));
}
