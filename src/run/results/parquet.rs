//! Tables as Parquet, for the feature `parquet`: a number that is missing is null.

use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::Result as ParquetResult;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::table::{Cell, Kind, Table};
use crate::error::Result;
use crate::files::whole::write_whole;

/// Rows that are held and written at once.
const GROUP_ROWS: usize = 1 << 16;

/// The values of a column in a group of rows.
enum Values {
    Int(Vec<i64>),
    /// Those that are there, and for each row whether one is.
    Real(Vec<f64>, Vec<i16>),
    Text(Vec<ByteArray>),
}

impl Values {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Int => Self::Int(Vec::new()),
            Kind::Real => Self::Real(Vec::new(), Vec::new()),
            Kind::Text => Self::Text(Vec::new()),
        }
    }

    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Self::Int(values), Cell::Int(value)) => values.push(value),
            (Self::Real(values, there), Cell::Real(value)) => {
                there.push(i16::from(!value.is_nan()));
                values.extend(Some(value).filter(|value| !value.is_nan()));
            }
            (Self::Text(values), Cell::Text(text)) => values.push(text.into()),
            (_, cell) => unreachable!("{cell:?} in a column of another kind"),
        }
    }

    fn write(&self, column: &mut SerializedColumnWriter<'_>) -> ParquetResult<usize> {
        match self {
            Self::Int(values) => column.typed::<Int64Type>().write_batch(values, None, None),
            Self::Real(values, there) => column.typed::<DoubleType>().write_batch(values, Some(there), None),
            Self::Text(values) => column.typed::<ByteArrayType>().write_batch(values, None, None),
        }
    }
}

/// Writes `table` as Parquet.
pub(super) fn write_parquet(path: &Path, table: &Table<'_>) -> Result<()> {
    let schema = schema(table).expect("columns with names");
    let empty = || table.columns.iter().map(|&(_, kind)| Values::new(kind)).collect::<Vec<_>>();
    write_whole(path, |out| {
        let mut file = SerializedFileWriter::new(out, Arc::new(schema), Arc::default())?;
        let (mut columns, mut rows) = (empty(), 0);
        table.rows(&mut |row| {
            columns.iter_mut().zip(row).for_each(|(column, &cell)| column.push(cell));
            rows += 1;
            if rows == GROUP_ROWS {
                write_group(&mut file, &columns)?;
                (columns, rows) = (empty(), 0);
            }
            Ok(())
        })?;
        write_group(&mut file, &columns)?;
        file.close()?;
        Ok(())
    })
}

fn write_group(
    file: &mut SerializedFileWriter<impl io::Write + Send>,
    columns: &[Values],
) -> ParquetResult<()> {
    let mut group = file.next_row_group()?;
    for values in columns {
        let mut column = group.next_column()?.expect("as many columns as the schema has");
        values.write(&mut column)?;
        column.close()?;
    }
    group.close()?;
    Ok(())
}

fn schema(table: &Table<'_>) -> ParquetResult<Type> {
    let field = |(name, kind): &(String, Kind)| {
        let (physical, repetition, logical) = match kind {
            Kind::Int => (Physical::INT64, Repetition::REQUIRED, None),
            Kind::Real => (Physical::DOUBLE, Repetition::OPTIONAL, None),
            Kind::Text => (Physical::BYTE_ARRAY, Repetition::REQUIRED, Some(LogicalType::String)),
        };
        let builder = Type::primitive_type_builder(name, physical);
        builder.with_repetition(repetition).with_logical_type(logical).build().map(Arc::new)
    };
    let fields = table.columns.iter().map(field).collect::<ParquetResult<_>>()?;
    Type::group_type_builder("table").with_fields(fields).build()
}
