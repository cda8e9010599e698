//! doc-topics.csv: a row for each topic of each document, with what the input says about the document.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::table::{Cell, Kind, Table, write_table};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::estimate::DocTopics;

/// The topic of the row for all topics without tokens of the document.
const REST: i64 = -1;

/// What a column of metadata is renamed with when its name is taken.
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
    let mut names = Names::taken(before.iter().chain(&after).map(|&(name, _)| name));
    let metadata = corpus.metadata.columns.iter().map(|column| (names.free(&column.name), Kind::Text));
    let metadata: Vec<_> = metadata.collect();
    let owned = |&(name, kind): &(&str, Kind)| (name.to_owned(), kind);
    let after = &after[..if docs.has_sd() { 3 } else { 2 }];
    before.iter().map(owned).chain(metadata).chain(after.iter().map(owned)).collect()
}

/// The columns of doc-topics-wide.csv: what is known of a document, and its shares of these topics.
pub(super) fn wide_columns(corpus: &Corpus, topics: &[u16]) -> Vec<(String, Kind)> {
    let before = [("document", Kind::Int), ("name", Kind::Text), ("tokens", Kind::Int)];
    let shares: Vec<String> = topics.iter().map(|k| format!("topic_{k}")).collect();
    let mut names =
        Names::taken(before.iter().map(|&(name, _)| name).chain(shares.iter().map(String::as_str)));
    let metadata = corpus.metadata.columns.iter().map(|column| (names.free(&column.name), Kind::Text));
    let metadata: Vec<_> = metadata.collect();
    let before = before.iter().map(|&(name, kind)| (name.to_owned(), kind));
    before.chain(metadata).chain(shares.into_iter().map(|name| (name, Kind::Real))).collect()
}

/// The names of columns so far.
struct Names {
    taken: HashSet<String>,
    /// The last number that was put after a name.
    numbers: HashMap<String, u64>,
}

impl Names {
    fn taken<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        Self { taken: names.map(str::to_owned).collect(), numbers: HashMap::new() }
    }

    /// `name`, or if that is taken with [`PREFIX`] before it, and if need be a number after it. A number that was tried is
    /// not tried again: thousands of equal names are as quick as others.
    fn free(&mut self, name: &str) -> String {
        let prefixed = || format!("{PREFIX}{name}");
        let plain = [name.to_owned(), prefixed()].into_iter().find(|name| !self.taken.contains(name));
        let free = plain.unwrap_or_else(|| {
            let number = self.numbers.entry(name.to_owned()).or_insert(1);
            loop {
                *number += 1;
                let numbered = format!("{}_{number}", prefixed());
                if !self.taken.contains(&numbered) {
                    return numbered;
                }
            }
        });
        self.taken.insert(free.clone());
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_name_of_its_own() {
        let mut names = Names::taken(["topic"].into_iter());
        let given = ["topic", "topic", "meta_topic", "topic", "x", "x", "meta_x_2", "x"];
        let free = given.map(|name| names.free(name));
        let expected = [
            "meta_topic",
            "meta_topic_2",
            "meta_meta_topic",
            "meta_topic_3",
            "x",
            "meta_x",
            "meta_x_2",
            "meta_x_3",
        ];
        assert_eq!(free, expected);
    }

    /// With a prefix for each of those before them, they would be of quadratic length, and take minutes to find.
    #[test]
    fn equal_names_stay_short() {
        const COLUMNS: usize = 50_000;
        let mut names = Names::taken(["topic"].into_iter());
        let free: HashSet<String> = (0..COLUMNS).map(|_| names.free("year")).collect();
        assert_eq!(free.len(), COLUMNS);
        assert!(free.iter().all(|name| name.len() <= "meta_year_50000".len()));
    }
}
