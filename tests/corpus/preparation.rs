//! Which words and documents preparation keeps, and what it says of the others.

use std::path::PathBuf;

use hdp_gpu::corpus::{
    Dropped, DroppedDocument, Loaded, Preparation, PrepareOptions, ReadOptions, StopwordSource, Tally,
    VocabSource, read,
};
use hdp_gpu::params::Preset;
use hdp_gpu::{Error, Result};

use super::{Folder, input_error, read_bytes};

fn read_with(content: &str, prepare: PrepareOptions) -> Result<Loaded> {
    read_bytes(content, &ReadOptions { prepare, ..ReadOptions::default() })
}

fn keep_all() -> PrepareOptions {
    PrepareOptions::keep_all()
}

/// The words of each document, in their order.
fn docs(loaded: &Loaded) -> Vec<String> {
    let corpus = &loaded.corpus;
    let word = |&v: &u32| corpus.vocab[v as usize].as_str();
    (0..corpus.num_docs())
        .map(|d| corpus.w[corpus.doc(d)].iter().map(word).collect::<Vec<_>>().join(" "))
        .collect()
}

/// The documents of `content` after preparation.
fn prepared(content: &str, prepare: PrepareOptions) -> Vec<String> {
    docs(&read_with(content, prepare).expect("a corpus"))
}

fn setting_error(result: Result<Loaded>) -> &'static str {
    match result {
        Err(Error::Setting { setting, .. }) => setting,
        other => panic!("no flag is blamed: {other:?}"),
    }
}

fn tally(words: u64, tokens: u64) -> Tally {
    Tally { words, tokens }
}

/// What has to be left of text by the paper's preset, which users rely on.
#[test]
fn thresholds_of_the_paper() {
    let long = "the Forest and the river ".repeat(5);
    let content = format!("{long}\nA forest, a RIVER: mountain\n\n{long}unique of it don’t\n");
    let paper = PrepareOptions { preset: Preset::Paper, ..PrepareOptions::default() };
    let loaded = read_with(&content, paper.clone()).expect("a corpus");
    assert_eq!(docs(&loaded), ["forest river ".repeat(5).trim(), "", "", "forest river ".repeat(5).trim()]);
    let notes = &loaded.notes;
    let expected = Dropped {
        stop_words: tally(6, 35),
        rare_words: tally(2, 2),
        in_dropped_documents: tally(0, 2),
        documents: vec![DroppedDocument { number: 2, tokens: 5, left: 2 }],
        ..Dropped::default()
    };
    assert_eq!(notes.dropped, expected);
    assert_eq!(notes.empty_docs, 2);
    assert_eq!(notes.warnings(), ["documents without tokens: 1; they keep their rows in the results"]);
    assert_eq!(
        notes.dropped.lines(&loaded.preparation),
        [
            "left out: 6 words in the list of stop words (35 tokens), 2 words with fewer than 10 tokens (2 tokens)",
            "emptied: 1 documents with fewer than 10 tokens left (2); they keep their rows",
        ]
    );
    assert_eq!(expected.documents[0].reason(&loaded.preparation), "2 words left, fewer than 10");
    let Preparation { min_count, min_doc_length, stopwords, .. } = &loaded.preparation;
    assert_eq!((*min_count, *min_doc_length, stopwords.language.as_deref()), (10, 10, Some("en")));
    let chosen = notes.chosen.lines(&loaded.preparation);
    assert!(!chosen.iter().any(|line| line.contains("min_count")), "nothing was chosen: {chosen:?}");
    // What is given beside it counts.
    let given = PrepareOptions { min_count: Some(1), min_doc_length: Some(3), ..paper };
    let Preparation { min_count, min_doc_length, .. } =
        read_with(&content, given).expect("a corpus").preparation;
    assert_eq!((min_count, min_doc_length), (1, 3));
}

/// Documents of `length` words, of which each word occurs in several and one in each nowhere else.
fn made_up(docs: usize, length: usize) -> String {
    let word = |d: usize, i: usize| format!("word{} ", (d * 31 + i * 17) % (docs * length / 40).max(5));
    (0..docs).map(|d| (1..length).map(|i| word(d, i)).collect::<String>() + &format!("once{d}\n")).collect()
}

#[test]
fn thresholds_go_by_the_size_of_the_corpus() {
    for (docs, length, min_count, min_doc_length) in [
        (3, 10, 1, 1),
        (64, 10, 2, 1),
        (64, 30, 2, 1),
        (100, 200, 3, 3),
        (2_000, 20, 4, 4),
        (1_000, 300, 10, 10),
    ] {
        let loaded = read_with(&made_up(docs, length), PrepareOptions::default()).expect("a corpus");
        let settings = &loaded.preparation;
        assert_eq!(
            (settings.min_count, settings.min_doc_length),
            (min_count, min_doc_length),
            "{docs} of {length}"
        );
        assert_eq!(loaded.notes.dropped.documents, [], "{docs} of {length}");
        let tokens = docs * length;
        assert_eq!(
            loaded.notes.chosen.lines(settings)[1],
            format!(
                "chosen: `min_count` {min_count} and `min_doc_length` {min_doc_length}, for {docs} documents with {tokens} tokens \
                 that are no stop words"
            )
        );
        assert_eq!(loaded.notes.dropped.rare_words.words, if min_count > 1 { docs as u64 } else { 0 });
    }
}

#[test]
fn it_is_told_when_most_of_a_corpus_has_gone() {
    let paper = PrepareOptions { preset: Preset::Paper, ..PrepareOptions::default() };
    let kept = "ash birch ".repeat(10) + "\n";
    let content = kept.clone() + &"elm oak fir ash\n".repeat(3);
    let warnings = read_with(&content, paper.clone()).expect("a corpus").notes.warnings();
    assert_eq!(
        warnings,
        ["3 of 4 documents were emptied; lower `min_count` or `min_doc_length` if that is too many"]
    );
    let rare: String = (0..40).map(|i| format!("rare{i} ")).collect();
    let warnings = read_with(&(kept + &rare), paper).expect("a corpus").notes.warnings();
    assert_eq!(
        warnings,
        [
            "40 of 60 tokens that are no stop words were left out; lower `min_count` or `min_doc_length` if that is too many"
        ]
    );
}

#[test]
fn words_are_unicodes_or_a_patterns() {
    let content = "L'été, state-of-the-art 3D x2 42 Don't\n";
    assert_eq!(prepared(content, keep_all()), ["l'été state-of-the-art 3d x2 don't"]);
    let with = |pattern: &str| PrepareOptions { token_pattern: Some(pattern.into()), ..keep_all() };
    assert_eq!(prepared(content, with(r"\p{L}+")), ["l été state of the art d x don t"]);
    assert_eq!(prepared(content, with(r"[A-Z]?")), ["l d d"], "the text as it is written, no empty words");
    assert_eq!(
        prepared(content, PrepareOptions { keep_case: true, ..with(r"\S+t\b") }),
        ["state-of-the-art Don't"]
    );
    // A word is a line of vocab.txt, so none goes on after a line end.
    let lines = "{\"text\": \"ash oak\\r\\nelm\\n\\n fir\"}\n";
    let loaded = read_with(lines, with("[^ ]+")).expect("a corpus");
    assert_eq!(loaded.corpus.vocab, ["ash", "elm", "fir", "oak"]);
    assert_eq!(docs(&loaded), ["ash oak elm fir"]);
    assert_eq!(setting_error(read_with(content, with("(a"))), "token_pattern");
}

#[test]
fn stop_words_by_language_and_file() {
    let folder = Folder::new();
    let file = folder.write("stop.txt", "Ash birch\n\n  ELM\n");
    let with = |stopwords, extra: &[PathBuf]| PrepareOptions {
        stopwords: Some(stopwords),
        extra_stopwords: extra.to_vec(),
        keep_case: true,
        ..keep_all()
    };
    let content = "The ash DER Elm Don’t fir und birch\n";
    let language = |code: &str| StopwordSource::Language(code.into());
    assert_eq!(prepared(content, with(language("en"), &[])), ["ash DER Elm fir und birch"]);
    assert_eq!(prepared(content, with(language("de"), &[])), ["The ash Elm Don't fir birch"]);
    assert_eq!(prepared(content, with(StopwordSource::File(file.clone()), &[])), ["The DER Don't fir und"]);
    let extra = [file.clone(), folder.write("more", "fir")];
    assert_eq!(prepared(content, with(language("en"), &extra)), ["DER und"]);

    let settings = read_with(content, with(language("en"), &extra)).expect("a corpus").preparation.stopwords;
    assert_eq!(
        (settings.language.as_deref(), &settings.words[..]),
        (Some("en"), &["Ash", "birch", "ELM", "fir"].map(String::from)[..])
    );
    let empty = folder.write("empty", " \n");
    assert_eq!(input_error(read_with(content, with(StopwordSource::File(empty), &[]))).1, "has no words");
    assert_eq!("none".parse(), Ok(StopwordSource::None));
    assert_eq!("sv".parse(), Ok(language("sv")));
    assert!("klingon".parse::<StopwordSource>().expect_err("no list").contains(" de "));
}

#[test]
fn filters_by_length_count_and_share() {
    let content = "aa bbb c aa\naa dddd bbb\nbbb e\nbbb dddd\n";
    assert_eq!(
        prepared(content, PrepareOptions { min_word_length: Some(3), ..keep_all() }),
        ["bbb", "dddd bbb", "bbb", "bbb dddd"]
    );
    assert_eq!(
        prepared("éé é\n", PrepareOptions { min_word_length: Some(2), ..keep_all() }),
        ["éé"],
        "characters, not bytes"
    );
    assert_eq!(
        prepared(content, PrepareOptions { min_count: Some(3), ..keep_all() }),
        ["aa bbb aa", "aa bbb", "bbb", "bbb"]
    );
    let loaded =
        read_with(content, PrepareOptions { max_doc_share: Some(0.5), ..keep_all() }).expect("a corpus");
    assert_eq!(docs(&loaded), ["aa c aa", "aa dddd", "e", "dddd"]);
    assert_eq!(loaded.notes.dropped.common_words, tally(1, 4));
    // Nothing else has the word, so it goes with its document.
    let loaded =
        read_with(content, PrepareOptions { min_doc_length: Some(3), ..keep_all() }).expect("a corpus");
    assert_eq!(docs(&loaded), ["aa bbb c aa", "aa dddd bbb", "", ""]);
    assert_eq!(loaded.corpus.vocab, ["aa", "bbb", "c", "dddd"]);
    assert_eq!(loaded.notes.dropped.in_dropped_documents, tally(1, 4));
    assert_eq!(loaded.notes.dropped.documents.len(), 2);
    for share in [0.0, -1.0, 1.5, f64::NAN] {
        assert_eq!(
            setting_error(read_with(content, PrepareOptions { max_doc_share: Some(share), ..keep_all() })),
            "max_doc_share"
        );
    }
    let (_, problem) = input_error(read_with("one two\n", PrepareOptions::default()));
    assert!(problem.starts_with("none of its 2 tokens is left after preparation: left out: "), "{problem}");
}

#[test]
fn stems() {
    let with = |language: &str| PrepareOptions { stem: Some(language.into()), ..keep_all() };
    assert_eq!(prepared("fishing fished fish running\n", with("english")), ["fish fish fish run"]);
    assert_eq!(prepared("Häuser laufen\n", with("german")), ["haus lauf"]);
    assert_eq!(setting_error(read_with("a\n", with("klingon"))), "stem");
    assert_eq!(
        setting_error(read_with("a\n", PrepareOptions { keep_case: true, ..with("english") })),
        "stem"
    );
    // A stop word goes before it can become the stem of another.
    let stop = PrepareOptions { stopwords: Some(StopwordSource::Language("en".into())), ..with("english") };
    assert_eq!(prepared("things thinged\n", stop), ["thing"]);
}

/// The pairs by their definition, in a corpus where they are plain.
#[test]
fn bigrams() {
    let filler: String =
        (0..40).map(|d| format!("w{} w{} w{}\n", d % 7, (3 * d + 1) % 7, (5 * d + 2) % 7)).collect();
    let content =
        format!("{}{filler}new york new york city\nnew the york\n", "in new york today\n".repeat(10));
    let with = |threshold| PrepareOptions {
        bigrams: Some(threshold),
        stopwords: Some(StopwordSource::Language("en".into())),
        ..keep_all()
    };
    let loaded = read_with(&content, with(0.92)).expect("a corpus");
    let found = docs(&loaded);
    assert_eq!(found[0], "new_york today");
    assert_eq!(&found[50..], ["new_york new_york city", "new york"], "a stop word parts its neighbours");
    let settings = loaded.preparation.text.expect("text").bigrams.expect("bigrams");
    assert_eq!(settings.pairs, [["new".to_owned(), "york".to_owned()]]);
    assert_eq!(settings.least_count, 5);

    // N = 157 tokens, new and york 13 of them each, 12 pairs; york today: 13, 10 and 10.
    let npmi = |pair: f64, a: f64, b: f64| (pair * 157.0 / (a * b)).ln() / -(pair / 157.0).ln();
    let (new_york, york_today) = (npmi(12.0, 13.0, 13.0), npmi(10.0, 13.0, 10.0));
    assert!(york_today < new_york, "{york_today} {new_york}");
    assert!(!prepared(&content, with(new_york + 1e-9)).concat().contains('_'));
    assert_eq!(prepared(&content, with(new_york - 1e-9))[0], "new_york today");
    // Both pairs belong together now, and the left one is taken first.
    assert_eq!(prepared(&content, with(york_today - 1e-9))[0], "new_york today");
    for threshold in [0.0, 1.1, f64::NAN] {
        assert_eq!(setting_error(read_with(&content, with(threshold))), "bigrams");
    }
    let often = PrepareOptions { min_count: Some(13), ..with(0.5) };
    assert!(!prepared(&content, often).concat().contains('_'), "a pair below --min-count");
}

#[test]
fn a_pair_may_be_a_word_already() {
    let content = "new york\n".repeat(6) + &"a b c d e f g h i j k l m\n".repeat(2) + "new_york\n";
    let loaded = read_with(&content, PrepareOptions { bigrams: Some(0.5), ..keep_all() }).expect("a corpus");
    assert_eq!(docs(&loaded)[0], "new_york");
    assert_eq!(docs(&loaded)[8], "new_york");
    assert_eq!(loaded.corpus.vocab.iter().filter(|word| *word == "new_york").count(), 1);
}

#[test]
fn counts_are_left_alone_unless_told_otherwise() {
    let folder = Folder::new();
    folder.write("vocab.txt", "The\nash\nbirch\nelm\nunseen\n");
    let path = folder.write("docword.txt", "3\n5\n6\n1 1 3\n1 2 2\n2 2 1\n2 3 1\n3 1 4\n3 4 1\n");
    let with = |prepare| read(&path, &ReadOptions { prepare, ..ReadOptions::default() });
    let plain = with(PrepareOptions::default()).expect("counts");
    assert_eq!(plain.corpus.num_tokens(), 12);
    assert_eq!(plain.notes.dropped, Dropped::default());
    assert_eq!(plain.preparation.text, None);

    let english = Some(StopwordSource::Language("en".into()));
    let stopped = with(PrepareOptions { stopwords: english, ..PrepareOptions::default() }).expect("counts");
    assert_eq!(stopped.corpus.vocab, ["ash", "birch", "elm", "unseen"], "in their order, unseen ones too");
    assert_eq!(stopped.corpus.doc_start, [0, 2, 4, 5]);
    let without_the: Vec<u32> = plain.corpus.w.iter().filter(|&&v| v > 0).map(|v| v - 1).collect();
    assert_eq!(stopped.corpus.w, without_the, "the order is that of the whole bag");

    let rare =
        with(PrepareOptions { min_count: Some(2), min_doc_length: Some(2), ..PrepareOptions::default() });
    let rare = rare.expect("counts");
    assert_eq!(rare.corpus.vocab, ["The", "ash"]);
    assert_eq!(rare.corpus.doc_start, [0, 5, 5, 9]);
    assert_eq!(rare.notes.dropped.rare_words, tally(3, 2));
    assert_eq!(rare.notes.dropped.documents, [DroppedDocument { number: 2, tokens: 2, left: 1 }]);

    let text_only = [
        (PrepareOptions { bigrams: Some(0.5), ..PrepareOptions::default() }, "bigrams"),
        (PrepareOptions { stem: Some("english".into()), ..PrepareOptions::default() }, "stem"),
        (PrepareOptions { token_pattern: Some("x".into()), ..PrepareOptions::default() }, "token_pattern"),
        (PrepareOptions { keep_case: true, ..PrepareOptions::default() }, "keep_case"),
    ];
    for (prepare, flag) in text_only {
        assert_eq!(setting_error(with(prepare)), flag);
    }
}

#[test]
fn settings_can_be_read_back() {
    let content = "new york\n".repeat(6) + "a b c d e f g h i j k l m\n";
    let prepare = PrepareOptions {
        // A parser of JSON that is in a hurry makes another number of these 17 digits.
        bigrams: Some(0.19607843137254902),
        stem: Some("english".into()),
        max_doc_share: Some(0.9),
        token_pattern: Some(r"\w+".into()),
        ..keep_all()
    };
    let settings = read_with(&content, prepare).expect("a corpus").preparation;
    let json = serde_json::to_string(&settings).expect("JSON");
    let again: Preparation = serde_json::from_str(&json).expect("its own JSON");
    assert_eq!(again, settings);
    assert!(!settings.text.expect("text").bigrams.expect("bigrams").pairs.is_empty());
    let counts = read_bytes("1 0:1\n", &ReadOptions { vocab: VocabSource::None, ..ReadOptions::default() });
    let settings = counts.expect("counts").preparation;
    assert_eq!(
        serde_json::from_value::<Preparation>(serde_json::to_value(&settings).expect("JSON"))
            .expect("its own"),
        settings
    );
}
