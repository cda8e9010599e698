//! Entries `document word count` become bags, whatever the order in which a file lists them.

use std::ops::ControlFlow;
use std::path::Path;

use super::bag::{BagBuilder, Bags, check_length, order};
use super::loaded::no_tokens;
use super::memory::{Sizes, reserve_exact};
use super::vocab::{self, VocabSource};
use super::{Corpus, LoadNotes};
use crate::error::{Error, Result};
use crate::machine::Memory;

/// D and V, as a file states them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) docs: u64,
    pub(super) words: u64,
}

/// A count above 0; document and word are counted from 0 and within the shape.
pub(super) struct Entry {
    /// Where it stands, in a file with lines.
    pub(super) line: Option<u64>,
    pub(super) d: usize,
    pub(super) v: u32,
    pub(super) count: u64,
}

/// A file of entries that can be read more than once.
pub(super) trait Entries {
    /// D and V.
    fn shape(&self) -> Shape;

    /// The number of entries that the file states.
    fn num_entries(&self) -> u64;

    /// Reads the file from its beginning and hands out the entries, until `visit` breaks off.
    fn visit(&self, visit: impl FnMut(Entry) -> Result<ControlFlow<()>>) -> Result<()>;
}

/// The corpus of `entries`, with its vocabulary; words without a name are numbered from `first`, and `remedy` is
/// for a file without entries.
pub(super) fn corpus(
    entries: &impl Entries,
    path: &Path,
    source: &VocabSource,
    first: u64,
    remedy: &str,
    memory: &Memory,
) -> Result<(Corpus, LoadNotes)> {
    check_shape(entries, path, memory)?;
    if entries.num_entries() == 0 {
        return Err(no_tokens(path, remedy));
    }
    let words = entries.shape().words;
    let named = vocab::of_size(path, source, words, memory)?;
    let bags = bags(entries, path, memory)?;
    Ok(vocab::corpus_and_notes(bags, named, words, first))
}

/// The bags of `entries`, when there is room for what their shape says.
pub(super) fn checked_bags(entries: &impl Entries, path: &Path, memory: &Memory) -> Result<Bags> {
    check_shape(entries, path, memory)?;
    bags(entries, path, memory)
}

/// Refuses what the memory cannot hold.
fn check_shape(entries: &impl Entries, path: &Path, memory: &Memory) -> Result<()> {
    let (Shape { docs, words }, tokens) = (entries.shape(), entries.num_entries());
    memory.check(path, None, Sizes { docs, words, tokens })
}

/// The bags of `entries`. Most files list documents in order; the others take two more readings.
fn bags(entries: &impl Entries, path: &Path, memory: &Memory) -> Result<Bags> {
    match in_order(entries, path, memory)? {
        Some(bags) => Ok(bags),
        None => in_any_order(entries, path, memory),
    }
}

/// The bags of a file that lists documents in order; `None` as soon as it does not.
fn in_order(entries: &impl Entries, path: &Path, memory: &Memory) -> Result<Option<Bags>> {
    let Shape { docs, words } = entries.shape();
    let mut bags = BagBuilder::new(path, memory, docs as usize)?;
    let mut line = None;
    let mut sorted = true;
    entries.visit(|entry| {
        if entry.d < bags.num_docs() {
            sorted = false;
            return Ok(ControlFlow::Break(()));
        }
        while bags.num_docs() < entry.d {
            bags.end_doc(line, words)?;
        }
        line = entry.line;
        bags.add(line, entry.v, entry.count)?;
        Ok(ControlFlow::Continue(()))
    })?;
    if !sorted {
        return Ok(None);
    }
    while bags.num_docs() < docs as usize {
        bags.end_doc(line, words)?;
    }
    Ok(Some(bags.finish()))
}

/// The bags of a file in any order: one reading counts each document's tokens, another puts them in place.
fn in_any_order(entries: &impl Entries, path: &Path, memory: &Memory) -> Result<Bags> {
    let Shape { docs, words } = entries.shape();
    let mut doc_start = Vec::new();
    reserve_exact(&mut doc_start, docs as usize + 1, path)?;
    doc_start.resize(docs as usize + 1, 0usize);
    let (mut num_entries, mut tokens) = (0, 0);
    entries.visit(|Entry { line, d, count, .. }| {
        check_length(path, line, d, doc_start[d + 1], count)?;
        doc_start[d + 1] += count as usize;
        num_entries += 1;
        tokens += count;
        memory.check(path, line, Sizes { docs, words, tokens })?;
        Ok(ControlFlow::Continue(()))
    })?;
    for d in 0..docs as usize {
        doc_start[d + 1] += doc_start[d];
    }

    let mut w = Vec::new();
    reserve_exact(&mut w, tokens as usize, path)?;
    w.resize(tokens as usize, 0);
    let mut next = doc_start[..docs as usize].to_vec();
    entries.visit(|Entry { d, v, count, .. }| {
        if count > (doc_start[d + 1] - next[d]) as u64 {
            return Err(changed(path));
        }
        w[next[d]..next[d] + count as usize].fill(v);
        next[d] += count as usize;
        Ok(ControlFlow::Continue(()))
    })?;
    if next[..] != doc_start[1..] {
        return Err(changed(path));
    }
    let distinct: u64 = (0..docs as usize).map(|d| order(&mut w[doc_start[d]..doc_start[d + 1]], d)).sum();
    Ok(Bags { w, doc_start, merged_entries: num_entries - distinct })
}

/// A file that is not what it was when its header was read.
pub(super) fn changed(path: &Path) -> Error {
    Error::input(path, "changed while it was read", "start again when it is complete")
}

/// How many entries a file promises, and the line on which it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Promise {
    pub(super) entries: u64,
    pub(super) line: u64,
}

impl Promise {
    /// Refuses entry number `read`, from 1, on `line`, when it is one too many.
    #[inline]
    pub(super) fn check(self, read: u64, path: &Path, line: u64) -> Result<()> {
        if read <= self.entries {
            return Ok(());
        }
        let Self { entries, line: promised } = self;
        Err(Error::input_at(
            path,
            line,
            format!("is an entry more than the {entries} that line {promised} promises"),
            format!("correct line {promised}, or remove what is too much"),
        ))
    }

    /// Refuses a file that ends after `read` entries, when that is too early.
    pub(super) fn check_end(self, read: u64, path: &Path) -> Result<()> {
        if read == self.entries {
            return Ok(());
        }
        Err(Error::input_at(
            path,
            self.line,
            format!("promises {} entries, but the file has {read}", self.entries),
            "get the whole file, or correct this line",
        ))
    }
}

/// A number counted from 1 as one counted from 0.
#[inline]
pub(super) fn in_range(number: u64, what: &str, most: u64, path: &Path, line: u64) -> Result<u64> {
    if (1..=most).contains(&number) {
        return Ok(number - 1);
    }
    Err(Error::input_at(
        path,
        line,
        format!("the {what} number {number} is out of range"),
        format!("give one from 1 to {most}, or correct the number of {what}s in the header"),
    ))
}
