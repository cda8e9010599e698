//! Wrong input and wrong flags: exit code 2, one line that says where and what to do, and no run folder.

use std::path::Path;

use assert_cmd::Command;

use super::{Folder, UCI, gzip, train};

/// Runs a command that must be refused, and leave `out` missing; returns the line after `error: `.
fn refused(command: &mut Command, out: &Path) -> String {
    let stderr = refused_by_any(command, out);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.contains("; "), "no remedy: {stderr}");
    stderr
}

/// As [`refused`], for what the parser of the command line refuses with more lines.
fn refused_by_any(command: &mut Command, out: &Path) -> String {
    let output = command.output().expect("the program starts");
    let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(output.stdout.is_empty());
    assert!(!out.exists(), "{stderr}");
    stderr.strip_prefix("error: ").unwrap_or_else(|| panic!("no error: {stderr}")).trim_end().to_owned()
}

/// Trains on `content` and compares the beginning of the refusal, after the folder's name.
fn check(content: impl AsRef<[u8]>, flags: &str, expected: &str) {
    let folder = Folder::new();
    let corpus = folder.write("corpus", content);
    let out = folder.path("run");
    let line = refused(&mut train(&corpus, &out, flags), &out);
    let folder = folder.path("").display().to_string();
    let line = line.strip_prefix(&folder).unwrap_or(&line);
    assert!(line.starts_with(expected), "expected: {expected}\n   found: {line}");
}

#[test]
fn corpora() {
    for (content, expected) in [
        ("", "corpus: is empty; "),
        ("0\n0\n0\n", "corpus: has no tokens; "),
        ("2\n2\n0\n", "corpus: has no tokens; "),
        ("2\n2\n3\n1 1 1\n2 2 1\n", "corpus:3: promises 3 entries, but the file has 2; "),
        ("2\n2\n1\n1 1 1\n2 2 1\n", "corpus:5: is an entry more than the 1 that line 3 promises; "),
        ("1\n1\n1\n0 1 1\n", "corpus:4: the document number 0 is out of range; "),
        ("1\n1\n1\n2 1 1\n", "corpus:4: the document number 2 is out of range; "),
        ("1\n1\n1\n1 0 1\n", "corpus:4: the word number 0 is out of range; "),
        ("1\n1\n1\n1 2 1\n", "corpus:4: the word number 2 is out of range; "),
        ("1\n1\n1\n1 1 0\n", "corpus:4: the count is 0; "),
        ("1\n1\n1\n1 1 -2\n", "corpus:4: the count -2 is negative; "),
        ("1\n1\n1\n1 1 2.5\n", "corpus:4: the count 2.5 is not a whole number; "),
        ("1\n1\n1\n1 1 18446744073709551616\n", "corpus:4: the count 18446744073709551616 is too large; "),
        ("1\n1\n1\n1 1 16777217\n", "corpus:4: document 1 has more than 16777216 tokens; "),
        ("1\n1\n2\n1 1 16777216\n1 1 1\n", "corpus:5: document 1 has more than 16777216 tokens; "),
        ("9999999999999\n1\n1\n1 1 1\n", "corpus: 9999999999999 documents, 1 words and 1 tokens need "),
        ("1\n9999999999999\n1\n1 1 1\n", "corpus: 1 documents, 9999999999999 words and 1 tokens need "),
        ("1\n1\n9999999999999\n1 1 1\n", "corpus: 1 documents, 1 words and 9999999999999 tokens need "),
    ] {
        check(content, "--vocab none", expected);
    }
}

#[test]
fn texts() {
    check(b"fine\ncaf\xe9\n", "", "corpus:2: byte 9 of the file (0xE9) is not UTF-8; ");
    check(b"caf\x82\n", "--encoding shift_jis", "corpus:1: byte 4 of the file (0x82) is not Shift_JIS; ");
    check("\n\n", "--format text", "corpus: has no tokens; ");
    check("some words\n", "--vocab none", "--vocab: ");
    check("some words\n", "--min-count 2", "corpus: none of its 2 tokens is left after preparation: ");
    check("a,b\n1,2\n", "--format csv", "corpus:1: no column is called 'text' (the columns: a, b); ");
    check("a,text\n1,2,3\n", "--format csv", "corpus:2: has 3 fields, and the header 2; ");
    let offered = "corpus:1: no column is called 'text' (the columns: id, body); give --text-column body";
    check("id;body\n1;x\n", "--format csv", offered);
    check("[{\"text\": 1}]", "", "corpus:1: the field 'text' is not a string; ");
    check("%PDF-1.7\n", "", "corpus: is a PDF or a scan; convert it to text, for example with pdftotext, ");
    check("{\"text\": 1}\n", "", "corpus:1: the field 'text' is not a string; ");
    check("one\n", "--format mallet", "corpus:1: 'one' is not 'id label text'; ");
    check("one\n", "--format folder", "corpus: is not a folder; ");
}

#[test]
fn preparation() {
    for (flags, expected) in [
        ("--text-column a", "--text-column: "),
        ("--id-column a", "--id-column: "),
        ("--delimiter semicolon", "--delimiter: "),
        ("--skip-bad", "--skip-bad: "),
        ("--token-pattern (", "--token-pattern: unclosed group; "),
        ("--max-doc-share 0", "--max-doc-share: 0 cannot be used; "),
        ("--max-doc-share 50", "--max-doc-share: 50 cannot be used; "),
        ("--bigrams -0.5", "--bigrams: -0.5 cannot be used; "),
        ("--stem klingon", "--stem: no stemmer is called 'klingon'; give auto or arabic, "),
        ("--stem english --keep-case", "--stem: "),
        ("--extra-stopwords corpus-is-not-here", "corpus-is-not-here: cannot be read: "),
    ] {
        check("some words\n", flags, expected);
    }
    for (flag, value) in [
        ("--bigrams", "0.5"),
        ("--stem", "english"),
        ("--token-pattern", "x"),
        ("--keep-case", ""),
        ("--encoding", "latin1"),
        ("--text-column", "a"),
        ("--delimiter", "tab"),
        ("--skip-bad", ""),
    ] {
        check(UCI, &format!("--vocab none {flag} {value}"), &format!("{flag}: "));
        let folder = Folder::new();
        let out = folder.path("run");
        let line = refused(&mut train("sample", &out, &format!("{flag} {value}")), &out);
        assert!(line.starts_with(&format!("{flag}: ")), "{line}");
    }
}

#[test]
fn cut_gzip() {
    let whole = gzip((0..5000).map(|d| format!("word{d} word{}\n", d * 7 % 1000)).collect::<String>());
    for cut in [2, whole.len() / 2, whole.len() - 1] {
        check(&whole[..cut], "", "corpus: the gzip data is damaged or cut short ");
    }
}

#[test]
fn missing_files_and_folders() {
    let folder = Folder::new();
    let out = folder.path("run");
    let corpus = folder.write("corpus", UCI);
    let missing = folder.path("missing");
    let missing_shown = missing.display().to_string();
    assert!(refused(&mut train(&missing, &out, ""), &out).starts_with(&missing_shown));
    let line = refused(train(&corpus, &out, "").arg("--vocab").arg(&missing), &out);
    assert!(line.starts_with(&missing_shown), "{line}");
    let elsewhere = Folder::new().path("run");
    let line = refused(&mut train(folder.path(""), &elsewhere, "--format uci"), &elsewhere);
    assert!(line.contains(": is a folder; "), "{line}");
    let line = refused(&mut train(folder.path(""), &out, ""), &out);
    assert!(line.starts_with("--out: ") && line.contains("whose files are all read as documents"), "{line}");
}

#[test]
fn vocabularies() {
    check(UCI, "", "corpus: no vocabulary beside it: ");
    let folder = Folder::new();
    let corpus = folder.write("docword.trees.txt", UCI);
    let vocab = folder.write("vocab.trees.txt", "ash\nbirch\ncedar\n");
    let out = folder.path("run");
    let line = refused(&mut train(&corpus, &out, ""), &out);
    assert!(line.starts_with(&format!("{}: has 3 words, but ", vocab.display())), "{line}");
    assert!(line.contains("--vocab none"), "{line}");
}

#[test]
fn concentrations() {
    let folder = Folder::new();
    let out = folder.path("run");
    for flag in ["--alpha", "--beta", "--gamma"] {
        for value in ["0", "-0", "-1", "-0.5", "NaN", "inf", "1e300"] {
            let line = refused(&mut train("sample", &out, &format!("{flag} {value}")), &out);
            assert!(line.starts_with(&format!("{flag}: ")), "{line}");
        }
        let line = refused_by_any(&mut train("sample", &out, &format!("{flag} much")), &out);
        assert!(line.contains(flag), "{line}");
    }
}

/// A prior that an iteration could not list point by point.
#[test]
fn a_beta_too_large_for_its_topics() {
    let folder = Folder::new();
    let out = folder.path("run");
    for flags in ["--beta 1001", "--beta 1e9", "--beta 16 --max-topics 65535"] {
        let line = refused(&mut train("sample", &out, &format!("--preset paper {flags}")), &out);
        assert!(line.starts_with("--beta: ") && line.contains("--max-topics"), "{line}");
    }
}

#[test]
fn topics_and_devices() {
    let folder = Folder::new();
    let out = folder.path("run");
    for (flags, expected) in [
        ("--max-topics 0", "--max-topics: "),
        ("--max-topics 65536", "--max-topics: "),
        ("--init-topics 0", "--init: "),
        ("--max-topics 1000 --init-topics 1000", "--init: "),
        ("--max-topics 1 --init-topics 2", "--init: "),
        ("--init run:nowhere", "nowhere"),
        ("--alpha learn:0,1", "--alpha: a gamma prior of shape 0"),
        ("--beta learn", "--beta: learned under the Poisson Pólya urn, β runs to zero"),
        ("--discount 1", "--discount: "),
        ("--discount 0.1 --gamma learn", "--gamma: "),
        ("--psi uniform", "--max-topics: "),
        ("--psi uniform --max-topics 20 --gamma learn", "--gamma: "),
        ("--anneal 0.5:10", "--anneal: "),
        ("--device fpga", "--device: "),
        ("--sampler direct --device gpu", "--device: direct assignment runs on the CPU"),
        ("--sampler direct --device 0 --kernel workgroup", "--kernel: direct assignment runs on the CPU"),
        ("--sampler direct --team 16", "--team: direct assignment runs on the CPU"),
        ("--sampler direct --device hybrid", "--device: direct assignment runs on the CPU"),
        ("--sampler direct --phi ppu", "--phi: direct assignment draws no Φ"),
    ] {
        let line = refused(&mut train("sample", &out, flags), &out);
        assert!(line.starts_with(expected), "{line}");
    }
}

#[test]
fn what_the_parser_refuses_names_the_flag() {
    let folder = Folder::new();
    let out = folder.path("run");
    for (flag, value) in [
        ("--threads", "0"),
        ("--threads", "1025"),
        ("--iterations", "0"),
        ("--trace-every", "0"),
        ("--seed", "x"),
        ("--format", "pdf"),
        ("--encoding", "klingon"),
        ("--stopwords", "klingon"),
        ("--min-count", "-1"),
        ("--preset", "none"),
        ("--kernel", "fast"),
        ("--team", "12"),
        ("--on-device-error", "ignore"),
    ] {
        let error = refused_by_any(&mut train("sample", &out, &format!("{flag} {value}")), &out);
        assert!(error.contains(flag) && error.contains(value), "{error}");
        assert_eq!(error.matches(&format!("{flag}: ")).count(), 0, "the flag is named twice: {error}");
    }
    let error = refused_by_any(&mut train("sample", &out, "--itterations 3"), &out);
    assert!(error.contains("--itterations") && error.contains("--iterations"), "{error}");
}

#[test]
fn synthetic_corpora() {
    let folder = Folder::new();
    let out = folder.path("corpus");
    for (flag, value) in [
        ("--docs", "0"),
        ("--vocab-size", "0"),
        ("--vocab-size", "4000000000"),
        ("--doc-length", "-3"),
        ("--doc-length", "NaN"),
        ("--alpha", "0"),
        ("--beta", "-1"),
        ("--gamma", "inf"),
        ("--max-topics", "65536"),
    ] {
        let mut synth = super::hdp_gpu();
        synth.args(["synth", flag, value, "--out"]).arg(&out);
        let line = refused(&mut synth, &out);
        assert!(line.starts_with(&format!("{flag}: ")), "{line}");
    }
}

#[test]
fn processes_that_were_started_together_and_do_not_find_each_other() {
    let folder = Folder::new();
    let out = folder.path("run");
    for size in ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"] {
        let mut command = train("sample", &out, "--iterations 1");
        command.env("SLURM_STEP_ID", "0").env("SLURM_PROCID", "0");
        let line = refused_by_any(command.env(size, "3"), &out);
        assert!(line.contains(&format!("3 processes were started together ({size})")), "{line}");
    }
}

#[test]
fn the_folder_of_a_run_is_no_corpus() {
    let folder = Folder::new();
    let run = folder.path("run");
    train("sample", &run, "--iterations 2 --quiet").assert().success();
    let out = folder.path("other");
    let line = refused(&mut train(&run, &out, "--iterations 2"), &out);
    assert!(
        line.ends_with("is the folder of a run, and no corpus; give the corpus that it was trained on"),
        "{line}"
    );
}
