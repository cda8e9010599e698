//! A state gives back the corpus that it was written from, and the topics.

use std::path::{Path, PathBuf};

use hdp_gpu::Corpus;
use hdp_gpu::corpus::sample::sample;
use hdp_gpu::corpus::state::read_state;
use hdp_gpu::corpus::{Metadata, VocabSource, read};
use hdp_gpu::run::results::mallet::write_state;

use super::{Folder, input_error, options, read_bytes};

/// A state of `corpus` with some topics in `folder`.
fn written(corpus: &Corpus, folder: &Path) -> (PathBuf, Vec<u16>) {
    let z: Vec<u16> = (0..corpus.num_tokens()).map(|i| (i * 7 % 11) as u16).collect();
    let path = folder.join("state.gz");
    write_state(&path, corpus, &z, [0.5, 0.25].into_iter(), 0.01).expect("a state");
    (path, z)
}

#[test]
fn what_was_written_is_read() {
    let folder = Folder::new();
    let sample = sample().corpus;
    for doc_names in [None, sample.doc_names.clone()] {
        let corpus = Corpus { doc_names, metadata: Metadata::default(), ..sample.clone() };
        let (path, z) = written(&corpus, folder.path());
        let state = read_state(&path, &VocabSource::None).expect("a state");
        assert!(state.corpus == corpus && state.z == z);
        let loaded = read(&path, &options(None, VocabSource::Beside)).expect("a state");
        assert!(loaded.corpus == corpus && loaded.format == "state");
    }
}

#[test]
fn gaps_are_filled() {
    let words = ["a b", "c", "d", "e"].map(str::to_owned).to_vec();
    let names = ["one", "two words", "three"].map(str::to_owned).to_vec();
    let corpus = Corpus {
        doc_names: Some(names),
        ..Corpus::new(vec![2, 0, 2], vec![0, 1, 1, 3], words.clone()).expect("a corpus")
    };
    let folder = Folder::new();
    let (path, _) = written(&corpus, folder.path());
    let own = read_state(&path, &VocabSource::None).expect("a state").corpus;
    assert_eq!((&own.w[..], &own.doc_start[..]), (&corpus.w[..], &corpus.doc_start[..]));
    // White space is not in a state, and neither are words and documents without tokens.
    assert_eq!(own.vocab, ["a_b", "1", "d"]);
    assert_eq!(own.doc_names.expect("names"), ["one", "2", "three"]);
    folder.write("vocab.txt", words.join("\n"));
    assert_eq!(read_state(&path, &VocabSource::Beside).expect("a state").corpus.vocab, words);
    folder.write("vocab.txt", "a b\nc\nx\ne\n");
    let (line, problem) = input_error(read(&path, &options(None, VocabSource::Beside)));
    assert_eq!(line, Some(4));
    assert!(problem.starts_with("has 'd' for word number 2, which is 'x' in "), "{problem}");
    folder.write("vocab.txt", "a b\nc\nx\ry\ne\n");
    let (_, problem) = input_error(read(&path, &options(None, VocabSource::Beside)));
    assert!(problem.starts_with("has 'd' for word number 2, which is 'x\\ry' in "), "{problem}");
}

#[test]
fn a_state_of_mallet() {
    // As MALLET 2 writes it: no source, or a path, which may have spaces.
    let top = "#doc source pos typeindex type topic\n#alpha : 0.5 0.5 \n#beta : 0.01\n";
    let unnamed =
        read_bytes(format!("{top}0 NA 0 0 sea 1\n0 NA 1 1 ship 0\n1 NA 0 0 sea 1\n"), &Default::default());
    let unnamed = unnamed.expect("a state").corpus;
    assert_eq!((unnamed.doc_names, &unnamed.w[..]), (None, &[0, 1, 0][..]));
    let named =
        read_bytes(format!("{top}0 my texts/a.txt 0 0 sea 1\n1 b.txt 0 0 sea 1\n"), &Default::default());
    assert_eq!(named.expect("a state").corpus.doc_names.expect("names"), ["my texts/a.txt", "b.txt"]);
}

#[test]
fn what_is_no_state_is_refused() {
    let top = "#doc source pos typeindex type topic\n";
    for (lines, line, expected) in [
        ("", None, "has no tokens"),
        ("0 a 0 0 sea\n", Some(2), "'0 a 0 0 sea' is not 'doc source pos typeindex type topic'"),
        ("0 a 0 0 sea\r 1\n", Some(2), "'0 a 0 0 sea\\r 1' is not 'doc source pos typeindex type topic'"),
        ("0 a 0 0 sea x\n", Some(2), "the topic x is not a number"),
        ("0 a 0 0 sea 65536\n", Some(2), "the topic 65536 is too large"),
        ("0 a 1 0 sea 1\n", Some(2), "is not token 0 of document 0 (a)"),
        ("0 a 0 0 sea 1\n0 a 2 0 sea 1\n", Some(3), "is not token 1 of document 0 (a)"),
        ("0 a 0 0 sea 1\n0 b 1 0 sea 1\n", Some(3), "is not token 1 of document 0 (a)"),
        ("1 a 0 0 sea 1\n0 b 0 0 sea 1\n", Some(3), "is not token 1 of document 1 (a)"),
        ("0 a 0 0 sea 1\n0 a 1 0 ship 1\n", Some(3), "has 'ship' for word number 0, which is 'sea' above"),
        (
            "0 a 0 0 \u{1b}[1m 1\n0 a 1 0 ship 1\n",
            Some(3),
            "has 'ship' for word number 0, which is '\\u{1b}[1m' above",
        ),
        ("0 a 0 0 sea 1\n#\n", Some(3), "'#' is not 'doc source pos typeindex type topic'"),
    ] {
        let found = input_error(read_bytes(format!("{top}{lines}"), &options(None, VocabSource::None)));
        assert_eq!(found, (line, expected.into()), "{lines:?}");
    }
    for line in ["18446744073709551615 a 0 0 sea 1\n", "0 a 0 18446744073709551615 sea 1\n"] {
        let (_, problem) = input_error(read_bytes(format!("{top}{line}"), &options(None, VocabSource::None)));
        assert!(problem.contains("MB of memory"), "{problem}");
    }
}
