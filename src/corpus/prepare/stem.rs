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

/// The name on the command line.
fn name(algorithm: Algorithm) -> String {
    format!("{algorithm:?}").to_lowercase()
}

/// Refuses a language without a stemmer, and capitals, which stemmers do not know.
pub(super) fn check(settings: &TextPreparation) -> Result<()> {
    let Some(language) = &settings.stem else { return Ok(()) };
    if stemmer(language).is_none() {
        let names = ALGORITHMS.map(name).join(", ");
        return Err(Error::setting(
            "stem",
            format!("no stemmer is called '{language}'"),
            format!("give {names}"),
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
