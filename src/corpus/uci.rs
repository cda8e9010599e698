//! Reads the UCI bag of words: three header lines D, V and the number of entries, then
//! `document word count` a line, numbered from 1 and in any order.

use std::path::Path;

use super::bag::{BagBuilder, Bags, check_length, order};
use super::memory::{Memory, Sizes, reserve_exact};
use super::numbers::{fields, number, unlike};
use super::open::Lines;
use super::read::no_tokens;
use super::vocab::{self, VocabSource};
use super::{Corpus, LoadNotes};
use crate::error::{Error, Result};

/// Reads `path`, with its vocabulary.
pub(super) fn read(path: &Path, source: &VocabSource, memory: &Memory) -> Result<(Corpus, LoadNotes)> {
    let body = Body::open(path)?;
    let Header { docs, words, entries } = body.header;
    memory.check(path, None, Sizes { docs, words, tokens: entries })?;
    if entries == 0 {
        return Err(no_tokens(path, "correct line 3 and add entries"));
    }
    let named = vocab::find(path, source)?.map(|file| vocab::read(&file, Some(words), memory)).transpose()?;
    if let Some(vocab) = &named {
        vocab.check_size(words, path)?;
    }
    // Most files list documents in order; the others take two more readings.
    let header = body.header;
    let bags = match in_order(body, path, memory)? {
        Some(bags) => bags,
        None => in_any_order(header, path, memory)?,
    };
    let merged_entries = bags.merged_entries;
    let (vocab, notes) = vocab::words_and_notes(named, words, 1);
    let corpus = Corpus::new(bags.w, bags.doc_start, vocab);
    Ok((corpus, LoadNotes { merged_entries, ..notes }))
}

/// The tokens of a file that lists documents in order; `None` as soon as it does not.
fn in_order(mut body: Body<'_>, path: &Path, memory: &Memory) -> Result<Option<Bags>> {
    let Header { docs, words, .. } = body.header;
    let mut bags = BagBuilder::new(path, memory, docs as usize)?;
    let mut line = 0;
    while let Some(entry) = body.next()? {
        if entry.d < bags.num_docs() {
            return Ok(None);
        }
        while bags.num_docs() < entry.d {
            bags.end_doc(line, words)?;
        }
        bags.add(entry.line, entry.v, entry.count)?;
        line = entry.line;
    }
    while bags.num_docs() < docs as usize {
        bags.end_doc(line, words)?;
    }
    Ok(Some(bags.finish()))
}

/// The tokens of a file in any order: one reading counts each document's tokens, another puts them in place.
fn in_any_order(header: Header, path: &Path, memory: &Memory) -> Result<Bags> {
    let Header { docs, words, entries } = header;
    let changed = || Error::input(path, "changed while it was read", "start again when it is complete");
    let reopen =
        || Body::open(path).and_then(|body| if body.header == header { Ok(body) } else { Err(changed()) });

    let mut doc_start = Vec::new();
    reserve_exact(&mut doc_start, docs as usize + 1, path)?;
    doc_start.resize(docs as usize + 1, 0usize);
    let mut tokens = 0;
    let mut body = reopen()?;
    while let Some(Entry { line, d, count, .. }) = body.next()? {
        check_length(path, line, d, doc_start[d + 1], count)?;
        doc_start[d + 1] += count as usize;
        tokens += count;
        memory.check(path, Some(line), Sizes { docs, words, tokens })?;
    }
    for d in 0..docs as usize {
        doc_start[d + 1] += doc_start[d];
    }

    let mut w = Vec::new();
    reserve_exact(&mut w, tokens as usize, path)?;
    w.resize(tokens as usize, 0);
    let mut next = doc_start[..docs as usize].to_vec();
    let mut body = reopen()?;
    while let Some(Entry { d, v, count, .. }) = body.next()? {
        if count > (doc_start[d + 1] - next[d]) as u64 {
            return Err(changed());
        }
        w[next[d]..next[d] + count as usize].fill(v);
        next[d] += count as usize;
    }
    if next[..] != doc_start[1..] {
        return Err(changed());
    }
    let distinct: u64 = (0..docs as usize).map(|d| order(&mut w[doc_start[d]..doc_start[d + 1]], d)).sum();
    Ok(Bags { w, doc_start, merged_entries: entries - distinct })
}

/// The three numbers at the top of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Header {
    docs: u64,
    words: u64,
    entries: u64,
}

/// A line of the body, checked against the header; document and word counted from 0.
struct Entry {
    line: u64,
    d: usize,
    v: u32,
    count: u64,
}

/// The entries of an open file.
struct Body<'a> {
    path: &'a Path,
    lines: Lines,
    header: Header,
    read: u64,
}

impl<'a> Body<'a> {
    fn open(path: &'a Path) -> Result<Self> {
        let mut lines = Lines::open(path)?;
        let mut header = |what| header_number(&mut lines, path, what);
        let docs = header("number of documents")?;
        let words = header("number of words")?;
        let entries = header("number of entries")?;
        Ok(Self { path, lines, header: Header { docs, words, entries }, read: 0 })
    }

    fn next(&mut self) -> Result<Option<Entry>> {
        let Self { path, header, .. } = *self;
        let Some(line) = self.lines.next_filled("remove it")? else {
            if self.read == header.entries {
                return Ok(None);
            }
            let problem = format!("promises {} entries, but the file has {}", header.entries, self.read);
            return Err(Error::input_at(path, 3, problem, "get the whole file, or correct this line"));
        };
        self.read += 1;
        if self.read > header.entries {
            let problem = format!("is an entry more than the {} that line 3 promises", header.entries);
            return Err(Error::input_at(
                path,
                line.number,
                problem,
                "correct line 3, or remove what is too much",
            ));
        }
        let mut fields = fields(line.bytes);
        let (Some(d), Some(v), Some(count), None) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err(unlike(&line, path, "'document word count'", "give three whole numbers"));
        };
        let at = line.number;
        let d = in_range(number(d, "document number", path, at)?, "document", header.docs, path, at)?;
        let v = in_range(number(v, "word number", path, at)?, "word", header.words, path, at)?;
        let count = number(count, "count", path, at)?;
        if count == 0 {
            return Err(Error::input_at(path, at, "the count is 0", "leave out words that do not occur"));
        }
        Ok(Some(Entry { line: at, d: d as usize, v: v as u32, count }))
    }
}

/// The one number of the next header line.
fn header_number(lines: &mut Lines, path: &Path, what: &str) -> Result<u64> {
    const REMEDY: &str = "the first three lines are the numbers of documents, words and entries; \
                          give --format if this is no UCI bag of words";
    let Some(line) = lines.next_filled(REMEDY)? else {
        return Err(Error::input(path, format!("ends before the {what}"), REMEDY));
    };
    let mut fields = fields(line.bytes);
    match (fields.next(), fields.next()) {
        (Some(field), None) => number(field, what, path, line.number),
        _ => Err(unlike(&line, path, &format!("the {what}"), REMEDY)),
    }
}

/// A number counted from 1 as one counted from 0.
#[inline]
fn in_range(number: u64, what: &str, most: u64, path: &Path, line: u64) -> Result<u64> {
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
