//! doc-topics.csv: a row for each topic of each document, with what the input says about the document.

use std::path::Path;

use super::table::{Cell, Kind, Table, write_table};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::estimate::DocTopics;

/// The topic of the row for all topics without tokens of the document.
const REST: i64 = -1;

/// What a column of metadata is renamed with when its name is one of ours.
const PREFIX: &str = "meta_";

/// A column about documents that is not in the corpus.
#[derive(Clone, Copy, Debug)]
pub struct DocColumn<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value for each document.
    pub values: &'a [u64],
}

/// Writes `path`: for each document the topics with tokens of it, largest share first, then a row with topic −1 for all
/// others together. The columns `extra` come after `tokens`. With the feature `parquet` the same goes into a Parquet file beside it.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_doc_topics(
    path: &Path,
    corpus: &Corpus,
    docs: &DocTopics<'_>,
    extra: &[DocColumn<'_>],
) -> Result<()> {
    write_table(path, &doc_topics_table(corpus, docs, extra))
}

/// The table in doc-topics.csv.
fn doc_topics_table<'a>(
    corpus: &'a Corpus,
    docs: &'a DocTopics<'_>,
    extra: &'a [DocColumn<'_>],
) -> Table<'a> {
    Table::new(columns(corpus, docs, extra), move |sink| {
        docs.for_each(|d, mut topics| {
            let rest = docs.rest(d, &topics);
            topics.sort_by(|a, b| b.share.total_cmp(&a.share));
            let name = corpus.doc_name(d);
            let mut row = vec![Cell::Int(d as i64 + 1), Cell::Text(&name), Cell::Int(docs.tokens(d) as i64)];
            row.extend(extra.iter().map(|column| Cell::Int(column.values[d] as i64)));
            row.extend(corpus.metadata.columns.iter().map(|column| Cell::Text(&column.values[d])));
            let about_document = row.len();
            let all_have_tokens = topics.len() == docs.shares().active().len();
            let with_tokens = topics.iter().map(|topic| (i64::from(topic.topic), topic.share, topic.sd));
            for (topic, share, sd) in with_tokens.chain((!all_have_tokens).then_some((REST, rest, None))) {
                row.truncate(about_document);
                row.extend([Cell::Int(topic), Cell::Real(share)]);
                if docs.has_sd() {
                    row.push(Cell::Real(sd.unwrap_or(f64::NAN)));
                }
                sink(&row)?;
            }
            Ok(())
        })
    })
}

fn columns(corpus: &Corpus, docs: &DocTopics<'_>, extra: &[DocColumn<'_>]) -> Vec<(String, Kind)> {
    let extra = extra.iter().map(|column| (column.name, Kind::Int));
    let before = [("document", Kind::Int), ("name", Kind::Text), ("tokens", Kind::Int)];
    let before: Vec<(&str, Kind)> = before.into_iter().chain(extra).collect();
    // `sd` is ours even without samples, so that a column's name does not depend on them.
    let after = [("topic", Kind::Int), ("share", Kind::Real), ("sd", Kind::Real)];
    let mut taken: Vec<String> = before.iter().chain(&after).map(|&(name, _)| name.to_owned()).collect();
    let ours = taken.len();
    for column in &corpus.metadata.columns {
        let mut name = column.name.clone();
        while taken.contains(&name) {
            name.insert_str(0, PREFIX);
        }
        taken.push(name);
    }
    let owned = |&(name, kind): &(&str, Kind)| (name.to_owned(), kind);
    let metadata = taken.drain(ours..).map(|name| (name, Kind::Text));
    let after = &after[..if docs.has_sd() { 3 } else { 2 }];
    before.iter().map(owned).chain(metadata).chain(after.iter().map(owned)).collect()
}
