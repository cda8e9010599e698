//! What shells and `man` get: completions and pages that name every command and every flag.

use std::process::{Command, Stdio};

use predicates::str::{contains, is_empty, starts_with};

use super::{Folder, hdp_gpu, names, read};

/// Standard output of the program.
fn output(args: &[&str]) -> String {
    let output = hdp_gpu().args(args).assert().success().stderr(is_empty()).get_output().stdout.clone();
    String::from_utf8(output).expect("UTF-8")
}

/// The commands that the help lists, without `help`.
fn commands() -> Vec<String> {
    let help = output(&["--help"]);
    let (_, listed) = help.split_once("Commands:\n").expect("a list of commands");
    let (listed, _) = listed.split_once("\n\n").expect("an end of the list");
    let lines = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    let commands: Vec<String> = names.filter(|&name| name != "help").map(str::to_owned).collect();
    for known in ["train", "selftest", "completions", "man"] {
        assert!(commands.iter().any(|command| command == known), "{known} is not in {commands:?}");
    }
    commands
}

/// The long flags that a command's help lists.
fn flags(command: &str) -> Vec<String> {
    let help = output(&[command, "--help"]);
    let heads = help.lines().filter(|line| line.trim_start().starts_with('-'));
    let flags = heads.filter_map(|line| line.split([' ', ',', '[']).find(|word| word.starts_with("--")));
    flags.map(str::to_owned).collect()
}

#[test]
fn bash_completes_every_command() {
    let script = output(&["completions", "bash"]);
    let offered =
        script.lines().find(|line| line.trim_start().starts_with("opts=\"-")).expect("a first word");
    let offered: Vec<&str> = offered.split([' ', '"']).collect();
    for command in commands() {
        assert!(offered.contains(&command.as_str()), "{command} is not in {offered:?}");
    }
    for flag in flags("train") {
        assert!(script.contains(&flag), "{flag}");
    }
    let folder = Folder::new();
    let path = folder.write("completions", &script);
    match Command::new("bash").arg("-n").arg(&path).stdin(Stdio::null()).output() {
        Err(error) => eprintln!("ignored: bash cannot be started ({error})"),
        Ok(checked) => assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr)),
    }
}

#[test]
fn every_shell_has_a_script_of_its_own() {
    let shells = ["bash", "elvish", "fish", "powershell", "zsh"];
    let scripts = shells.map(|shell| output(&["completions", shell]));
    for (at, script) in scripts.iter().enumerate() {
        assert!(script.contains("train") && script.contains("selftest"), "{}", shells[at]);
        assert!(!scripts[..at].contains(script), "{}", shells[at]);
    }
    hdp_gpu().args(["completions", "tcsh"]).assert().code(2).stderr(contains("possible values: bash, "));
}

#[test]
fn every_command_has_a_page_and_every_flag_of_train_is_on_its_page() {
    let folder = Folder::new();
    let out = folder.path("share/man1");
    hdp_gpu().args(["man", "--out"]).arg(&out).assert().success().stderr(is_empty());
    let mut expected: Vec<String> =
        commands().iter().map(|command| format!("hdp-gpu-{command}.1")).chain(["hdp-gpu.1".into()]).collect();
    expected.sort();
    assert_eq!(names(&out), expected);

    let train = read(out.join("hdp-gpu-train.1")).replace("\\-", "-");
    let flags = flags("train");
    assert!(flags.len() > 40 && flags.contains(&"--alpha".to_owned()), "{flags:?}");
    for flag in flags {
        assert!(train.contains(&format!("\\fB{flag}\\fR")), "{flag}");
    }
    assert!(train.contains(&format!("hdp-gpu {}", env!("CARGO_PKG_VERSION"))), "the version");
}

#[test]
fn pages_that_are_there_are_replaced_by_force_only() {
    let folder = Folder::new();
    let page = folder.write("hdp-gpu-train.1", "mine");
    let out = folder.path("");
    let man = || {
        let mut man = hdp_gpu();
        man.args(["man", "--out"]).arg(&out);
        man
    };
    man().assert().code(2).stderr(starts_with("error: --out: ")).stderr(contains("--force"));
    assert_eq!(names(&out), ["hdp-gpu-train.1"]);
    assert_eq!(read(&page), "mine");
    man().arg("--force").assert().success();
    assert!(read(&page).contains("hdp\\-gpu") && names(&out).len() > 5);
    // A file where the folder is to be.
    hdp_gpu().args(["man", "--out"]).arg(&page).assert().failure().stderr(contains("cannot be written"));
}
