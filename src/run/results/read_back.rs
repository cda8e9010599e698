//! What lists of topics take from a run's tables: how distinct its topics are, and which documents have most of one.

use std::collections::HashMap;

use serde::Deserialize;

use crate::error::Result;
use crate::files::cell::as_it_was;
use crate::run::folder::{Folder, name};
use crate::run::record::damaged;

/// A document that has much of a topic.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct TopicDocument {
    /// The topic.
    topic: u16,
    /// Its number, from 1.
    pub document: u64,
    /// What it is called.
    pub name: String,
    /// The topic's share of it.
    pub share: f64,
}

/// A row of topics.csv, as far as it is needed; runs of the first versions lack the last column.
#[derive(Deserialize)]
struct TopicRow {
    topic: u16,
    documents: u64,
    distinctiveness: Option<f64>,
}

/// What topics.csv knows of a topic's documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The documents that have tokens of it.
    pub documents: u64,
    /// How far it keeps to documents of its own.
    pub distinctiveness: Option<f64>,
}

/// Reads topics.csv, by topic; nothing where there is none, as in the folder of a model that was passed on alone.
///
/// # Errors
/// [`crate::Error::Read`] or [`crate::Error::Input`] when it is no plain file, or damaged.
pub fn read_spread(run: &Folder) -> Result<HashMap<u16, Spread>> {
    let rows: Vec<TopicRow> = read(run, name::TOPICS)?;
    let spread = |row: TopicRow| {
        (row.topic, Spread { documents: row.documents, distinctiveness: row.distinctiveness })
    };
    Ok(rows.into_iter().map(spread).collect())
}

/// Reads the documents of topic `k` in topic-docs.csv, the largest share first.
///
/// # Errors
/// As [`read_spread`].
pub fn read_topic_documents(run: &Folder, k: u16) -> Result<Vec<TopicDocument>> {
    let mut documents: Vec<TopicDocument> = read(run, name::TOPIC_DOCS)?;
    documents.retain(|document| document.topic == k);
    for document in &mut documents {
        document.name = as_it_was(&document.name).to_owned();
    }
    Ok(documents)
}

/// The rows of a table, if it is there.
fn read<T: for<'de> Deserialize<'de>>(run: &Folder, name: &'static str) -> Result<Vec<T>> {
    let mut rows = Vec::new();
    read_each(run, name, |row| rows.push(row))?;
    Ok(rows)
}

/// Hands over the rows of a table, if it is there.
pub(super) fn read_each<T: for<'de> Deserialize<'de>>(
    run: &Folder,
    name: &'static str,
    mut each: impl FnMut(T),
) -> Result<()> {
    let path = run.file(name);
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let mut reader = csv::Reader::from_reader(run.open(name)?);
    if !reader.headers().is_ok_and(|columns| columns.len() > 1) {
        return Err(damaged(&path, "is no table of a run (it has no columns)"));
    }
    for row in reader.into_deserialize() {
        each(row.map_err(|error| damaged(&path, format!("is no table of a run ({error})")))?);
    }
    Ok(())
}
