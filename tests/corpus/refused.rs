//! What the readers refuse: always with the line, the problem and a way out.

use hdp_gpu::Error;
use hdp_gpu::corpus::{Format, ReadOptions, VocabSource, read};

use super::{Folder, gzip, input_error, options, read_bytes, zstd};

/// Reads bad contents as `format`, without a vocabulary, and compares line and problem. A problem that
/// ends in an ellipsis is a beginning.
fn check(format: Format, cases: &[(&[u8], Option<u64>, &str)]) {
    let vocab = if format.is_text() { VocabSource::Beside } else { VocabSource::None };
    for &(content, line, problem) in cases {
        let content_shown = content.escape_ascii();
        let found = input_error(read_bytes(content, &options(Some(format), vocab.clone())));
        assert_eq!(found.0, line, "{content_shown}: {}", found.1);
        match problem.strip_suffix('…') {
            Some(start) => assert!(found.1.starts_with(start), "{content_shown}: {}", found.1),
            None => assert_eq!(found.1, problem, "{content_shown}"),
        }
    }
}

#[test]
fn uci() {
    let cases: &[(&[u8], Option<u64>, &str)] = &[
        (b"", None, "is empty"),
        (b"\n\n", None, "ends before the number of documents"),
        (b"1\n2\n", None, "ends before the number of entries"),
        (b"one\n1\n1\n1 1 1\n", Some(1), "the number of documents one is not a number"),
        (b"1\n-1\n1\n1 1 1\n", Some(2), "the number of words -1 is negative"),
        (b"1\n1\n1.5\n1 1 1\n", Some(3), "the number of entries 1.5 is not a whole number"),
        (b"1 1 1\n1 1 1\n", Some(1), "'1 1 1' is not the number of documents"),
        (b"1\n\n1\n1\n1 1 1\n", Some(2), "is a blank line"),
        (b"1\n1\n0\n", None, "has no tokens"),
        (b"2\n2\n3\n1 1 1\n2 2 1\n", Some(3), "promises 3 entries, but the file has 2"),
        (b"2\n2\n1\n1 1 1\n2 2 1\n", Some(5), "is an entry more than the 1 that line 3 promises"),
        (b"1\n1\n2\n1 1 1\n\n\n1 1 1\n", Some(5), "is a blank line"),
        (b"1\n1\n1\n1 1\n", Some(4), "'1 1' is not 'document word count'"),
        (b"1\n1\n1\n1 1 1 1\n", Some(4), "'1 1 1 1' is not 'document word count'"),
        (b"1\n1\n1\n0 1 1\n", Some(4), "the document number 0 is out of range"),
        (b"1\n1\n1\n2 1 1\n", Some(4), "the document number 2 is out of range"),
        (b"1\n1\n1\n1 0 1\n", Some(4), "the word number 0 is out of range"),
        (b"1\n1\n1\n1 2 1\n", Some(4), "the word number 2 is out of range"),
        (b"1\n1\n1\n1 x 1\n", Some(4), "the word number x is not a number"),
        (b"1\n1\n1\n1 1 0\n", Some(4), "the count is 0"),
        (b"1\n1\n1\n1 1 -2\n", Some(4), "the count -2 is negative"),
        (b"1\n1\n1\n1 1 2.5\n", Some(4), "the count 2.5 is not a whole number"),
        (b"1\n1\n1\n1 1 1e3\n", Some(4), "the count 1e3 is not a whole number"),
        (b"1\n1\n1\n1 1 +1\n", Some(4), "the count +1 is not a whole number"),
        (b"1\n1\n1\n1 1 18446744073709551616\n", Some(4), "the count 18446744073709551616 is too large"),
        (b"1\n1\n1\n1 1 18446744073709551615\n", Some(4), "document 1 has more than 16777216 tokens"),
        (b"1\n1\n1\n1 1 16777217\n", Some(4), "document 1 has more than 16777216 tokens"),
        (b"2\n1\n3\n1 1 9\n2 1 16777216\n2 1 1\n", Some(6), "document 2 has more than 16777216 tokens"),
        (b"2\n1\n3\n2 1 16777216\n1 1 1\n2 1 1\n", Some(6), "document 2 has more than 16777216 tokens"),
        (b"1\n1\n1\n1 1 \xff\n", Some(4), "the count \u{fffd} is not a number"),
        (
            b"9999999999999\n1\n1\n1 1 1\n",
            None,
            "9999999999999 documents, 1 words and 1 tokens need 80000001 MB of…",
        ),
        (b"1\n9999999999999\n1\n1 1 1\n", None, "1 documents, 9999999999999 words and 1 tokens need…"),
        (
            b"1\n1\n18446744073709551615\n1 1 1\n",
            None,
            "1 documents, 1 words and 18446744073709551615 tokens need…",
        ),
    ];
    check(Format::Uci, cases);
}

#[test]
fn ldac() {
    let cases: &[(&[u8], Option<u64>, &str)] = &[
        (b"", None, "is empty"),
        (b"\n", None, "has no tokens"),
        (b"0\n0\n", None, "has no tokens"),
        (b"1 0:1\n\n1 0:1\n", Some(2), "is a blank line"),
        (b"1 0:1\n2 0:1\n", Some(2), "promises 2 pairs, but has 1"),
        (b"1 0:1 1:1\n", Some(1), "promises 1 pairs, but has 2"),
        (b"x 0:1\n", Some(1), "the number of pairs x is not a number"),
        (b"-1 0:1\n", Some(1), "the number of pairs -1 is negative"),
        (b"1 7\n", Some(1), "'7' is not a pair 'word:count'"),
        (b"1 0:1:1\n", Some(1), "'0:1:1' is not a pair 'word:count'"),
        (b"1 :1\n", Some(1), "the word number  is not a number"),
        (b"1 0:0\n", Some(1), "the count is 0"),
        (b"1 0:-1\n", Some(1), "the count -1 is negative"),
        (b"1 0:0.5\n", Some(1), "the count 0.5 is not a whole number"),
        (b"1 -1:1\n", Some(1), "the word number -1 is negative"),
        (b"1 4294967295:1\n", Some(1), "the word number 4294967295 is out of range"),
        (b"1 0:1\n2 0:16777216 1:1\n", Some(2), "document 2 has more than 16777216 tokens"),
    ];
    check(Format::Ldac, cases);
}

#[test]
fn matrix_market() {
    let cases: &[(&[u8], Option<u64>, &str)] = &[
        (b"", None, "is empty"),
        (b"1\n", Some(1), "'1' is not '%%MatrixMarket matrix coordinate integer|real|pattern general'"),
        (
            b"%%MatrixMarket matrix array real general\n",
            Some(1),
            "'%%MatrixMarket matrix array real general' is not\u{2026}",
        ),
        (
            b"%%MatrixMarket matrix coordinate real general\n% a\n",
            None,
            "ends before the sizes of the matrix",
        ),
    ];
    check(Format::Mm, cases);
    let cases: &[(&str, Option<u64>, &str)] = &[
        ("2 2\n", Some(2), "'2 2' is not 'rows columns entries'"),
        ("2 2 x\n", Some(2), "the number of entries x is not a number"),
        ("2 2 0\n", None, "has no tokens"),
        ("2 2 1\n1 1 0\n", None, "has no tokens"),
        ("2 2 2\n1 1 1\n", Some(2), "promises 2 entries, but the file has 1"),
        ("2 2 1\n1 1 1\n%\n1 2 1\n", Some(5), "is an entry more than the 1 that line 2 promises"),
        ("2 2 1\n1 1\n", Some(3), "'1 1' is not 'row column value'"),
        ("2 2 1\n3 1 1\n", Some(3), "the row number 3 is out of range"),
        ("2 2 1\n1 0 1\n", Some(3), "the column number 0 is out of range"),
        ("2 2 1\n1 1 0.5\n", Some(3), "the count 0.5 is not a whole number"),
        ("2 2 1\n1 1 -1.0\n", Some(3), "the count -1.0 is negative"),
        ("2 2 1\n1 1 1e300\n", Some(3), "the count 1e300 is too large"),
        ("2 2 1\n1 1 nan\n", Some(3), "the count nan is not a whole number"),
        ("2 2 1\n1 1 one\n", Some(3), "the count one is not a number"),
        ("2 2 1\n1 1 16777217\n", Some(3), "document 1 has more than 16777216 tokens"),
        ("9999999999999 1 1\n1 1 1\n", None, "9999999999999 documents, 1 words and 1 tokens need\u{2026}"),
    ];
    for &(body, line, problem) in cases {
        let content = format!("%%MatrixMarket matrix coordinate real general\n{body}");
        check(Format::Mm, &[(content.as_bytes(), line, problem)]);
    }
}

#[test]
fn svmlight() {
    let cases: &[(&[u8], Option<u64>, &str)] = &[
        (b"1\n", None, "has no tokens"),
        (b"# only a note\n", None, "has no tokens"),
        (b"1 1:1\n\n1 1:1\n", Some(2), "is a blank line"),
        (b"1:1 2:1\n", Some(1), "has no label before its pairs"),
        (b"1 7\n", Some(1), "'7' is not a pair 'word:count'"),
        (b"1 1:2:3\n", Some(1), "'1:2:3' is not a pair 'word:count'"),
        (b"1 x:1\n", Some(1), "the word number x is not a number"),
        (b"1 1:0.25\n", Some(1), "the count 0.25 is not a whole number"),
        (b"1 1:-3\n", Some(1), "the count -3 is negative"),
        (b"1 4294967295:1\n", Some(1), "the word number 4294967295 is out of range"),
        (b"1 1:1\n1 1:16777216 2:1\n", Some(2), "document 2 has more than 16777216 tokens"),
    ];
    check(Format::Svmlight, cases);
}

#[test]
fn gensim_dictionaries() {
    for (words, line, problem) in [
        ("9\n0\ta\t1\n2\tc\t1\n", None, "has no word number 1"),
        ("9\n0\ta\t1\n0\tc\t1\n", Some(3), "has the word number 0 again"),
        ("9\n0\ta\t1\n1\t \t1\n", Some(3), "has only white space for a word"),
        ("9\n0\ta\t1\n1\tb\n", Some(3), "'1\\tb' is not 'number<TAB>word<TAB>documents'"),
        ("9\n0\ta\t1\nx\tb\t1\n", Some(3), "the word number x is not a number"),
    ] {
        let folder = Folder::new();
        let vocab = VocabSource::File(folder.write("words.dict.txt", words));
        let found = input_error(read(&folder.write("corpus", "1 0:1\n"), &options(None, vocab)));
        assert_eq!(found, (line, problem.into()), "{words:?}");
    }
}

#[test]
fn options_that_mean_nothing() {
    let base = ReadOptions { vocab: VocabSource::None, ..ReadOptions::default() };
    let cases = [
        (ReadOptions { transpose: true, ..base.clone() }, "transpose"),
        (ReadOptions { index_base: Some(0), ..base.clone() }, "index_base"),
        (ReadOptions { format: Some(Format::Prepared), ..base }, "vocab"),
    ];
    for (options, expected) in cases {
        let error = read_bytes("1 0:1\n", &options).expect_err("an option without a meaning");
        assert!(matches!(error, Error::Setting { setting: flag, .. } if flag == expected), "{error}");
    }
}

#[test]
fn text() {
    let cases: &[(&[u8], Option<u64>, &str)] = &[
        (b"", None, "is empty"),
        (b"\n1 2 3\n", None, "has no tokens"),
        (b"fine\ncaf\xe9\n", Some(2), "byte 9 of the file (0xE9) is not UTF-8"),
    ];
    check(Format::Text, cases);
}

#[test]
fn damaged_gzip() {
    let lines = (0..5000).map(|d| format!("word{d} word{}\n", d * 7 % 1000)).collect::<String>();
    let whole = gzip(lines);
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0xff;
    let mut wrong_sum = whole.clone();
    wrong_sum[whole.len() - 6] ^= 1;
    for damaged in [&whole[..2], &whole[..whole.len() / 2], &whole[..whole.len() - 1], &flipped, &wrong_sum] {
        let (line, problem) = input_error(read_bytes(damaged, &ReadOptions::default()));
        assert_eq!(line, None);
        assert!(problem.starts_with("the gzip data is damaged or cut short"), "{problem}");
    }
    let (_, problem) = input_error(read_bytes(gzip(""), &ReadOptions::default()));
    assert_eq!(problem, "is empty");
}

#[test]
fn damaged_zstd() {
    let whole = zstd((0..5000).map(|d| format!("word{d} word{}\n", d * 7 % 1000)).collect::<String>());
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0xff;
    let mut wrong_sum = whole.clone();
    wrong_sum[whole.len() - 2] ^= 1;
    let more = [&whole[..], b"more"].concat();
    for damaged in
        [&whole[..4], &whole[..whole.len() / 2], &whole[..whole.len() - 1], &flipped, &wrong_sum, &more]
    {
        let (line, problem) = input_error(read_bytes(damaged, &ReadOptions::default()));
        assert_eq!(line, None);
        assert!(problem.starts_with("the zstd data is damaged or cut short"), "{problem}");
    }
}

#[test]
fn missing_files_and_folders() {
    let folder = Folder::new();
    let missing = folder.path().join("missing.txt");
    let error = read(&missing, &ReadOptions::default()).expect_err("a missing file");
    assert!(matches!(&error, Error::Read { path, .. } if *path == missing), "{error}");
    assert_eq!(error.exit_code(), 2);
    let as_uci = options(Some(Format::Uci), VocabSource::Beside);
    assert_eq!(input_error(read(folder.path(), &as_uci)), (None, "is a folder".into()));

    let corpus = folder.write("a.dat", "1 0:1\n");
    let error = read(&corpus, &options(None, VocabSource::File(missing.clone()))).expect_err("no vocabulary");
    assert!(matches!(&error, Error::Read { path, .. } if *path == missing), "{error}");
    let vocab = VocabSource::File(folder.path().to_owned());
    assert_eq!(input_error(read(&corpus, &options(None, vocab))), (None, "is a folder".into()));
}

#[test]
fn a_missing_vocabulary_says_where_it_was_looked_for() {
    let folder = Folder::new();
    let corpus = folder.write("docword.trees.txt.gz", gzip("1\n1\n1\n1 1 1\n"));
    let error = read(&corpus, &ReadOptions::default()).expect_err("no vocabulary").to_string();
    for part in [
        "docword.trees.txt.vocab, vocab.trees.txt, trees.vocab, vocab.txt (also with .gz)",
        "`vocab` FILE",
        "`vocab` none",
    ] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn vocabularies() {
    let uci = "1\n3\n1\n1 3 1\n";
    let ldac = "1 2:1\n";
    let cut = &gzip("a\nb\nc\n")[..12];
    // The corpus, the vocabulary, which of them is blamed, the line and the beginning of the problem.
    let cases = [
        (uci, &b"a\nb\n"[..], "vocab", None, "has 2 words, but "),
        (uci, b"a\n\nc\nd\n", "vocab", Some(2), "is a blank line"),
        (uci, b"a\nb\xff\nc\n", "vocab", Some(2), "byte 2 of this line is not UTF-8"),
        (uci, "a\n\u{a0}\u{2003}\nc\n".as_bytes(), "vocab", Some(2), "has only white space"),
        (uci, b"", "vocab", None, "has no words"),
        (uci, cut, "vocab", None, "the gzip data is damaged or cut short"),
        (ldac, b"a\nb\n", "corpus", Some(1), "the word number 2 is out of range"),
        (ldac, b"\n\n", "vocab", None, "has no words"),
    ];
    for (content, words, blamed, line, problem) in cases {
        let folder = Folder::new();
        let vocab = VocabSource::File(folder.write("vocab", words));
        let result = read(&folder.write("corpus", content), &options(None, vocab));
        if let Err(Error::Input { path, .. }) = &result {
            assert!(path.ends_with(blamed), "{}", words.escape_ascii());
        }
        let found = input_error(result);
        assert_eq!(found.0, line, "{}: {}", words.escape_ascii(), found.1);
        assert!(found.1.starts_with(problem), "{}", found.1);
    }
}

#[test]
fn text_has_its_own_vocabulary() {
    for vocab in [VocabSource::File("words.txt".into()), VocabSource::None] {
        let error = read_bytes("some words\n", &options(None, vocab)).expect_err("a vocabulary for text");
        assert!(matches!(error, Error::Setting { setting: "vocab", .. }), "{error}");
        assert_eq!(error.exit_code(), 2);
    }
}
