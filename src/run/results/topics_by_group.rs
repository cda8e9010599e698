//! topics-by-group.csv: the topics of groups of documents and of stretches of time, written and read back.

use std::collections::{BTreeMap, HashMap};
use std::io;

use serde::Deserialize;

use super::read_back::read_each;
use super::table::{Cell, Kind, Sink, Table, columns, write_csv};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::estimate::DocTopics;
use crate::evaluate::groups::{GroupTopics, grouped, topics_of_groups};
use crate::files::cell::as_it_was;
use crate::run::folder::{Folder, name};

/// What intervals are of: how documents differ, or how samples do.
const DOCUMENTS: &str = "documents";
const SAMPLES: &str = "samples";

/// Writes topics-by-group.csv: a row for each topic that a group has tokens of; the columns, units and groups in the order in which the
/// page has them. Without groups there is no file.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_topics_by_group(folder: &Folder, corpus: &Corpus, docs: &DocTopics<'_>) -> Result<()> {
    let (found, _) = grouped(corpus);
    if found.is_empty() {
        return folder.remove_result(name::TOPICS_BY_GROUP);
    }
    let header = columns(&[
        ("column", Kind::Text),
        ("unit", Kind::Text),
        ("group", Kind::Text),
        ("topic", Kind::Int),
        ("share", Kind::Real),
        ("low", Kind::Real),
        ("high", Kind::Real),
        ("interval", Kind::Text),
        ("documents", Kind::Int),
        ("tokens", Kind::Real),
        ("group_documents", Kind::Int),
        ("group_tokens", Kind::Int),
    ]);
    let table = Table::new(header, |sink| {
        found.iter().try_for_each(|column| {
            let topics = topics_of_groups(&column.groupings, docs);
            let interval = if docs.has_sd() { SAMPLES } else { DOCUMENTS };
            column.groupings.iter().zip(topics).try_for_each(|(grouping, groups)| {
                let unit = grouping.unit.map_or("", |unit| unit.name());
                let mut groups = grouping.names.iter().zip(groups);
                groups.try_for_each(|(group, topics)| {
                    rows_of_group([&column.name, unit, group, interval], &topics, sink)
                })
            })
        })
    });
    write_csv(&folder.file(name::TOPICS_BY_GROUP), &table)
}

/// The rows of a group: `texts` are its column, its unit, its name, and what intervals are of.
fn rows_of_group(texts: [&str; 4], group: &GroupTopics, sink: &mut Sink<'_>) -> io::Result<()> {
    group.topics.iter().try_for_each(|topic| {
        let [column, unit, name, interval] = texts.map(Cell::Text);
        sink(&[
            column,
            unit,
            name,
            Cell::Int(i64::from(topic.topic)),
            Cell::Real(topic.share),
            Cell::Real(topic.low),
            Cell::Real(topic.high),
            interval,
            Cell::Int(topic.documents as i64),
            Cell::Real(topic.tokens),
            Cell::Int(group.documents as i64),
            Cell::Int(group.tokens as i64),
        ])
    })
}

/// A row, as far as it is needed.
#[derive(Deserialize)]
struct Row {
    column: String,
    unit: String,
    group: String,
    topic: u16,
    share: f64,
    low: Option<f64>,
    high: Option<f64>,
    interval: String,
}

/// A share with the ends of its interval, where it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharesRead {
    /// The share of the group's tokens.
    pub share: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The rows of topics-by-group.csv that are means over samples.
#[derive(Debug, Default)]
pub struct TopicsByGroup {
    /// By column and unit; by group; by topic.
    groups: HashMap<(String, String), HashMap<String, HashMap<u16, SharesRead>>>,
}

impl TopicsByGroup {
    /// Reads the file; nothing where there is none, or where it has the shares of one state.
    ///
    /// # Errors
    /// [`crate::Error::Read`] or [`crate::Error::Input`] when it is no plain file, or damaged.
    pub fn read(run: &Folder) -> Result<Option<Self>> {
        let mut groups: HashMap<_, HashMap<_, HashMap<_, _>>> = HashMap::new();
        read_each(run, name::TOPICS_BY_GROUP, |row: Row| {
            if row.interval != SAMPLES {
                return;
            }
            let part = |value: f64| if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
            let end = |value: Option<f64>| value.map_or(f64::NAN, part);
            let read = SharesRead { share: part(row.share), low: end(row.low), high: end(row.high) };
            let column = (as_it_was(&row.column).to_owned(), row.unit);
            let group =
                groups.entry(column).or_default().entry(as_it_was(&row.group).to_owned()).or_default();
            group.insert(row.topic, read);
        })?;
        Ok(Some(Self { groups }).filter(|read| !read.groups.is_empty()))
    }

    /// Of the topics of a group, in any order.
    pub fn of(
        &self,
        column: &str,
        unit: &str,
        group: &str,
    ) -> Option<impl Iterator<Item = (u16, SharesRead)> + '_> {
        let key = (column.to_owned(), unit.to_owned());
        let topics = self.groups.get(&key)?.get(group)?;
        Some(topics.iter().map(|(&topic, &shares)| (topic, shares)))
    }
}

/// A topic over the stretches of time of a column of dates.
#[derive(Clone, Debug, PartialEq)]
pub struct Trend {
    /// The column.
    pub column: String,
    /// The length of the stretches.
    pub unit: String,
    /// The stretches in their order, with the topic's share.
    pub shares: Vec<(String, f64)>,
}

/// The trends of topic `k` in topics-by-group.csv: for each column of dates by the unit that fits it.
///
/// # Errors
/// As [`TopicsByGroup::read`].
pub fn read_trends(run: &Folder, k: u16) -> Result<Vec<Trend>> {
    let mut trends: Vec<(Trend, BTreeMap<String, f64>)> = Vec::new();
    read_each(run, name::TOPICS_BY_GROUP, |row: Row| {
        if row.unit.is_empty() {
            return;
        }
        let column = as_it_was(&row.column);
        let at = trends.iter().position(|(trend, _)| trend.column == column).unwrap_or_else(|| {
            let trend = Trend { column: column.to_owned(), unit: row.unit.clone(), shares: Vec::new() };
            trends.push((trend, BTreeMap::new()));
            trends.len() - 1
        });
        let (trend, shares) = &mut trends[at];
        // The most fitting unit comes first.
        if trend.unit == row.unit {
            let share = shares.entry(row.group).or_insert(0.0);
            if row.topic == k && row.share.is_finite() {
                *share = row.share;
            }
        }
    })?;
    let whole =
        |(trend, shares): (Trend, BTreeMap<_, _>)| Trend { shares: shares.into_iter().collect(), ..trend };
    Ok(trends.into_iter().map(whole).collect())
}
