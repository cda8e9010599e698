//! Tables of results: the columns and rows are defined once, whatever they are written as.

use std::io;
use std::path::Path;

use crate::error::Result;
use crate::files::cell::defused;
use crate::files::whole::write_whole;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Real,
    Text,
}

/// A value of a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell<'a> {
    Int(i64),
    /// Not a number where there is none.
    Real(f64),
    Text(&'a str),
}

impl Cell<'_> {
    fn kind(self) -> Kind {
        match self {
            Self::Int(_) => Kind::Int,
            Self::Real(_) => Kind::Real,
            Self::Text(_) => Kind::Text,
        }
    }
}

/// What rows are given to, one after the other.
pub(super) type Sink<'s> = dyn FnMut(&[Cell<'_>]) -> io::Result<()> + 's;

/// What gives every row to a sink.
type Rows<'a> = dyn Fn(&mut Sink<'_>) -> io::Result<()> + 'a;

/// Columns, and rows that are made as they are written.
pub(super) struct Table<'a> {
    pub(super) columns: Vec<(String, Kind)>,
    rows: Box<Rows<'a>>,
}

impl<'a> Table<'a> {
    pub(super) fn new(
        columns: Vec<(String, Kind)>,
        rows: impl Fn(&mut Sink<'_>) -> io::Result<()> + 'a,
    ) -> Self {
        Self { columns, rows: Box::new(rows) }
    }

    /// Gives every row to `sink`.
    pub(super) fn rows(&self, sink: &mut Sink<'_>) -> io::Result<()> {
        (self.rows)(&mut |row| {
            debug_assert!(row.iter().map(|cell| cell.kind()).eq(self.columns.iter().map(|&(_, kind)| kind)));
            sink(row)
        })
    }
}

/// Columns with names of our own.
pub(super) fn columns(names: &[(&str, Kind)]) -> Vec<(String, Kind)> {
    names.iter().map(|&(name, kind)| (name.to_owned(), kind)).collect()
}

/// Writes `table` as CSV to `path`, and with the feature `parquet` as Parquet beside it.
pub(super) fn write_table(path: &Path, table: &Table<'_>) -> Result<()> {
    write_csv(path, table)?;
    #[cfg(feature = "parquet")]
    super::parquet::write_parquet(&path.with_extension("parquet"), table)?;
    Ok(())
}

/// Writes `table` as CSV with a header; numbers as short as they can be read back from, and no text that a spreadsheet would run.
pub(super) fn write_csv(path: &Path, table: &Table<'_>) -> Result<()> {
    write_whole(path, |out| {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(table.columns.iter().map(|(name, _)| defused(name).into_owned()))?;
        let mut integer = itoa::Buffer::new();
        table.rows(&mut |row| {
            for cell in row {
                match *cell {
                    Cell::Int(value) => csv.write_field(integer.format(value))?,
                    Cell::Real(value) if value.is_nan() => csv.write_field("")?,
                    Cell::Real(value) => csv.write_field(format!("{value:?}"))?,
                    Cell::Text(text) => csv.write_field(defused(text).as_ref())?,
                }
            }
            Ok(csv.write_record(None::<&[u8]>)?)
        })?;
        csv.flush()
    })
}
