//! Limits of the system: the program ends, and names them as what they are.

use std::process::Command;

use super::live::Live;
use super::{Folder, hdp_gpu, read, train, trained};

/// Trains under the limits that a shell sets; its exit code and what it says.
fn limited(limits: &str, flags: &str) -> (Option<i32>, String) {
    let folder = Folder::new();
    let script = format!(
        "{limits}; exec \"$PROGRAM\" train sample --out \"$OUT\" --device cpu --iterations 3 {flags}"
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).env("PROGRAM", assert_cmd::cargo::cargo_bin!("hdp-gpu"));
    command.env("OUT", folder.path("run")).env("RUST_BACKTRACE", "1");
    let mut live = Live::start(&mut command);
    (live.exit_code(), live.stderr())
}

#[test]
fn on_open_files() {
    // Without room for anything, and with room for the run to begin.
    let mut refused = 0;
    for files in [5, 6, 7, 8] {
        let (code, said) = limited(&format!("ulimit -n {files}"), "");
        refused += u32::from(code != Some(0));
        if code != Some(0) {
            assert!(matches!(code, Some(1 | 2)), "{files}: {code:?}: {said}");
            assert!(said.contains("error: ") && !said.contains("panic"), "{files}: {said}");
            assert!(!said.contains("trying again"), "{files}: {said}");
        }
    }
    assert!(refused > 0, "8 files are enough");
    let (code, said) = limited("ulimit -n 7", "");
    assert!(code == Some(0) || said.contains("raise the limit on open files (ulimit -n)"), "{said}");
}

/// Data of so many kilobytes: somewhere on the way memory is refused, and a backtrace is asked for.
#[test]
fn on_memory() {
    let mut refused = 0;
    for kilobytes in [2_000, 4_000, 8_000, 12_000, 16_000, 24_000, 32_000, 48_000] {
        let (code, said) = limited(&format!("ulimit -d {kilobytes}"), "--threads 2");
        assert!(matches!(code, Some(0..=2)), "{kilobytes}: {code:?}: {said}");
        assert!(code == Some(0) || !said.trim().is_empty(), "{kilobytes}: ends without a word");
        refused += u32::from(code != Some(0));
    }
    assert!(refused > 0, "2 MB are enough");
}

/// Sets a limit in the midst of a training, with most of its iterations to come; its exit code and what it says.
fn limited_on_the_way(limit: &str) -> (Option<i32>, String) {
    let folder = Folder::new();
    let flags = "--iterations 9 --threads 2 --checkpoint-every 1";
    let (mut live, hold) = Live::train_held("sample", &folder.path("run"), flags, "write timing.csv 4");
    let limited = Command::new("prlimit").arg(format!("--pid={}", live.id())).arg(limit).status();
    assert!(limited.expect("prlimit starts").success());
    hold.release();
    (live.exit_code(), live.stderr())
}

#[test]
fn that_come_in_the_midst_of_a_training() {
    for (limit, named) in [("--nofile=3", "raise the limit on open files (ulimit -n)"), ("--data=1", "")] {
        let (code, said) = limited_on_the_way(limit);
        assert!(matches!(code, Some(1 | 2)), "{limit}: {code:?}: {said}");
        assert!(!said.trim().is_empty() && said.contains(named), "{limit}: {said}");
    }
}

/// No thread more than the process has: commands that start threads say so, and others do their work. Nobody is the user, since the limit
/// does not hold for root; the program is one that this user may start.
#[test]
fn on_threads() {
    let folder = Folder::new();
    let open_to_all = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(folder.0.path(), open_to_all).expect("a folder");
    let program = folder.path("program");
    std::fs::copy(assert_cmd::cargo::cargo_bin!("hdp-gpu"), &program).expect("a copy of the program");
    let run = folder.path("run").display().to_string();
    train("sample", &folder.path("run"), "--iterations 2 --quiet").assert().success();
    let is_root = std::fs::metadata("/proc/self").map(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let as_nobody: &[&str] = match is_root {
        Ok(true) => &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
        _ => &["env"],
    };
    let out = folder.path("out").display().to_string();
    for arguments in [
        &["train", "sample", "--device", "cpu", "--out", &out][..],
        &["report", &run, "--out", &out],
        &["infer", &run, "sample", "--device", "cpu", "--out", &out],
        &["topics", &run],
    ] {
        let mut command = Command::new(as_nobody[0]);
        command.args(&as_nobody[1..]).args(["prlimit", "--nproc=1"]).arg(&program).args(arguments);
        let mut live = Live::start(&mut command);
        let (code, said) = (live.exit_code(), live.stderr());
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(
            said.contains("the system refuses a thread") && !said.contains("panic"),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn a_path_does_not_steer_the_terminal() {
    let folder = Folder::new();
    let out = folder.path("a\u{1b}[31mred\u{202e}txt");
    let assert = train("sample", &out, "--iterations 2").assert().success();
    let output = assert.get_output();
    for said in [&output.stdout, &output.stderr] {
        let said = String::from_utf8_lossy(said);
        assert!(!said.contains(['\u{1b}', '\u{202e}']), "{said:?}");
    }
}

#[test]
fn a_vocabulary_of_another_order_is_refused() {
    let run = trained("sample", "--iterations 2");
    let vocab = run.path("vocab.txt");
    let reversed: String = read(&vocab).lines().rev().flat_map(|word| [word, "\n"]).collect();
    std::fs::write(&vocab, reversed).expect("a file");
    let refusal = hdp_gpu().arg("topics").arg(run.0.path()).assert().code(2).stdout("");
    let said = String::from_utf8_lossy(&refusal.get_output().stderr).into_owned();
    assert!(said.contains("vocab.txt: is not the vocabulary of model.safetensors"), "{said}");
}
