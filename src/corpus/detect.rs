//! The corpus formats, and how a file's name and first lines tell them apart.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde_json::value::RawValue;

use super::decode::TextEncoding;
use super::documents::is_document;
use super::numbers::fields;
use super::{kinds, mm, open, prepared, state};
use crate::error::{Error, Result};

/// How much of a file is looked at.
const START: usize = 1 << 16;

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
    /// MALLET's text: a document a line, `id label text`.
    Mallet,
    /// A folder of files with text, a document each; or one such file.
    Folder,
    /// A table with a header row, separated by commas unless that row tells otherwise.
    Csv,
    /// A table with a header row, separated by tabs unless that row tells otherwise.
    Tsv,
    /// A JSON object a line.
    Jsonl,
    /// A JSON array of objects.
    Json,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 14] = [
        Self::Uci,
        Self::Ldac,
        Self::Mm,
        Self::Svmlight,
        Self::Npz,
        Self::State,
        Self::Prepared,
        Self::Text,
        Self::Mallet,
        Self::Folder,
        Self::Csv,
        Self::Tsv,
        Self::Jsonl,
        Self::Json,
    ];

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
            Self::Mallet => "mallet",
            Self::Folder => "folder",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Jsonl => "jsonl",
            Self::Json => "json",
        }
    }

    /// Whether documents are text, to be cut into words.
    pub fn is_text(self) -> bool {
        match self {
            Self::Text | Self::Mallet | Self::Folder | Self::Csv | Self::Tsv | Self::Jsonl | Self::Json => {
                true
            }
            Self::Uci | Self::Ldac | Self::Mm | Self::Svmlight | Self::Npz | Self::State | Self::Prepared => {
                false
            }
        }
    }

    /// Whether documents have columns or fields with names.
    pub(super) fn has_columns(self) -> bool {
        self.is_table() || matches!(self, Self::Jsonl | Self::Json)
    }

    /// Whether documents are the rows of a table.
    pub(super) fn is_table(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv)
    }

    /// Whether a file has its words in it, and not in a vocabulary of their own.
    pub(super) fn has_own_words(self) -> bool {
        self.is_text() || matches!(self, Self::State | Self::Prepared)
    }

    /// The names of all formats.
    pub(super) fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
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
        found.ok_or_else(|| format!("'{name}' is not a format; give one of {}", Self::names()))
    }
}

/// The format of `path`, as `given` or by its name and first lines; a file with nothing in it is refused.
pub(super) fn detect(path: &Path, given: Option<Format>, encoding: TextEncoding) -> Result<Format> {
    if path.is_dir() {
        return match given {
            None | Some(Format::Folder) => Ok(Format::Folder),
            Some(format) => {
                let remedy = format!("give a file in it, or leave out `format` {format}");
                Err(Error::input(path, "is a folder", remedy))
            }
        };
    }
    let start = open::start(path, START)?;
    if start.is_empty() {
        return Err(Error::input(path, "is empty", "give a file with at least one document"));
    }
    if given == Some(Format::Folder) && !is_document(path) {
        return Err(Error::input(path, "is not a folder", "leave out `format` folder"));
    }
    if given.is_none() && !is_document(path) {
        refuse_known_kind(path, &start)?;
    }
    let is_cut = start.len() == START;
    let mut start = encoding.start(start);
    if is_cut {
        // The last field may be cut.
        let whole = start.iter().rposition(u8::is_ascii_whitespace).unwrap_or(0);
        start.truncate(whole);
    }
    Ok(given.or_else(|| by_name(path, &start)).unwrap_or_else(|| by_content(&start, is_cut)))
}

/// Refuses files of kinds that are known and not read, by their name or first bytes: some begin as others that are read.
fn refuse_known_kind(path: &Path, start: &[u8]) -> Result<()> {
    let by_content = kinds::by_content(start);
    let Some(kind) = kinds::by_name(path).or(by_content) else { return Ok(()) };
    let remedy = match by_content {
        Some(_) => kind.remedy.to_owned(),
        None => format!("{}; if it is text for all its name, give `format` text", kind.remedy),
    };
    Err(Error::input(path, format!("is {}", kind.one), remedy))
}

/// The format that a name tells, packed or not.
fn by_name(path: &Path, start: &[u8]) -> Option<Format> {
    match &*kinds::ending(path)? {
        "csv" => Some(Format::Csv),
        "tsv" => Some(Format::Tsv),
        "jsonl" | "ndjson" => Some(Format::Jsonl),
        // Many call JSON Lines so too.
        "json" => Some(if start.trim_ascii_start().starts_with(b"[") { Format::Json } else { Format::Jsonl }),
        _ => is_document(path).then_some(Format::Folder),
    }
}

/// The format that the first lines tell; text is all that is nothing else.
fn by_content(start: &[u8], is_cut: bool) -> Format {
    let magic: [(&[u8], Format); 4] = [
        (prepared::MAGIC, Format::Prepared),
        (crate::files::npz::MAGIC, Format::Npz),
        (mm::BANNER, Format::Mm),
        (state::BANNER, Format::State),
    ];
    if let Some((_, format)) = magic.into_iter().find(|(magic, _)| start.starts_with(magic)) {
        return format;
    }
    if is_uci(start) {
        Format::Uci
    } else if let Some(pairs) = looks_like_pairs(start, is_cut) {
        pairs
    } else if is_jsonl(start, is_cut) {
        Format::Jsonl
    } else if is_json(start, is_cut) {
        Format::Json
    } else if is_mallet(start, is_cut) {
        Format::Mallet
    } else {
        Format::Text
    }
}

/// The first line that is not blank is a JSON object, as far as it is there.
fn is_jsonl(start: &[u8], is_cut: bool) -> bool {
    let mut lines = start.split(|&byte| byte == b'\n').peekable();
    let Some(line) = lines.find(|line| !line.trim_ascii().is_empty()) else { return false };
    let object = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(line);
    match object {
        Ok(_) => true,
        Err(error) => is_cut && lines.peek().is_none() && error.is_eof() && line.starts_with(b"{"),
    }
}

/// An array that begins with an object, as far as it is there.
fn is_json(start: &[u8], is_cut: bool) -> bool {
    let first = start.trim_ascii_start().strip_prefix(b"[").unwrap_or_default().trim_ascii_start();
    let mut objects = serde_json::Deserializer::from_slice(first).into_iter::<&RawValue>();
    match objects.next() {
        Some(Ok(_)) => first.starts_with(b"{"),
        Some(Err(error)) => is_cut && error.is_eof() && first.starts_with(b"{"),
        None => false,
    }
}

/// At least two lines, all of them `id<TAB>label<TAB>text` with an id of their own: nobody writes text like that.
fn is_mallet(start: &[u8], is_cut: bool) -> bool {
    let mut lines: Vec<&[u8]> = start.split(|&byte| byte == b'\n').collect();
    lines.truncate(lines.len() - usize::from(is_cut));
    while lines.last().is_some_and(|line| line.trim_ascii().is_empty()) {
        lines.pop();
    }
    let id = |line: &&[u8]| {
        let fields: Vec<&[u8]> = line.split(|&byte| byte == b'\t').collect();
        let is_field = |field: &[u8]| !field.is_empty() && !field.contains(&b' ');
        (fields.len() == 3 && fields[..2].iter().all(|field| is_field(field))).then(|| fields[0].to_vec())
    };
    let ids: Option<HashSet<Vec<u8>>> = lines.iter().map(id).collect();
    lines.len() > 1 && ids.is_some_and(|ids| ids.len() == lines.len())
}

/// Three lines of one number each, then one of several: a wrong number is still UCI, for its reader to name.
fn is_uci(start: &[u8]) -> bool {
    let mut lines = start.split(|&byte| byte == b'\n');
    let header = lines.by_ref().take(3).filter(|line| fields(line).count() == 1 && all_numbers(line)).count();
    let body = lines.find(|line| !line.trim_ascii().is_empty());
    header == 3 && body.is_none_or(|line| fields(line).count() > 1 && all_numbers(line))
}

/// LDA-C or SVMlight, if the first line that is neither empty nor a comment is a number and then pairs. LDA-C begins
/// with the number of pairs: on most lines, for a wrong one is for its reader to name.
fn looks_like_pairs(start: &[u8], cut: bool) -> Option<Format> {
    let lines = start.split(|&byte| byte == b'\n').map(|line| line.split(|&byte| byte == b'#').next());
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
