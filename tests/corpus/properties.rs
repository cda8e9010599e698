//! What holds for every bag of words, and for any bytes at all.

use std::collections::BTreeMap;
use std::path::Path;

use hdp_gpu::corpus::{
    Format, Language, Loaded, Preparation, PrepareOptions, ReadOptions, TextOptions, VocabSource, read,
};
use hdp_gpu::{Corpus, Error};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::json;
use unicode_segmentation::UnicodeSegmentation;

use super::common::fixed_cases;
use super::{Folder, gzip, numbered, options, read_bytes};

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
    let check = |path: &Path, options: &ReadOptions| {
        if let Err(error) = read(path, options) {
            assert_eq!(error.exit_code(), 2, "{error}");
            assert_eq!(error.to_string().lines().count(), 1, "{error}");
        }
    };
    for format in std::iter::once(None).chain(Format::ALL.map(Some)) {
        for vocab in [VocabSource::Beside, VocabSource::None] {
            check(&path, &options(format, vocab));
        }
    }
    check(folder.path(), &options(None, VocabSource::Beside));
    let text = TextOptions { encoding: "utf-16le".parse().ok(), ..TextOptions::default() };
    check(&path, &ReadOptions { text, ..options(Some(Format::Text), VocabSource::Beside) });
}

/// The languages of `--stem`, as its error lists them.
fn stemmers() -> Vec<String> {
    let prepare = PrepareOptions { stem: Some("none".into()), ..PrepareOptions::keep_all() };
    match read_bytes("a\n", &ReadOptions { prepare, ..ReadOptions::default() }) {
        Err(Error::Setting { remedy, .. }) => {
            remedy.trim_start_matches("give auto or ").split(", ").map(str::to_owned).collect()
        }
        other => panic!("no languages: {other:?}"),
    }
}

proptest! {
    #![proptest_config(fixed_cases(32))]

    #[test]
    fn no_word_makes_a_stemmer_panic(
        any in any::<String>(),
        likely in "([a-zäöüßéèçñøåıłα-ωа-яіا-يא-תक-हட-ற'’\u{301}\u{640}]{1,14} ){30}",
    ) {
        let content = json!({ "text": format!("{any} {likely}") }).to_string();
        let stemmers = stemmers();
        prop_assert_eq!(stemmers.len(), 38);
        for stem in stemmers {
            let prepare = PrepareOptions { stem: Some(stem), ..PrepareOptions::keep_all() };
            let loaded = read_bytes(&content, &ReadOptions { prepare, ..ReadOptions::default() });
            prop_assert!(loaded.expect("words").corpus.vocab.iter().all(|word| !word.is_empty()));
        }
    }
}

/// What a run from before there were versions of the rules has in run.json.
fn first_rules() -> Preparation {
    let text = json!({
        "encoding": "UTF-8", "text_column": null, "id_column": null, "token_pattern": null, "lowercase": true,
        "stem": null, "bigrams": null,
    });
    let settings = json!({
        "text": text, "stopwords": {"language": null, "words": []}, "min_word_length": 1, "min_count": 0,
        "max_doc_share": null, "min_doc_length": 0,
    });
    serde_json::from_value(settings).expect("settings of a run")
}

/// The words of a text, in their order.
fn words_of(text: &str, options: &ReadOptions) -> Vec<String> {
    let found = read_bytes(json!({ "text": text }).to_string(), options);
    found.map_or_else(
        |_| Vec::new(),
        |Loaded { corpus, .. }| corpus.w.iter().map(|&v| corpus.vocab[v as usize].clone()).collect(),
    )
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

    /// By the first version of the rules, and by those of now in text that they say nothing of.
    #[test]
    fn words_are_those_of_unicode_in_lower_case(
        text in any::<String>(),
        tricky in "[a-zÉ \t\n\r.,:;'’\"_0-9\u{301}\u{200d}\u{ad}אカ\u{3000}\u{1f1e9}]{0,40}",
    ) {
        for text in [text, tricky] {
            let words = text.unicode_words().filter(|word| word.contains(char::is_alphabetic));
            let expected: Vec<String> = words.map(str::to_lowercase).collect();
            let like = Some(first_rules());
            prop_assert_eq!(words_of(&text, &ReadOptions { like, ..ReadOptions::default() }), expected.clone());
            let says_nothing = |c: char| !"'-._@:wW\u{ad}\u{2010}\u{2011}\u{2018}\u{2019}\u{2bc}\u{ff07}".contains(c);
            if text.chars().all(|c| says_nothing(c) && (c < '\u{e00}' || c == '\u{3000}')) {
                prop_assert_eq!(words_of(&text, &options(None, VocabSource::Beside)), expected);
            }
        }
    }

    /// Text long enough to be looked at, of any scripts.
    #[test]
    fn no_text_makes_its_recognition_panic(
        any in any::<String>(),
        likely in "([a-zéßøıłа-яіα-ωا-يא-תअ-हก-ฮァ-ン一-鿿가-힣\u{301}'. ]{1,20} ){1,4}",
    ) {
        for text in [any, likely] {
            let text = format!("{text} ").repeat(400 / (text.len() + 1) + 1);
            let prepare = PrepareOptions { stopwords: None, ..PrepareOptions::keep_all() };
            words_of(&text, &ReadOptions { prepare, ..ReadOptions::default() });
        }
    }

    /// Whatever text comes, its words have a letter, are in lower case and have nothing at their ends.
    #[test]
    fn words_are_words(
        text in any::<String>(),
        tricky in "[a-zÉ.,:;'’ʼ＇\"_0-9\u{301}\u{200d}\u{ad}אカ人ก\u{3000}@w/l-]{0,40}",
        language in prop::sample::select(vec!["en", "fr", "it", "ca", "zh"]),
    ) {
        for text in [text, tricky] {
            let language = Some(Language::Code(language.into()));
            let prepare = PrepareOptions { language, ..PrepareOptions::keep_all() };
            for word in words_of(&text, &ReadOptions { prepare, ..ReadOptions::default() }) {
                prop_assert!(word.contains(char::is_alphabetic), "{word:?}");
                prop_assert_eq!(word.to_lowercase(), word.clone());
                prop_assert_eq!(word.trim().trim_matches(['\'', '_', '-', '.', '\u{ad}']), &word);
                prop_assert!(!word.contains(['’', 'ʼ', '＇', '\u{ad}', ' ']), "{word:?}");
            }
        }
    }

    /// Tokens, whatever is left out, are those of the input in their order; documents keep their rows.
    #[test]
    fn preparation_only_takes_away(
        text in "([abc]{1,3}[ ,\n])*",
        min_count in 0..4u64,
        min_doc_length in 0..4u64,
        min_word_length in 1..3u64,
        share in 1..=10u32,
    ) {
        let folder = Folder::new();
        let path = folder.write("corpus", &text);
        let prepare = PrepareOptions {
            min_count: Some(min_count),
            min_doc_length: Some(min_doc_length),
            min_word_length: Some(min_word_length),
            max_doc_share: Some(f64::from(share) / 10.0),
            ..PrepareOptions::keep_all()
        };
        let all = options(Some(Format::Text), VocabSource::Beside);
        if let (Ok(all), Ok(some)) = (read(&path, &all), read(&path, &ReadOptions { prepare, ..all.clone() })) {
            let dropped = &some.notes.dropped;
            let tallies = [
                dropped.short_words,
                dropped.rare_words,
                dropped.common_words,
                dropped.in_dropped_documents,
            ];
            let words = tallies.iter().map(|tally| tally.words).sum::<u64>() as usize;
            let tokens = tallies.iter().map(|tally| tally.tokens).sum::<u64>() as usize;
            prop_assert_eq!(some.corpus.vocab_size() + words, all.corpus.vocab_size());
            prop_assert_eq!(some.corpus.num_tokens() + tokens, all.corpus.num_tokens());
            prop_assert_eq!(some.corpus.num_docs(), all.corpus.num_docs());
            prop_assert!(some.corpus.vocab.is_sorted());
            let word = |corpus: &Corpus, v: u32| corpus.vocab[v as usize].clone();
            for d in (0..some.corpus.num_docs()).filter(|&d| !some.corpus.doc(d).is_empty()) {
                let left = some.corpus.w[some.corpus.doc(d)].iter().map(|&v| word(&some.corpus, v));
                let whole = all.corpus.w[all.corpus.doc(d)].iter().map(|&v| word(&all.corpus, v));
                prop_assert!(left.eq(whole.filter(|word| some.corpus.vocab.binary_search(word).is_ok())));
                prop_assert!(some.corpus.doc(d).len() as u64 >= min_doc_length);
            }
        }
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
