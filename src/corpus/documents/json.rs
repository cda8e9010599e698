//! A JSON array of objects, one after another: none but the one at hand is in memory.

use std::io::BufRead;
use std::path::Path;

use super::objects::{Objects, Source};
use super::{Documents, TextOptions};
use crate::corpus::LoadNotes;
use crate::corpus::decode::TextEncoding;
use crate::corpus::open::{Line, MAX_LINE, failed, open_text};
use crate::error::{Error, Result};

pub(super) const REMEDY: &str = "give an array of objects, [{…}, {…}], or an object on every line as jsonl";

/// Reads a document from every object.
pub(super) fn read(path: &Path, options: &TextOptions, docs: &mut Documents<'_>) -> Result<LoadNotes> {
    let mut objects = Objects::new(path, options, REMEDY);
    each_object(path, options.encoding(), &mut |source| objects.push(source, docs))?;
    Ok(objects.notes())
}

/// Hands over the text of every element.
pub(super) fn each_object(
    path: &Path,
    encoding: TextEncoding,
    each: &mut dyn FnMut(&Source<'_>) -> Result<()>,
) -> Result<()> {
    let file = open_text(path, encoding)?;
    let mut elements = Elements { path, file, place: Place { line: 1, before: 0 }, buffer: Vec::new() };
    let mut is_next = elements.open()?;
    while is_next {
        let Place { line, before } = elements.place;
        elements.read()?;
        let element = Line { number: line, bytes: &elements.buffer };
        each(&Source { json: element.text(path)?, line, indent: before })?;
        is_next = elements.go_on()?;
    }
    Ok(())
}

/// A place in a file.
#[derive(Clone, Copy)]
struct Place {
    /// Its line, from 1.
    line: u64,
    /// Bytes before it on the line.
    before: usize,
}

impl Place {
    fn pass(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.before += 1;
            if byte == b'\n' {
                *self = Self { line: self.line + 1, before: 0 };
            }
        }
    }
}

/// The elements of an array.
struct Elements<'a, R> {
    path: &'a Path,
    file: R,
    /// That of the next byte.
    place: Place,
    /// The element that was read last.
    buffer: Vec<u8>,
}

impl<R: BufRead> Elements<'_, R> {
    /// Goes into the array; false if nothing is in it.
    fn open(&mut self) -> Result<bool> {
        if self.next_byte()? != Some(b'[') {
            return Err(self.wrong("does not begin with '['"));
        }
        self.skip();
        let is_empty = self.next_byte()? == Some(b']');
        if is_empty { self.close() } else { Ok(true) }
    }

    /// Goes to the next element; false if there is none.
    fn go_on(&mut self) -> Result<bool> {
        match self.next_byte()? {
            Some(b',') => {
                self.skip();
                self.next_byte()?;
                Ok(true)
            }
            Some(b']') => self.close(),
            _ => Err(self.wrong("ends within its array: it is cut short, or a bracket is missing")),
        }
    }

    /// Goes out of the array, after which there is nothing.
    fn close(&mut self) -> Result<bool> {
        self.skip();
        match self.next_byte()? {
            None => Ok(false),
            Some(_) => Err(self.wrong("goes on after the ']' of its array")),
        }
    }

    /// The next byte that is no white space, which is left where it is.
    fn next_byte(&mut self) -> Result<Option<u8>> {
        loop {
            let part = self.file.fill_buf().map_err(|source| failed(self.path, source))?;
            let found = part.iter().position(|byte| !byte.is_ascii_whitespace());
            let blank = found.unwrap_or(part.len());
            let (next, is_end) = (part.get(blank).copied(), part.is_empty());
            self.place.pass(&part[..blank]);
            self.file.consume(blank);
            if next.is_some() || is_end {
                return Ok(next);
            }
        }
    }

    /// Leaves out the byte that [`Self::next_byte`] has found.
    fn skip(&mut self) {
        self.place.before += 1;
        self.file.consume(1);
    }

    /// Reads the element that begins here, up to the comma or the bracket behind it.
    fn read(&mut self) -> Result<()> {
        self.buffer.clear();
        let mut scan = Scan::default();
        loop {
            let part = self.file.fill_buf().map_err(|source| failed(self.path, source))?;
            let end = part.iter().position(|&byte| scan.ends_at(byte));
            let length = end.unwrap_or(part.len());
            let is_end = end.is_some() || part.is_empty();
            self.buffer.extend_from_slice(&part[..length]);
            self.place.pass(&part[..length]);
            self.file.consume(length);
            if self.buffer.len() > MAX_LINE {
                return Err(self.wrong(format!("has an element of more than {MAX_LINE} bytes")));
            }
            if is_end {
                return Ok(());
            }
        }
    }

    fn wrong(&self, problem: impl Into<String>) -> Error {
        Error::input_at(self.path, self.place.line, problem, REMEDY)
    }
}

/// Looks for the end of an element, without a look at what is in it.
#[derive(Default)]
struct Scan {
    /// Brackets and braces that are open.
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

impl Scan {
    /// Whether the element ends before `byte`.
    fn ends_at(&mut self, byte: u8) -> bool {
        if self.in_string {
            self.in_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            return false;
        }
        match byte {
            b',' | b']' if self.depth == 0 => return true,
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        false
    }
}
