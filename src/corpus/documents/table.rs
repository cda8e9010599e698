//! CSV and TSV with a header row: one column has the text, one may have the names, the others are metadata.

use std::path::Path;

use csv::{ErrorKind, Position, ReaderBuilder, StringRecord};

use super::{Documents, RawDoc, TextOptions};
use crate::corpus::open::{failed, open_text};
use crate::error::{Error, Result, shown};

/// Reads a document from every row.
pub(super) fn read(
    path: &Path,
    delimiter: u8,
    options: &TextOptions,
    docs: &mut Documents<'_>,
) -> Result<()> {
    let file = open_text(path, options.encoding())?;
    let mut reader = ReaderBuilder::new().delimiter(delimiter).from_reader(file);
    let header = reader.headers().map_err(|error| wrong_table(path, error))?.clone();
    let text_column = column(path, "text_column", options.text_column(), &header)?;
    let id_column =
        options.id_column.as_ref().map(|name| column(path, "id_column", name, &header)).transpose()?;
    let others = (0..header.len()).filter(|&at| at != text_column && Some(at) != id_column);
    let others: Vec<(usize, usize)> = others.map(|at| (at, docs.metadata.add_column(&header[at]))).collect();
    let mut row = StringRecord::new();
    let (mut line, mut is_quoted) = (1, false);
    while reader.read_record(&mut row).map_err(|error| wrong_table(path, error))? {
        line = row.position().map_or(line, Position::line);
        // Only a field in quotes can have a line end.
        is_quoted = row[row.len() - 1].contains('\n');
        for &(at, column) in &others {
            docs.metadata.set(column, row[at].to_owned());
        }
        let name = id_column.map(|at| &row[at]);
        docs.push(&RawDoc { path, line: Some(line), name, text: &row[text_column] })?;
    }
    if is_quoted && reader.get_ref().last_byte() != Some(b'"') {
        let remedy = "close it on its line: all rows from here on were taken for one text";
        return Err(Error::input_at(path, line, "a quotation mark opens a field and none closes it", remedy));
    }
    Ok(())
}

/// The place of the column `name` in the header.
fn column(path: &Path, setting: &str, name: &str, header: &StringRecord) -> Result<usize> {
    let mut found = (0..header.len()).filter(|&at| &header[at] == name);
    let names = || header.iter().map(|name| shown(name.as_bytes())).collect::<Vec<_>>().join(", ");
    match (found.next(), found.next()) {
        (Some(at), None) => Ok(at),
        (Some(_), Some(_)) => {
            let problem = format!("two columns are called '{name}': {}", names());
            Err(Error::input_at(path, 1, problem, "give them different names"))
        }
        (None, _) => {
            let problem =
                format!("no column is called '{}' (the columns: {})", shown(name.as_bytes()), names());
            Err(Error::input_at(path, 1, problem, format!("name one of them with `{setting}`")))
        }
    }
}

/// What the parser has to complain about.
fn wrong_table(path: &Path, error: csv::Error) -> Error {
    let shown = error.to_string();
    match error.into_kind() {
        ErrorKind::Io(source) => failed(path, source),
        ErrorKind::UnequalLengths { pos, expected_len, len } => Error::input_at(
            path,
            pos.as_ref().map_or(1, Position::line),
            format!("has {len} fields, and the header {expected_len}"),
            "correct the row, or put a field with separators or quotation marks in quotation marks",
        ),
        _ => Error::input(path, shown, "correct the file"),
    }
}
