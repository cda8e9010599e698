//! Options whose values the first bytes of an input choose.

use hdp_gpu::corpus::{Language, PrepareOptions, StopwordSource, TextEncoding};

/// The encodings of the WHATWG's standard.
const ENCODINGS: &str = "utf-8 utf-16le utf-16be ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 \
    iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 \
    iso-8859-16 koi8-r koi8-u macintosh windows-874 windows-1250 windows-1251 windows-1252 windows-1253 \
    windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 x-mac-cyrillic gbk gb18030 big5 \
    euc-jp iso-2022-jp shift_jis euc-kr x-user-defined";

/// The languages of `--stem`.
const STEMMERS: &str = "arabic armenian basque catalan czech danish dutch dutchporter english esperanto \
    estonian finnish french german greek hindi hungarian indonesian irish italian lithuanian lovins nepali \
    norwegian persian polish porter portuguese romanian russian serbian sesotho spanish swedish tamil \
    turkish ukrainian yiddish";

/// The bytes that [`preparation`] takes.
pub const PREPARATION_BYTES: usize = 7;

/// One of the names in `list`.
fn choose(list: &'static str, byte: u8) -> &'static str {
    let names: Vec<&str> = list.split_whitespace().collect();
    names[usize::from(byte) % names.len()]
}

/// An encoding.
pub fn encoding(byte: u8) -> TextEncoding {
    choose(ENCODINGS, byte).parse().expect("an encoding of the standard")
}

/// A preparation of text, with `pattern` if there shall be one. The first byte says which options are given.
pub fn preparation(bytes: [u8; PREPARATION_BYTES], pattern: Option<String>) -> PrepareOptions {
    let [given, stem, count, doc_length, word_length, share, threshold] = bytes;
    let is_given = |bit: u32| given >> bit & 1 == 1;
    let part = |byte: u8| f64::from(byte) / 255.0;
    let no_stopwords = (!is_given(0)).then_some(StopwordSource::None);
    PrepareOptions {
        language: is_given(7).then(|| Language::Code("fr".into())),
        token_pattern: pattern,
        keep_case: is_given(1),
        stopwords: if is_given(2) { Some(StopwordSource::Language("de".into())) } else { no_stopwords },
        extra_stopwords: Vec::new(),
        min_count: Some(u64::from(count % 8)),
        max_doc_share: is_given(3).then(|| part(share)),
        min_doc_length: Some(u64::from(doc_length % 8)),
        min_word_length: is_given(4).then(|| u64::from(word_length % 8)),
        bigrams: is_given(5).then(|| part(threshold)),
        stem: is_given(6).then(|| choose(STEMMERS, stem).to_owned()),
        ..PrepareOptions::default()
    }
}
