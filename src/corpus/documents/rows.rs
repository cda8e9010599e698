//! The rows of a table, or the objects of a file, that are no documents: their fields alone.

use std::path::Path;

use csv::{Position, ReaderBuilder, StringRecord};

use super::delimiter::{self, Delimiter};
use super::objects::{Source, fields_of, not_json};
use super::table::Table;
use super::{TextOptions, columns, json, jsonl};
use crate::corpus::Format;
use crate::corpus::decode::TextEncoding;
use crate::corpus::open::open_text;
use crate::error::{Error, Result, shown};

/// A row: its columns in their order, with what is in them.
pub(in crate::corpus) type Row = Vec<(String, String)>;

/// Hands over every row of `path`. What `each` has to say of a row gets its line.
pub(in crate::corpus) fn each_row(
    path: &Path,
    format: Format,
    encoding: TextEncoding,
    each: &mut dyn FnMut(Row) -> Result<()>,
) -> Result<()> {
    let mut object = |source: &Source<'_>, remedy| {
        let fields = fields_of(source.json).map_err(|error| not_json(path, source, remedy, &error))?;
        each(fields).map_err(|error| at_line(error, source.line))
    };
    match format {
        Format::Json => json::each_object(path, encoding, &mut |source| object(source, json::REMEDY)),
        Format::Jsonl => jsonl::each_object(path, encoding, &mut |source| object(source, jsonl::REMEDY)),
        Format::Tsv => each_of_table(path, Delimiter::TAB, encoding, each),
        _ => each_of_table(path, Delimiter::COMMA, encoding, each),
    }
}

fn each_of_table(
    path: &Path,
    usual: Delimiter,
    encoding: TextEncoding,
    each: &mut dyn FnMut(Row) -> Result<()>,
) -> Result<()> {
    let options = TextOptions { encoding: Some(encoding), ..TextOptions::default() };
    let delimiter = delimiter::of_table(path, usual, &options)?.byte();
    let mut reader = ReaderBuilder::new().delimiter(delimiter).from_reader(open_text(path, encoding)?);
    let table = Table { path, encoding };
    let header = reader.headers().map_err(|error| table.wrong(error))?.clone();
    check_header(path, &header)?;
    let mut row = StringRecord::new();
    while reader.read_record(&mut row).map_err(|error| table.wrong(error))? {
        let begin = row.position().map_or(0, Position::byte);
        let fields = header.iter().zip(&row).map(|(name, value)| (name.to_owned(), value.to_owned()));
        each(fields.collect()).map_err(|error| table.blame_row(begin, error))?;
    }
    Ok(())
}

fn check_header(path: &Path, header: &StringRecord) -> Result<()> {
    let mut names: Vec<&str> = header.iter().collect();
    names.sort_unstable();
    let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) else { return Ok(()) };
    let (name, listed) = (shown(twice[0].as_bytes()), columns::listed(&header.iter().collect::<Vec<_>>()));
    let problem = format!("two columns are called '{name}': {listed}");
    Err(Error::input_at(path, 1, problem, "give them different names"))
}

fn at_line(error: Error, line: u64) -> Error {
    match error {
        Error::Input { path, line: None, problem, remedy } => {
            Error::Input { path, line: Some(line), problem, remedy }
        }
        other => other,
    }
}
