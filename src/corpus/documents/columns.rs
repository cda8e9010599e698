//! Which column of a table, or field of an object, has the text; and what to say when none has.

use super::TextOptions;
use crate::error::shown;

/// The column that has the text unless another is named.
const TEXT: &str = "text";

/// What people call it otherwise.
const USUAL: &str = "abstract article body comment content contents description document full_text fulltext inhalt message \
    paragraph post review sentence speech testo texte texto transcript tweet utterance";

/// Whether a column of this name may have the text when none is named.
pub(super) fn may_have_text(name: &str) -> bool {
    plain(name) == TEXT || is_usual(name)
}

fn is_usual(name: &str) -> bool {
    USUAL.split(' ').any(|usual| usual == plain(name))
}

/// The form in which names are compared: without regard to case, and to spaces where others write an underscore.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace(' ', "_")
}

/// The name of the column with the text: as given, else `text`, else the only one that is `text` in other letters.
pub(super) fn with_text<'a>(names: &[&'a str], options: &'a TextOptions) -> &'a str {
    if options.text_column.is_some() || names.contains(&TEXT) {
        return options.text_column();
    }
    only(names, options, |name| plain(name) == TEXT).unwrap_or(TEXT)
}

/// What to do when no column is called `name` but only one can be meant, which `setting` then names: it differs in case, or is a
/// usual one for text.
pub(super) fn offer(names: &[&str], name: &str, setting: &str, options: &TextOptions) -> Option<String> {
    let alike = only(names, options, |other| plain(other) == plain(name));
    let is_default = setting == "text_column" && options.text_column.is_none();
    let usual = || only(names, options, is_usual);
    let offered = alike.or_else(|| usual().filter(|_| is_default))?;
    Some(format!("give `{setting}` {}", typed(offered)))
}

/// The names, as a message lists them.
pub(super) fn listed(names: &[&str]) -> String {
    names.iter().map(|name| shown(name.as_bytes())).collect::<Vec<_>>().join(", ")
}

/// The only one of the columns that `fits`, the one with the documents' names aside.
fn only<'a>(names: &[&'a str], options: &TextOptions, fits: impl Fn(&str) -> bool) -> Option<&'a str> {
    let mut fitting = names.iter().filter(|&&name| options.id_column.as_deref() != Some(name) && fits(name));
    fitting.next().copied().filter(|_| fitting.next().is_none())
}

/// A name as a shell takes it.
fn typed(name: &str) -> String {
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let name = shown(name.as_bytes());
    if is_plain { name } else { format!("'{name}'") }
}
