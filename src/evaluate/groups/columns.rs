//! Which columns of metadata make groups, which these are, and what is to be said of the columns that make none.

use std::collections::{BTreeMap, HashSet};

use super::{FEW_GROUPS, MOST_COLUMNS, MOST_GROUPS, MOST_STRETCHES};
use crate::corpus::dates::{Date, Dates, Unit};
use crate::corpus::{Corpus, MetadataColumn};
use crate::error::shown;

/// Columns without groups that are told of one by one.
const MOST_SENTENCES: usize = 10;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nearly all of them are dates.
    Dates,
    /// All of them are numbers.
    Numbers,
    /// Anything else.
    Names,
}

/// A way to divide documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Grouping {
    /// Of dates, the length of the stretches.
    pub unit: Option<Unit>,
    /// What the groups are called: stretches of time and numbers in their order, others in byte order.
    pub names: Vec<String>,
    /// Where each group is: its number, or the year in which it begins; nothing for names.
    pub at: Vec<f64>,
    /// The group of each document.
    pub of_docs: Vec<Option<u32>>,
}

/// A column that makes groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Grouped {
    /// Its place among the columns.
    pub column: usize,
    /// Its name.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// The groups; of dates by several units, the most fitting one first.
    pub groupings: Vec<Grouping>,
    /// Sentences on values that are in no group.
    pub notes: Vec<String>,
}

/// The columns that make groups, and sentences on the others.
pub fn grouped(corpus: &Corpus) -> (Vec<Grouped>, Vec<String>) {
    let (mut found, mut others): (Vec<Grouped>, Vec<String>) = (Vec::new(), Vec::new());
    let mut names = HashSet::new();
    let columns = &corpus.metadata.columns;
    let mut looked_at = 0;
    for (place, column) in columns.iter().enumerate() {
        if found.len() == MOST_COLUMNS {
            break;
        }
        looked_at += 1;
        let groups = if names.insert(column.name.as_str()) {
            groups_of(place, column)
        } else {
            Err(Some(format!(
                "Two columns are called {}: groups are made of the first.",
                quoted(&column.name)
            )))
        };
        match groups {
            Ok(grouped) => found.push(grouped),
            Err(sentence) => others.extend(sentence),
        }
    }
    let more = others.len().saturating_sub(MOST_SENTENCES);
    others.truncate(MOST_SENTENCES);
    if more > 0 {
        others.push(format!("Columns that make no groups either: {more}."));
    }
    if looked_at < columns.len() {
        let beyond = columns.len() - looked_at;
        others.push(format!("Groups are made of the first {MOST_COLUMNS} columns that have some; columns after them: {beyond}."));
    }
    (found, others)
}

/// The groups of a column; else why it has none, if there is something to say.
fn groups_of(place: usize, column: &MetadataColumn) -> Result<Grouped, Option<String>> {
    let name = column.name.clone();
    if let Some(dates) = Dates::of(column) {
        let (groupings, notes) = of_dates(&name, &dates)?;
        return Ok(Grouped { column: place, name, kind: Kind::Dates, groupings, notes });
    }
    let (grouping, kind) = of_values(column)?;
    let without = grouping.of_docs.iter().filter(|group| group.is_none()).count();
    let note = (without > 0).then(|| format!("Documents without {}: {without}.", quoted(&name)));
    let notes = note.into_iter().collect();
    Ok(Grouped { column: place, name, kind, groupings: vec![grouping], notes })
}

/// The stretches of time, and what to say of them.
fn of_dates(name: &str, dates: &Dates) -> Result<(Vec<Grouping>, Vec<String>), Option<String>> {
    let known: Vec<Date> = dates.of_docs.iter().copied().flatten().collect();
    let have_months = known.iter().all(|date| date.month.is_some());
    let units = Unit::ALL.into_iter().filter(|&unit| unit != Unit::Month || have_months);
    let mut groupings: Vec<Grouping> = units.map(|unit| of_unit(dates, unit)).collect();
    let too_many =
        groupings.iter().find(|grouping| grouping.names.len() > MOST_STRETCHES).and_then(|it| it.unit);
    groupings.retain(|grouping| (2..=MOST_STRETCHES).contains(&grouping.names.len()));
    if groupings.is_empty() {
        let finest = if have_months { "month" } else { "year" };
        return Err(Some(format!("All dates of {} lie in one {finest}.", quoted(name))));
    }
    let fitting = fitting_unit(&known);
    groupings.sort_by_key(|grouping| grouping.unit != Some(fitting));
    let mut notes = Vec::new();
    if dates.unread > 0 {
        let first = quoted(dates.first_unread.as_deref().unwrap_or_default());
        notes.push(format!("Values that are no dates: {}, the first {first}.", dates.unread));
    }
    let empty = dates.of_docs.len() as u64 - known.len() as u64 - dates.unread;
    if empty > 0 {
        notes.push(format!("Documents without a date: {empty}."));
    }
    if dates.is_undecided {
        notes.push("Whether days or months come first in dates such as 3/1/2020 cannot be told, so only years are used.".into());
    }
    if let Some(unit) = too_many {
        notes.push(format!("By {unit} there are more than {MOST_STRETCHES} stretches, which are not shown."));
    }
    Ok((groupings, notes))
}

/// The unit that divides dates into neither few nor very many stretches.
fn fitting_unit(dates: &[Date]) -> Unit {
    let (first, last) = (dates.iter().min(), dates.iter().max());
    let years = first.zip(last).map_or(0, |(first, last)| last.year - first.year + 1);
    match years {
        ..=3 if dates.iter().all(|date| date.month.is_some()) => Unit::Month,
        ..=80 => Unit::Year,
        _ => Unit::Decade,
    }
}

fn of_unit(dates: &Dates, unit: Unit) -> Grouping {
    let stretch = |date: &Option<Date>| date.and_then(|date| date.stretch(unit));
    let mut stretches: Vec<i32> = dates.of_docs.iter().filter_map(stretch).collect();
    stretches.sort_unstable();
    stretches.dedup();
    let group =
        |date| stretch(date).and_then(|at| stretches.binary_search(&at).ok()).map(|group| group as u32);
    Grouping {
        unit: Some(unit),
        names: stretches.iter().map(|&at| unit.stretch(at)).collect(),
        at: stretches.iter().map(|&at| unit.begin(at)).collect(),
        of_docs: dates.of_docs.iter().map(group).collect(),
    }
}

/// The different values, numbers by size and others in byte order.
fn of_values(column: &MetadataColumn) -> Result<(Grouping, Kind), Option<String>> {
    let filled = || column.values.iter().map(|value| value.trim()).filter(|value| !value.is_empty());
    let mut places: BTreeMap<&str, u32> = filled().map(|value| (value, 0)).collect();
    let mut values: Vec<&str> = places.keys().copied().collect();
    let numbers: Option<Vec<f64>> = values.iter().map(|value| number(value)).collect();
    let kind = if numbers.is_some() { Kind::Numbers } else { Kind::Names };
    refuse_many(&column.name, kind, values.len(), filled().count())?;
    let mut at = Vec::new();
    if let Some(numbers) = numbers {
        let mut sorted: Vec<(f64, &str)> = numbers.into_iter().zip(values).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        (at, values) = sorted.into_iter().unzip();
    }
    for (value, place) in values.iter().zip(0..) {
        places.insert(value, place);
    }
    let of_docs = column.values.iter().map(|value| places.get(value.trim()).copied()).collect();
    let names = values.into_iter().map(str::to_owned).collect();
    Ok((Grouping { unit: None, names, at, of_docs }, kind))
}

/// Refuses values of which no groups are made.
fn refuse_many(name: &str, kind: Kind, values: usize, filled: usize) -> Result<(), Option<String>> {
    let (name, many) = (quoted(name), values > FEW_GROUPS);
    match values {
        0 => Err(None),
        1 => Err(Some(format!("All documents have the same {name}."))),
        _ if many && kind == Kind::Numbers => Err(Some(format!(
            "The numbers of {name} are {values} different ones, of which no groups are made."
        ))),
        _ if many && 2 * values > filled => Err(Some(format!(
            "Nearly every document has its own {name}: {values} values of {filled} documents."
        ))),
        _ if values > MOST_GROUPS => Err(Some(format!(
            "The column {name} has {values} values; groups are made of at most {MOST_GROUPS}."
        ))),
        _ => Ok(()),
    }
}

fn number(value: &str) -> Option<f64> {
    value.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A text of the corpus within a sentence.
fn quoted(text: &str) -> String {
    format!("‘{}’", shown(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Metadata;

    fn corpus(columns: &[(&str, Vec<String>)]) -> Corpus {
        let docs = columns[0].1.len();
        let corpus = Corpus::new(vec![0; docs], (0..=docs).collect(), vec!["ash".into()]).expect("a corpus");
        let columns = columns
            .iter()
            .map(|(name, values)| MetadataColumn { name: (*name).into(), values: values.clone() });
        Corpus { metadata: Metadata { columns: columns.collect() }, ..corpus }
    }

    fn values(values: &[&str]) -> Vec<String> {
        values.iter().map(|&value| value.to_owned()).collect()
    }

    fn numbered(count: usize, value: impl Fn(usize) -> String) -> Vec<String> {
        (0..count).map(value).collect()
    }

    #[test]
    fn numbers_are_in_their_order_and_names_in_that_of_bytes() {
        let (found, others) = grouped(&corpus(&[
            ("age", values(&["10", " 9", "", "10", "-1"])),
            ("who", values(&["b", "a", "10", "b", ""])),
            ("one", values(&["a", "a", "", "", "a"])),
            ("none", values(&["", "", "", "", ""])),
        ]));
        assert_eq!(found[0].groupings[0].names, ["-1", "9", "10"]);
        assert_eq!(found[0].groupings[0].at, [-1.0, 9.0, 10.0]);
        assert_eq!(found[0].groupings[0].of_docs, [Some(2), Some(1), None, Some(2), Some(0)]);
        assert_eq!((found[0].kind, found[1].kind), (Kind::Numbers, Kind::Names));
        assert_eq!(found[1].groupings[0].names, ["10", "a", "b"]);
        assert_eq!(found[1].notes, ["Documents without ‘who’: 1."]);
        assert_eq!(others, ["All documents have the same ‘one’."]);
    }

    #[test]
    fn many_groups_are_some_and_what_is_none_is_told() {
        let (found, others) = grouped(&corpus(&[
            ("country", numbered(20_002, |d| format!("c{}", d % 5_000))),
            ("title", numbered(20_002, |d| format!("t{d}"))),
            ("length", numbered(20_002, |d| (d % 5_000).to_string())),
            ("pair", numbered(20_002, |d| format!("p{}", d / 2))),
            ("country", numbered(20_002, |d| format!("c{}", d % 2))),
        ]));
        assert_eq!(found.iter().map(|found| found.groupings[0].names.len()).collect::<Vec<_>>(), [5_000]);
        assert_eq!(
            others,
            [
                "Nearly every document has its own ‘title’: 20002 values of 20002 documents.",
                "The numbers of ‘length’ are 5000 different ones, of which no groups are made.",
                "The column ‘pair’ has 10001 values; groups are made of at most 10000.",
                "Two columns are called ‘country’: groups are made of the first.",
            ]
        );
    }

    #[test]
    fn dates_are_divided_by_what_fits_their_span() {
        let units = |dates: Vec<String>| -> Vec<(Unit, usize)> {
            let (found, _) = grouped(&corpus(&[("date", dates)]));
            found[0].groupings.iter().map(|it| (it.unit.expect("a unit"), it.names.len())).collect()
        };
        let month = |d: usize| format!("{}-{:02}-28", 1990 + d / 12, d % 12 + 1);
        assert_eq!(units(numbered(30, month)), [(Unit::Month, 30), (Unit::Year, 3)]);
        assert_eq!(units(numbered(240, month)), [(Unit::Year, 20), (Unit::Month, 240), (Unit::Decade, 2)]);
        assert_eq!(units(numbered(300, |d| (1700 + d).to_string())), [(Unit::Decade, 30), (Unit::Year, 300)]);
        assert_eq!(
            units(numbered(20, |d| format!("1/2/{}", 1990 + d))),
            [(Unit::Year, 20), (Unit::Decade, 2)]
        );
    }

    #[test]
    fn what_is_no_date_is_counted() {
        let mut dates = numbered(40, |d| format!("1/2/{}", 1990 + d));
        dates.extend(values(&["", "soon\u{1b}[31m"]));
        let (found, _) = grouped(&corpus(&[("date", dates)]));
        let [unread, empty, undecided] = found[0].notes.as_slice() else { panic!("{:?}", found[0].notes) };
        assert!(
            unread.starts_with("Values that are no dates: 1, the first ‘soon") && !unread.contains('\u{1b}')
        );
        assert_eq!(empty, "Documents without a date: 1.");
        assert!(undecided.contains("cannot be told"));
        let (found, others) = grouped(&corpus(&[("date", values(&["2020-03-01", "2020-03-31"]))]));
        assert!(found.is_empty());
        assert_eq!(others, ["All dates of ‘date’ lie in one month."]);
    }
}
