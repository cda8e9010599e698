//! Dates in a column of metadata: whether its values are some, and which, as only all of them together tell.

use std::fmt;

use chrono::NaiveDate;

use super::MetadataColumn;

/// A column has dates when this share of its values, the empty ones aside, can be read as some.
const NEARLY_ALL: f64 = 0.95;

/// Longer values are not looked at.
const MOST_BYTES: usize = 40;

/// What a year that stands alone may be, as any other number may; and what it may be in a column whose name speaks of years.
const USUAL_YEARS: std::ops::RangeInclusive<i32> = 1500..=2099;
const NAMED_YEARS: std::ops::RangeInclusive<i32> = 1..=2999;

/// What columns of years are called.
const YEAR: [&str; 12] =
    ["year", "date", "jahr", "datum", "annee", "année", "año", "anno", "ano", "rok", "год", "年"];

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// A month of a year.
    Month,
    /// A year.
    Year,
    /// Ten years, from one that ends in 0.
    Decade,
}

impl Unit {
    /// All, the shortest first.
    pub const ALL: [Self; 3] = [Self::Month, Self::Year, Self::Decade];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::Year => "year",
            Self::Decade => "decade",
        }
    }

    /// The name of the stretch with the number `at`: 2020-03, 2020, 2020s.
    pub fn stretch(self, at: i32) -> String {
        match self {
            Self::Month => format!("{:04}-{:02}", at.div_euclid(12), at.rem_euclid(12) + 1),
            Self::Year => format!("{at:04}"),
            Self::Decade => format!("{:04}s", 10 * at),
        }
    }

    /// Where the stretch with the number `at` begins, in years.
    pub fn begin(self, at: i32) -> f64 {
        match self {
            Self::Month => f64::from(at) / 12.0,
            Self::Year => f64::from(at),
            Self::Decade => 10.0 * f64::from(at),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A date, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// The year.
    pub year: i32,
    /// The month, from 1, where it is known.
    pub month: Option<u32>,
}

impl Date {
    /// The number of the stretch that it is in, where that is known.
    pub fn stretch(self, unit: Unit) -> Option<i32> {
        match unit {
            Unit::Month => self.month.map(|month| 12 * self.year + month as i32 - 1),
            Unit::Year => Some(self.year),
            Unit::Decade => Some(self.year.div_euclid(10)),
        }
    }
}

/// A column of dates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dates {
    /// The date of each document.
    pub of_docs: Vec<Option<Date>>,
    /// Values that are no dates, and the first of them.
    pub unread: u64,
    /// The first of them.
    pub first_unread: Option<String>,
    /// Which number of a date such as 3/1/2020 is the month cannot be told, so that those have none.
    pub is_undecided: bool,
}

impl Dates {
    /// The dates in `column`, if nearly all of its values are some.
    pub fn of(column: &MetadataColumn) -> Option<Self> {
        let written: Vec<Option<Written>> = column.values.iter().map(|value| Written::read(value)).collect();
        let order = DayOrder::of(&written);
        let is_number = |written: &Written| matches!(written, Written::Number(_));
        let years = if written.iter().flatten().all(is_number) && !speaks_of_years(&column.name) {
            USUAL_YEARS
        } else {
            NAMED_YEARS
        };
        let date = |written: &Option<Written>| written.as_ref()?.date(order, &years);
        let of_docs: Vec<Option<Date>> = written.iter().map(date).collect();
        let filled = column.values.iter().zip(&of_docs).filter(|(value, _)| !value.trim().is_empty());
        let (mut dates, mut unread, mut first_unread) = (0, 0, None);
        for (value, date) in filled {
            if date.is_some() {
                dates += 1;
            } else {
                unread += 1;
                first_unread.get_or_insert(value);
            }
        }
        let is_of_dates = dates > 0 && f64::from(dates) >= NEARLY_ALL * (f64::from(dates) + unread as f64);
        is_of_dates.then(|| Self {
            of_docs,
            unread,
            first_unread: first_unread.cloned(),
            is_undecided: order == DayOrder::Unknown,
        })
    }
}

fn speaks_of_years(name: &str) -> bool {
    let name = name.to_lowercase();
    YEAR.iter().any(|year| name.contains(year))
}

/// A date as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// Four digits alone.
    Number(i32),
    Known(Date),
    /// Day and month, or month and day.
    Either {
        first: u32,
        second: u32,
        year: i32,
    },
}

impl Written {
    /// Reads 2020, 2020-03, 2020-03-01, 2020/3/1, 20200301, 03/2020, 01.03.2020 and 3/1/2020, the long ones also with a time.
    fn read(value: &str) -> Option<Self> {
        let value = value.trim();
        if value.len() > MOST_BYTES {
            return None;
        }
        let Some((date, time)) = value.split_once(['T', ' ']) else { return Self::read_date(value) };
        let is_long = date.len() >= 8;
        (is_long && is_time(time)).then(|| Self::read_date(date)).flatten()
    }

    fn read_date(date: &str) -> Option<Self> {
        let between = date.chars().find(|c| !c.is_ascii_digit()).unwrap_or('-');
        let parts: Vec<&str> = date.split(between).collect();
        let are_digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !parts.iter().all(are_digits) {
            return None;
        }
        let number = |part: &str| part.parse::<u32>().ok();
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        match (between, lengths.as_slice()) {
            ('-', [4]) => Some(Self::Number(number(parts[0])? as i32)),
            ('-', [8]) => known(number(&date[..4])?, number(&date[4..6])?, number(&date[6..])?),
            ('-' | '/', [4, 1 | 2]) => of_month(number(parts[0])?, number(parts[1])?),
            ('/', [1 | 2, 4]) => of_month(number(parts[1])?, number(parts[0])?),
            ('-' | '/' | '.', [4, 1 | 2, 1 | 2]) => {
                known(number(parts[0])?, number(parts[1])?, number(parts[2])?)
            }
            ('.', [1 | 2, 1 | 2, 4]) => known(number(parts[2])?, number(parts[1])?, number(parts[0])?),
            ('-' | '/', [1 | 2, 1 | 2, 4]) => {
                let (first, second) = (number(parts[0])?, number(parts[1])?);
                Some(Self::Either { first, second, year: number(parts[2])? as i32 })
            }
            _ => None,
        }
    }

    /// The date, if there is such a day.
    fn date(self, order: DayOrder, years: &std::ops::RangeInclusive<i32>) -> Option<Date> {
        match self {
            Self::Number(year) => years.contains(&year).then_some(Date { year, month: None }),
            Self::Known(date) => Some(date),
            Self::Either { first, second, year } => {
                let month_first = NaiveDate::from_ymd_opt(year, first, second);
                let day_first = NaiveDate::from_ymd_opt(year, second, first);
                let month = match order {
                    DayOrder::DayFirst => day_first.map(|_| Some(second))?,
                    DayOrder::MonthFirst => month_first.map(|_| Some(first))?,
                    DayOrder::Unknown => day_first.or(month_first).map(|_| None)?,
                };
                Some(Date { year, month })
            }
        }
    }
}

/// A date whose day there is.
fn known(year: u32, month: u32, day: u32) -> Option<Written> {
    let year = year as i32;
    NaiveDate::from_ymd_opt(year, month, day)
        .filter(|_| year > 0)
        .map(|_| Written::Known(Date { year, month: Some(month) }))
}

fn of_month(year: u32, month: u32) -> Option<Written> {
    known(year, month, 1)
}

/// Whether this can be the time after a date: 12:00, 12:00:00.5Z, 2:05 PM.
fn is_time(time: &str) -> bool {
    let may_be = |byte: u8| byte.is_ascii_digit() || b":.,+-Z APMapmz".contains(&byte);
    time.starts_with(|c: char| c.is_ascii_digit()) && time.contains(':') && time.bytes().all(may_be)
}

/// What comes first in dates such as 3/1/2020.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DayOrder {
    DayFirst,
    MonthFirst,
    /// No number, or as many of each kind, is too large for a month.
    Unknown,
}

impl DayOrder {
    /// That of a column, by the numbers that are no months; any where there are no such dates.
    fn of(written: &[Option<Written>]) -> Self {
        let (mut days_first, mut months_first, mut any) = (0u64, 0u64, false);
        for written in written.iter().flatten() {
            if let Written::Either { first, second, .. } = *written {
                any = true;
                days_first += u64::from(first > 12);
                months_first += u64::from(second > 12);
            }
        }
        match days_first.cmp(&months_first) {
            std::cmp::Ordering::Greater => Self::DayFirst,
            std::cmp::Ordering::Less => Self::MonthFirst,
            std::cmp::Ordering::Equal if any => Self::Unknown,
            std::cmp::Ordering::Equal => Self::DayFirst,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, values: &[&str]) -> MetadataColumn {
        MetadataColumn { name: name.into(), values: values.iter().map(|&value| value.to_owned()).collect() }
    }

    /// The year and the month, 0 if unknown, of a value that stands with others.
    fn read(values: &[&str]) -> Vec<Option<(i32, u32)>> {
        let dates = Dates::of(&column("date", values)).expect("dates");
        dates.of_docs.iter().map(|date| date.map(|date| (date.year, date.month.unwrap_or(0)))).collect()
    }

    #[test]
    fn dates_are_read_in_every_form() {
        let forms = [
            "2020-03-01",
            "2020-03",
            "2020/3/1",
            "2020.3.1",
            "20200301",
            "03/2020",
            "01.03.2020",
            "1.3.2020",
            " 2020-03-01 ",
            "2020-03-01T12:00:00Z",
            "2020-03-01T12:00:00.25+01:00",
            "2020-03-01 12:00",
            "01.03.2020 2:05 PM",
        ];
        for form in forms {
            assert_eq!(read(&[form]), [Some((2020, 3))], "{form}");
        }
        assert_eq!(read(&["2020", "0476-09-04"]), [Some((2020, 0)), Some((476, 9))]);
    }

    #[test]
    fn what_is_no_date_is_none() {
        let others = [
            "",
            "12",
            "476",
            "20.5",
            "2020.03",
            "2020-13",
            "2020-02-30",
            "31.04.2021",
            "2020-03-01x",
            "2020-",
            "-2020",
            "2020-03-01Tea",
            "2020 12:00",
            "1/2/3/2020",
            "0000-01-01",
            "99999999",
            "２０２０",
            "2020/3-1",
            "Friday",
            "1,200",
        ];
        for other in others {
            assert_eq!(Dates::of(&column("date", &[other])), None, "{other}");
        }
        assert_eq!(Dates::of(&column("date", &["2020-01-01 12:00 ".repeat(1 << 16).as_str()])), None);
    }

    #[test]
    fn a_column_tells_what_its_first_number_is() {
        assert_eq!(read(&["3/1/2020", "31/1/2020"]), [Some((2020, 1)), Some((2020, 1))]);
        assert_eq!(
            read(&["3/1/2020", "1/31/2020", "2-1-2020"]),
            [Some((2020, 3)), Some((2020, 1)), Some((2020, 2))]
        );
        // By nothing: the year is known all the same, and that the rest is not.
        for values in [&["3/1/2020", "4/4/2021"][..], &["31/1/2020", "1/31/2021"]] {
            let dates = Dates::of(&column("when", values)).expect("dates");
            assert!(dates.is_undecided);
            assert_eq!(read(values), [Some((2020, 0)), Some((2021, 0))]);
        }
        assert!(!Dates::of(&column("when", &["2020-03-01"])).expect("dates").is_undecided);
        // The many count.
        let mut values = vec!["31/1/2020"; 30];
        values.push("1/31/2020");
        let dates = Dates::of(&column("when", &values)).expect("dates");
        assert_eq!((dates.unread, dates.first_unread.as_deref()), (1, Some("1/31/2020")));
    }

    #[test]
    fn nearly_all_values_must_be_dates() {
        let mut values = vec!["2020-01-01"; 19];
        values.extend(["", "about 1900"]);
        let dates = Dates::of(&column("date", &values)).expect("19 of 20 are");
        assert_eq!((dates.unread, dates.first_unread.as_deref()), (1, Some("about 1900")));
        values.push("unknown");
        assert_eq!(Dates::of(&column("date", &values)), None);
        assert_eq!(Dates::of(&column("date", &["", " "])), None);
    }

    #[test]
    fn other_numbers_are_no_years() {
        assert_eq!(Dates::of(&column("age", &["21", "35", "60"])), None);
        assert_eq!(Dates::of(&column("words", &["1200", "1850", "7012"])), None);
        assert!(Dates::of(&column("session", &["1946", "2020"])).is_some());
        assert!(Dates::of(&column("Year of reign", &["1066", "1215"])).is_some());
        assert_eq!(Dates::of(&column("reign", &["1066", "1215"])), None);
    }

    #[test]
    fn stretches_are_in_order_and_named() {
        let date = Date { year: 1999, month: Some(12) };
        let names = Unit::ALL.map(|unit| unit.stretch(date.stretch(unit).expect("a month")));
        assert_eq!(names, ["1999-12", "1999", "1990s"]);
        assert_eq!(Unit::Month.begin(date.stretch(Unit::Month).expect("a month")), 1999.0 + 11.0 / 12.0);
        assert_eq!(Date { month: None, ..date }.stretch(Unit::Month), None);
    }
}
