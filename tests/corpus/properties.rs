//! What holds for every bag of words, and for any bytes at all.

use std::collections::BTreeMap;

use hdp_gpu::Corpus;
use hdp_gpu::corpus::{Format, VocabSource, read};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::common::fixed_cases;
use super::{Folder, gzip, numbered, options};

const VOCAB_SIZE: u32 = 12;

/// A document: words and their counts.
type Bag = BTreeMap<u32, u32>;

/// A few documents with at least one token; the last word is there, so that LDA-C sees V as well.
fn bags() -> impl Strategy<Value = Vec<Bag>> {
    let words = 0..VOCAB_SIZE;
    vec(btree_map(words, 1..5u32, 0..8), 1..8).prop_map(|mut bags| {
        bags[0].insert(VOCAB_SIZE - 1, 1);
        bags
    })
}

fn entries(bags: &[Bag]) -> Vec<(usize, u32, u32)> {
    let entries = bags.iter().enumerate();
    entries.flat_map(|(d, bag)| bag.iter().map(move |(&v, &count)| (d, v, count))).collect()
}

fn uci(docs: usize, entries: &[(usize, u32, u32)]) -> String {
    let body: String = entries.iter().map(|(d, v, n)| format!("{} {} {n}\n", d + 1, v + 1)).collect();
    format!("{docs}\n{VOCAB_SIZE}\n{}\n{body}", entries.len())
}

fn matrix_market(docs: usize, entries: &[(usize, u32, u32)]) -> String {
    let body: String = entries.iter().map(|(d, v, n)| format!("{} {} {n}\n", d + 1, v + 1)).collect();
    let banner = "%%MatrixMarket matrix coordinate integer general";
    format!("{banner}\n{docs} {VOCAB_SIZE} {}\n{body}", entries.len())
}

/// Words count from 0; the first document tells of that.
fn svmlight(bags: &[Bag]) -> String {
    let pairs = |bag: &Bag| bag.iter().map(|(v, n)| format!(" {v}:{n}")).collect::<String>();
    bags.iter()
        .enumerate()
        .map(|(d, bag)| format!("-1 {}{}\n", if d == 0 { "0:0" } else { "" }, pairs(bag)))
        .collect()
}

fn ldac(bags: &[Bag]) -> String {
    let pairs = |bag: &Bag| bag.iter().map(|(v, n)| format!(" {v}:{n}")).collect::<String>();
    bags.iter().map(|bag| format!("{}{}\n", bag.len(), pairs(bag))).collect()
}

fn counts(corpus: &Corpus) -> Vec<Bag> {
    let count = |d| {
        let mut bag = Bag::new();
        for &v in &corpus.w[corpus.doc(d)] {
            *bag.entry(v).or_default() += 1;
        }
        bag
    };
    (0..corpus.num_docs()).map(count).collect()
}

/// Every way to read `content`; nothing is asked of the result but that there is one.
fn read_every_way(content: &[u8]) {
    let folder = Folder::new();
    let path = folder.write("corpus", content);
    for format in std::iter::once(None).chain(Format::ALL.map(Some)) {
        for vocab in [VocabSource::Beside, VocabSource::None] {
            if let Err(error) = read(&path, &options(format, vocab)) {
                assert_eq!(error.exit_code(), 2, "{error}");
                assert_eq!(error.to_string().lines().count(), 1, "{error}");
            }
        }
    }
}

proptest! {
    #![proptest_config(fixed_cases(256))]

    #[test]
    fn a_bag_that_is_written_is_read(bags in bags()) {
        let from_uci = numbered(uci(bags.len(), &entries(&bags))).corpus;
        prop_assert_eq!(counts(&from_uci), &bags[..]);
        let from_ldac = numbered(ldac(&bags)).corpus;
        prop_assert_eq!(&from_ldac.w, &from_uci.w);
        prop_assert_eq!(&from_ldac.doc_start, &from_uci.doc_start);
        for other in [matrix_market(bags.len(), &entries(&bags)), svmlight(&bags)] {
            let other = numbered(other).corpus;
            prop_assert_eq!(&other.w, &from_uci.w);
            prop_assert_eq!(&other.doc_start, &from_uci.doc_start);
        }
        let again = numbered(uci(bags.len(), &entries(&counts(&from_uci)))).corpus;
        prop_assert_eq!(again, from_uci);
    }

    #[test]
    fn the_order_of_uci_lines_does_not_matter(
        (bags, shuffled) in bags().prop_flat_map(|bags| {
            let entries = entries(&bags);
            (Just(bags), Just(entries).prop_shuffle())
        }),
        split in any::<prop::sample::Index>(),
    ) {
        let sorted = numbered(uci(bags.len(), &entries(&bags)));
        prop_assert_eq!(&numbered(uci(bags.len(), &shuffled)), &sorted);
        prop_assert_eq!(&numbered(matrix_market(bags.len(), &shuffled)).corpus, &sorted.corpus);

        // One entry in two halves, the second at the end.
        let mut halved = shuffled;
        let at = split.index(halved.len());
        let (d, v, count) = halved[at];
        halved[at].2 = 1;
        halved.extend((count > 1).then_some((d, v, count - 1)));
        let merged = numbered(uci(bags.len(), &halved));
        prop_assert_eq!(merged.corpus, sorted.corpus);
        prop_assert_eq!(merged.notes.merged_entries, u64::from(count > 1));
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in vec(any::<u8>(), 0..200)) {
        read_every_way(&bytes);
        read_every_way(&[&[0x1f, 0x8b, 8], &bytes[..]].concat());
        read_every_way(&[&[0x28, 0xb5, 0x2f, 0xfd], &bytes[..]].concat());
    }

    #[test]
    fn nothing_like_a_corpus_makes_a_reader_panic(text in "([0-9]{0,2}[-0-9:. \t\r\n\u{feff}a])*") {
        read_every_way(text.as_bytes());
        read_every_way(&gzip(&text));
        read_every_way(format!("2\n3\n4\n{text}").as_bytes());
        read_every_way(format!("%%MatrixMarket matrix coordinate real general\n2 3 4\n{text}").as_bytes());
        read_every_way(format!("#doc source pos typeindex type topic\n0 a 0 0 b 0\n{text}").as_bytes());
    }

    #[test]
    fn a_damaged_corpus_does_not_make_a_reader_panic(
        bags in bags(),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let whole = uci(bags.len(), &entries(&bags));
        let others = [ldac(&bags), svmlight(&bags), matrix_market(bags.len(), &entries(&bags))];
        let state = "#doc source pos typeindex type topic\n#alpha : 1\n0 a 0 0 b 0\n0 a 1 2 c 1\n1 d 0 0 b 1\n";
        let npz = include_bytes!("../fixtures/formats/csc.npz").to_vec();
        let others = others.map(String::into_bytes).into_iter().chain([state.into(), npz]);
        for content in others.chain([whole.clone().into_bytes(), gzip(whole)]) {
            let mut content = content;
            for (at, byte) in &damage {
                let at = at.index(content.len());
                content[at] = *byte;
            }
            read_every_way(&content);
            read_every_way(&content[..cut.index(content.len())]);
        }
    }
}
