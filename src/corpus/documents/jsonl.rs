//! JSON Lines: an object a line.

use std::path::Path;

use super::objects::{Objects, Source};
use super::{Documents, TextOptions};
use crate::corpus::LoadNotes;
use crate::corpus::decode::TextEncoding;
use crate::corpus::open::Lines;
use crate::error::Result;

pub(super) const REMEDY: &str = "give an object on every line, or an array of objects as json";

/// Reads a document from every line.
pub(super) fn read(path: &Path, options: &TextOptions, docs: &mut Documents<'_>) -> Result<LoadNotes> {
    let mut objects = Objects::new(path, options, REMEDY);
    each_object(path, options.encoding(), &mut |source| objects.push(source, docs))?;
    Ok(objects.notes())
}

/// Hands over every line.
pub(super) fn each_object(
    path: &Path,
    encoding: TextEncoding,
    each: &mut dyn FnMut(&Source<'_>) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::open_text(path, encoding)?;
    while let Some(line) = lines.next_filled("remove it")? {
        each(&Source { json: line.text(path)?, line: line.number, indent: 0 })?;
    }
    Ok(())
}
