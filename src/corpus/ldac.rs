//! Reads LDA-C: a document a line, `M word:count word:count …` with M pairs and words numbered from 0.

use std::path::Path;

use super::bag::BagBuilder;
use super::numbers::{fields, number};
use super::open::{Line, Lines};
use super::vocab::{self, Vocab, VocabSource};
use super::{Corpus, LoadNotes};
use crate::error::{Error, Result, shown};
use crate::machine::Memory;

/// Reads `path`, with its vocabulary.
pub(super) fn read(path: &Path, source: &VocabSource, memory: &Memory) -> Result<(Corpus, LoadNotes)> {
    let named = vocab::find(path, source)?.map(|file| vocab::read(&file, None, memory)).transpose()?;
    // Without a vocabulary V is the largest word number and one.
    let mut words = named.as_ref().map_or(0, Vocab::size);
    let mut bags = BagBuilder::new(path, memory, 0)?;
    let mut lines = Lines::open(path)?;
    while let Some(line) = lines.next_filled("write 0 for an empty document")? {
        check_pairs(&line, path)?;
        for field in fields(line.bytes).skip(1) {
            let (v, count) = pair(field, path, line.number)?;
            check_word(v, named.as_ref(), path, line.number)?;
            words = words.max(v + 1);
            bags.add(line.number, v as u32, count)?;
        }
        bags.end_doc(line.number, words)?;
    }
    Ok(vocab::corpus_and_notes(bags.finish(), named, words, 0))
}

/// Refuses a line whose first number is not that of its pairs.
fn check_pairs(line: &Line<'_>, path: &Path) -> Result<()> {
    let mut fields = fields(line.bytes);
    // A line is only handed out when something is on it.
    let promised = number(fields.next().unwrap_or_default(), "number of pairs", path, line.number)?;
    let found = fields.count() as u64;
    if promised == found {
        return Ok(());
    }
    Err(Error::input_at(
        path,
        line.number,
        format!("promises {promised} pairs, but has {found}"),
        "correct the first number, or complete the line",
    ))
}

/// A word number and its count.
fn pair(field: &[u8], path: &Path, line: u64) -> Result<(u64, u64)> {
    let mut sides = field.split(|&byte| byte == b':');
    let (Some(v), Some(count), None) = (sides.next(), sides.next(), sides.next()) else {
        return Err(Error::input_at(
            path,
            line,
            format!("'{}' is not a pair 'word:count'", shown(field)),
            "give two whole numbers with a colon between",
        ));
    };
    let v = number(v, "word number", path, line)?;
    let count = number(count, "count", path, line)?;
    if count == 0 {
        return Err(Error::input_at(path, line, "the count is 0", "leave out words that do not occur"));
    }
    Ok((v, count))
}

/// Refuses a word that the vocabulary does not have, or that cannot be numbered.
fn check_word(v: u64, named: Option<&Vocab>, path: &Path, line: u64) -> Result<()> {
    let most = named.map_or(u64::from(u32::MAX), Vocab::size);
    if v < most {
        return Ok(());
    }
    let remedy = match named {
        Some(vocab) => format!(
            "the {most} words of {} are numbered from 0; give the right vocabulary with `vocab` FILE, or `vocab` none",
            vocab.file.display()
        ),
        None => format!("words are numbered from 0 to {}", most - 1),
    };
    Err(Error::input_at(path, line, format!("the word number {v} is out of range"), remedy))
}
