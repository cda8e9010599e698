//! What is a word: the rules by language and script, their versions, and how the language is found.

use hdp_gpu::corpus::{
    DocumentOptions, Language, Loaded, Preparation, PrepareOptions, ReadOptions, StopwordSource, from_texts,
};
use hdp_gpu::{Error, Result};

use super::read_bytes;

/// A sentence or two for each language, as people write it.
const ENGLISH: &str = "Africa’s debt and Africa's growth: the people of Africa don’t ask for charity, they ask for co-operation. The \
    U.S. and the U.K. — i.e. two of the states — wrote to them (see https://example.org/a_(b)?c=d or mail name@example.org).";
const FRENCH: &str = "L’homme qu'on n’a pas vu hier regarde aujourd’hui la mer depuis l'arc-en-ciel, et c’est pourquoi jusqu'ici \
    personne ne s'étonne de l’histoire du village où il habite avec ses enfants.";
const ITALIAN: &str = "Nell'arte dell’Ottocento l'uomo non è più quello che era, e un'altra storia comincia per la città nella \
    quale abbiamo vissuto con i nostri amici.";
const GERMAN: &str = "Die Häuser der Straße sind größer geworden, z.B. das Haus des E-Mail-Dienstes, und die Menschen wissen nicht, \
    warum sie auf den Straßen bleiben sollen, wenn der Regen kommt.";
const RUSSIAN: &str = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. Всё смешалось в \
    доме Облонских.";
const ARABIC: &str = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق، وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء.";
const HINDI: &str = "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है।";
const CHINESE: &str =
    "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。";
const JAPANESE: &str = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。";
const THAI: &str = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ";

fn with(content: &str, prepare: PrepareOptions) -> Result<Loaded> {
    read_bytes(format!("{content}\n"), &ReadOptions { prepare, ..ReadOptions::default() })
}

/// All words of a text in a language, in their order.
fn words_in(language: &str, content: &str) -> String {
    let language = Some(Language::Code(language.into()));
    words(&with(content, PrepareOptions { language, ..PrepareOptions::keep_all() }).expect("text"))
}

fn words(loaded: &Loaded) -> String {
    let corpus = &loaded.corpus;
    corpus.w.iter().map(|&v| corpus.vocab[v as usize].as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn english() {
    assert_eq!(
        words_in("en", ENGLISH),
        "africa debt and africa growth the people of africa don't ask for charity they ask for co-operation the u.s and \
         the uk i.e two of the states wrote to them see or mail"
    );
    for (text, expected) in [
        (
            "Africaʼs africa＇s AFRICA'S africas’ O‘Neill rock'n'roll",
            "africa africa africa africas o'neill rock'n'roll",
        ),
        ("the 1990's x2 3D 42 7-7 19-year-old", "the x2 3d 19-year-old"),
        (
            "well--known -left- right- co\u{2010}op co\u{ad}op pre- and post-war",
            "well known left right co-op coop pre and post-war",
        ),
        ("_the_ 'tis (so) snake_case \u{201c}quoted\u{201d} and/or", "the tis so snake_case quoted and or"),
        ("U.S.A. a.m. Ph.D. e.g. J. file.txt U.S.-led", "usa a.m ph.d e.g j file.txt u.s led"),
        (
            "<http://a.b/c>d www.example.org/x, WWW.X.ORG. mailto:a.b@c.org! @name a@b x:y ftp://h",
            "d name a b x:y",
        ),
        ("co-\noperation", "co operation"),
    ] {
        assert_eq!(words_in("en", text), expected, "{text}");
    }
    assert_eq!(words_in("de", "foto's"), "foto's", "English has possessives");
}

/// What the rules make of contractions and abbreviations is still in the list.
#[test]
fn stop_words_are_found_whatever_is_cut_off() {
    let language = Some(StopwordSource::Language("en".into()));
    let prepare = PrepareOptions { stopwords: language, ..PrepareOptions::keep_all() };
    let text = "It's don’t let's WHO'S i.e. e.g. what’s we've one's cannot aren't ship's U.S.";
    assert_eq!(words(&with(text, prepare.clone()).expect("text")), "ship u.s");
    let cased = PrepareOptions { keep_case: true, ..prepare };
    assert_eq!(words(&with(text, cased).expect("text")), "ship U.S");
}

#[test]
fn what_is_elided_goes_in_its_language() {
    assert_eq!(
        words_in("fr", FRENCH),
        "homme on a pas vu hier regarde aujourd'hui la mer depuis arc-en-ciel et est pourquoi ici personne ne étonne de \
         histoire du village où il habite avec ses enfants"
    );
    assert_eq!(words_in("fr", "quelqu'un presqu'île L'HOMME qu’il"), "quelqu'un presqu'île homme il");
    assert_eq!(words_in("it", "Nell'arte dell’Ottocento l'uomo un'altra"), "arte ottocento uomo altra");
    assert_eq!(words_in("ca", "l'aigua d’or"), "aigua or");
    assert_eq!(words_in("en", "l'homme d'or"), "l'homme d'or");
}

#[test]
fn words_between_spaces() {
    assert_eq!(
        words_in("de", "Die Häuser, z.B. der E-Mail-Dienst; d.h. GROẞ"),
        "die häuser zb der e-mail-dienst dh groß"
    );
    assert!(words_in("ru", RUSSIAN).ends_with("несчастлива по-своему всё смешалось в доме облонских"));
    assert_eq!(words_in("uk", "М’ясо й п'ять"), "м'ясо й п'ять");
    assert_eq!(words_in("ar", "أحرارا متساوين، والحقوق."), "أحرارا متساوين والحقوق");
    assert_eq!(words_in("hi", "जन्मजात स्वतन्त्रता प्राप्त है।"), "जन्मजात स्वतन्त्रता प्राप्त है");
    assert_eq!(words_in("ko", "모든 인간은 자유로우며"), "모든 인간은 자유로우며");
}

#[cfg(feature = "segmentation")]
#[test]
fn words_without_spaces() {
    for (language, text, expected) in [
        ("zh", "中国经济增长很快，人民生活水平提高了", "中国 经济 增长 很快 人民 生活 水平 提高 了"),
        ("zh", "我的iPhone手机2020年，见https://example.cn/a。谢谢", "我的 iphone 手机 年 见 谢谢"),
        (
            "ja",
            JAPANESE,
            "すべて の 人間 は 生まれながら にし て 自由 で あり かつ 尊厳 と 権利 と について 平等 で ある",
        ),
        ("th", THAI, "มนุษย์ ทั้ง หลาย เกิด มา มี อิสระ และ เสมอ ภาค กัน ใน เกียรติศักดิ์ และ สิทธิ"),
        ("lo", "ພາສາລາວ", "ພາສາ ລາວ"),
        ("km", "ខ្ញុំចូលចិត្តរៀនភាសាខ្មែរ", "ខ្ញុំ ចូលចិត្ត រៀន ភាសាខ្មែរ"),
        ("my", "ကျွန်တော်မြန်မာစာလေ့လာနေတယ်", "ကျွန်တော် မြန်မာ စာ လေ့လာ နေ တယ်"),
    ] {
        assert_eq!(words_in(language, text), expected);
    }
    // Pieces of other scripts are cut as ever, and what found the words is said where it did.
    let segmenter = |content| {
        with(content, PrepareOptions::keep_all()).expect("text").preparation.text.expect("text").segmenter
    };
    assert_eq!(segmenter(CHINESE).as_deref(), Some("icu4x-dictionary"));
    assert_eq!(segmenter(ENGLISH), None);
}

#[test]
fn the_language_is_recognised() {
    for (language, stop_words, text) in [
        ("en", "en", ENGLISH),
        ("fr", "fr", FRENCH),
        ("it", "it", ITALIAN),
        ("de", "de", GERMAN),
        ("ru", "ru", RUSSIAN),
        ("ar", "ar", ARABIC),
        ("hi", "hi", HINDI),
        ("zh", "zh", CHINESE),
        ("ja", "ja", JAPANESE),
        ("th", "th", THAI),
    ] {
        let loaded = with(text, PrepareOptions::default()).expect("text");
        let settings = &loaded.preparation;
        let found = settings.text.as_ref().expect("text").language.as_deref();
        assert_eq!((found, settings.stopwords.language.as_deref()), (Some(language), Some(stop_words)));
        let lines = loaded.notes.chosen.lines(settings);
        assert!(
            lines[0].ends_with(&format!("({language}), recognised; `language` names another")),
            "{lines:?}"
        );
        let has_words = cfg!(feature = "segmentation") || !["zh", "ja", "th"].contains(&language);
        assert!(!has_words || loaded.notes.dropped.stop_words.tokens > 0, "{language}");
        // In memory as in a file.
        let memory = from_texts(&[text], &DocumentOptions::default()).expect("texts");
        assert_eq!(memory.preparation, loaded.preparation);
    }
}

#[test]
fn what_is_no_plain_language_is_taken_for_english() {
    for text in ["ash birch cedar", "w1 w2 w3 w4 w5 ".repeat(60).trim(), "la mer"] {
        let loaded = with(text, PrepareOptions::default()).expect("text");
        let text = loaded.preparation.text.as_ref().expect("text");
        assert_eq!(text.language.as_deref(), Some("en"));
        assert_eq!(loaded.preparation.stopwords.language.as_deref(), Some("en"));
        assert!(
            loaded.notes.chosen.lines(&loaded.preparation)[0]
                .starts_with("language: none was recognised, and English (en) is assumed")
        );
    }
}

#[test]
fn stop_words_of_another_language_are_told_of() {
    let stopwords = |code: &str| Some(StopwordSource::Language(code.into()));
    let english = PrepareOptions { stopwords: stopwords("en"), ..PrepareOptions::default() };
    let loaded = with(FRENCH, english).expect("text");
    assert_eq!(
        loaded.notes.warnings(),
        [
            "the text looks French (fr), and the stop words left out are English (en): check `language` and `stopwords`"
        ]
    );
    let text = loaded.preparation.text.as_ref().expect("text");
    assert_eq!(text.language.as_deref(), Some("fr"), "what is elided goes all the same");
    let named = PrepareOptions { language: Some(Language::Code("de".into())), ..PrepareOptions::default() };
    let loaded = with(FRENCH, named).expect("text");
    assert_eq!(loaded.preparation.stopwords.language.as_deref(), Some("de"));
    assert!(
        loaded.notes.warnings()[0]
            .starts_with("the text looks French (fr), and the stop words left out are German (de)")
    );
    assert!(!loaded.notes.chosen.lines(&loaded.preparation)[0].starts_with("language"), "it was named");
    for fine in [
        PrepareOptions { stopwords: stopwords("fr"), ..PrepareOptions::default() },
        PrepareOptions::keep_all(),
    ] {
        assert!(with(FRENCH, fine).expect("text").notes.warnings().is_empty());
    }
}

#[test]
fn the_stemmer_may_be_that_of_the_language() {
    let stem = Some("auto".to_owned());
    let loaded =
        with(GERMAN, PrepareOptions { stem: stem.clone(), ..PrepareOptions::keep_all() }).expect("text");
    assert_eq!(loaded.preparation.text.as_ref().expect("text").stem.as_deref(), Some("german"));
    assert!(words(&loaded).starts_with("die haus"), "{}", words(&loaded));
    let language = Some(Language::Code("zh".into()));
    match with(GERMAN, PrepareOptions { stem, language, ..PrepareOptions::keep_all() }) {
        Err(Error::Setting { setting: "stem", .. }) => {}
        other => panic!("there is no stemmer for Chinese: {other:?}"),
    }
}

fn like(text: &str, settings: serde_json::Value) -> Result<Loaded> {
    let like = Some(serde_json::from_value::<Preparation>(settings).expect("settings of a run"));
    from_texts(&[text], &DocumentOptions { like, ..DocumentOptions::default() })
}

/// run.json of a run from before there were versions of the rules.
fn older() -> serde_json::Value {
    serde_json::json!({
        "text": {
            "encoding": "UTF-8", "text_column": null, "id_column": null, "token_pattern": null, "lowercase": true,
            "stem": null, "bigrams": null,
        },
        "stopwords": {"language": "en", "words": ["boss's"]}, "min_word_length": 1, "min_count": 10,
        "max_doc_share": null, "min_doc_length": 10,
    })
}

#[test]
fn older_runs_cut_words_as_they_did() {
    let loaded = like("Africa’s co-operation, boss's boss i.e. don’t https://example.org 人人生", older())
        .expect("text");
    assert_eq!(words(&loaded), "africa’s co operation boss i.e https example.org 人 人 生");
    let text = loaded.preparation.text.expect("text");
    assert_eq!((text.rules, text.language, text.segmenter), (1, None, None));
    // Newer ones as they do.
    let mut newer = older();
    newer["text"]["rules"] = 2.into();
    newer["text"]["language"] = "en".into();
    let loaded =
        like("Africa’s co-operation, boss's boss i.e. don’t https://example.org", newer).expect("text");
    assert_eq!(words(&loaded), "africa co-operation");
}

#[test]
fn rules_and_dictionaries_that_are_not_here_are_refused() {
    let mut newer = older();
    newer["text"]["rules"] = 3.into();
    let error = like("a text", newer).expect_err("rules of the future").to_string();
    assert!(error.contains("version 3 of the rules, and 2 is the last one here"), "{error}");
    let mut other = older();
    other["text"]["rules"] = 2.into();
    other["text"]["segmenter"] = "dictionaries of the future".into();
    let error = like("a text", other.clone()).expect_err("no such dictionaries").to_string();
    assert!(error.contains("dictionaries of the future, which this build of the program has not"), "{error}");
    other["text"]["segmenter"] = "icu4x-dictionary".into();
    assert_eq!(like("a text", other).is_ok(), cfg!(feature = "segmentation"));
}

/// Text that has no spaces between words is told of where its words cannot be found.
#[test]
fn text_without_spaces_needs_dictionaries() {
    let warnings = with(CHINESE, PrepareOptions::default()).expect("text").notes.warnings();
    let is_told = warnings.iter().any(|warning| warning.contains("no dictionaries to find them"));
    assert_eq!(is_told, !cfg!(feature = "segmentation"), "{warnings:?}");
}

/// A run that goes on has the settings that it had, whatever would be chosen now.
#[test]
fn what_a_run_had_is_kept_when_it_goes_on() {
    let german = PrepareOptions {
        language: Some(Language::Code("de".into())),
        stem: Some("auto".into()),
        bigrams: Some(0.9),
        keep_case: false,
        min_word_length: Some(2),
        max_doc_share: Some(0.9),
        ..PrepareOptions::default()
    };
    let text = format!("{GERMAN}\n{GERMAN}\nAlpen Alpen\n{ENGLISH}\n");
    let first = with(&text, german).expect("text");
    let again = |before: &Preparation| {
        let prepare = PrepareOptions { before: Some(before.clone()), ..PrepareOptions::default() };
        with(&text, prepare).expect("text")
    };
    let second = again(&first.preparation);
    assert_eq!((&second.corpus, &second.preparation), (&first.corpus, &first.preparation));
    assert!(second.notes.chosen.lines(&second.preparation).is_empty());
    let older: Preparation = serde_json::from_value(older()).expect("settings of a run");
    let older = Preparation { min_count: 1, min_doc_length: 1, ..older };
    let third = again(&older);
    assert_eq!(third.preparation, older);
    assert!(third.corpus.vocab.contains(&"africa’s".to_owned()), "{:?}", third.corpus.vocab);
}

/// Pieces as they come must not take longer per byte when there are more of them.
#[test]
fn a_long_piece_without_spaces_is_cut() {
    for piece in ["a@b.cc,", "x://y)", "l'", "a-b-", "w", "@", ":", "www.", "人", "u.s.", "\u{ad}", "_'"] {
        let loaded =
            with(&format!("end {}", piece.repeat(50_000)), PrepareOptions::keep_all()).expect("text");
        assert_eq!(loaded.corpus.vocab[loaded.corpus.w[0] as usize], "end", "{piece}");
    }
}
