//! A table beside the corpus: which rows are of which documents.

use std::collections::HashMap;
use std::path::Path;

use super::Beside;
use crate::corpus::documents::{Row, each_row};
use crate::corpus::memory::Sizes;
use crate::corpus::{Corpus, Format, LoadNotes, MetadataColumn, detect};
use crate::error::{Error, Result, shown};
use crate::machine::Memory;

/// What a column of names is called; the first column is one otherwise.
const NAMES: [&str; 3] = ["name", "id", "document"];

/// The columns of the table in `path` for the documents of `corpus`.
pub(super) fn columns(
    path: &Path,
    beside: &Beside<'_>,
    corpus: &Corpus,
    notes: &mut LoadNotes,
    memory: &Memory,
) -> Result<Vec<MetadataColumn>> {
    let format = detect::detect(path, None, beside.encoding)?;
    if !matches!(format, Format::Csv | Format::Tsv | Format::Jsonl | Format::Json | Format::Text) {
        let problem = format!("is read as {format}, which is no table of documents");
        return Err(Error::input(path, problem, "give a table (.csv, .tsv) or objects (.jsonl, .json)"));
    }
    let names: Vec<String> = (0..corpus.num_docs()).map(|d| corpus.doc_name(d)).collect();
    let mut join = Join::new(path, &names);
    let num_docs = corpus.num_docs() as u64;
    let sizes =
        Sizes { docs: num_docs, words: corpus.vocab_size() as u64, tokens: corpus.num_tokens() as u64 };
    each_row(path, format, beside.encoding, &mut |row| {
        join.add(row, beside.id_column)?;
        memory.check_with(path, None, sizes, join.bytes())
    })?;
    join.finish(&names, notes)
}

/// Columns as far as rows have been read.
struct Join<'a> {
    path: &'a Path,
    docs: DocsByName<'a>,
    /// The documents that have a row.
    has_row: Vec<bool>,
    columns: Vec<MetadataColumn>,
    places: HashMap<String, usize>,
    /// Bytes of all values.
    text: u64,
    rows: u64,
    /// Rows of no document, and the name in the first of them.
    unmatched: u64,
    first_unmatched: Option<String>,
}

impl<'a> Join<'a> {
    fn new(path: &'a Path, names: &'a [String]) -> Self {
        Self {
            path,
            docs: DocsByName::new(names),
            has_row: vec![false; names.len()],
            columns: Vec::new(),
            places: HashMap::new(),
            text: 0,
            rows: 0,
            unmatched: 0,
            first_unmatched: None,
        }
    }

    /// The memory that the columns take.
    fn bytes(&self) -> u64 {
        (self.columns.len() * self.has_row.len() * size_of::<String>()) as u64 + self.text
    }

    fn add(&mut self, row: Row, id_column: Option<&str>) -> Result<()> {
        self.rows += 1;
        let at = place_of_name(&row, id_column);
        let Some(name) = at.and_then(|at| row.get(at)).map(|(_, name)| name.trim().to_owned()) else {
            return Err(Error::input(self.path, "has no fields", "give every row the name of its document"));
        };
        let docs = self.docs.find(&name);
        if docs.is_empty() {
            self.unmatched += 1;
            self.first_unmatched.get_or_insert(name);
        }
        if docs.iter().any(|&d| std::mem::replace(&mut self.has_row[d as usize], true)) {
            let name = shown(docs_name(&row, at).as_bytes());
            let problem = format!("an earlier row is of the document '{name}' too");
            return Err(Error::input(self.path, problem, "leave one row for each document"));
        }
        for (_, (column, value)) in row.into_iter().enumerate().filter(|&(place, _)| Some(place) != at) {
            let place = self.place(column);
            self.text += (value.len() * docs.len()) as u64;
            docs.iter().for_each(|&d| self.columns[place].values[d as usize].clone_from(&value));
        }
        Ok(())
    }

    /// The place of a column, which may be a new one.
    fn place(&mut self, column: String) -> usize {
        let docs = self.has_row.len();
        *self.places.entry(column).or_insert_with_key(|name| {
            self.columns.push(MetadataColumn { name: name.clone(), values: vec![String::new(); docs] });
            self.columns.len() - 1
        })
    }

    /// The columns, and what is to be said of them.
    fn finish(self, names: &[String], notes: &mut LoadNotes) -> Result<Vec<MetadataColumn>> {
        let mut without =
            self.has_row.iter().zip(names).filter(|(has_row, _)| !**has_row).map(|(_, name)| name);
        let first_without = without.next().cloned();
        let count = u64::from(first_without.is_some()) + without.count() as u64;
        if count == names.len() as u64 {
            let first = shown(self.first_unmatched.as_deref().unwrap_or_default().as_bytes());
            let name = shown(names.first().map_or("", String::as_str).as_bytes());
            let problem = match self.rows {
                0 => "has no rows".to_owned(),
                rows => format!(
                    "none of its {rows} rows is of a document: the first has the name '{first}', and the \
                                 first document is called '{name}'"
                ),
            };
            let remedy = "name documents as the corpus does, in a column that is called as `id_column`, name, id or document";
            return Err(Error::input(self.path, problem, remedy));
        }
        notes.unjoined_rows = self.unmatched;
        notes.first_unjoined_row = self.first_unmatched;
        notes.unjoined_docs = count;
        notes.first_unjoined_doc = first_without;
        Ok(self.columns)
    }
}

fn docs_name(row: &Row, at: Option<usize>) -> &str {
    at.and_then(|at| row.get(at)).map_or("", |(_, name)| name.as_str())
}

/// The place of the column with the names.
fn place_of_name(row: &Row, id_column: Option<&str>) -> Option<usize> {
    let called = |wanted: &str| row.iter().position(|(column, _)| column.trim().eq_ignore_ascii_case(wanted));
    let given = id_column.and_then(|id| row.iter().position(|(column, _)| column == id));
    given.or_else(|| NAMES.into_iter().find_map(called)).or((!row.is_empty()).then_some(0))
}

/// Documents by their names: whole ones, and for those of files also the name without its folder, and that without its ending, as
/// long as only one document has it.
struct DocsByName<'a> {
    whole: HashMap<&'a str, Vec<u32>>,
    parts: HashMap<&'a str, Option<u32>>,
}

impl<'a> DocsByName<'a> {
    fn new(names: &'a [String]) -> Self {
        let mut whole: HashMap<&str, Vec<u32>> = HashMap::new();
        let mut parts = HashMap::new();
        for (d, name) in (0..).zip(names) {
            whole.entry(name.trim()).or_default().push(d);
            for part in parts_of(name.trim()) {
                parts.entry(part).and_modify(|only| *only = None).or_insert(Some(d));
            }
        }
        Self { whole, parts }
    }

    /// The documents that are called so, or the one with this part of its name.
    fn find(&self, name: &str) -> Vec<u32> {
        let by_part = || self.parts.get(name).copied().flatten().into_iter().collect();
        self.whole.get(name).cloned().unwrap_or_else(by_part)
    }
}

/// The parts of a name that may stand for it: all but the first without its folder, and without its ending.
fn parts_of(name: &str) -> impl Iterator<Item = &str> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let stem = |name: &'_ str| name.rfind('.').filter(|&dot| dot > 0 && dot + 6 > name.len());
    let whole_stem = stem(name).map(|dot| &name[..dot]);
    let file_stem = stem(file).map(|dot| &file[..dot]);
    let mut parts: Vec<&str> = [Some(file), whole_stem, file_stem].into_iter().flatten().collect();
    parts.sort_unstable();
    parts.dedup();
    parts.into_iter().filter(move |&part| part != name)
}
