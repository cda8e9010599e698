//! What stands between the fields of a table, as somebody says or as its header and first rows tell.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use csv::{ByteRecord, ReaderBuilder};

use super::{TextOptions, columns};
use crate::corpus::open;
use crate::error::Result;

/// The delimiters that are recognised, with their names.
const NAMED: [(&str, u8); 4] = [("comma", b','), ("semicolon", b';'), ("tab", b'\t'), ("pipe", b'|')];

/// How much of a file is looked at, and how many rows of it.
const START: usize = 1 << 16;
const ROWS: usize = 20;

/// The character between the fields of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delimiter(u8);

impl Delimiter {
    pub(super) const COMMA: Self = Self(b',');
    pub(super) const TAB: Self = Self(b'\t');

    pub(super) fn byte(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMED.iter().find(|(_, byte)| *byte == self.0) {
            Some((name, _)) => f.write_str(name),
            None => write!(f, "{}", char::from(self.0)),
        }
    }
}

impl FromStr for Delimiter {
    /// What is wrong and what to give; who asks knows the flag.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = NAMED.iter().find(|(name, _)| *name == text).map(|&(_, byte)| byte);
        let single = match *text.as_bytes() {
            [b'\\', b't'] => Some(b'\t'),
            [byte] if byte == b'\t' || byte.is_ascii_punctuation() && byte != b'"' => Some(byte),
            _ => None,
        };
        named.or(single).map(Self).ok_or_else(|| {
            format!("'{text}' is not a delimiter; give comma, semicolon, tab, pipe or another character like these")
        })
    }
}

/// The delimiter of the table in `path`: the one that was given, else the one whose header has the text or whose rows are as
/// long as it; `usual` if none is better.
pub(super) fn of_table(path: &Path, usual: Delimiter, options: &TextOptions) -> Result<Delimiter> {
    if let Some(given) = options.delimiter {
        return Ok(given);
    }
    let start = open::start(path, START)?;
    let is_cut = start.len() == START;
    let start = options.encoding().start(start);
    let others = NAMED.iter().map(|&(_, byte)| Delimiter(byte)).filter(|&other| other != usual);
    let mut best = (fit(&start, is_cut, usual, options), usual);
    for other in others {
        let fit = fit(&start, is_cut, other, options);
        if fit > best.0 {
            best = (fit, other);
        }
    }
    Ok(best.1)
}

/// How well a delimiter fits a table, the weightiest first.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// The header has several columns, and the text in one of them.
    has_text: bool,
    /// There are several columns, and every row has as many fields.
    is_even: bool,
    /// There are several columns.
    parts: bool,
}

fn fit(start: &[u8], is_cut: bool, delimiter: Delimiter, options: &TextOptions) -> Fit {
    let rows = first_rows(start, is_cut, delimiter);
    let Some(header) = rows.first().filter(|header| header.len() > 1) else { return Fit::default() };
    let names: Vec<String> = header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let has_text = match &options.text_column {
        Some(given) => names.contains(given),
        None => names.iter().any(|name| columns::may_have_text(name)),
    };
    Fit { has_text, is_even: rows.iter().all(|row| row.len() == header.len()), parts: true }
}

/// The header and the rows after it that are whole.
fn first_rows(start: &[u8], is_cut: bool, delimiter: Delimiter) -> Vec<ByteRecord> {
    let mut reader =
        ReaderBuilder::new().delimiter(delimiter.byte()).has_headers(false).flexible(true).from_reader(start);
    // Reading from memory does not fail.
    let mut rows: Vec<ByteRecord> = reader.byte_records().map_while(|row| row.ok()).take(ROWS + 1).collect();
    if is_cut && rows.len() <= ROWS {
        rows.pop();
    }
    rows
}
