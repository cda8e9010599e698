//! Odd input that can be used: training succeeds, with a warning where a result depends on it.

use predicates::str::{contains, is_empty};

use super::{Folder, UCI, read, read_state, train};

#[test]
fn repeated_entries_are_added_up() {
    let folder = Folder::new();
    let corpus = folder.write("corpus", "2\n2\n4\n1 1 2\n2 2 1\n1 1 3\n1 2 1\n");
    let out = folder.path("run");
    let warning = "warning: entries that repeat a word of their document: 1; their counts were added up\n";
    train(&corpus, &out, "--vocab none --iterations 3 --quiet").assert().success().stderr(warning);
    let (_, tokens) = read_state(out.join("state.gz"));
    let count = |doc, typeindex| {
        tokens.iter().filter(|token| (token.doc, token.typeindex) == (doc, typeindex)).count()
    };
    assert_eq!([count(0, 0), count(0, 1), count(1, 0), count(1, 1)], [5, 1, 0, 1]);
    assert!(read(out.join("run.json")).contains("\"merged_entries\": 1"));
}

#[test]
fn empty_documents_keep_their_rows() {
    let folder = Folder::new();
    let corpus = folder.write("corpus", UCI);
    let out = folder.path("run");
    let warning = "warning: documents without tokens: 1; they keep their rows in the results\n";
    train(&corpus, &out, "--vocab none --iterations 3 --quiet").assert().success().stderr(warning);
    let (_, tokens) = read_state(out.join("state.gz"));
    assert!(tokens.iter().all(|token| token.doc != 1));
    let rows = read(out.join("doc-topics.txt"));
    let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split('\t').collect()).collect();
    assert_eq!(
        rows.iter().map(|row| [row[0], row[1]]).collect::<Vec<_>>(),
        [["0", "1"], ["1", "2"], ["2", "3"]]
    );
    let run = read(out.join("run.json"));
    assert!(run.contains("\"documents\": 3") && run.contains("\"empty_documents\": 1"), "{run}");
}

#[test]
fn a_vocabulary_with_more_than_the_corpus_needs_is_noted() {
    let folder = Folder::new();
    let corpus = folder.write("docword.trees.txt", UCI);
    folder.write("vocab.trees.txt", "ash\nbirch\nash\ndate\nelm\nfir\n");
    let out = folder.path("run");
    let run = train(&corpus, &out, "--iterations 1 --quiet").assert().success();
    run.stderr(contains("vocabulary lines too many: 2")).stderr(contains("lines that repeat a word: 1"));
    let run = read(out.join("run.json"));
    assert!(run.contains("\"unused_vocabulary_lines\": 2") && run.contains("\"repeated_words\": 1"), "{run}");
}

#[test]
fn spaces_in_words_and_names() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("my corpora")).expect("a folder");
    let corpus = folder.write("my corpora/docword.bäume.txt", "1\n3\n3\n1 1 1\n1 2 1\n1 3 1\n");
    folder.write("my corpora/vocab.bäume.txt", "horse chestnut\ntab\ttree\n木 の\n");
    let out = folder.path("a run");
    train(&corpus, &out, "--iterations 3 --quiet").assert().success().stderr(is_empty());
    assert_eq!(read(out.join("vocab.txt")), "horse chestnut\ntab\ttree\n木 の\n");
    // MALLET's files separate fields by white space.
    let (_, mut tokens) = read_state(out.join("state.gz"));
    tokens.sort_by_key(|token| token.typeindex);
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    assert_eq!(words, ["horse_chestnut", "tab_tree", "木_の"]);
    assert!(read(out.join("topic-keys.txt")).lines().all(|line| line.split('\t').count() == 3));
    super::hdp_gpu().arg("topics").arg(&out).assert().success().stdout(contains("horse chestnut"));
}

#[cfg(target_os = "linux")]
#[test]
fn paths_that_are_not_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let corpus = folder.write(OsStr::from_bytes(b"corpus\xff"), "ash birch\n");
    let out = folder.path(OsStr::from_bytes(b"run\xfe"));
    let flags = format!("--iterations 1 --quiet {}", super::KEEP_ALL);
    train(&corpus, &out, &flags).assert().success().stderr(is_empty());
    assert_eq!(super::names(&out), super::files_of_text_run());
}
