//! What a run needs is told before it starts, and what cannot fit is refused.

use predicates::str::is_match;

use super::{Folder, train};

/// A size as the program writes it.
const SIZE: &str = r"[0-9]+(\.[0-9])? [MG]B";

#[test]
fn needs_come_before_the_run() {
    let folder = Folder::new();
    let line = format!(
        r"^sample: .*\nneeds [0-9.]+ to [0-9]+ MB of memory \({SIZE} free\) and up to [0-9]+ MB of disk \({SIZE} free\)\niteration "
    );
    train("sample", &folder.path("run"), "--iterations 1")
        .assert()
        .success()
        .stderr(is_match(line).expect("a pattern"));
    train("sample", &folder.path("quiet"), "--iterations 1 --quiet").assert().success().stderr("");
}

#[test]
fn more_topics_are_said_to_need_more() {
    let most = |flags: &str| -> f64 {
        let folder = Folder::new();
        let run = train("sample", &folder.path("run"), &format!("--iterations 1 {flags}")).assert().success();
        let text = String::from_utf8(run.get_output().stderr.clone()).expect("text");
        let (_, rest) = text.split_once(" to ").expect("a range");
        rest.split_once(" MB of memory").and_then(|(most, _)| most.parse().ok()).expect("a size")
    };
    assert!(most("--init-topics 300") > 2.0 * most("--init one"));
}

/// On a small disk of our own, which needs no rights where the system allows namespaces.
#[cfg(target_os = "linux")]
mod small_disk {
    use std::process::Output;

    use predicates::prelude::*;
    use predicates::str::contains;

    use super::*;
    use crate::may_mount;

    /// The output of `train sample --out DISK/run` with `flags` on a disk of `size`, after the commands `before`, followed by
    /// what is on it then. None when such tests are to be left out.
    fn train_on_disk(size: &str, before: &str, flags: &str) -> Option<Output> {
        if !may_mount() {
            return None;
        }
        let folder = Folder::new();
        let script = format!(
            "mount -t tmpfs -o size={size} none \"$1\"\n\
             {before}\n\
             \"$2\" train sample --device cpu --out \"$1/run\" {flags}\n\
             code=$?; ls -A \"$1\"; exit $code"
        );
        let mut command = std::process::Command::new("unshare");
        command
            .args(["-rm", "sh", "-c", &script, "sh"])
            .arg(folder.0.path())
            .arg(env!("CARGO_BIN_EXE_hdp-gpu"));
        Some(command.output().expect("a shell"))
    }

    #[test]
    fn a_disk_that_is_too_small_is_refused_before_anything_is_written() {
        let Some(output) = train_on_disk("200k", "", "--preset paper --iterations 3") else { return };
        let message = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{message}");
        let refusal = is_match(format!(
            r"(?m)^error: --out: the run needs at least {SIZE} of disk, and /\S+ has 0.2 MB free; give a path on another disk"
        ));
        assert!(refusal.expect("a pattern").eval(&message), "{message}");
        assert!(output.stdout.is_empty(), "something was written");
    }

    #[test]
    fn a_disk_that_may_be_too_small_is_a_warning() {
        let Some(output) = train_on_disk("5m", "", "--preset paper --iterations 3 --quiet") else { return };
        let message = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(0), "{message}");
        assert!(contains("warning: the run may need up to ").eval(&message), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert_eq!(output.stdout, b"run\n");
    }

    #[test]
    fn what_a_run_replaces_counts_as_free() {
        // An earlier run has left far less than what a run needs.
        let earlier = "mkdir \"$1/run\"; echo '{\"program\":\"hdp-gpu\"}' >\"$1/run/run.json\"; \
                       head -c 2800k /dev/zero >\"$1/run/state.gz\"";
        let Some(output) = train_on_disk("3m", earlier, "--preset paper --iterations 3 --quiet --force")
        else {
            return;
        };
        let message = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(0), "{message}");
    }
}
