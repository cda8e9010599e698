//! Tables with a header row, separated by commas, semicolons, tabs or pipes: one column has the text, one may have the names,
//! the others are metadata.

use std::io::{self, BufRead};
use std::path::Path;

use csv::{ErrorKind, Position, ReaderBuilder, StringRecord};

use super::delimiter::{self, Delimiter};
use super::{Documents, RawDoc, TextOptions, columns};
use crate::corpus::LoadNotes;
use crate::corpus::decode::TextEncoding;
use crate::corpus::open::{failed, open_text};
use crate::error::{Error, Result, shown};

/// Reads a document from every row.
pub(super) fn read(
    path: &Path,
    usual: Delimiter,
    options: &TextOptions,
    docs: &mut Documents<'_>,
) -> Result<LoadNotes> {
    let delimiter = delimiter::of_table(path, usual, options)?.byte();
    let file = open_text(path, options.encoding())?;
    let mut reader = ReaderBuilder::new().delimiter(delimiter).from_reader(file);
    let table = Table { path, encoding: options.encoding() };
    let header = reader.headers().map_err(|error| table.wrong(error))?.clone();
    let names: Vec<&str> = header.iter().collect();
    let text_name = columns::with_text(&names, options);
    let text_column = column(path, "text_column", text_name, &names, options)?;
    let id_column = options.id_column.as_ref();
    let id_column = id_column.map(|name| column(path, "id_column", name, &names, options)).transpose()?;
    let others = (0..header.len()).filter(|&at| at != text_column && Some(at) != id_column);
    let others: Vec<(usize, usize)> = others.map(|at| (at, docs.metadata.add_column(names[at]))).collect();
    let mut row = StringRecord::new();
    let (mut begin, mut is_quoted) = (0, false);
    while reader.read_record(&mut row).map_err(|error| table.wrong(error))? {
        begin = row.position().map_or(begin, Position::byte);
        // Only a field in quotes can have a line end.
        is_quoted = row[row.len() - 1].contains('\n');
        for &(at, column) in &others {
            docs.metadata.set(column, row[at].to_owned());
        }
        let doc = RawDoc { path, line: None, name: id_column.map(|at| &row[at]), text: &row[text_column] };
        docs.push(&doc).map_err(|error| table.blame_row(begin, error))?;
    }
    if is_quoted && reader.get_ref().last_byte() != Some(b'"') {
        let remedy = "close it on its line: all rows from here on were taken for one text";
        let problem = "a quotation mark opens a field and none closes it";
        return Err(table.blame_row(begin, Error::input(path, problem, remedy)));
    }
    let is_taken = text_name != options.text_column();
    Ok(LoadNotes { text_column: is_taken.then(|| text_name.to_owned()), ..LoadNotes::default() })
}

/// The place of the column `name` in the header.
fn column(
    path: &Path,
    setting: &'static str,
    name: &str,
    names: &[&str],
    options: &TextOptions,
) -> Result<usize> {
    let mut found = (0..names.len()).filter(|&at| names[at] == name);
    match (found.next(), found.next()) {
        (Some(at), None) => Ok(at),
        (Some(_), Some(_)) => {
            let (name, listed) = (shown(name.as_bytes()), columns::listed(names));
            let problem = format!("two columns are called '{name}': {listed}");
            Err(Error::input_at(path, 1, problem, "give them different names"))
        }
        (None, _) => {
            let (name, listed) = (shown(name.as_bytes()), columns::listed(names));
            let problem = format!("no column is called '{name}' (the columns: {listed})");
            let offer = columns::offer(names, &name, setting, options);
            let remedy = offer.unwrap_or_else(|| format!("name one of them with `{setting}`"));
            Err(Error::input_at(path, 1, problem, remedy))
        }
    }
}

/// A table that errors blame.
pub(super) struct Table<'a> {
    pub(super) path: &'a Path,
    pub(super) encoding: TextEncoding,
}

impl Table<'_> {
    /// What the parser has to complain about.
    pub(super) fn wrong(&self, error: csv::Error) -> Error {
        let shown = error.to_string();
        match error.into_kind() {
            ErrorKind::Io(source) => failed(self.path, source),
            ErrorKind::UnequalLengths { pos, expected_len, len } => {
                let problem = format!("has {len} fields, and the header {expected_len}");
                let remedy = "correct the row, or put a field with separators or quotation marks in quotation \
                              marks; `delimiter` says what separates fields";
                let begin = pos.as_ref().map_or(0, Position::byte);
                self.blame_row(begin, Error::input(self.path, problem, remedy))
            }
            _ => Error::input(self.path, shown, "correct the file"),
        }
    }

    /// `error`, with the line of the row that begins at the byte `begin`.
    pub(super) fn blame_row(&self, begin: u64, error: Error) -> Error {
        match error {
            Error::Input { path, line: None, problem, remedy } if path == self.path => {
                // What has been read once can hardly fail now; then the message goes without.
                let line = self.line_of(begin).ok();
                Error::Input { path, line, problem, remedy }
            }
            other => other,
        }
    }

    /// The line on which the row begins that the parser found at the byte `begin`: its own count leaves out blank lines before
    /// the row, and half of the line end before it.
    fn line_of(&self, begin: u64) -> Result<u64> {
        let mut text = open_text(self.path, self.encoding)?;
        lines_before(&mut text, begin).map_err(|source| failed(self.path, source))
    }
}

/// The number of the line that has the first byte from `begin` on which is no line end. Lines end in carriage returns only where
/// nothing else ends them.
fn lines_before(text: &mut impl BufRead, begin: u64) -> io::Result<u64> {
    let (mut at, mut feeds, mut returns) = (0, 0, 0);
    loop {
        let part = text.fill_buf()?;
        let length = part.len();
        for &byte in part {
            match byte {
                b'\n' => feeds += 1,
                b'\r' => returns += 1,
                _ if at >= begin => return Ok(1 + if feeds > 0 { feeds } else { returns }),
                _ => {}
            }
            at += 1;
        }
        if length == 0 {
            return Ok(1 + if feeds > 0 { feeds } else { returns });
        }
        text.consume(length);
    }
}
