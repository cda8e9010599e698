//! What stands before an apostrophe and is no part of the word after it: `l'homme`, `dell'arte`, `d'aigua`.

/// What is elided in French.
const FRENCH: &[&str] =
    &["l", "d", "j", "m", "t", "s", "n", "c", "ç", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu"];
/// In Italian: articles, prepositions with articles, pronouns.
const ITALIAN: &[&str] = &[
    "l", "un", "d", "c", "m", "n", "s", "t", "v", "gl", "dell", "all", "dall", "nell", "sull", "coll",
    "quell", "quest", "bell", "anch", "com", "dov", "quand", "tutt",
];
/// In Catalan.
const CATALAN: &[&str] = &["l", "d", "m", "n", "s", "t"];

/// What is elided in `language`.
pub(super) fn elided(language: Option<&str>) -> &'static [&'static str] {
    match language {
        Some("fr") => FRENCH,
        Some("it") => ITALIAN,
        Some("ca") => CATALAN,
        _ => &[],
    }
}

/// `word` without what is elided before it. A word that has an apostrophe by itself, `aujourd'hui`, stays whole.
pub(super) fn without_elision<'w>(mut word: &'w str, elided: &[&str]) -> &'w str {
    while let Some((before, after)) = word.split_once('\'')
        && !after.is_empty()
        && elided.iter().any(|prefix| before.eq_ignore_ascii_case(prefix) || before.to_lowercase() == *prefix)
    {
        word = after;
    }
    word
}
