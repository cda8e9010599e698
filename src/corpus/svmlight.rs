//! Reads SVMlight: a document a line, `label word:count word:count … # comment`, words numbered from 0 or from 1.

use std::path::Path;

use super::bag::BagBuilder;
use super::numbers::{count, fields, number};
use super::open::{Line, Lines};
use super::vocab::{self, Vocab, VocabSource};
use super::{Corpus, LoadNotes, MetadataColumn};
use crate::error::{Error, Result, shown};
use crate::machine::Memory;

/// Reads `path`, with its vocabulary. Without an `index_base` words count from 0 if any has that number, else
/// from 1. Labels, and the query numbers that rankings have, become metadata.
pub(super) fn read(
    path: &Path,
    source: &VocabSource,
    index_base: Option<u8>,
    memory: &Memory,
) -> Result<(Corpus, LoadNotes)> {
    let named = vocab::find(path, source)?.map(|file| vocab::read(&file, None, memory)).transpose()?;
    let mut bags = BagBuilder::new(path, memory, 0)?;
    let mut numbers = Numbers::default();
    let (mut labels, mut queries) = (Vec::new(), Vec::new());
    let mut lines = Lines::open(path)?;
    while let Some(line) = lines.next_filled("give a label for an empty document, for example 0")? {
        if line.bytes.trim_ascii_start().starts_with(b"#") {
            continue;
        }
        let (label, query) = document(&line, path, &mut bags, &mut numbers)?;
        labels.push(label);
        queries.push(query);
        bags.end_doc(line.number, numbers.largest + 1)?;
    }
    let base = numbers.base(index_base, named.as_ref(), path)?;
    let mut bags = bags.finish();
    // A bag's order depends on that of its numbers only, so moving them all changes nothing else.
    bags.w.iter_mut().for_each(|v| *v -= base as u32);
    let words = match &named {
        Some(vocab) => vocab.size(),
        None if bags.w.is_empty() => 0,
        None => numbers.largest + 1 - base,
    };
    // Only the last word of the vocabulary, or its first, shows where the numbers start.
    let certain = index_base.is_some() || numbers.has_zero || numbers.largest == words;
    let guessed_index_base = named.is_some() && !certain;
    let (mut corpus, notes) = vocab::corpus_and_notes(bags, named, words, base);
    corpus.metadata.columns.push(MetadataColumn { name: "label".into(), values: labels });
    if queries.iter().any(|query| !query.is_empty()) {
        corpus.metadata.columns.push(MetadataColumn { name: "qid".into(), values: queries });
    }
    Ok((corpus, LoadNotes { guessed_index_base, ..notes }))
}

/// Adds the words of a line to the current document; returns its label and query number.
fn document(
    line: &Line<'_>,
    path: &Path,
    bags: &mut BagBuilder<'_>,
    numbers: &mut Numbers,
) -> Result<(String, String)> {
    let content = line.bytes.split(|&byte| byte == b'#').next().unwrap_or_default();
    let mut fields = fields(content);
    let label = fields.next().filter(|label| !label.contains(&b':')).ok_or_else(|| {
        Error::input_at(path, line.number, "has no label before its pairs", "begin every line with a label")
    })?;
    let mut query = String::new();
    for field in fields {
        let (name, value) = pair(field, path, line.number)?;
        if name == b"qid" {
            query = String::from_utf8_lossy(value).into_owned();
            continue;
        }
        let v = number(name, "word number", path, line.number)?;
        let count = count(value, path, line.number)?;
        numbers.see(v, path, line.number)?;
        // A zero that is written out is no entry, but tells of its word.
        if count > 0 {
            bags.add(line.number, v as u32, count)?;
        }
    }
    Ok((String::from_utf8_lossy(label).into_owned(), query))
}

/// The sides of a pair.
fn pair<'a>(field: &'a [u8], path: &Path, line: u64) -> Result<(&'a [u8], &'a [u8])> {
    let mut sides = field.split(|&byte| byte == b':');
    match (sides.next(), sides.next(), sides.next()) {
        (Some(name), Some(value), None) => Ok((name, value)),
        _ => Err(Error::input_at(
            path,
            line,
            format!("'{}' is not a pair 'word:count'", shown(field)),
            "give two numbers with a colon between",
        )),
    }
}

/// What is known of the word numbers so far.
#[derive(Default)]
struct Numbers {
    has_zero: bool,
    largest: u64,
    /// The line of the largest.
    line: u64,
}

impl Numbers {
    fn see(&mut self, v: u64, path: &Path, line: u64) -> Result<()> {
        self.has_zero |= v == 0;
        if v > self.largest {
            (self.largest, self.line) = (v, line);
        }
        if v < u64::from(u32::MAX) {
            return Ok(());
        }
        let remedy = format!("give a number below {}", u32::MAX);
        Err(Error::input_at(path, line, format!("the word number {v} is out of range"), remedy))
    }

    /// The number of the first word; refuses numbers that `named` has no words for.
    fn base(&self, given: Option<u8>, named: Option<&Vocab>, path: &Path) -> Result<u64> {
        let base = given.map_or(u64::from(!self.has_zero), u64::from);
        if base == 1 && self.has_zero {
            let problem = format!("{} has a word number 0", path.display());
            return Err(Error::setting("index_base", problem, "give `index_base` 0, or leave it out"));
        }
        match named {
            Some(vocab) if self.largest >= vocab.size() + base => Err(Error::input_at(
                path,
                self.line,
                format!("the word number {} is out of range", self.largest),
                format!(
                    "the {} words of {} are numbered from {base}; give the right vocabulary with `vocab` FILE, or \
                     `vocab` none, or `index_base`",
                    vocab.size(),
                    vocab.file.display()
                ),
            )),
            _ => Ok(base),
        }
    }
}
