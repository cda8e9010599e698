//! Disks that are full, read-only or gone: the run goes on, nothing that is good is damaged, and nothing changes.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::determinism::results;
use super::live::Live;
use super::seam::stand_before;
use super::{Folder, may_mount, names, train, trained};

const FLAGS: &str = "--iterations 250 --trace-every 2";

const REFUSES: &str = "what cannot be written waits in memory, and the run goes on and tries again";
/// Where a run is held: on its way, with most of its iterations to come.
const ON_ITS_WAY: &str = "write timing.csv 4";

const ACCEPTS: &str = "all that waited for the disk is written";

fn assert_undisturbed(run: &Folder) {
    for ((name, expected), (_, found)) in results(&trained("sample", FLAGS)).iter().zip(&results(run)) {
        assert!(expected == found, "{name} differs");
    }
}

/// Sets the largest size of files that a process may write.
fn limit_files(run: &Live, bytes: &str) {
    let flags = [format!("--pid={}", run.id()), format!("--fsize={bytes}:unlimited")];
    assert!(Command::new("prlimit").args(flags).status().expect("prlimit starts").success());
}

#[test]
fn rows_and_checkpoints_wait_for_a_file_size_limit_to_be_lifted() {
    let folder = Folder::new();
    let out = folder.0.path();
    let flags = format!("{FLAGS} --force --checkpoint-every 1");
    let (mut run, hold) = Live::train_held("sample", out, &flags, ON_ITS_WAY);
    limit_files(&run, "2000");
    hold.release();
    run.wait_for_word(REFUSES);
    let rows = fs::read_to_string(out.join("timing.csv")).expect("a log");
    assert!(rows.ends_with('\n'), "no half rows");
    limit_files(&run, "unlimited");
    run.wait_for_word(ACCEPTS);
    assert_eq!(run.exit_code(), Some(0), "{}", run.stderr());
    assert_undisturbed(&folder);
}

#[test]
fn a_run_that_ends_under_a_limit_waits_and_then_keeps_its_last_good_checkpoint() {
    let folder = Folder::new();
    let out = folder.0.path();
    train("sample", out, "--iterations 20 --trace-every 2 --force --quiet").assert().success();
    let checkpoints = names(&out.join("checkpoint"));
    let flags = format!("{FLAGS} --resume --disk-patience 1s");
    let (mut run, hold) = Live::train_held("sample", out, &flags, ON_ITS_WAY);
    limit_files(&run, "2000");
    hold.release();
    assert_eq!(run.exit_code(), Some(1), "{}", run.stderr());
    for word in [REFUSES, "trying again for 1 second", "the checkpoint of iteration 20 is kept", "--resume"] {
        assert!(run.stderr().contains(word), "{word}: {}", run.stderr());
    }
    assert_eq!(names(&out.join("checkpoint")), checkpoints);
    train("sample", out, &format!("{FLAGS} --resume --quiet")).assert().success();
    assert_undisturbed(&folder);
}

#[test]
fn a_folder_that_goes_away_and_comes_back() {
    let folder = Folder::new();
    let (out, away) = (folder.path("run"), folder.path("away"));
    let flags = format!("{FLAGS} --checkpoint-every 1");
    let (mut run, hold) = Live::train_held("sample", &out, &flags, ON_ITS_WAY);
    fs::rename(&out, &away).expect("a folder");
    hold.release();
    run.wait_for_word(REFUSES);
    fs::rename(&away, &out).expect("a folder");
    run.wait_for_word(ACCEPTS);
    assert_eq!(run.exit_code(), Some(0), "{}", run.stderr());
    fs::rename(&out, folder.path("back")).expect("a folder");
    for (name, expected) in results(&trained("sample", FLAGS)) {
        let found = if name == "state.gz" {
            super::gunzip(folder.path("back/state.gz")).into_bytes()
        } else {
            fs::read(folder.path("back").join(name)).expect("a result")
        };
        assert!(expected == found, "{name} differs");
    }
}

#[test]
fn a_folder_that_is_gone_for_good() {
    let folder = Folder::new();
    let out = folder.path("run");
    let flags = format!("{FLAGS} --checkpoint-every 1 --disk-patience 1s");
    let (mut run, hold) = Live::train_held("sample", &out, &flags, ON_ITS_WAY);
    // Moved first, so that nothing new is written in it while it is emptied.
    let gone = folder.path("gone");
    fs::rename(&out, &gone).expect("a folder");
    fs::remove_dir_all(&gone).expect("a folder");
    hold.release();
    assert_eq!(run.exit_code(), Some(1), "{}", run.stderr());
    assert!(run.stderr().contains(REFUSES) && run.stderr().contains("cannot be written"), "{}", run.stderr());
}

/// Somebody puts a link in the place of a run's folder: what it leads to is left alone, and the run waits.
#[test]
fn a_folder_that_becomes_a_link() {
    let folder = Folder::new();
    let (out, away, elsewhere) = (folder.path("run"), folder.path("away"), folder.path("elsewhere"));
    let flags = format!("{FLAGS} --checkpoint-every 1");
    let (mut run, hold) = Live::train_held("sample", &out, &flags, ON_ITS_WAY);
    fs::create_dir(&elsewhere).expect("a folder");
    std::os::unix::fs::symlink(&elsewhere, &away).expect("a link");
    // Both at once, so that the run finds a link and never nothing.
    let [from, to] = [&away, &out];
    renameat_with(CWD, from, CWD, to, RenameFlags::EXCHANGE).expect("a folder and a link");
    hold.release();
    run.wait_for_word("it is not the folder that it was");
    assert_eq!(names(&elsewhere), Vec::<String>::new());
    fs::remove_file(&out).expect("a link");
    fs::rename(&away, &out).expect("a folder");
    run.wait_for_word(ACCEPTS);
    assert_eq!(run.exit_code(), Some(0), "{}", run.stderr());
    assert_eq!(names(&elsewhere), Vec::<String>::new());
}

/// Before the first iteration too the disk is waited for. What the run says is in a file too, and shorter than the limit.
#[test]
fn a_limit_that_a_run_begins_under() {
    let folder = Folder::new();
    let out = folder.path("run");
    let mut command = Command::new("prlimit");
    command
        .args(["--fsize=2000:unlimited", assert_cmd::cargo::cargo_bin!("hdp-gpu").to_str().expect("a path")]);
    command.args(["train", "sample", "--device", "cpu", "--iterations", "4", "--out"]).arg(&out);
    let mut run = Live::start(&mut command);
    run.wait_for_word("; trying again for ");
    limit_files(&run, "unlimited");
    run.wait_for_word(ACCEPTS);
    assert_eq!(run.exit_code(), Some(0), "{}", run.stderr());
}

/// Runs `script` where it may mount; `$OUT` is a folder that stays. None when such tests are to be left out.
fn with_mounts(script: &str, out: &Path) -> Option<String> {
    if !may_mount() {
        return None;
    }
    let mut command = Command::new("unshare");
    stand_before(&mut command, Path::new("/mnt/run"));
    command.args(["-rm", "sh", "-euc", script]).env("OUT", out);
    command.env("SEAM_HOLD", ON_ITS_WAY).env("SEAM_HELD", out.join("held"));
    command.env("PROGRAM", assert_cmd::cargo::cargo_bin!("hdp-gpu"));
    let output = command.output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    Some(said)
}

/// What both scripts begin with: a run on the file system at `/mnt`, which is held, and a way to wait for words of it.
const RUN: &str = r#"
    "$PROGRAM" train sample --out /mnt/run --device cpu --iterations 250 --trace-every 2 --checkpoint-every 1 \
        2>"$OUT/stderr" &
    run=$!
    said() { while ! grep -q "$1" "$OUT/stderr"; do kill -0 $run; sleep 0.01; done; }
    while ! [ -e "$OUT/held" ]; do kill -0 $run; sleep 0.01; done
"#;

#[test]
fn a_full_disk_that_is_cleared() {
    let folder = Folder::new();
    let script = format!(
        r#"mount -t tmpfs -o size=20m none /mnt
        {RUN}
        dd if=/dev/zero of=/mnt/fill bs=4k 2>/dev/null || true
        rm "$OUT/held"
        said '{REFUSES}'
        rm /mnt/fill
        said '{ACCEPTS}'
        wait $run
        cat "$OUT/stderr" >&2
        cp /mnt/run/* "$OUT" 2>/dev/null || true"#
    );
    if let Some(said) = with_mounts(&script, folder.0.path()) {
        assert!(said.contains("No space left on device"), "{said}");
        assert_undisturbed(&folder);
    }
}

#[test]
fn a_disk_that_becomes_read_only() {
    let folder = Folder::new();
    let script = format!(
        r#"mount -t tmpfs none /mnt
        {RUN}
        mount --bind /mnt/run /mnt/run
        # Refused while the run has just opened a file to write.
        until mount -o remount,bind,ro /mnt/run 2>"$OUT/busy"; do kill -0 $run; done
        rm "$OUT/held"
        said '{REFUSES}'
        until umount /mnt/run 2>"$OUT/busy"; do kill -0 $run; done
        said '{ACCEPTS}'
        wait $run
        cat "$OUT/stderr" >&2
        cp /mnt/run/* "$OUT" 2>/dev/null || true"#
    );
    if let Some(said) = with_mounts(&script, folder.0.path()) {
        assert!(said.contains("Read-only file system"), "{said}");
        assert_undisturbed(&folder);
    }
}
