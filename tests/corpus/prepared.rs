//! A prepared corpus is the corpus that it was made from, and any damage to its file is found.

use std::fs;
use std::path::PathBuf;

use hdp_gpu::Corpus;
use hdp_gpu::corpus::sample::sample;
use hdp_gpu::corpus::{
    DroppedDocument, Format, LoadNotes, Loaded, Metadata, MetadataColumn, Preparation, ReadOptions,
    VocabSource, digest, read, write_prepared,
};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

use super::common::fixed_cases;
use super::{Folder, gzip, input_error, options, read_bytes, zstd};

/// A corpus with everything that one can have.
fn small() -> (Corpus, LoadNotes) {
    let strings = |strings: [&str; 3]| strings.map(str::to_owned).to_vec();
    let columns = vec![
        MetadataColumn { name: "label".into(), values: strings(["1", "", "-1"]) },
        MetadataColumn { name: "année\n".into(), values: strings(["1788", "two\nlines", "木"]) },
    ];
    let corpus = Corpus {
        doc_names: Some(strings(["a", "b c", ""])),
        metadata: Metadata { columns },
        ..Corpus::new(vec![2, 0, 1, 1, 0], vec![0, 3, 3, 5], strings(["ash", "horse chestnut", "été"]))
            .expect("a corpus")
    };
    let notes = LoadNotes {
        vocab_file: Some(PathBuf::from("vocab.txt")),
        merged_entries: 3,
        empty_docs: 1,
        ..LoadNotes::default()
    };
    (corpus, notes)
}

fn prepared(folder: &Folder, corpus: &Corpus, notes: &LoadNotes) -> PathBuf {
    let path = folder.path().join("corpus.hdp");
    write_prepared(&path, corpus, "uci", &Preparation::default(), notes).expect("a prepared corpus");
    path
}

#[test]
fn what_was_prepared_is_read() {
    let folder = Folder::new();
    let (corpus, notes) = small();
    let path = prepared(&folder, &corpus, &notes);
    let loaded = read(&path, &ReadOptions::default()).expect("a prepared corpus");
    assert_eq!((&loaded.corpus, &loaded.notes, &*loaded.format), (&corpus, &notes, "prepared"));
    let packed = folder.write("packed", gzip(fs::read(&path).expect("the file")));
    let unpacked = read(&packed, &ReadOptions::default()).expect("also gzipped");
    assert_eq!(unpacked, Loaded { source: packed.display().to_string(), ..loaded.clone() });
    // It outlives its file, and what replaces that.
    fs::rename(folder.write("other", "nothing"), &path).expect("another file in its place");
    assert_eq!(loaded.corpus, corpus);

    let sample = sample().corpus;
    let path = prepared(&folder, &sample, &LoadNotes::default());
    let again = read(&path, &ReadOptions::default()).expect("a prepared corpus").corpus;
    assert!(again == sample && digest(&again) == digest(&sample));
    let bytes = fs::read(&path).expect("the file");
    let stated = format!("\"digest\":\"{}\"", digest(&sample));
    assert!(bytes.windows(stated.len()).any(|window| window == stated.as_bytes()));
}

#[test]
fn every_damage_is_found() {
    let folder = Folder::new();
    let (corpus, notes) = small();
    let whole = fs::read(prepared(&folder, &corpus, &notes)).expect("the file");
    let given = options(Some(Format::Prepared), VocabSource::Beside);
    let read_damaged = |bytes: &[u8]| input_error(read(&folder.write("damaged", bytes), &given));
    for length in 1..whole.len() {
        read_damaged(&whole[..length]);
    }
    for at in 0..whole.len() {
        for change in [1, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= change;
            read_damaged(&damaged);
        }
    }
    let (_, problem) = read_damaged(&[&whole[..], b"\0"].concat());
    assert!(problem.contains("bytes are not what its header says"), "{problem}");
}

/// `whole` with `bytes` at a place and a checksum that is right again, as only an ill will makes it.
fn forged(whole: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut content = whole[..whole.len() - 32].to_vec();
    content[at..at + bytes.len()].copy_from_slice(bytes);
    let checksum = Sha256::digest(&content);
    [&content[..], &checksum[..]].concat()
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let folder = Folder::new();
    let (corpus, notes) = small();
    let whole = fs::read(prepared(&folder, &corpus, &notes)).expect("the file");
    // Magic, version and five sizes take 56 bytes, the five tokens 20 and 4 to fill up.
    let (w, doc_start) = (56, 80);
    let strings = doc_start + 8 * 4;
    // The last column has 16 bytes of text, after its three lengths.
    let info = strings + usize::from(whole[40]);
    for (at, bytes, expected) in [
        (8, &2u64.to_le_bytes()[..], "has version 2 of the format, and this program reads version 1"),
        (16, &u64::MAX.to_le_bytes(), "bytes are not what its header says"),
        (32, &(u64::MAX / 4 + 1).to_le_bytes(), "bytes are not what its header says"),
        (w, &3u32.to_le_bytes(), "token 0 has the word number 3, and there are 3 words"),
        (doc_start, &1u64.to_le_bytes(), "the first document begins at token 1, not at 0"),
        (doc_start + 8, &6u64.to_le_bytes(), "document 2 begins at 6 and ends at 3"),
        (doc_start + 24, &4u64.to_le_bytes(), "the last document ends at token 4, and there are 5 tokens"),
        (strings, &u32::MAX.to_le_bytes(), "its names end early"),
        (info - 20, &0u32.to_le_bytes(), "more names than it needs"),
        (strings + 12, b"\xff", "a name is not UTF-8"),
        (strings + 12, b"\n", "a word is empty or has a line end in it"),
        (whole.len() - 34, b"x", "expected"),
    ] {
        let (line, problem) = input_error(read_bytes(forged(&whole, at, bytes), &ReadOptions::default()));
        assert!(line.is_none() && problem.contains(expected), "{at}: {problem}");
    }
    let empty =
        prepared(&folder, &Corpus::new(vec![], vec![0, 0], vec!["ash".into()]).expect("a corpus"), &notes);
    assert!(input_error(read(&empty, &ReadOptions::default())).1.ends_with(": it has no tokens"));
}

/// Their names are looked up when a run lists them.
#[test]
fn dropped_documents_that_are_not_there_are_refused() {
    let folder = Folder::new();
    let (corpus, mut notes) = small();
    for (number, is_there) in [(0, false), (1, true), (3, true), (4, false), (u64::MAX, false)] {
        notes.dropped.documents = vec![DroppedDocument { number, tokens: 1, left: 0 }];
        let loaded = read(&prepared(&folder, &corpus, &notes), &ReadOptions::default());
        if is_there {
            assert_eq!(loaded.expect("a prepared corpus").notes, notes);
        } else {
            assert!(input_error(loaded).1.ends_with("that it has dropped is none of its own"), "{number}");
        }
    }
}

/// Zeros that would fill the memory fit in a thousandth of it.
#[test]
fn a_packed_file_that_grows_beyond_measure_is_refused() {
    let folder = Folder::new();
    let (corpus, notes) = small();
    let start = fs::read(prepared(&folder, &corpus, &notes)).expect("the file")[..56].to_vec();
    let given = options(Some(Format::Prepared), VocabSource::Beside);
    for pack in [gzip as fn(Vec<u8>) -> Vec<u8>, zstd] {
        let packed = pack([start.clone(), vec![0; 1 << 25]].concat());
        assert!(25 * packed.len() < 1 << 25, "{}", packed.len());
        let (_, problem) = input_error(read_bytes(packed, &given));
        assert_eq!(problem, "unpacks to more than 25 times its size");
    }
}

proptest! {
    #![proptest_config(fixed_cases(512))]

    #[test]
    fn no_forgery_makes_the_reader_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
    ) {
        let folder = Folder::new();
        let (corpus, notes) = small();
        let mut whole = fs::read(prepared(&folder, &corpus, &notes)).expect("the file");
        let length = whole.len() - 32;
        for (at, byte) in changes {
            whole = forged(&whole, at.index(length), &[byte]);
        }
        if let Err(error) = read_bytes(&whole, &options(Some(Format::Prepared), VocabSource::Beside)) {
            prop_assert_eq!(error.exit_code(), 2);
        }
    }
}
