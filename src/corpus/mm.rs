//! Reads a Matrix Market coordinate file: a line that names the kind of matrix, a line with its sizes, then
//! `row column value` a line, numbered from 1 and in any order. Rows are documents, as gensim writes them.

use std::ops::ControlFlow;
use std::path::Path;

use super::entries::{self, Entries, Entry, Promise, Shape, changed, in_range};
use super::numbers::{count, fields, number, unlike};
use super::open::{Line, Lines};
use super::vocab::VocabSource;
use super::{Corpus, LoadNotes};
use crate::error::{Error, Result};
use crate::machine::Memory;

/// How such a file begins.
pub(super) const BANNER: &[u8] = b"%%MatrixMarket";

/// Reads `path`, with its vocabulary; `transpose` when rows are words.
pub(super) fn read(
    path: &Path,
    source: &VocabSource,
    transpose: bool,
    memory: &Memory,
) -> Result<(Corpus, LoadNotes)> {
    let (_, header) = open(path)?;
    let matrix = MatrixMarket { path, header, transpose };
    entries::corpus(&matrix, path, source, 1, "give a matrix with counts in it", memory)
}

/// What is said before the first entry.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Header {
    /// Entries have no value: each is a count of 1.
    pattern: bool,
    rows: u64,
    columns: u64,
    promise: Promise,
}

/// A file whose header has been read.
struct MatrixMarket<'a> {
    path: &'a Path,
    header: Header,
    transpose: bool,
}

impl Entries for MatrixMarket<'_> {
    fn shape(&self) -> Shape {
        let Header { rows, columns, .. } = self.header;
        if self.transpose {
            Shape { docs: columns, words: rows }
        } else {
            Shape { docs: rows, words: columns }
        }
    }

    fn num_entries(&self) -> u64 {
        self.header.promise.entries
    }

    fn visit(&self, mut visit: impl FnMut(Entry) -> Result<ControlFlow<()>>) -> Result<()> {
        let Self { path, header, transpose } = *self;
        let (mut lines, header_now) = open(path)?;
        if header_now != header {
            return Err(changed(path));
        }
        let mut read = 0;
        while let Some(line) = next(&mut lines)? {
            read += 1;
            header.promise.check(read, path, line.number)?;
            let (row, column, count) = value(&line, &header, path)?;
            let (d, v) = if transpose { (column, row) } else { (row, column) };
            // A zero that is written out is no entry.
            let entry = Entry { line: Some(line.number), d: d as usize, v: v as u32, count };
            if count > 0 && visit(entry)?.is_break() {
                return Ok(());
            }
        }
        header.promise.check_end(read, path)
    }
}

/// Row and column, from 0, and the count of a line.
fn value(line: &Line<'_>, header: &Header, path: &Path) -> Result<(u64, u64, u64)> {
    let mut fields = fields(line.bytes);
    let (row, column) = (fields.next(), fields.next());
    let value = if header.pattern { Some(&b"1"[..]) } else { fields.next() };
    let (Some(row), Some(column), Some(value), None) = (row, column, value, fields.next()) else {
        let expected = if header.pattern { "'row column'" } else { "'row column value'" };
        return Err(unlike(line, path, expected, "give numbers, as the first line says"));
    };
    let at = line.number;
    let row = in_range(number(row, "row number", path, at)?, "row", header.rows, path, at)?;
    let column = in_range(number(column, "column number", path, at)?, "column", header.columns, path, at)?;
    Ok((row, column, count(value, path, at)?))
}

/// The lines after the header, and the header.
fn open(path: &Path) -> Result<(Lines, Header)> {
    let mut lines = Lines::open(path)?;
    let pattern = match lines.next()? {
        Some(line) => is_pattern(&line, path)?,
        None => return Err(Error::input(path, "is empty", "give a Matrix Market file")),
    };
    let Some(line) = next(&mut lines)? else {
        return Err(Error::input(path, "ends before the sizes of the matrix", "get the whole file"));
    };
    let [rows, columns, entries] = sizes(&line, path)?;
    let promise = Promise { entries, line: line.number };
    Ok((lines, Header { pattern, rows, columns, promise }))
}

/// The three sizes on a line of their own.
fn sizes(line: &Line<'_>, path: &Path) -> Result<[u64; 3]> {
    let mut fields = fields(line.bytes);
    let (Some(rows), Some(columns), Some(entries), None) =
        (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Err(unlike(line, path, "'rows columns entries'", "give the three sizes of the matrix"));
    };
    let size = |field, what| number(field, what, path, line.number);
    Ok([
        size(rows, "number of rows")?,
        size(columns, "number of columns")?,
        size(entries, "number of entries")?,
    ])
}

/// The next line that is neither blank nor a comment.
fn next(lines: &mut Lines) -> Result<Option<Line<'_>>> {
    lines.next_where(|bytes| !bytes.starts_with(b"%") && !bytes.trim_ascii().is_empty())
}

/// Whether the first line says that entries have no value; refuses all that are not counts by coordinates.
fn is_pattern(line: &Line<'_>, path: &Path) -> Result<bool> {
    const REMEDY: &str = "write counts in coordinate form, for example with gensim's MmCorpus.serialize or \
                          scipy.io.mmwrite of a sparse matrix";
    let words: Vec<String> =
        fields(line.bytes).map(|field| String::from_utf8_lossy(field).to_lowercase()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ["%%matrixmarket", "matrix", "coordinate", field @ ("integer" | "real" | "pattern"), "general"] =
        words[..]
    else {
        let expected = "'%%MatrixMarket matrix coordinate integer|real|pattern general'";
        return Err(unlike(line, path, expected, REMEDY));
    };
    Ok(field == "pattern")
}
