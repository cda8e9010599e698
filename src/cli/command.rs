//! The command line as text: what was typed, and what goes on with a run or repeats it.

use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};

use hdp_gpu::RunRecord;
use hdp_gpu::run::RunSpec;

/// The command line of this process. Where another program carries this one along, it is not that program's own.
static COMMAND_LINE: Mutex<Vec<OsString>> = Mutex::new(Vec::new());

/// Has `args` be what was typed.
pub(super) fn set_command_line(args: Vec<OsString>) {
    *COMMAND_LINE.lock().unwrap_or_else(PoisonError::into_inner) = args;
}

/// What was typed. A path need not be UTF-8, and then only its file needs the exact bytes.
pub(super) fn command_line() -> Vec<String> {
    let args = COMMAND_LINE.lock().unwrap_or_else(PoisonError::into_inner);
    args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect()
}

/// The words of the command that all ranks must have alike: those of devices and threads may differ, and the faults of tests.
pub(super) fn shared_words() -> String {
    const OWN: [&str; 7] = [
        "--device",
        "--kernel",
        "--team",
        "--threads",
        "--inject-fault",
        "--inject-division",
        "--inject-stand-in",
    ];
    let mut words = command_line().into_iter().skip(1);
    let mut shared = Vec::new();
    while let Some(word) = words.next() {
        if OWN.contains(&word.as_str()) {
            words.next();
        } else if !OWN.iter().any(|own| word.strip_prefix(own).is_some_and(|rest| rest.starts_with('='))) {
            shared.push(word);
        }
    }
    shell_line(&shared)
}

/// Words as a shell reads them back.
fn shell_line(words: &[String]) -> String {
    if cfg!(windows) {
        return words.iter().map(|word| quoted_for_windows(word)).collect::<Vec<_>>().join(" ");
    }
    // Only a zero byte cannot be quoted, and no argument has one.
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// A word for cmd and PowerShell, which do not know the quotes of Unix, as Windows programs take it apart.
fn quoted_for_windows(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || r"-_.:\/=+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    // Backslashes mean something only before a quotation mark.
    let (mut quoted, mut backslashes) = ("\"".to_owned(), 0);
    for c in word.chars() {
        if c == '"' {
            quoted.extend(std::iter::repeat_n('\\', backslashes + 1));
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        quoted.push(c);
    }
    quoted.extend(std::iter::repeat_n('\\', backslashes));
    quoted + "\""
}

/// What was typed, as a shell reads it back.
pub(super) fn typed_command() -> String {
    shell_line(&command_line())
}

/// What was typed, and `flag` too.
pub(super) fn typed_with(flag: &str) -> String {
    let command = command_line().into_iter().filter(|arg| arg != flag);
    shell_line(&command.chain([flag.to_owned()]).collect::<Vec<_>>())
}

/// The command that goes on with the run of this one.
pub(super) fn resume_command() -> String {
    let command = command_line().into_iter().filter(|arg| arg != "--force" && arg != "--resume");
    shell_line(&command.chain(["--resume".to_owned()]).collect::<Vec<_>>())
}

/// The command that repeats a run: the one that began it, with what has been changed since.
pub(super) fn repeat(record: &RunRecord) -> String {
    let mut words = record.command.clone();
    if !record.resumed.is_empty() {
        for (flag, value) in changed(&record.settings) {
            replace(&mut words, flag, &value);
        }
    }
    // What another front end has begun is no command line.
    if let [program, command, ..] = &mut words[..]
        && command == "train"
    {
        env!("CARGO_PKG_NAME").clone_into(program);
    }
    shell_line(&words)
}

/// Flags of a run that one which went on after a stop may have changed.
fn changed(settings: &RunSpec) -> Vec<(&'static str, String)> {
    let RunSpec { plan, chains, until, .. } = settings;
    let mut flags = vec![
        ("--iterations", plan.iterations.to_string()),
        ("--samples", plan.sampling.samples.to_string()),
        ("--thin", plan.sampling.thin.to_string()),
    ];
    if *chains > 1 {
        flags.extend([("--chains", chains.to_string()), ("--until", until.name().to_owned())]);
    }
    flags
}

/// Gives `flag` the value `value`.
fn replace(words: &mut Vec<String>, flag: &str, value: &str) {
    if let Some(at) = words.iter().position(|word| word == flag).filter(|at| at + 1 < words.len()) {
        value.clone_into(&mut words[at + 1]);
    } else if let Some(word) = words.iter_mut().find(|word| word.starts_with(&format!("{flag}="))) {
        *word = format!("{flag}={value}");
    } else {
        words.extend([flag, value].map(str::to_owned));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_windows_are_quoted_as_its_programs_read_them() {
        for (word, quoted) in [
            (r"C:\Users\Jörg\runs", r"C:\Users\Jörg\runs"),
            ("--seed=7", "--seed=7"),
            ("", r#""""#),
            ("a run", r#""a run""#),
            (r"C:\my runs\", r#""C:\my runs\\""#),
            (r#"say "no""#, r#""say \"no\"""#),
            (r#"\\" ""#, r#""\\\\\" \"""#),
            ("a&b", r#""a&b""#),
        ] {
            assert_eq!(quoted_for_windows(word), quoted, "{word}");
        }
    }
}
