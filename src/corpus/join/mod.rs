//! Columns of metadata that are not in the corpus: from a table beside it, by the documents' names, and from these names.

mod pattern;
mod table;

use std::collections::HashSet;
use std::path::Path;

pub use pattern::NamePattern;

use super::decode::TextEncoding;
use super::{Corpus, LoadNotes, MetadataColumn};
use crate::error::{Error, Result, shown};
use crate::machine::Memory;

/// What is known of documents beside the corpus.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside<'a> {
    /// A table with a row for each document.
    pub(super) table: Option<&'a Path>,
    /// What its column of names may be called.
    pub(super) id_column: Option<&'a str>,
    pub(super) encoding: TextEncoding,
    /// What names are made of.
    pub(super) pattern: Option<&'a NamePattern>,
}

impl Beside<'_> {
    /// Adds its columns to those of `corpus`.
    pub(super) fn add(&self, corpus: &mut Corpus, notes: &mut LoadNotes, memory: &Memory) -> Result<()> {
        if let Some(pattern) = self.pattern {
            let columns = pattern.columns(corpus, notes)?;
            let remedy = "call the part of the name otherwise";
            append(corpus, columns, |problem| Error::setting("name_pattern", problem, remedy))?;
        }
        if let Some(path) = self.table {
            let columns = table::columns(path, self, corpus, notes, memory)?;
            let remedy = "give one of them another name";
            append(corpus, columns, |problem| Error::input(path, problem, remedy))?;
        }
        Ok(())
    }
}

/// Appends columns whose names no other has.
fn append(
    corpus: &mut Corpus,
    columns: Vec<MetadataColumn>,
    refused: impl Fn(String) -> Error,
) -> Result<()> {
    let taken: HashSet<&str> = corpus.metadata.columns.iter().map(|column| column.name.as_str()).collect();
    if let Some(twice) = columns.iter().find(|column| taken.contains(column.name.as_str())) {
        let name = shown(twice.name.as_bytes());
        return Err(refused(format!("the documents have a column '{name}' already")));
    }
    corpus.metadata.columns.extend(columns);
    Ok(())
}
