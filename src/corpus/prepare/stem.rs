//! Snowball stems: the forms of a word become one.

use snowball_stemmers_rs::{Algorithm, Stemmer};

use super::settings::TextPreparation;
use crate::error::{Error, Result};

const ALGORITHMS: [Algorithm; 38] = {
    use Algorithm::*;
    [
        Arabic,
        Armenian,
        Basque,
        Catalan,
        Czech,
        Danish,
        Dutch,
        DutchPorter,
        English,
        Esperanto,
        Estonian,
        Finnish,
        French,
        German,
        Greek,
        Hindi,
        Hungarian,
        Indonesian,
        Irish,
        Italian,
        Lithuanian,
        Lovins,
        Nepali,
        Norwegian,
        Persian,
        Polish,
        Porter,
        Portuguese,
        Romanian,
        Russian,
        Serbian,
        Sesotho,
        Spanish,
        Swedish,
        Tamil,
        Turkish,
        Ukrainian,
        Yiddish,
    ]
};

/// The stemmer of the text's language.
pub(super) const AUTO: &str = "auto";

/// Stemmers by the two letters of their languages.
const OF_LANGUAGES: [(&str, Algorithm); 35] = {
    use Algorithm::*;
    [
        ("ar", Arabic),
        ("hy", Armenian),
        ("eu", Basque),
        ("ca", Catalan),
        ("cs", Czech),
        ("da", Danish),
        ("nl", Dutch),
        ("en", English),
        ("eo", Esperanto),
        ("et", Estonian),
        ("fi", Finnish),
        ("fr", French),
        ("de", German),
        ("el", Greek),
        ("hi", Hindi),
        ("hu", Hungarian),
        ("id", Indonesian),
        ("ga", Irish),
        ("it", Italian),
        ("lt", Lithuanian),
        ("ne", Nepali),
        ("no", Norwegian),
        ("fa", Persian),
        ("pl", Polish),
        ("pt", Portuguese),
        ("ro", Romanian),
        ("ru", Russian),
        ("sr", Serbian),
        ("st", Sesotho),
        ("es", Spanish),
        ("sv", Swedish),
        ("ta", Tamil),
        ("tr", Turkish),
        ("uk", Ukrainian),
        ("yi", Yiddish),
    ]
};

/// The name of the stemmer for a language.
pub(super) fn of_language(code: &str) -> Result<String> {
    let found = OF_LANGUAGES.iter().find(|(language, _)| *language == code);
    found.map(|&(_, algorithm)| name(algorithm)).ok_or_else(|| {
        let problem = format!("there is no stemmer for the language of the text, {code}");
        Error::setting("stem", problem, "leave it out, or name another `language`")
    })
}

/// The name on the command line.
fn name(algorithm: Algorithm) -> String {
    format!("{algorithm:?}").to_lowercase()
}

/// Refuses a language without a stemmer, and capitals, which stemmers do not know.
pub(super) fn check(settings: &TextPreparation) -> Result<()> {
    let Some(language) = &settings.stem else { return Ok(()) };
    if language != AUTO && stemmer(language).is_none() {
        let names = ALGORITHMS.map(name).join(", ");
        return Err(Error::setting(
            "stem",
            format!("no stemmer is called '{language}'"),
            format!("give auto or {names}"),
        ));
    }
    if !settings.lowercase {
        return Err(Error::setting(
            "stem",
            "stemmers know lower case only",
            "leave out `keep_case` or `stem`",
        ));
    }
    Ok(())
}

/// The stemmer called `language`.
pub(super) fn stemmer(language: &str) -> Option<Stemmer> {
    ALGORITHMS.into_iter().find(|&algorithm| name(algorithm) == language).map(Stemmer::create)
}

/// The stem of `word`, or the word itself where nothing would be left of it.
pub(super) fn stem(stemmer: &Stemmer, word: &str) -> String {
    let stem = stemmer.stem(word);
    if stem.is_empty() { word.to_owned() } else { stem.into_owned() }
}
