//! Text without spaces between words, Chinese, Japanese, Thai, Lao, Khmer and Burmese: ICU's dictionaries find its words.

/// What run.json calls the dictionaries.
pub(in crate::corpus::prepare) const SEGMENTER: &str = "icu4x-dictionary";

/// Whether `c` is of a script that has no spaces between words.
pub(in crate::corpus::prepare) fn has_no_spaces(c: char) -> bool {
    matches!(c,
        '\u{0E01}'..='\u{0EFF}' // Thai, Lao
        | '\u{1000}'..='\u{109F}' | '\u{A9E0}'..='\u{A9FF}' | '\u{AA60}'..='\u{AA7F}' // Burmese
        | '\u{1780}'..='\u{17FF}' // Khmer
        | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}'
        | '\u{3041}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}' // Kana
        | '\u{2E80}'..='\u{2FD5}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' // Han
    )
}

/// Whether `c` belongs to the character before it, whatever script that is of.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

/// Whether text may have such characters: their UTF-8 begins with one of these bytes, as that of few others does.
pub(super) fn may_have_no_spaces(text: &str) -> bool {
    text.bytes().any(|byte| byte >= 0xE0) && text.contains(has_no_spaces)
}

/// The dictionaries.
#[cfg(feature = "segmentation")]
pub(super) struct Segmenter(icu_segmenter::WordSegmenterBorrowed<'static>);

#[cfg(feature = "segmentation")]
impl Segmenter {
    /// The dictionaries, in a build that has them.
    pub(super) fn new() -> Option<Self> {
        let options = icu_segmenter::options::WordBreakInvariantOptions::default();
        Some(Self(icu_segmenter::WordSegmenter::new_dictionary(options)))
    }

    /// The words of `text`, which is of such scripts.
    pub(super) fn words<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let mut start = 0;
        self.0.segment_str(text).filter_map(move |end| {
            let word = &text[start..end];
            start = end;
            (!word.is_empty()).then_some(word)
        })
    }
}

/// There are none in this build.
#[cfg(not(feature = "segmentation"))]
pub(super) enum Segmenter {}

#[cfg(not(feature = "segmentation"))]
impl Segmenter {
    /// The dictionaries, in a build that has them.
    pub(super) fn new() -> Option<Self> {
        None
    }

    /// The words of `text`, which is of such scripts.
    pub(super) fn words<'t>(&self, _text: &'t str) -> impl Iterator<Item = &'t str> {
        match *self {}
        #[expect(unreachable_code, reason = "there is no value of this type")]
        std::iter::empty()
    }
}
