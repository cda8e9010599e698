//! The corpus formats, and how a file's first lines tell them apart.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::numbers::fields;
use super::{mm, npz, open, prepared, state};
use crate::error::{Error, Result};

/// How much of a file is looked at.
const SAMPLE: usize = 1 << 16;

/// A format of corpus files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// UCI bag of words: D, V and the number of entries, a line each, then `document word count`, from 1.
    Uci,
    /// LDA-C: a document a line, `M word:count word:count …`, words from 0.
    Ldac,
    /// Matrix Market coordinates: a row is a document.
    Mm,
    /// SVMlight: a document a line, `label word:count word:count …`.
    Svmlight,
    /// A sparse matrix of scipy.sparse.save_npz: a row is a document.
    Npz,
    /// A state of MALLET or of this program: a token a line.
    State,
    /// What `hdp-gpu prepare` writes.
    Prepared,
    /// Plain text, a document a line.
    Text,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 8] =
        [Self::Uci, Self::Ldac, Self::Mm, Self::Svmlight, Self::Npz, Self::State, Self::Prepared, Self::Text];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::Ldac => "ldac",
            Self::Mm => "mm",
            Self::Svmlight => "svmlight",
            Self::Npz => "npz",
            Self::State => "state",
            Self::Prepared => "prepared",
            Self::Text => "text",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    /// What is wrong and what to give; who asks knows the flag.
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| format!("'{name}' is not a format; give {}", names()))
    }
}

/// The names of all formats, for a sentence.
pub(super) fn names() -> String {
    let [first @ .., last] = Format::ALL.map(Format::name);
    format!("{} or {last}", first.join(", "))
}

/// The format of `path`, as `given` or by its first lines; a file with nothing in it is refused.
pub(super) fn detect(path: &Path, given: Option<Format>) -> Result<Format> {
    let mut sample = open::sample(path, SAMPLE)?;
    if sample.is_empty() {
        return Err(Error::input(path, "is empty", "give a file with at least one document"));
    }
    let cut = sample.len() == SAMPLE;
    if cut {
        // The last field may be cut.
        let whole = sample.iter().rposition(u8::is_ascii_whitespace).unwrap_or(0);
        sample.truncate(whole);
    }
    Ok(given.unwrap_or_else(|| looks_like(&sample, cut)))
}

/// The format whose files begin like `sample`, which may be `cut` at its end.
fn looks_like(sample: &[u8], cut: bool) -> Format {
    let magic: [(&[u8], Format); 4] = [
        (prepared::MAGIC, Format::Prepared),
        (npz::MAGIC, Format::Npz),
        (mm::BANNER, Format::Mm),
        (state::BANNER, Format::State),
    ];
    match magic.into_iter().find(|(magic, _)| sample.starts_with(magic)) {
        Some((_, format)) => format,
        None if is_uci(sample) => Format::Uci,
        None => looks_like_pairs(sample, cut).unwrap_or(Format::Text),
    }
}

/// Three lines of one number each, then one of several: a wrong number is still UCI, for its reader to name.
fn is_uci(sample: &[u8]) -> bool {
    let mut lines = sample.split(|&byte| byte == b'\n');
    let header = lines.by_ref().take(3).filter(|line| fields(line).count() == 1 && all_numbers(line)).count();
    let body = lines.find(|line| !line.trim_ascii().is_empty());
    header == 3 && body.is_none_or(|line| fields(line).count() > 1 && all_numbers(line))
}

/// LDA-C or SVMlight, if the first line that is neither empty nor a comment is a number and then pairs. LDA-C begins
/// with the number of pairs: on most lines, for a wrong one is for its reader to name.
fn looks_like_pairs(sample: &[u8], cut: bool) -> Option<Format> {
    let lines = sample.split(|&byte| byte == b'\n').map(|line| line.split(|&byte| byte == b'#').next());
    let lines = lines.map(Option::unwrap_or_default).filter(|line| fields(line).nth(1).is_some());
    let (mut counted, mut labelled) = (0, 0);
    let mut lines = lines.enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let is_cut = cut && lines.peek().is_none();
        let pairs = || fields(line).skip(1);
        let label = fields(line).next().unwrap_or_default();
        if at == 0 && !(label.split(|&byte| byte == b',').all(is_number) && pairs().all(is_pair)) {
            return None;
        }
        let number: Option<usize> = str::from_utf8(label).ok().and_then(|label| label.parse().ok());
        let found = pairs().count();
        let fits = |number| number == found || is_cut && number > found;
        let is_counted = !label.starts_with(b"+") && number.is_some_and(fits);
        *(if is_counted { &mut counted } else { &mut labelled }) += 1;
    }
    match (counted, labelled) {
        (0, 0) => None,
        (counted, labelled) if counted >= labelled => Some(Format::Ldac),
        _ => Some(Format::Svmlight),
    }
}

/// A word and its count, or a query and its number.
fn is_pair(field: &[u8]) -> bool {
    let mut sides = field.split(|&byte| byte == b':');
    let (Some(name), Some(value), None) = (sides.next(), sides.next(), sides.next()) else { return false };
    (is_number(name) || name == b"qid") && is_number(value)
}

fn all_numbers(line: &[u8]) -> bool {
    fields(line).all(is_number)
}

/// Anything with the letters of a number, wrong ones too.
fn is_number(field: &[u8]) -> bool {
    !field.is_empty() && field.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e'))
}
