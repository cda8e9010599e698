//! Columns of metadata, filled document by document; a column may turn up late.

use crate::corpus::{Metadata, MetadataColumn};

/// Makes [`Metadata`].
#[derive(Default)]
pub(super) struct MetadataBuilder {
    columns: Vec<MetadataColumn>,
    /// Documents that have ended.
    docs: usize,
    /// Bytes of all values.
    text: u64,
}

impl MetadataBuilder {
    /// The number of a new column.
    pub(super) fn add_column(&mut self, name: &str) -> usize {
        self.columns.push(MetadataColumn { name: name.to_owned(), values: Vec::new() });
        self.columns.len() - 1
    }

    /// Sets a value of the current document; the last one counts.
    pub(super) fn set(&mut self, column: usize, value: String) {
        self.text += value.len() as u64;
        let values = &mut self.columns[column].values;
        values.resize(self.docs, String::new());
        values.push(value);
    }

    pub(super) fn end_doc(&mut self) {
        self.docs += 1;
    }

    /// The memory that all columns take once they are complete.
    pub(super) fn bytes(&self) -> u64 {
        (self.columns.len() * self.docs * size_of::<String>()) as u64 + self.text
    }

    /// The columns, with empty values where there were none.
    pub(super) fn finish(mut self) -> Metadata {
        for column in &mut self.columns {
            column.values.resize(self.docs, String::new());
            column.values.shrink_to_fit();
        }
        Metadata { columns: self.columns }
    }
}
