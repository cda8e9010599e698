//! Corpora of strings, token lists and matrices in memory: the same as files of the same content, bit for bit.

use std::fmt::Display;
use std::io::{Cursor, Write};

use hdp_gpu::corpus::{
    Csr, DocumentOptions, Format, Loaded, Metadata, MetadataColumn, Preparation, PrepareOptions, ReadOptions,
    StopwordSource, TextOptions, VocabSource, digest, from_csr, from_texts, from_tokens, labels_digest, read,
};
use hdp_gpu::{Error, Result};
use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{Folder, read_bytes};

/// Documents with pairs that belong together, words with several forms, stop words, an empty document and one that
/// preparation empties.
fn docs() -> Vec<String> {
    let mut docs: Vec<String> = (0..40)
        .map(|d| {
            let tree = ["Ash", "birches", "BIRCH", "oak"][d % 4];
            let place = ["New York", "Mount Etna"][d % 3 % 2];
            let verb = ["walking", "walked", "stood"][d % 3];
            format!("the {tree} grows in {place}, {tree} by {tree}; {verb} in {place}: été, forest, wood, wood n{d}")
        })
        .collect();
    docs[3].clear();
    docs[7] = "and the".into();
    docs
}

fn by(prepare: PrepareOptions) -> DocumentOptions {
    DocumentOptions { prepare, ..DocumentOptions::default() }
}

/// The ways of preparing text, from nothing to everything.
fn text_preparations() -> [PrepareOptions; 4] {
    let all = PrepareOptions {
        keep_case: false,
        stopwords: Some(StopwordSource::Language("en".into())),
        min_count: Some(3),
        max_doc_share: Some(0.9),
        min_doc_length: Some(2),
        min_word_length: Some(2),
        bigrams: Some(0.5),
        stem: Some("english".into()),
        ..PrepareOptions::default()
    };
    let cased = PrepareOptions { keep_case: true, min_count: Some(0), ..PrepareOptions::default() };
    [PrepareOptions::keep_all(), PrepareOptions::default(), cased, all]
}

/// Asserts that what is in memory is what the file has: corpus, digests, preparation and notes.
fn same(memory: &Loaded, file: &Loaded) {
    assert_eq!(memory.corpus, file.corpus);
    assert_eq!(digest(&memory.corpus), digest(&file.corpus));
    assert_eq!(labels_digest(&memory.corpus), labels_digest(&file.corpus));
    assert_eq!(memory.preparation, file.preparation);
    assert_eq!(memory.notes, file.notes);
    assert_eq!(memory.source, "memory");
    assert!(memory.corpus.check().is_ok());
}

fn lines(docs: &[String]) -> String {
    docs.iter().map(|doc| format!("{doc}\n")).collect()
}

#[test]
fn texts_are_those_of_a_file() {
    for prepare in text_preparations() {
        let options =
            ReadOptions { format: Some(Format::Text), prepare: prepare.clone(), ..ReadOptions::default() };
        let file = read_bytes(lines(&docs()), &options).expect("text");
        let memory = from_texts(&docs(), &by(prepare)).expect("texts");
        same(&memory, &file);
        assert_eq!(memory.format, "texts");
    }
    // Everything was at work.
    let [.., all] = text_preparations();
    let loaded = from_texts(&docs(), &by(all)).expect("texts");
    assert!(loaded.corpus.vocab.contains(&"new_york".into()), "{:?}", loaded.corpus.vocab);
    assert!(loaded.corpus.vocab.contains(&"walk".into()), "{:?}", loaded.corpus.vocab);
    let dropped = &loaded.notes.dropped;
    assert!(dropped.stop_words.words > 0 && dropped.rare_words.words > 0 && dropped.common_words.words > 0);
    assert_eq!((dropped.documents.len(), loaded.notes.empty_docs), (1, 2));
}

#[test]
fn texts_with_names_and_metadata_are_those_of_json() {
    let names: Vec<String> = (0..docs().len()).map(|d| format!("doc {d}")).collect();
    let years: Vec<String> = (0..docs().len()).map(|d| (1900 + d).to_string()).collect();
    let texts: Vec<String> = docs().iter().map(|doc| doc.replace("; ", ";\n")).collect();
    let rows = names.iter().zip(&texts).zip(&years);
    let rows = rows.map(|((id, text), year)| serde_json::json!({"id": id, "text": text, "year": year}));
    let jsonl: String = rows.map(|row| format!("{row}\n")).collect();
    let text = TextOptions { id_column: Some("id".into()), ..TextOptions::default() };
    let options = ReadOptions { format: Some(Format::Jsonl), text, ..ReadOptions::default() };
    let file = read_bytes(jsonl, &options).expect("JSON");
    let columns = vec![MetadataColumn { name: "year".into(), values: years }];
    let metadata = Metadata { columns };
    let options = DocumentOptions { names: Some(names), metadata, ..DocumentOptions::default() };
    let memory = from_texts(&texts, &options).expect("texts");
    // In memory there is no column that has the names.
    let mut preparation = file.preparation.clone();
    preparation.text.as_mut().expect("text").id_column = None;
    same(&memory, &Loaded { preparation, ..file });
}

#[test]
fn token_lists_are_those_of_text_between_blanks() {
    let tokens: Vec<Vec<String>> =
        docs().iter().map(|doc| doc.split_whitespace().map(str::to_owned).collect()).collect();
    for prepare in text_preparations() {
        let token_pattern = Some(r"\S+".to_owned());
        let of_file = PrepareOptions { token_pattern, ..prepare.clone() };
        let options = ReadOptions { format: Some(Format::Text), prepare: of_file, ..ReadOptions::default() };
        let file = read_bytes(lines(&docs()), &options).expect("text");
        let memory = from_tokens(&tokens, &by(prepare)).expect("tokens");
        same(&memory, &file);
        assert_eq!(memory.format, "tokens");
    }
}

/// A matrix with rows in and out of order, repeated entries, a zero that is written out and empty rows.
const INDPTR: [i32; 8] = [0, 3, 3, 5, 9, 9, 10, 12];
const INDICES: [i64; 12] = [0, 1, 2, 4, 1, 3, 3, 0, 3, 2, 5, 2];
const DATA: [u16; 12] = [2, 1, 7, 300, 1, 1, 2, 1, 1, 0, 3, 3];
const WORDS: [&str; 6] = ["elm", "oak", "ash", "the", "birch", "unseen"];

fn matrix() -> Csr<'static, i32, i64, u16> {
    Csr { indptr: &INDPTR, indices: &INDICES, data: &DATA, columns: 7 }
}

fn words() -> Vec<String> {
    WORDS.iter().chain(&["yew"]).map(|&word| word.to_owned()).collect()
}

/// An array as numpy.save writes it.
fn npy(descr: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}\n");
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), values].concat()
}

/// The matrix as scipy.sparse.save_npz writes it.
fn npz() -> Vec<u8> {
    let ints = |numbers: &[i64]| {
        let values: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        npy("<i8", &format!("{},", numbers.len()), &values)
    };
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, array) in [
        ("indices", ints(&INDICES)),
        ("indptr", ints(&INDPTR.map(i64::from))),
        ("format", npy("|S3", "", b"csr")),
        ("shape", ints(&[7, 7])),
        ("data", ints(&DATA.map(i64::from))),
    ] {
        zip.start_file(format!("{name}.npy"), SimpleFileOptions::default()).expect("a file of the archive");
        zip.write_all(&array).expect("an array");
    }
    zip.finish().expect("an archive").into_inner()
}

/// The entries as `row column count`, from 1, with the number of those above 0.
fn triples() -> (usize, String) {
    let rows = (0..7).flat_map(|d| (INDPTR[d]..INDPTR[d + 1]).map(move |at| (d, at as usize)));
    let rows = rows.filter(|&(_, at)| DATA[at] > 0);
    let lines: Vec<String> =
        rows.map(|(d, at)| format!("{} {} {}\n", d + 1, INDICES[at] + 1, DATA[at])).collect();
    (lines.len(), lines.concat())
}

/// Files of the matrix, each with its vocabulary beside it.
fn matrix_files(folder: &Folder) -> [std::path::PathBuf; 3] {
    let (entries, triples) = triples();
    folder.write("vocab.txt", words().join("\n"));
    [
        folder.write("matrix.npz", npz()),
        folder.write("docword.txt", format!("7\n7\n{entries}\n{triples}")),
        folder.write(
            "matrix.mm",
            format!("%%MatrixMarket matrix coordinate integer general\n7 7 {entries}\n{triples}"),
        ),
    ]
}

fn count_preparations() -> [PrepareOptions; 3] {
    let all = PrepareOptions {
        stopwords: Some(StopwordSource::Language("en".into())),
        min_count: Some(2),
        min_doc_length: Some(3),
        min_word_length: Some(3),
        max_doc_share: Some(0.5),
        ..PrepareOptions::default()
    };
    [PrepareOptions::default(), PrepareOptions::keep_all(), all]
}

#[test]
fn a_matrix_is_that_of_a_file() {
    let folder = Folder::new();
    for file in matrix_files(&folder) {
        for prepare in count_preparations() {
            let options = ReadOptions { prepare: prepare.clone(), ..ReadOptions::default() };
            let mut file = read(&file, &options).expect("a matrix");
            let memory = from_csr(&matrix(), Some(words()), &by(prepare)).expect("a matrix");
            file.notes.vocab_file = None;
            same(&memory, &file);
            assert_eq!((&*memory.format, memory.notes.merged_entries), ("csr", 2));
        }
    }
    let [.., all] = count_preparations();
    let loaded = from_csr(&matrix(), Some(words()), &by(all)).expect("a matrix");
    assert_eq!(loaded.notes.dropped.stop_words.words, 1);
    assert!(!loaded.notes.dropped.documents.is_empty());
}

#[test]
fn columns_without_words_are_numbered_as_in_a_file() {
    let options = ReadOptions { vocab: VocabSource::None, ..ReadOptions::default() };
    let file = read_bytes(npz(), &options).expect("a matrix");
    same(&from_csr(&matrix(), None, &DocumentOptions::default()).expect("a matrix"), &file);
}

/// New documents are prepared as those of a run were, and may have nothing in them.
#[test]
fn documents_are_prepared_like_others() {
    let [.., all] = text_preparations();
    let like = from_texts(&docs(), &by(all)).expect("texts").preparation;
    let new = vec!["Walked to New York and the Ashes".to_owned(), String::new()];
    let options =
        ReadOptions { format: Some(Format::Text), like: Some(like.clone()), ..ReadOptions::default() };
    let file = read_bytes(lines(&new), &options).expect("text");
    let options = DocumentOptions { like: Some(like), ..DocumentOptions::default() };
    let memory = from_texts(&new, &options).expect("texts");
    assert!(memory.corpus.vocab.contains(&"new_york".into()), "{:?}", memory.corpus.vocab);
    same(&memory, &file);
    assert_eq!(from_texts::<&str>(&[], &options).expect("no texts").corpus.num_docs(), 0);
    assert_eq!(from_tokens(&[["new", "york"]], &options).expect("tokens").corpus.vocab.len(), 3);
    let like = DocumentOptions { like: Some(Preparation::default()), ..DocumentOptions::default() };
    let none = Csr { indptr: &[0, 0], indices: &[0u32; 0], data: &[0u32; 0], columns: 3 };
    assert_eq!(from_csr(&none, None, &like).expect("an empty row").corpus.num_docs(), 1);
}

fn refused(result: Result<Loaded>) -> String {
    match result {
        Err(error @ Error::Corpus { .. }) => {
            assert_eq!((error.exit_code(), error.to_string().lines().count()), (2, 1), "{error}");
            error.to_string()
        }
        other => panic!("not refused: {other:?}"),
    }
}

fn refused_matrix<P, I, C>(indptr: &[P], indices: &[I], data: &[C]) -> String
where
    P: Copy + Display + TryInto<u64>,
    I: Copy + Display + TryInto<u64>,
    C: Copy + Display + TryInto<u64>,
{
    refused(from_csr(&Csr { indptr, indices, data, columns: 3 }, None, &DocumentOptions::default()))
}

#[test]
fn arrays_of_no_matrix_are_refused() {
    for (indptr, expected) in [
        (&[][..], "corpus: indptr ends at 0, and there are 2 entries; give"),
        (&[1, 2], "corpus: indptr begins with 1, not with 0; give"),
        (&[-1, 2], "corpus: indptr begins with -1, not with 0; give"),
        (&[0, 2, 1, 2], "corpus: indptr has 1 after 2; give"),
        (&[0, -2], "corpus: indptr has -2 after 0; give"),
        (&[0, 1], "corpus: indptr ends at 1, and there are 2 entries; give"),
        (&[0, 3], "corpus: indptr ends at 3, and there are 2 entries; give"),
        (&[0, i64::MAX], "corpus: indptr ends at 9223372036854775807, and there are 2 entries; give"),
    ] {
        assert!(refused_matrix(indptr, &[0, 1], &[1, 1]).starts_with(expected), "{indptr:?}");
    }
    let lengths = refused_matrix(&[0, 2], &[0, 1], &[1]);
    assert!(lengths.starts_with("corpus: indices has 2 numbers and data has 1;"), "{lengths}");
    for (index, shown) in [(3, "3"), (-1, "-1"), (i64::MIN, "-9223372036854775808")] {
        let error = refused_matrix(&[0, 1, 2], &[0, index], &[1, 1]);
        let expected = format!("corpus: entry 1 is in column {shown}, and there are 3 columns;");
        assert!(error.starts_with(&expected), "{error}");
    }
    let negative = refused_matrix(&[0, 2], &[0, 1], &[1, -4]);
    assert!(negative.starts_with("corpus: entry 1 has the count -4; give"), "{negative}");
    for count in [1 << 25, u64::MAX] {
        let long = refused_matrix(&[0, 0, 2], &[0, 1], &[count, u64::MAX]);
        assert!(long.starts_with("corpus: document 2 has more than 16777216 tokens; split"), "{long}");
    }
    let nothing = refused_matrix(&[0, 2], &[0, 1], &[0, 0]);
    assert!(nothing.starts_with("corpus: has no tokens; give documents with words"), "{nothing}");
    let huge = Csr { indptr: &[0, 1], indices: &[0], data: &[1], columns: usize::MAX };
    let huge = refused(from_csr(&huge, None, &DocumentOptions::default()));
    assert!(huge.starts_with("corpus: 1 documents, 18446744073709551615 words and 1 tokens need"), "{huge}");
}

#[test]
fn words_and_labels_that_do_not_fit_are_refused() {
    let keep_all = by(PrepareOptions::keep_all());
    let with_words = |words: Vec<String>| refused(from_csr(&matrix(), Some(words), &keep_all));
    assert!(with_words(words()[1..].to_vec()).starts_with("corpus: 6 words are given for 7 columns;"));
    for (word, why) in
        [("", "is empty"), ("a\nb", "has a line end in it"), (" a", "has white space at an end")]
    {
        let mut words = words();
        words[2] = word.into();
        let shown = word.escape_debug();
        let expected = format!("corpus: the word of column 2, '{shown}', {why};");
        assert!(with_words(words).starts_with(&expected), "{word:?}");
        let error = refused(from_tokens(&[vec!["ash"], vec!["ash", word]], &keep_all));
        assert!(error.starts_with(&format!("corpus: word 2 of document 2, '{shown}', {why};")), "{error}");
    }
    let mut repeated = words();
    repeated[5] = "elm".into();
    let notes = from_csr(&matrix(), Some(repeated), &keep_all).expect("a matrix").notes;
    assert_eq!(notes.repeated_words, 1);
    assert!(notes.warnings().iter().any(|line| line.ends_with("check the vocabulary; they stay apart")));

    let names = DocumentOptions { names: Some(words()), ..keep_all.clone() };
    let error = refused(from_texts(&["ash", "elm"], &names));
    assert!(error.starts_with("corpus: 2 documents have 7 names; give one per document"), "{error}");
    let columns = vec![MetadataColumn { name: "year".into(), values: vec![] }];
    let columns = DocumentOptions { metadata: Metadata { columns }, ..keep_all.clone() };
    let error = refused(from_tokens(&[["ash"]], &columns));
    assert!(error.starts_with("corpus: 1 documents have 0 values of metadata;"), "{error}");
    assert!(refused(from_texts::<&str>(&[], &keep_all)).starts_with("corpus: has no tokens;"));
    let gone = refused(from_texts(
        &["ash elm"],
        &by(PrepareOptions { min_count: Some(2), ..PrepareOptions::default() }),
    ));
    assert!(gone.starts_with("corpus: none of its 2 tokens is left after preparation: left out"), "{gone}");
}

#[test]
fn settings_that_do_not_fit_are_refused() {
    let setting = |result: Result<Loaded>| match result {
        Err(Error::Setting { setting, .. }) => setting,
        other => panic!("not refused: {other:?}"),
    };
    let pattern = by(PrepareOptions { token_pattern: Some(r"\w+".into()), ..PrepareOptions::default() });
    assert_eq!(setting(from_tokens(&[["ash"]], &pattern)), "token_pattern");
    assert_eq!(setting(from_csr(&matrix(), None, &pattern)), "token_pattern");
    let bigrams = by(PrepareOptions { bigrams: Some(0.5), ..PrepareOptions::default() });
    assert_eq!(setting(from_csr(&matrix(), None, &bigrams)), "bigrams");
    // A file that cannot be read is still named.
    let missing = vec![Folder::new().path().join("missing")];
    let missing = by(PrepareOptions { extra_stopwords: missing, ..PrepareOptions::default() });
    assert!(matches!(from_texts(&["ash"], &missing), Err(Error::Read { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Whatever the arrays are, there is a usable corpus or an error.
    #[test]
    fn any_arrays(
        indptr in prop::collection::vec(-1i64..9, 0..6),
        sorted in any::<bool>(),
        entries in prop::collection::vec((-1i32..6, prop_oneof![9 => -1i64..5, 1 => any::<i64>()]), 0..9),
    ) {
        let mut indptr = indptr;
        if sorted {
            indptr.sort_unstable();
            indptr.insert(0, 0);
            indptr.push(entries.len() as i64);
        }
        let (indices, data): (Vec<i32>, Vec<i64>) = entries.into_iter().unzip();
        let matrix = Csr { indptr: &indptr, indices: &indices, data: &data, columns: 5 };
        match from_csr(&matrix, None, &DocumentOptions::default()) {
            Ok(loaded) => {
                loaded.corpus.check().expect("a usable corpus");
                prop_assert_eq!(loaded.corpus.num_tokens() as i64, data.iter().sum::<i64>());
            }
            Err(error) => prop_assert_eq!(error.exit_code(), 2, "{}", error),
        }
    }
}
