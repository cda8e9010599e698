//! One corpus in every count format, written by the tools that people have (tests/fixtures/formats/make.py), is one
//! corpus here.

use std::path::{Path, PathBuf};

use hdp_gpu::Corpus;
use hdp_gpu::corpus::{Format, Loaded, ReadOptions, VocabSource, read};

use super::{Folder, gzip, input_error, numbered, options, read_bytes};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats").join(name)
}

fn load(name: &str, options: &ReadOptions) -> Loaded {
    read(&fixture(name), options).unwrap_or_else(|error| panic!("{error}"))
}

fn transposed() -> ReadOptions {
    ReadOptions { transpose: true, ..ReadOptions::default() }
}

/// The corpus as UCI has it.
fn expected() -> Corpus {
    let corpus = load("gensim.uci", &ReadOptions::default()).corpus;
    assert_eq!((corpus.num_docs(), corpus.num_tokens(), corpus.vocab_size()), (14, 69, 20));
    assert_eq!((&*corpus.vocab[3], corpus.doc(5)), ("cabbage", 28..28));
    corpus
}

#[test]
fn every_tool_gives_the_same_corpus() {
    let expected = expected();
    let default = ReadOptions::default();
    let dictionary = options(None, VocabSource::File(fixture("gensim.dict.txt")));
    for (name, options, format) in [
        ("gensim.ldac", &default, Format::Ldac),
        ("gensim.mm", &default, Format::Mm),
        ("gensim.mm", &dictionary, Format::Mm),
        ("scipy.mtx", &default, Format::Mm),
        ("transposed.mtx", &transposed(), Format::Mm),
        ("csr.npz", &default, Format::Npz),
        ("csr_stored.npz", &default, Format::Npz),
        ("csr_array.npz", &default, Format::Npz),
        ("csr_wide.npz", &default, Format::Npz),
        ("csc.npz", &default, Format::Npz),
        ("coo.npz", &default, Format::Npz),
        ("transposed.npz", &transposed(), Format::Npz),
        ("gensim.svmlight", &default, Format::Svmlight),
        ("sklearn.svmlight", &default, Format::Svmlight),
        ("sklearn_one.svmlight", &default, Format::Svmlight),
    ] {
        let mut loaded = load(name, options);
        loaded.corpus.metadata.columns.clear();
        assert_eq!((&*loaded.format, &loaded.corpus), (format.name(), &expected), "{name}");
        assert_eq!((loaded.notes.empty_docs, loaded.notes.unseen_words), (1, 1), "{name}");
        assert_eq!(loaded.notes.warnings().len(), 2, "{name}: {:?}", loaded.notes.warnings());
    }
}

#[test]
fn every_format_may_be_gzipped() {
    let expected = expected();
    let folder = Folder::new();
    for name in ["gensim.mm", "csc.npz", "sklearn.svmlight"] {
        let packed =
            folder.write(&format!("{name}.gz"), gzip(std::fs::read(fixture(name)).expect("a fixture")));
        let vocab = VocabSource::File(fixture("vocab.txt"));
        let mut loaded = read(&packed, &options(None, vocab)).unwrap_or_else(|error| panic!("{error}"));
        loaded.corpus.metadata.columns.clear();
        assert_eq!(loaded.corpus, expected, "{name}");
    }
}

#[test]
fn labels_and_query_numbers_are_kept() {
    let columns = load("sklearn_one.svmlight", &ReadOptions::default()).corpus.metadata.columns;
    let [label, query] = &columns[..] else { panic!("not two columns: {columns:?}") };
    assert_eq!((&*label.name, &label.values[..4]), ("label", &["0", "1", "2", "0"].map(str::to_owned)[..]));
    assert_eq!((&*query.name, &query.values[..4]), ("qid", &["7", "8", "9", "7"].map(str::to_owned)[..]));
    assert_eq!((label.values.len(), query.values.len()), (14, 14));
    let columns = load("gensim.svmlight", &ReadOptions::default()).corpus.metadata.columns;
    assert_eq!((columns.len(), &columns[0].values), (1, &vec!["0".to_owned(); 14]));
}

#[test]
fn where_the_words_of_svmlight_count_from() {
    let folder = Folder::new();
    let vocab = VocabSource::File(folder.write("vocab", "ash\nbirch\ncedar\n"));
    let read_with = |content: &str, index_base| {
        let options = ReadOptions { index_base, ..options(Some(Format::Svmlight), vocab.clone()) };
        read_bytes(content, &options).map(|loaded| {
            let corpus = &loaded.corpus;
            (corpus.vocab[corpus.w[0] as usize].clone(), loaded.notes.warnings().len())
        })
    };
    // A zero, also with the value 0, or the number of the last word settles it; else there is a warning.
    let unseen = 1;
    assert_eq!(read_with("1 1:1 0:1\n", None).expect("from 0").1, unseen);
    assert_eq!(read_with("1 0:0 1:1\n", None).expect("from 0"), ("birch".into(), unseen));
    assert_eq!(read_with("1 3:1\n", None).expect("from 1"), ("cedar".into(), unseen));
    assert_eq!(read_with("1 2:1\n", None).expect("from 1"), ("birch".into(), unseen + 1));
    assert_eq!(read_with("1 2:1\n", Some(1)).expect("from 1"), ("birch".into(), unseen));
    assert_eq!(read_with("1 2:1\n", Some(0)).expect("from 0"), ("cedar".into(), unseen));
    assert!(read_with("1 3:1\n", Some(0)).expect_err("too large").to_string().contains("word number 3"));
    assert!(read_with("1 0:1\n", Some(1)).expect_err("a zero").to_string().starts_with("`index_base`: "));
    // Without a vocabulary words have the file's own numbers.
    assert_eq!(numbered("+1 2:1 4:2\n").corpus.vocab, ["1", "2", "3", "4"]);
    assert_eq!(numbered("+1 0:1 2:2\n").corpus.vocab, ["0", "1", "2"]);
}

#[test]
fn pairs_are_told_apart_by_their_first_number() {
    for (content, format) in [
        ("2 0:1 1:1\n1 3:1\n", Format::Ldac),
        ("1 0:1 1:1\n1 3:1\n0 2:1 3:1\n", Format::Svmlight),
        ("0 0:1\n0\n", Format::Svmlight),
        ("+1 0:1\n", Format::Svmlight),
        ("-1 1:2.0\n", Format::Svmlight),
        ("0.5 1:2e0 # a note\n", Format::Svmlight),
        ("# a note\n3 qid:1 1:2\n", Format::Svmlight),
        ("1,2 1:2 4:1\n", Format::Svmlight),
    ] {
        assert_eq!(numbered(content).format, format.name(), "{content:?}");
    }
    // A wrong number is for the reader to name, as long as most are right.
    let wrong = read_bytes("2 0:1 1:1\n7 3:1\n", &options(None, VocabSource::None));
    assert_eq!(input_error(wrong), (Some(2), "promises 7 pairs, but has 1".into()));
}

#[test]
fn matrices_may_have_zeros_repeats_and_no_values() {
    let plain = numbered("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 2\n2 2 1\n");
    let odd = numbered(
        "%%MatrixMarket MATRIX Coordinate Real General\n% a note\n\n2 2 5\n2 2 1.0\n1 1 1\n\n1 2 0\n%\n1 1 1e0\n2 1 -0\n",
    );
    assert_eq!(odd.corpus, plain.corpus);
    assert_eq!(odd.notes.merged_entries, 1);
    let pattern = numbered("%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n1 1\n2 2\n");
    assert_eq!(pattern.corpus, plain.corpus);
}

#[test]
fn sparse_matrices_of_other_kinds_are_refused_by_name() {
    for (name, problem) in [
        ("bsr.npz", "is a sparse matrix in the format \"bsr\""),
        ("dia.npz", "is a sparse matrix in the format \"dia\""),
        ("tfidf.npz", "entry 1 of data.npy: the count 0.3333333333333333 is not a whole number"),
    ] {
        assert_eq!(input_error(read(&fixture(name), &ReadOptions::default())), (None, problem.into()));
    }
}

#[test]
fn damaged_archives_are_refused() {
    let folder = Folder::new();
    let as_npz = options(Some(Format::Npz), VocabSource::None);
    let read_damaged = |bytes: &[u8]| read(&folder.write("corpus", bytes), &as_npz);
    for name in ["csr.npz", "coo.npz", "csr_stored.npz"] {
        let whole = std::fs::read(fixture(name)).expect("a fixture");
        let good = read_damaged(&whole).expect(name).corpus;
        for length in (1..whole.len()).step_by(7) {
            let (_, problem) = input_error(read_damaged(&whole[..length]));
            assert!(problem.contains("archive"), "{name} cut to {length}: {problem}");
        }
        // Some bytes of a zip, such as times, mean nothing for its content.
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            if let Ok(loaded) = read_damaged(&damaged) {
                assert_eq!(loaded.corpus, good, "{name} with byte {at} changed");
            }
        }
    }
}
