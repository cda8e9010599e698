//! The language of text: what somebody says, or what its first documents are recognised as.

use std::collections::HashSet;
use std::str::FromStr;

use unicode_segmentation::UnicodeSegmentation;
use whatlang::{Lang, Script};

use super::split::has_no_spaces;
use super::stopwords;

/// What text is taken for when nothing else is known.
pub(super) const DEFAULT: &str = "en";
/// Each document's share of the sample, and all of it, in bytes: some thirty documents.
const OF_DOCUMENT: usize = 1_000;
const OF_ALL: usize = 32_000;
/// The share of stop words by which a language is plain.
const PLAIN_SHARE: f64 = 0.2;
/// Shorter text is not recognised.
const LEAST: usize = 150;

/// What is said of the language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// It is recognised.
    #[default]
    Auto,
    /// Its two letters.
    Code(String),
}

/// The two letters of the languages that can be recognised.
const RECOGNISED: [(Lang, &str); 70] = {
    use Lang::*;
    [
        (Epo, "eo"),
        (Eng, "en"),
        (Rus, "ru"),
        (Cmn, "zh"),
        (Spa, "es"),
        (Por, "pt"),
        (Ita, "it"),
        (Ben, "bn"),
        (Fra, "fr"),
        (Deu, "de"),
        (Ukr, "uk"),
        (Kat, "ka"),
        (Ara, "ar"),
        (Hin, "hi"),
        (Jpn, "ja"),
        (Heb, "he"),
        (Yid, "yi"),
        (Pol, "pl"),
        (Amh, "am"),
        (Jav, "jv"),
        (Kor, "ko"),
        (Nob, "no"),
        (Dan, "da"),
        (Swe, "sv"),
        (Fin, "fi"),
        (Tur, "tr"),
        (Nld, "nl"),
        (Hun, "hu"),
        (Ces, "cs"),
        (Ell, "el"),
        (Bul, "bg"),
        (Bel, "be"),
        (Mar, "mr"),
        (Kan, "kn"),
        (Ron, "ro"),
        (Slv, "sl"),
        (Hrv, "hr"),
        (Srp, "sr"),
        (Mkd, "mk"),
        (Lit, "lt"),
        (Lav, "lv"),
        (Est, "et"),
        (Tam, "ta"),
        (Vie, "vi"),
        (Urd, "ur"),
        (Tha, "th"),
        (Guj, "gu"),
        (Uzb, "uz"),
        (Pan, "pa"),
        (Aze, "az"),
        (Ind, "id"),
        (Tel, "te"),
        (Pes, "fa"),
        (Mal, "ml"),
        (Ori, "or"),
        (Mya, "my"),
        (Nep, "ne"),
        (Sin, "si"),
        (Khm, "km"),
        (Tuk, "tk"),
        (Aka, "ak"),
        (Zul, "zu"),
        (Sna, "sn"),
        (Afr, "af"),
        (Lat, "la"),
        (Slk, "sk"),
        (Cat, "ca"),
        (Tgl, "tl"),
        (Hye, "hy"),
        (Cym, "cy"),
    ]
};

impl FromStr for Language {
    type Err = String;

    fn from_str(code: &str) -> Result<Self, String> {
        if code == "auto" {
            return Ok(Self::Auto);
        }
        let mut codes: Vec<&str> = RECOGNISED.iter().map(|&(_, code)| code).collect();
        codes.extend(stop_words::available_languages().iter().filter(|code| code.len() == 2));
        codes.push("lo");
        codes.sort_unstable();
        codes.dedup();
        if codes.contains(&code) {
            return Ok(Self::Code(code.to_owned()));
        }
        Err(format!("'{code}' is neither auto nor one of: {}", codes.join(" ")))
    }
}

/// The English name of a language, or its two letters where it has none here.
pub(super) fn name(code: &str) -> &str {
    RECOGNISED.iter().find(|(_, known)| *known == code).map_or(code, |(lang, _)| lang.eng_name())
}

/// The beginnings of the first documents.
#[derive(Debug, Default)]
pub(in crate::corpus) struct Sample {
    text: String,
}

impl Sample {
    /// Adds the beginning of a document; what is between its words is one space.
    pub(in crate::corpus) fn add(&mut self, words: impl Iterator<Item: AsRef<str>>) {
        let start = self.text.len();
        for word in words {
            let left = (start + OF_DOCUMENT).saturating_sub(self.text.len());
            let word = word.as_ref();
            self.text.push_str(&word[..word.floor_char_boundary(left)]);
            self.text.push(' ');
            if word.len() >= left {
                break;
            }
        }
    }

    pub(in crate::corpus) fn is_full(&self) -> bool {
        self.text.len() >= OF_ALL
    }

    /// The two letters of the language, if it is plain: recognised for certain by its letters, or by letters and stop words.
    /// Where many languages have the letters, its stop words must be more than those of English in any case.
    pub(super) fn language(&self) -> Option<&'static str> {
        let info =
            whatlang::detect(&self.text).filter(|_| self.text.len() >= LEAST || self.has_no_spaces())?;
        let &(_, code) = RECOGNISED.iter().find(|(lang, _)| *lang == info.lang())?;
        let share = self.stop_share(code);
        let is_certain = info.is_reliable() || share >= PLAIN_SHARE;
        let is_more = info.script() != Script::Latin || code == DEFAULT || share > self.stop_share(DEFAULT);
        (is_certain && is_more).then_some(code)
    }

    /// A script says more than as many letters of an alphabet.
    fn has_no_spaces(&self) -> bool {
        self.text.contains(has_no_spaces)
    }

    /// The share of a language's stop words among the words.
    fn stop_share(&self, code: &str) -> f64 {
        let list: HashSet<&str> = stopwords::of_language(code).unwrap_or_default().into_iter().collect();
        let words: Vec<String> = self.text.unicode_words().map(str::to_lowercase).collect();
        let listed = words.iter().filter(|word| list.contains(word.as_str())).count();
        listed as f64 / words.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_languages_that_are_recognised_have_two_letters() {
        for lang in Lang::all() {
            assert!(RECOGNISED.iter().any(|(known, _)| known == lang), "{lang}");
        }
        for (_, code) in RECOGNISED {
            assert_eq!(code.parse(), Ok(Language::Code(code.to_owned())));
        }
        assert_eq!("auto".parse(), Ok(Language::Auto));
        assert!("Deutsch".parse::<Language>().expect_err("no code").contains(" de "));
    }
}
