//! The first version of the rules: Unicode's words as they are. Runs that were prepared by it infer by it.

use unicode_segmentation::UnicodeSegmentation;

/// Unicode's words that have a letter. White space ends every word, and between white space most pieces are
/// ASCII, which is cut several times as fast.
pub(super) fn unicode_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_ascii_whitespace().flat_map(UnicodeSegmentation::unicode_words);
    words.filter(|word| word.contains(char::is_alphabetic))
}
