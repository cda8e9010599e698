//! What documents' names are made of: `{country}_{year}.txt` gives two columns.

use std::fmt;
use std::str::FromStr;

use crate::corpus::{Corpus, LoadNotes, MetadataColumn};
use crate::error::{Error, Result, shown};

/// The most ways that are tried to fit the pattern to a name.
const MOST_STEPS: u32 = 10_000;

/// A pattern for whole names, with parts in braces that become columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern {
    text: String,
    parts: Vec<Part>,
    /// What the columns are called.
    columns: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// This text.
    Text(String),
    /// The value of a column: one character or more, without a slash, and the same wherever it stands.
    Column(usize),
    /// Anything, or nothing.
    Any,
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for NamePattern {
    /// What is wrong and what to give; who asks knows the flag.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |problem: &str| format!("'{text}' {problem}; give for example {{country}}_{{year}}.txt");
        let mut pattern = Self { text: text.to_owned(), parts: Vec::new(), columns: Vec::new() };
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}', '*']) {
            pattern.add_text(&rest[..at]);
            if rest[at..].starts_with("{{") || rest[at..].starts_with("}}") {
                pattern.add_text(&rest[at..=at]);
                rest = &rest[at + 2..];
            } else if rest[at..].starts_with('*') {
                pattern.parts.push(Part::Any);
                rest = &rest[at + 1..];
            } else {
                let inside = rest[at..].strip_prefix('{').and_then(|rest| rest.split_once('}'));
                let (name, behind) = inside.ok_or_else(|| wrong("has a brace without the other"))?;
                pattern.add_column(name.trim()).map_err(wrong)?;
                rest = behind;
            }
        }
        pattern.add_text(rest);
        if pattern.columns.is_empty() { Err(wrong("has no part in braces")) } else { Ok(pattern) }
    }
}

impl NamePattern {
    fn add_text(&mut self, text: &str) {
        match self.parts.last_mut() {
            _ if text.is_empty() => {}
            Some(Part::Text(before)) => before.push_str(text),
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    fn add_column(&mut self, name: &str) -> Result<(), &'static str> {
        if name.is_empty() || name.contains('{') {
            return Err("has a part without a name");
        }
        if matches!(self.parts.last(), Some(Part::Column(_) | Part::Any)) {
            return Err("has nothing that parts one column from what is before it");
        }
        let known = self.columns.iter().position(|column| column == name);
        self.parts.push(Part::Column(known.unwrap_or(self.columns.len())));
        if known.is_none() {
            self.columns.push(name.to_owned());
        }
        Ok(())
    }

    /// The values of the columns in `name`, if the pattern fits: each as short as can be, from the first on. One without a slash is for the
    /// name without its folder.
    fn values<'n>(&self, name: &'n str) -> Option<Vec<&'n str>> {
        let name = if self.text.contains('/') { name } else { name.rsplit('/').next().unwrap_or(name) };
        let mut fit = Fit { values: vec![None; self.columns.len()], steps: 0 };
        if fit.fits(&self.parts, name) { fit.values.into_iter().collect() } else { None }
    }

    /// The columns for the documents of `corpus`; counts the names that it does not fit.
    pub(super) fn columns(&self, corpus: &Corpus, notes: &mut LoadNotes) -> Result<Vec<MetadataColumn>> {
        let docs = corpus.num_docs();
        let column = |name: &String| MetadataColumn { name: name.clone(), values: vec![String::new(); docs] };
        let mut columns: Vec<MetadataColumn> = self.columns.iter().map(column).collect();
        for d in 0..docs {
            let name = corpus.doc_name(d);
            match self.values(&name) {
                Some(values) => {
                    let values = columns.iter_mut().zip(values);
                    values.for_each(|(column, value)| value.clone_into(&mut column.values[d]));
                }
                None => {
                    notes.unfit_names += 1;
                    notes.first_unfit_name.get_or_insert(name);
                }
            }
        }
        match &notes.first_unfit_name {
            Some(first) if notes.unfit_names == docs as u64 => {
                let first = shown(first.as_bytes());
                let problem = format!("'{self}' fits none of {docs} names, the first of which is '{first}'");
                let remedy =
                    "write the names with braces around what changes, and * for what does not matter";
                Err(Error::setting("name_pattern", problem, remedy))
            }
            _ => Ok(columns),
        }
    }
}

/// A try to fit a pattern to a name.
struct Fit<'n> {
    values: Vec<Option<&'n str>>,
    steps: u32,
}

impl<'n> Fit<'n> {
    fn fits(&mut self, parts: &[Part], name: &'n str) -> bool {
        self.steps += 1;
        let Some((part, rest)) = parts.split_first() else { return name.is_empty() };
        if self.steps > MOST_STEPS {
            return false;
        }
        match part {
            Part::Text(text) => name.strip_prefix(text.as_str()).is_some_and(|name| self.fits(rest, name)),
            Part::Any => ends(rest, name, 0).any(|end| self.fits(rest, &name[end..])),
            &Part::Column(at) => {
                if let Some(value) = self.values[at] {
                    return name.strip_prefix(value).is_some_and(|name| self.fits(rest, name));
                }
                let longest = name.find('/').unwrap_or(name.len());
                let found = ends(rest, name, 1).take_while(|&end| end <= longest).any(|end| {
                    self.values[at] = Some(&name[..end]);
                    self.fits(rest, &name[end..])
                });
                if !found {
                    self.values[at] = None;
                }
                found
            }
        }
    }
}

/// Where a part of at least so many characters of `name` may end: before the text that comes next, or anywhere.
fn ends<'n>(rest: &'n [Part], name: &'n str, least: usize) -> Box<dyn Iterator<Item = usize> + 'n> {
    let first = name.char_indices().nth(least).map_or(name.len(), |(at, _)| at);
    if least > 0 && name.is_empty() {
        return Box::new(std::iter::empty());
    }
    match rest.first() {
        None => Box::new(std::iter::once(name.len())),
        Some(Part::Text(text)) => Box::new(
            (first..=name.len()).filter(move |&at| name.is_char_boundary(at) && name[at..].starts_with(text)),
        ),
        _ => Box::new((first..=name.len()).filter(move |&at| name.is_char_boundary(at))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pattern: &str, name: &str) -> Option<Vec<String>> {
        let pattern: NamePattern = pattern.parse().expect("a pattern");
        pattern.values(name).map(|values| values.into_iter().map(str::to_owned).collect())
    }

    fn some(values: &[&str]) -> Option<Vec<String>> {
        Some(values.iter().map(|&value| value.to_owned()).collect())
    }

    #[test]
    fn parts_in_braces_are_found() {
        let session = "Session {session} - {year}/{country}_{session}_{year}.txt";
        assert_eq!(values(session, "Session 75 - 2020/FRA_75_2020.txt"), some(&["75", "2020", "FRA"]));
        // The same part is the same wherever it stands, even if others must be longer for it.
        assert_eq!(values(session, "Session 75 - 2020/EU_CAN_75_2020.txt"), some(&["75", "2020", "EU_CAN"]));
        assert_eq!(values(session, "Session 75 - 2020/FRA_74_2020.txt"), None);
        assert_eq!(values("{country}_{year}.txt", "a/b/FRA_2020.txt"), some(&["FRA", "2020"]));
        assert_eq!(values("*/{country}_*.txt", "a/b/FRA_2020.txt"), some(&["FRA"]));
        assert_eq!(values("{year}-*", "2020-"), some(&["2020"]));
        assert_eq!(values("{año}.txt", "дом.txt"), some(&["дом"]));
        assert_eq!(values("{{{year}}}", "{2020}"), some(&["2020"]));
        assert_eq!(values("{a}/{b}", "x/y/z"), None);
        assert_eq!(values("{a}.txt", ".txt"), None);
        assert_eq!(values("{a}", "x"), some(&["x"]));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for pattern in ["", "plain.txt", "{", "{a", "a}", "{}", "{ }", "{a}{b}", "*{a}{b}", "{a{b}"] {
            assert!(pattern.parse::<NamePattern>().is_err(), "{pattern}");
        }
    }

    #[test]
    fn a_name_made_to_be_hard_ends_soon() {
        let pattern: NamePattern = "{a}x{b}x{c}x{d}x{e}x{f}!".parse().expect("a pattern");
        let mut fit = Fit { values: vec![None; 6], steps: 0 };
        let name = "x".repeat(4_000);
        assert!(!fit.fits(&pattern.parts, &name));
        assert!(fit.steps < 10 * MOST_STEPS, "{}", fit.steps);
    }
}
