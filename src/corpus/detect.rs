//! The corpus formats, and how a file's first lines tell them apart.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::numbers::fields;
use super::open;
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
    /// Plain text, a document a line.
    Text,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Uci, Self::Ldac, Self::Text];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::Ldac => "ldac",
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
        found.ok_or_else(|| format!("'{name}' is not a format; give uci, ldac or text"))
    }
}

/// The format of `path`, as `given` or by its first lines; a file with nothing in it is refused.
pub(super) fn detect(path: &Path, given: Option<Format>) -> Result<Format> {
    let mut sample = open::sample(path, SAMPLE)?;
    if sample.is_empty() {
        return Err(Error::input(path, "is empty", "give a file with at least one document"));
    }
    if sample.len() == SAMPLE {
        // The last field may be cut.
        let whole = sample.iter().rposition(u8::is_ascii_whitespace).unwrap_or(0);
        sample.truncate(whole);
    }
    let looks = if is_uci(&sample) {
        Format::Uci
    } else if is_ldac(&sample) {
        Format::Ldac
    } else {
        Format::Text
    };
    Ok(given.unwrap_or(looks))
}

/// Three lines of one number each, then one of several: a wrong number is still UCI, for its reader to name.
fn is_uci(sample: &[u8]) -> bool {
    let mut lines = sample.split(|&byte| byte == b'\n');
    let header = lines.by_ref().take(3).filter(|line| fields(line).count() == 1 && all_numbers(line)).count();
    let body = lines.find(|line| !line.trim_ascii().is_empty());
    header == 3 && body.is_none_or(|line| fields(line).count() > 1 && all_numbers(line))
}

/// The first document that is not empty is a number and then pairs.
fn is_ldac(sample: &[u8]) -> bool {
    let mut lines = sample.split(|&byte| byte == b'\n');
    lines.find(|line| line.trim_ascii() != b"0").is_some_and(|line| {
        let mut fields = fields(line);
        let first = fields.next();
        let mut pairs = fields.peekable();
        first.is_some_and(is_number) && pairs.peek().is_some() && pairs.all(is_pair)
    })
}

fn is_pair(field: &[u8]) -> bool {
    let mut sides = field.split(|&byte| byte == b':');
    let pair = [sides.next(), sides.next()];
    sides.next().is_none() && pair.iter().all(|side| side.is_some_and(is_number))
}

fn all_numbers(line: &[u8]) -> bool {
    fields(line).all(is_number)
}

/// Anything with the letters of a number, wrong ones too.
fn is_number(field: &[u8]) -> bool {
    !field.is_empty() && field.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.'))
}
