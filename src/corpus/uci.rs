//! Reads the UCI bag of words: three header lines D, V and the number of entries, then
//! `document word count` a line, numbered from 1 and in any order.

use std::ops::ControlFlow;
use std::path::Path;

use super::entries::{self, Entries, Entry, Promise, Shape, changed, in_range};
use super::numbers::{fields, number, unlike};
use super::open::{Line, Lines};
use super::vocab::VocabSource;
use super::{Corpus, LoadNotes};
use crate::error::{Error, Result};
use crate::machine::Memory;

/// Reads `path`, with its vocabulary.
pub(super) fn read(path: &Path, source: &VocabSource, memory: &Memory) -> Result<(Corpus, LoadNotes)> {
    let (_, header) = open(path)?;
    entries::corpus(&Uci { path, header }, path, source, 1, "correct line 3 and add entries", memory)
}

/// The three numbers at the top of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Header {
    shape: Shape,
    promise: Promise,
}

/// A file whose header has been read.
struct Uci<'a> {
    path: &'a Path,
    header: Header,
}

impl Entries for Uci<'_> {
    fn shape(&self) -> Shape {
        self.header.shape
    }

    fn num_entries(&self) -> u64 {
        self.header.promise.entries
    }

    fn visit(&self, mut visit: impl FnMut(Entry) -> Result<ControlFlow<()>>) -> Result<()> {
        let Self { path, header } = *self;
        let (mut lines, header_now) = open(path)?;
        if header_now != header {
            return Err(changed(path));
        }
        let mut read = 0;
        while let Some(line) = lines.next_filled("remove it")? {
            read += 1;
            header.promise.check(read, path, line.number)?;
            if visit(entry(&line, header.shape, path)?)?.is_break() {
                return Ok(());
            }
        }
        header.promise.check_end(read, path)
    }
}

/// A line of the body, checked against the header.
fn entry(line: &Line<'_>, shape: Shape, path: &Path) -> Result<Entry> {
    let mut fields = fields(line.bytes);
    let (Some(d), Some(v), Some(count), None) = (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Err(unlike(line, path, "'document word count'", "give three whole numbers"));
    };
    let at = line.number;
    let d = in_range(number(d, "document number", path, at)?, "document", shape.docs, path, at)?;
    let v = in_range(number(v, "word number", path, at)?, "word", shape.words, path, at)?;
    let count = number(count, "count", path, at)?;
    if count == 0 {
        return Err(Error::input_at(path, at, "the count is 0", "leave out words that do not occur"));
    }
    Ok(Entry { line: Some(at), d: d as usize, v: v as u32, count })
}

/// The lines after the header, and the header.
fn open(path: &Path) -> Result<(Lines, Header)> {
    let mut lines = Lines::open(path)?;
    let mut header = |what| header_number(&mut lines, path, what);
    let docs = header("number of documents")?;
    let words = header("number of words")?;
    let entries = header("number of entries")?;
    Ok((lines, Header { shape: Shape { docs, words }, promise: Promise { entries, line: 3 } }))
}

/// The one number of the next header line.
fn header_number(lines: &mut Lines, path: &Path, what: &str) -> Result<u64> {
    const REMEDY: &str = "the first three lines are the numbers of documents, words and entries; \
                          give `format` if this is no UCI bag of words";
    let Some(line) = lines.next_filled(REMEDY)? else {
        return Err(Error::input(path, format!("ends before the {what}"), REMEDY));
    };
    let mut fields = fields(line.bytes);
    match (fields.next(), fields.next()) {
        (Some(field), None) => number(field, what, path, line.number),
        _ => Err(unlike(&line, path, &format!("the {what}"), REMEDY)),
    }
}
