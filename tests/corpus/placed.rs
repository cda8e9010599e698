//! Where words stand in the text that they came from.

use hdp_gpu::corpus::{
    DocumentOptions, KeptText, Language, PlacedWord, Placer, PrepareOptions, StopwordSource, TextOfDoc,
    from_texts,
};

/// The words of each text with the words of the corpus that they have become, found again in what was kept.
fn found(texts: &[&str], prepare: PrepareOptions) -> Vec<Option<Vec<(String, String)>>> {
    let options = DocumentOptions { prepare, keep_text: true, ..DocumentOptions::default() };
    let loaded = from_texts(texts, &options).expect("a corpus");
    let mut file = tempfile::tempfile().expect("a temporary file");
    loaded.kept_text.expect("text").write(&mut file).expect("room");
    let kept = KeptText::of_file(file).expect("what was written");
    let docs: Vec<usize> = (0..texts.len()).collect();
    let own = kept.texts(&docs).expect("text");
    assert_eq!(own, texts);
    let corpus = &loaded.corpus;
    let pairs = own.iter().zip(&docs).map(|(text, &d)| TextOfDoc { text, w: &corpus.w[corpus.doc(d)] });
    let mut placer = Placer::new(&loaded.preparation, &corpus.vocab).expect("the same program");
    let placed = placer.place(&pairs.collect::<Vec<_>>()).expect("words");
    let word = |d: usize, token: usize| corpus.vocab[corpus.w[corpus.doc(d)][token] as usize].clone();
    let of_doc = |(d, words): (usize, Option<Vec<PlacedWord>>)| {
        let words = words?.into_iter().filter_map(move |placed| {
            placed.token.map(|token| (texts[d][placed.span].to_owned(), word(d, token)))
        });
        Some(words.collect())
    };
    docs.into_iter().zip(placed).map(of_doc).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Option<Vec<(String, String)>> {
    Some(pairs.iter().map(|&(found, word)| (found.to_owned(), word.to_owned())).collect())
}

#[test]
fn words_are_marked_as_they_are_written() {
    let prepare = PrepareOptions {
        language: Some(Language::Code("en".into())),
        stem: Some("english".into()),
        ..PrepareOptions::keep_all()
    };
    let prepare = PrepareOptions { stopwords: Some(StopwordSource::Language("en".into())), ..prepare };
    let texts = ["The U.K. Ships (sailing!) to http://sea.org/ships, AFRICA’s co-operation's end", "", "the"];
    let expected = [
        ("U.K", "uk"),
        ("Ships", "ship"),
        ("sailing", "sail"),
        ("AFRICA’s", "africa"),
        ("co-operation's", "co-oper"),
        ("end", "end"),
    ];
    let words = found(&texts, prepare);
    assert_eq!(words, [pairs(&expected), pairs(&[]), pairs(&[])]);
}

#[test]
fn both_words_of_a_pair_are_marked() {
    let text = "old New York, and new york";
    let texts = vec![text; 30];
    let prepare = PrepareOptions { bigrams: Some(0.9), ..PrepareOptions::keep_all() };
    let words = found(&texts, prepare);
    let first = words[0].as_ref().expect("words");
    let of_pair: Vec<&str> =
        first.iter().filter(|(_, word)| word == "new_york").map(|(found, _)| found.as_str()).collect();
    assert_eq!(of_pair, ["New", "York", "new", "york"], "{first:?}");
}

#[test]
#[cfg(feature = "segmentation")]
fn text_without_spaces() {
    let words = found(&["船长在甲板上。 กัปตันยิ้ม"], PrepareOptions::keep_all());
    let words = words[0].as_ref().expect("words");
    assert!(words.len() > 4 && words.iter().all(|(found, word)| found == word), "{words:?}");
}

#[test]
fn other_text_is_not_taken_for_a_documents_own() {
    let options = DocumentOptions { prepare: PrepareOptions::keep_all(), ..DocumentOptions::default() };
    let loaded = from_texts(&["one two three"], &options).expect("a corpus");
    assert_eq!(loaded.kept_text, None);
    let corpus = &loaded.corpus;
    let mut placer = Placer::new(&loaded.preparation, &corpus.vocab).expect("the same program");
    let mut is_own =
        |text: &str| placer.place(&[TextOfDoc { text, w: &corpus.w }]).expect("words")[0].is_some();
    assert!(is_own("One, two (three)") && is_own("one two four three"));
    assert!(!is_own("one three two") && !is_own("one two") && !is_own("one two three three"));
}
