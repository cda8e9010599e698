//! Runs of strangers: whatever a folder holds, commands read nothing but its plain files, in time and memory that fit them,
//! and write nowhere else.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use hdp_gpu::Corpus;
use hdp_gpu::corpus::write_prepared;
use hdp_gpu::corpus::{LoadNotes, Preparation};
use predicates::str::contains;
use sha2::{Digest, Sha256};

use super::{Folder, gzip, hdp_gpu, names, read, train};

/// Each command takes far less than a second.
const LONG: Duration = Duration::from_secs(20);

/// The commands, and the files that each of them reads.
const READS: [(&str, &[&str]); 4] = [
    ("topics", &["model.safetensors", "vocab.txt", "topics.csv"]),
    ("infer", &["model.safetensors", "vocab.txt", "run.json"]),
    ("evaluate", &["model.safetensors", "vocab.txt", "run.json", "heldout.corpus", "state.gz"]),
    (
        "report",
        &[
            "model.safetensors",
            "vocab.txt",
            "run.json",
            "state.gz",
            "trace.csv",
            "timing.csv",
            "tokens_per_topic.csv",
            "doc-topics.csv",
        ],
    ),
];

/// A run of the sample beside a folder that nothing may touch.
struct Hostile(Folder);

impl Hostile {
    fn new() -> Self {
        let folder = Folder::new();
        folder.write("canary/file", "sings");
        let run = folder.path("run");
        train("sample", &run, "--iterations 2 --init-topics 5 --max-topics 10 --holdout 0.1 --quiet")
            .assert()
            .success();
        Self(folder)
    }

    fn run(&self) -> PathBuf {
        self.0.path("run")
    }

    fn canary(&self) -> PathBuf {
        self.0.path("canary/file")
    }

    /// Runs a command on the run, with all defaults of where it writes; `infer` has a folder beside it, which goes again.
    fn command(&self, command: &str) -> Output {
        let mut program = hdp_gpu();
        program.timeout(LONG).arg(command).arg(self.run());
        let out = self.0.path("inferred");
        match command {
            "infer" => program.arg("sample").arg("--out").arg(&out).args(["--quiet", "--device", "cpu"]),
            "evaluate" => program.args(["--particles", "1", "--device", "cpu"]),
            _ => &mut program,
        };
        if matches!(command, "infer" | "evaluate") {
            program.args(["--burn-in", "1", "--samples", "1"]);
        }
        let output = program.output().expect("the program starts, and ends in time");
        if out.exists() {
            fs::remove_dir_all(&out).expect("a folder of results");
        }
        output
    }

    /// The command must be refused with one line about `blamed`.
    fn refused(&self, command: &str, blamed: &str) {
        let output = self.command(command);
        let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
        assert_eq!(output.status.code(), Some(2), "{command}: {stderr}");
        assert!(stderr.starts_with("error: ") && stderr.contains(blamed), "{command}, {blamed}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(!stderr.trim_end().contains(char::is_control), "{stderr:?}");
    }

    fn succeeds(&self, command: &str) {
        let output = self.command(command);
        let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
        assert_eq!(output.status.code(), Some(0), "{command}: {stderr}");
    }

    /// Puts something else in the place of a file, for as long as `meanwhile` takes.
    fn with(&self, name: &str, put: impl FnOnce(&Path), meanwhile: impl FnOnce()) {
        let (file, kept) = (self.run().join(name), self.0.path("kept"));
        let is_there = file.exists();
        if is_there {
            fs::rename(&file, &kept).expect("a file of the run");
        }
        put(&file);
        meanwhile();
        if file.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            fs::remove_dir(&file).expect("an empty folder");
        } else if file.symlink_metadata().is_ok() {
            fs::remove_file(&file).expect("what was put there");
        }
        if is_there {
            fs::rename(&kept, &file).expect("the file as it was");
        }
    }

    /// Every path beside the run, with the bytes of files.
    fn surroundings(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.0.path("")];
        while let Some(folder) = folders.pop() {
            for name in names(&folder) {
                let path = folder.join(name);
                let bytes = if path.is_file() { fs::read(&path).expect("a file") } else { Vec::new() };
                if path.is_dir() && path != self.run() {
                    folders.push(path.clone());
                }
                found.insert(path, bytes);
            }
        }
        found
    }
}

/// Puts something in the place of a file, given that and the canary.
type Put = fn(&Path, &Path);

/// What a stranger may put there.
const PUT: [(&str, Put); 7] = [
    ("a link to another file", |file, canary| symlink(canary, file).expect("a link")),
    ("a link to a folder", |file, canary| {
        symlink(canary.parent().expect("its folder"), file).expect("a link")
    }),
    ("a link to nothing", |file, canary| symlink(canary.with_file_name("new"), file).expect("a link")),
    ("a link to a device", |file, _| symlink("/dev/zero", file).expect("a link")),
    ("a pipe", |file, _| {
        let made = std::process::Command::new("mkfifo").arg(file).status();
        assert!(made.expect("mkfifo is there").success());
    }),
    ("a folder", |file, _| fs::create_dir(file).expect("a folder")),
    ("nothing", |file, _| fs::write(file, "").expect("a file")),
];

#[test]
fn what_is_no_plain_file_is_refused() {
    let hostile = Hostile::new();
    let before = hostile.surroundings();
    for &name in READS.iter().flat_map(|(_, files)| *files) {
        for (what, put) in PUT {
            hostile.with(
                name,
                |file| put(file, &hostile.canary()),
                || {
                    for (command, files) in READS {
                        if files.contains(&name) {
                            hostile.refused(command, name);
                        }
                    }
                },
            );
            assert_eq!(hostile.surroundings(), before, "{name} is {what}");
        }
    }
    READS.iter().for_each(|(command, _)| hostile.succeeds(command));
}

/// A command does not look at files that it does not need.
#[test]
fn files_that_are_not_needed_do_no_harm() {
    let hostile = Hostile::new();
    let before = hostile.surroundings();
    for (command, files) in READS {
        let all = READS[3].1.iter().chain(&["heldout.corpus", "theta.npz"]);
        for name in all.filter(|name| !files.contains(name)) {
            let pipe = PUT[4].1;
            hostile.with(name, |file| pipe(file, &hostile.canary()), || hostile.succeeds(command));
            let _ = fs::remove_file(hostile.run().join("evaluation.json"));
        }
    }
    assert_eq!(hostile.surroundings(), before);
}

#[test]
fn results_do_not_follow_links() {
    let hostile = Hostile::new();
    let before = hostile.surroundings();
    for (command, name) in [("report", "report.html"), ("evaluate", "evaluation.json")] {
        for (what, put) in PUT {
            hostile.with(
                name,
                |file| put(file, &hostile.canary()),
                || match (command, what) {
                    // An empty report is made again; any evaluation is kept.
                    ("report", "nothing") => hostile.succeeds(command),
                    _ => hostile.refused(command, name),
                },
            );
            assert_eq!(hostile.surroundings(), before, "{name} is {what}");
        }
    }
}

/// `train --force` asks run.json whether it may, and then takes links away instead of writing through them.
#[test]
fn a_run_that_is_replaced() {
    let hostile = Hostile::new();
    let before = hostile.surroundings();
    let again = || {
        let mut command = train("sample", &hostile.run(), "--iterations 1 --quiet --force");
        command.timeout(LONG);
        command
    };
    for (_, put) in PUT {
        let refuse = || {
            again().assert().code(2);
        };
        hostile.with("run.json", |file| put(file, &hostile.canary()), refuse);
    }
    for name in
        names(&hostile.run()).iter().filter(|name| !["run.json", "checkpoint"].contains(&name.as_str()))
    {
        fs::remove_file(hostile.run().join(name)).expect("a file of the run");
        symlink(hostile.canary(), hostile.run().join(name)).expect("a link");
    }
    again().assert().success();
    assert_eq!(hostile.surroundings(), before);
    assert!(names(&hostile.run()).iter().all(|name| !hostile.run().join(name).is_symlink()));
}

/// What goes on with a run writes to its logs and to the folder of checkpoints, and to nothing that they lead to.
#[test]
fn a_run_that_goes_on() {
    let hostile = Hostile::new();
    let again = |flags: &str| {
        let mut command = train("sample", &hostile.run(), &format!("--iterations 3 --quiet {flags}"));
        command.timeout(LONG).assert()
    };
    let before = hostile.surroundings();
    for name in ["checkpoint/lock", "run.json"] {
        // A lock is an empty file.
        for (_, put) in PUT.into_iter().filter(|(what, _)| (name, *what) != ("checkpoint/lock", "nothing")) {
            hostile.with(name, |file| put(file, &hostile.canary()), || drop(again("--resume").code(2)));
        }
    }
    // Logs come from the checkpoint; what is in their place is replaced, unless it is a folder.
    for name in ["trace.csv", "timing.csv", "tokens_per_topic.csv"] {
        for (what, put) in PUT {
            let code = i32::from(what == "a folder");
            hostile.with(name, |file| put(file, &hostile.canary()), || drop(again("--resume").code(code)));
        }
    }
    let folder = hostile.0.path("canary");
    hostile.with(
        "checkpoint",
        |place| symlink(&folder, place).expect("a link"),
        || ["--resume", "--force"].iter().for_each(|flag| drop(again(flag).code(2))),
    );
    // The older one is there.
    hostile.with(
        "checkpoint/iteration-3.checkpoint",
        |place| symlink(hostile.canary(), place).expect("a link"),
        || drop(again("--resume").success().stderr(contains("is a link"))),
    );
    assert_eq!(hostile.surroundings(), before);
}

/// Names of documents and columns, and paths in run.json, stay what they are: text.
#[test]
fn names_never_become_paths() {
    let folder = Folder::new();
    let canary = folder.write("canary/file", "sings").display().to_string();
    let pipe = folder.path("pipe");
    PUT[4].1(&pipe, &pipe);
    let mut table = format!("id,text,../column,{canary}\n");
    for name in ["../escape", "/escape", "..", &canary, "a/b", "C:\\escape", "", "\u{1b}[31m"].repeat(2) {
        table += &format!("{name},ash birch cedar ash,../value,{canary}\n");
    }
    let corpus = folder.write("corpus.csv", table);
    let flags = format!("--id-column id --iterations 2 --quiet {}", super::KEEP_ALL);
    train(&corpus, &folder.path("run"), &flags).assert().success();
    let hostile = Hostile(folder);
    let run_json = hostile.run().join("run.json");
    let mut info: serde_json::Value = serde_json::from_str(&read(&run_json)).expect("JSON");
    for place in ["source", "vocabulary", "format"] {
        info["corpus"][place] = pipe.display().to_string().into();
    }
    info["command"] = vec![pipe.display().to_string(); 3].into();
    info["corpus"]["preparation"]["settings"]["stopwords"]["language"] = pipe.display().to_string().into();
    fs::write(&run_json, info.to_string()).expect("a file of the run");
    let before = hostile.surroundings();
    READS.iter().for_each(|(command, _)| hostile.succeeds(command));
    assert_eq!(hostile.surroundings(), before);
    let mut expected = super::files_of_text_run();
    expected.push("evaluation.json");
    expected.sort_unstable();
    assert_eq!(names(&hostile.run()), expected);
}

/// The documents' own text is opened as every other file, and believed as far as it is right.
#[test]
fn kept_text_of_a_stranger() {
    let folder = Folder::new();
    folder.write("canary/file", "sings");
    let corpus = folder.write("corpus.txt", "The ash and the birch. A cedar!\n".repeat(20));
    let flags = format!("--iterations 2 --init-topics 1 --quiet {}", super::KEEP_ALL);
    train(&corpus, &folder.path("run"), &flags).assert().success();
    let hostile = Hostile(folder);
    let before = hostile.surroundings();
    let list = hdp_gpu().arg("topics").arg(hostile.run()).assert().success();
    let list = String::from_utf8(list.get_output().stdout.clone()).expect("UTF-8");
    let topic = list.lines().nth(1).and_then(|line| line.split_whitespace().nth(1)).expect("a topic");
    let one_topic = || {
        let mut command = hdp_gpu();
        command.timeout(LONG).arg("topics").arg(hostile.run()).arg(topic);
        command.assert()
    };
    for (what, put) in PUT {
        let refused = || {
            hostile.refused("report", "texts.bin");
            one_topic().code(2).stderr(contains("texts.bin"));
        };
        hostile.with("texts.bin", |file| put(file, &hostile.canary()), refused);
        assert_eq!(hostile.surroundings(), before, "{what}");
    }
    let good = fs::read(hostile.run().join("texts.bin")).expect("a file");
    let trailer = good.len() - 56;
    for (at, number) in
        [(trailer + 8, u64::MAX), (trailer + 16, u64::MAX), (trailer + 8, 1 << 40), (trailer - 84, 1 << 60)]
    {
        let mut bytes = good.clone();
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        hostile.with(
            "texts.bin",
            |file| fs::write(file, resealed(bytes, trailer)).expect("a file"),
            || hostile.refused("report", "texts.bin: is damaged"),
        );
    }
    hostile.succeeds("report");
}

/// A file of kept text with the checksum that its lists have.
fn resealed(mut bytes: Vec<u8>, trailer: usize) -> Vec<u8> {
    // One block of 20 documents.
    let lists = trailer - 16 - 4 * 20;
    let sum = Sha256::new().chain_update(&bytes[..8]).chain_update(&bytes[lists..trailer + 24]).finalize();
    bytes.truncate(trailer + 24);
    bytes.extend(sum);
    bytes
}

/// What would fill the memory, or take hours, when it is unpacked or believed.
#[test]
fn a_state_is_read_within_measure() {
    let hostile = Hostile::new();
    let top = "#doc source pos typeindex type topic\n";
    let word = read(hostile.run().join("vocab.txt")).lines().next().expect("a word").to_owned();
    let long = "a".repeat(1 << 20);
    let named: String = (0..40).map(|d| format!("{d} {long} 0 0 {word} 0\n")).collect();
    for (state, problem) in [
        (
            format!("{top}300000000 NA 0 0 {word} 0\n"),
            "state.gz:2: has more documents, or longer names, than",
        ),
        (format!("{top}{named}"), ": has more documents, or longer names, than"),
        (format!("{top}0 NA 0 300000000 {word} 0\n"), "state.gz:2: has the word number 300000000, and"),
        (format!("{top}0 {}", "a".repeat(1 << 23)), "state.gz:2: is longer than 4194304 bytes"),
        ("#\n".repeat(1 << 20), "state.gz:1001: '#' is not"),
        (format!("{top}{}", "\n".repeat(1 << 20)), "state.gz:2: is a blank line"),
    ] {
        let packed = gzip(state);
        hostile.with(
            "state.gz",
            |file| fs::write(file, packed).expect("a file"),
            || {
                hostile.refused("report", problem);
            },
        );
    }
}

/// Reading ends with the first token that the model has not counted.
#[test]
fn a_state_that_goes_on_is_not_read_to_its_end() {
    let hostile = Hostile::new();
    let mut state = super::gunzip(hostile.run().join("state.gz"));
    let last = state.lines().last().expect("a token").to_owned();
    let mut fields: Vec<&str> = last.split(' ').collect();
    let next = (fields[2].parse::<u64>().expect("a position") + 1).to_string();
    fields[2] = &next;
    state += &format!("{}\nno token at all\n", fields.join(" "));
    fs::write(hostile.run().join("state.gz"), gzip(state)).expect("a file of the run");
    hostile.refused("report", "state.gz: does not have the tokens that model.safetensors has counted");
}

#[test]
fn a_table_wider_than_its_rows() {
    let hostile = Hostile::new();
    let header = format!("document,name,tokens,{}topic,share\n", "x,".repeat(1 << 16));
    fs::write(hostile.run().join("doc-topics.csv"), header).expect("a file of the run");
    hostile.refused("report", "doc-topics.csv: has no rows for all documents");
}

#[test]
fn json_without_end() {
    let hostile = Hostile::new();
    let deep = "[".repeat(1 << 20);
    hostile.with(
        "run.json",
        |file| fs::write(file, format!("{{\"deep\": {deep}")).expect("a file"),
        || {
            for command in ["infer", "evaluate", "report"] {
                hostile
                    .refused(command, "run.json: is not what this program writes (EOF while parsing a list");
            }
        },
    );
    let model = [&(deep.len() as u64).to_le_bytes()[..], deep.as_bytes()].concat();
    hostile.with(
        "model.safetensors",
        |file| fs::write(file, model).expect("a file"),
        || {
            hostile.refused("topics", "model.safetensors: not a usable model");
        },
    );
}

/// What a file says must not steer the terminal.
#[test]
fn messages_have_no_control_characters() {
    let folder = Folder::new();
    let notes = LoadNotes { vocab_file: Some("\u{1b}[31m".into()), unused_lines: 3, ..LoadNotes::default() };
    let corpus = Corpus::new(vec![0, 0], vec![0, 2], vec!["ash".into()]).expect("a corpus");
    let prepared = folder.path("corpus");
    write_prepared(&prepared, &corpus, "uci", &Preparation::default(), &notes).expect("a prepared corpus");
    let warned = train(&prepared, &folder.path("run"), "--iterations 1 --quiet").assert().success();
    warned.stderr(contains("check that \u{fffd}[31m belongs to this corpus"));
}
