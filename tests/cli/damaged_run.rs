//! Commands on what is no run, or a damaged one: exit code 2 and one line, never a panic.

use std::fs;
use std::path::Path;

use super::{Folder, hdp_gpu, names, trained};

/// The exit code of `topics`, which must not panic; 2 comes with one line about `blamed`.
fn topics(run: &Path, blamed: &str) -> Option<i32> {
    let output = hdp_gpu().arg("topics").arg(run).output().expect("the program starts");
    let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
    match output.status.code() {
        Some(2) => {
            assert!(output.stdout.is_empty());
            assert_eq!(stderr.lines().count(), 1, "{stderr}");
            assert!(stderr.starts_with("error: ") && stderr.contains(blamed), "{stderr}");
        }
        code => assert_eq!((code, stderr.as_str()), (Some(0), "")),
    }
    output.status.code()
}

#[test]
fn not_a_run() {
    let folder = Folder::new();
    assert_eq!(topics(&folder.path("missing"), "missing"), Some(2));
    assert_eq!(topics(&folder.path(""), "not the folder of a finished run"), Some(2));
    assert_eq!(topics(&folder.write("file", "no run"), "not the folder of a finished run"), Some(2));
    assert_eq!(names(&folder.path("")), ["file"]);
}

#[test]
fn a_cut_model() {
    let run = trained("sample", "--iterations 1 --init-topics 20");
    let whole = fs::read(run.path("model.safetensors")).expect("a model");
    for cut in [0, 1, 7, 8, 9, 100, whole.len() / 2, whole.len() - 1] {
        run.write("model.safetensors", &whole[..cut]);
        assert_eq!(topics(&run.path(""), "model.safetensors: not a usable model"), Some(2), "cut at {cut}");
    }
    run.write("model.safetensors", [&whole[..], b"x"].concat());
    assert_eq!(topics(&run.path(""), "model.safetensors: not a usable model"), Some(2));
}

/// A flipped count cannot be told from a right one; anything else is found, and nothing panics.
#[test]
fn a_flipped_model() {
    let run = trained("sample", "--iterations 1 --init-topics 20");
    let whole = fs::read(run.path("model.safetensors")).expect("a model");
    let header = u64::from_le_bytes(whole[..8].try_into().expect("eight bytes")) as usize;
    let psi = 8 + header;
    let indptr = psi + 1000 * 8;
    let indices = indptr + 1001 * 8;
    for (at, found) in [
        (0, true),
        (7, true),
        (8, true),
        (8 + header / 2, true),
        (psi, false),
        (indptr, true),
        (indptr + 7, true),
        (indptr + 500 * 8 + 7, true),
        (indices + 3, true),
        (whole.len() - 1, false),
    ] {
        let mut flipped = whole.clone();
        flipped[at] ^= 0xff;
        run.write("model.safetensors", flipped);
        let code = topics(&run.path(""), "model.safetensors: not a usable model");
        assert_eq!(code, Some(if found { 2 } else { 0 }), "flipped at {at} of {}", whole.len());
    }
}

#[test]
fn numbers_that_mean_nothing() {
    let run = trained("sample", "--preset paper --iterations 1 --max-topics 2");
    let whole = fs::read(run.path("model.safetensors")).expect("a model");
    let alpha = whole.windows(5).position(|window| window == b"\"0.1\"").expect("alpha in the metadata");
    let header = u64::from_le_bytes(whole[..8].try_into().expect("eight bytes")) as usize;
    let psi = 8 + header;
    let indices = psi + 2 * 8 + 3 * 8;
    let data = indices + (whole.len() - indices) / 2;
    let second_word = whole[indices + 4..indices + 8].to_vec();
    for (at, bytes, problem) in [
        (alpha, &b"\"nan\""[..], "no number alpha from 1e-9 to 1e9 in its metadata"),
        (alpha, b"\"9e9\"", "no number alpha from 1e-9 to 1e9 in its metadata"),
        (alpha, b"\"inf\"", "no number alpha from 1e-9 to 1e9 in its metadata"),
        (alpha, b"\"0.0\"", "no number alpha from 1e-9 to 1e9 in its metadata"),
        (psi, &f64::NAN.to_le_bytes(), "psi has numbers that are no shares of one whole"),
        (psi, &2.0f64.to_le_bytes(), "psi has numbers that are no shares of one whole"),
        (psi, &[1.0f64; 2].map(f64::to_le_bytes).concat(), "psi has numbers that are no shares of one whole"),
        (psi, &(-0.5f64).to_le_bytes(), "psi has numbers that are no shares of one whole"),
        (indices, &second_word, "n has a count of 0, or two of one word in one topic"),
        (data, &0u32.to_le_bytes(), "n has a count of 0, or two of one word in one topic"),
    ] {
        let mut forged = whole.clone();
        forged[at..at + bytes.len()].copy_from_slice(bytes);
        run.write("model.safetensors", forged);
        assert_eq!(topics(&run.path(""), problem), Some(2), "at {at}");
    }
}

#[test]
fn a_vocabulary_that_does_not_fit() {
    let run = trained("sample", "--iterations 1");
    run.write("vocab.txt", "one\ntwo\n");
    assert_eq!(topics(&run.path(""), "n has a word that vocab.txt lacks"), Some(2));
    run.write("vocab.txt", b"\xff\xfe");
    assert_eq!(topics(&run.path(""), "vocab.txt: is not UTF-8; "), Some(2));
    fs::remove_file(run.path("vocab.txt")).expect("it is there");
    assert_eq!(topics(&run.path(""), "vocab.txt"), Some(2));
}

/// `command` with the run refuses it with one line about `blamed`, and leaves nothing.
fn refused(run: &Folder, command: &str, blamed: &str) {
    let mut program = hdp_gpu();
    program.arg(command).arg(run.0.path());
    let out = run.path("out");
    if command == "infer" {
        program.arg("sample");
    }
    let output = program.arg("--out").arg(&out).output().expect("the program starts");
    let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
    assert_eq!(output.status.code(), Some(2), "{command}: {stderr}");
    assert!(stderr.starts_with("error: ") && stderr.contains(blamed), "{command}: {stderr}");
    assert!(!out.exists(), "{command}");
}

#[test]
fn a_run_json_that_says_nothing() {
    let run = trained("sample", "--iterations 1");
    for content in
        ["", "[]", "\"x\"", "5", "null", "{}", "{\"corpus\":[]}", "{\"corpus\":{\"preparation\":[]}}"]
    {
        run.write("run.json", content);
        for command in ["infer", "evaluate", "report"] {
            refused(&run, command, "run.json: ");
        }
    }
}

#[test]
fn a_state_or_held_out_documents_that_do_not_fit() {
    let run = trained("sample", "--iterations 1 --holdout 0.1");
    let other = trained("sample", "--iterations 1 --holdout 0.2");
    let state = fs::read(run.path("state.gz")).expect("a state");
    let cut: String =
        super::gunzip(run.path("state.gz")).lines().take(200).map(|line| format!("{line}\n")).collect();
    for content in [super::gzip(&cut), fs::read(other.path("state.gz")).expect("a state")] {
        run.write("state.gz", content);
        refused(&run, "evaluate", "state.gz: does not have the tokens that model.safetensors has counted");
        refused(&run, "report", "state.gz: does not have the tokens that model.safetensors has counted");
    }
    run.write("state.gz", state);
    fs::copy(other.path("heldout.corpus"), run.path("heldout.corpus")).expect("a copy");
    refused(&run, "evaluate", "heldout.corpus: has ");
    fs::remove_file(run.path("heldout.corpus")).expect("it was there");
    refused(&run, "evaluate", "heldout.corpus: cannot be read");
}

/// Key words with blanks in and around them, as some tables list them.
#[test]
fn words_with_blanks_are_read_back() {
    let folder = Folder::new();
    let corpus = folder.write("corpus.txt", "ship, new york,  sea\nsea , ship\n".repeat(6));
    let flags = format!("--iterations 2 --token-pattern [^,]+ {}", super::KEEP_ALL);
    let run = trained(&corpus, &flags);
    assert_eq!(super::read(run.path("vocab.txt")), "new york\nsea\nship\n");
    hdp_gpu().arg("report").arg(run.0.path()).assert().success();
    hdp_gpu().arg("evaluate").arg(run.0.path()).assert().success();
}
