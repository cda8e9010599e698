//! What the readers make of good files, and of the harmless oddities in them.

use std::collections::BTreeMap;

use hdp_gpu::Corpus;
use hdp_gpu::corpus::{Format, ReadOptions, VocabSource, read};

use super::{Folder, gzip, numbered, options, read_bytes, text, zstd};

const UCI: &str = "3\n4\n5\n1 1 2\n1 3 1\n3 2 1\n3 3 3\n3 4 1\n";
const LDAC: &str = "2 0:2 2:1\n0\n3 1:1 2:3 3:1\n";
const VOCAB: &str = "ash\nbirch\ncedar\nelm\n";

/// The counts of every document, by word.
fn counts(corpus: &Corpus) -> Vec<BTreeMap<&str, usize>> {
    (0..corpus.num_docs())
        .map(|d| {
            let mut counts = BTreeMap::new();
            for &v in &corpus.w[corpus.doc(d)] {
                *counts.entry(corpus.vocab[v as usize].as_str()).or_default() += 1;
            }
            counts
        })
        .collect()
}

#[test]
fn uci_and_ldac_give_the_same_corpus() {
    let folder = Folder::new();
    folder.write("vocab.trees.txt", VOCAB);
    let uci = read(&folder.write("docword.trees.txt", UCI), &ReadOptions::default()).expect("UCI");
    let ldac = read(&folder.write("trees.dat", LDAC), &ReadOptions::default()).expect("LDA-C");
    assert_eq!([&*uci.format, &ldac.format], ["uci", "ldac"]);
    assert_eq!(uci.corpus, ldac.corpus);
    assert_eq!(uci.notes, ldac.notes);
    assert_eq!(uci.notes.vocab_file, Some(folder.path().join("vocab.trees.txt")));
    assert_eq!(uci.notes.empty_docs, 1);
    assert_eq!(uci.corpus.doc_start, [0, 3, 3, 8]);
    assert_eq!(uci.corpus.vocab, ["ash", "birch", "cedar", "elm"]);
    assert_eq!(
        counts(&uci.corpus),
        [
            BTreeMap::from([("ash", 2), ("cedar", 1)]),
            BTreeMap::new(),
            BTreeMap::from([("birch", 1), ("cedar", 3), ("elm", 1)])
        ]
    );
}

/// The order is part of every result: a change here changes all results under a fixed seed.
#[test]
fn the_order_of_a_bag_is_known() {
    let corpus = numbered("8 0:1 1:1 2:1 3:1 4:1 5:1 6:1 7:1\n".repeat(2)).corpus;
    assert_eq!(corpus.w[..8], [3, 0, 7, 4, 2, 1, 5, 6]);
    assert_eq!(corpus.w[8..], [3, 6, 5, 4, 7, 1, 2, 0]);
}

#[test]
fn words_without_a_vocabulary_are_named_by_their_number() {
    assert_eq!(numbered(UCI).corpus.vocab, ["1", "2", "3", "4"]);
    assert_eq!(numbered(LDAC).corpus.vocab, ["0", "1", "2", "3"]);
    assert_eq!(numbered(UCI).corpus.w, numbered(LDAC).corpus.w);
}

#[test]
fn lines_in_any_order_and_repeated_entries_change_nothing_but_the_notes() {
    let expected = numbered(UCI);
    let shuffled = numbered("3\n4\n5\n3 4 1\n1 3 1\n3 2 1\n1 1 2\n3 3 3\n");
    assert_eq!(shuffled, expected);
    let grouped = numbered("3\n4\n6\n1 1 1\n1 3 1\n1 1 1\n3 2 1\n3 3 3\n3 4 1\n");
    assert_eq!(grouped.corpus, expected.corpus);
    assert_eq!(grouped.notes.merged_entries, 1);
    let apart = numbered("3\n4\n7\n3 3 1\n1 1 1\n1 3 1\n1 1 1\n3 2 1\n3 3 2\n3 4 1\n");
    assert_eq!(apart.corpus, expected.corpus);
    assert_eq!(apart.notes.merged_entries, 2);
    let ldac = numbered("3 0:1 2:1 0:1\n0\n4 3:1 2:2 1:1 2:1\n");
    assert_eq!(ldac.corpus.w, expected.corpus.w);
    assert_eq!(ldac.notes.merged_entries, 2);
}

#[test]
fn packing_is_recognised_by_content() {
    let folder = Folder::new();
    folder.write("vocab.trees.txt.gz", gzip(VOCAB));
    let plain = folder.write("docword.trees.txt", UCI);
    let packed = folder.write("docword.trees.txt.gz", gzip(UCI));
    let misnamed = folder.write("docword.trees.bin", gzip(UCI));
    let two_members = folder.write("trees.dat", [gzip(&LDAC[..7]), gzip(&LDAC[7..])].concat());
    let other = folder.write("docword.trees.zst", zstd(UCI));
    // A frame to skip, two with content, and one with none.
    let skipped = [&[0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0], b"abc".as_slice()].concat();
    let frames = [skipped, zstd(&LDAC[..7]), zstd(&LDAC[7..]), zstd("")].concat();
    let frames = folder.write("trees.zst", frames);
    let expected = read(&plain, &ReadOptions::default()).expect("plain").corpus;
    for path in [packed, misnamed, two_members, other, frames] {
        assert_eq!(
            read(&path, &ReadOptions::default()).expect("packed").corpus,
            expected,
            "{}",
            path.display()
        );
    }
}

#[test]
fn foreign_line_ends_marks_and_blanks_are_accepted() {
    for (content, name) in [(UCI, "uci"), (LDAC, "ldac")] {
        let expected = numbered(content);
        let windows = content.replace('\n', "\r\n");
        let blanks = content.replace('\n', " \t\n").replace(' ', "\t ");
        for odd in [
            windows.clone(),
            format!("\u{feff}{content}"),
            format!("\u{feff}{windows}\r\n\r\n"),
            format!("{content}\n \n\t\n"),
            content.trim_end().into(),
            blanks,
        ] {
            assert_eq!(numbered(&odd), expected, "{name}: {odd:?}");
        }
    }
    let folder = Folder::new();
    let corpus = folder.write("docword.trees.txt", UCI);
    folder.write("vocab.trees.txt", "\u{feff}ash\r\nbirch \r\ncedar\t\r\nelm\r\n\r\n\n");
    let vocab = read(&corpus, &ReadOptions::default()).expect("a Windows vocabulary").corpus.vocab;
    assert_eq!(vocab, ["ash", "birch", "cedar", "elm"]);
    assert_eq!(text("\u{feff}one two\r\nthree\r\n").corpus, text("one two\nthree").corpus);
}

#[test]
fn text_keeps_its_order_and_sorts_its_vocabulary() {
    let loaded = text("The cat-flap 2nd CAT, 42!\n\nÉté ΟΔΟΣ the\n");
    assert_eq!(loaded.format, "text");
    let corpus = &loaded.corpus;
    assert_eq!(corpus.vocab, ["2nd", "cat", "cat-flap", "the", "été", "οδος"]);
    assert_eq!(corpus.w, [3, 2, 0, 1, 4, 5, 3]);
    assert_eq!(corpus.doc_start, [0, 4, 4, 7]);
    assert_eq!(loaded.notes.empty_docs, 1);
    assert_eq!(loaded.notes.unseen_words, 0);
}

#[test]
fn formats_are_recognised_by_content_unless_given() {
    let cases = [
        (UCI, Format::Uci),
        (LDAC, Format::Ldac),
        ("0\n0\n0\n0\n1 0:1\n", Format::Ldac),
        ("1 0:1", Format::Ldac),
        ("1\n1\n1\n1 1 1", Format::Uci),
        ("1\n2\n3\nfour words are here\n", Format::Text),
        ("1 chapter one\n", Format::Text),
        ("at 10:30 we met\n", Format::Text),
        ("{\"text\": \"one\"}\n", Format::Jsonl),
        ("\u{feff}{\"text\": \"one\"}", Format::Jsonl),
        ("{curly} words\n", Format::Text),
        ("a1\tx\tone two\na2\tx\tthree\n", Format::Mallet),
        ("a1\tx\tone two\na1\tx\tthree\n", Format::Text),
        ("a1 x one two\na2 x three\n", Format::Text),
    ];
    for (content, format) in cases {
        let vocab = if format.is_text() { VocabSource::Beside } else { VocabSource::None };
        let loaded = read_bytes(content, &options(None, vocab)).expect(content);
        assert_eq!(loaded.format, format.name(), "{content:?}");
    }
    let as_text = options(Some(Format::Text), VocabSource::Beside);
    assert_eq!(read_bytes("1 0:1 1:2 x", &as_text).expect("text").corpus.vocab, ["x"]);
    for format in Format::ALL {
        assert_eq!(format.to_string().parse::<Format>().expect("its own name"), format);
    }
    assert!("pdf".parse::<Format>().is_err());
}

#[test]
fn a_long_first_line_does_not_hide_the_format() {
    let pairs = (0..20_000).map(|v| format!(" {v}:1")).collect::<String>();
    let loaded = numbered(format!("20000{pairs}\n"));
    assert_eq!((&*loaded.format, loaded.corpus.vocab_size()), ("ldac", 20_000));
}

#[test]
fn the_most_particular_vocabulary_is_taken() {
    let folder = Folder::new();
    let corpus = folder.write("trees.dat", LDAC);
    for name in ["vocab.txt", "trees.vocab", "vocab.trees.txt"] {
        let file = folder.write(name, VOCAB);
        let notes = read(&corpus, &ReadOptions::default()).expect(name).notes;
        assert_eq!(notes.vocab_file, Some(file));
    }
}

#[test]
fn what_is_odd_about_a_vocabulary_is_noted() {
    let folder = Folder::new();
    let corpus = folder.write("docword.trees.txt", "1\n3\n2\n1 1 1\n1 2 1\n");
    let file = folder.write("other.txt", "ash\nash\nelm\noak\n");
    let loaded =
        read(&corpus, &options(None, VocabSource::File(file))).expect("a vocabulary that can be used");
    assert_eq!(loaded.corpus.vocab, ["ash", "ash", "elm"]);
    let notes = loaded.notes;
    assert_eq!((notes.unused_lines, notes.repeated_words, notes.unseen_words), (1, 1, 1));
    assert_eq!(notes.warnings().len(), 3);
    assert!(numbered("1\n1\n1\n1 1 1\n").notes.warnings().is_empty());
}
