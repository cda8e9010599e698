//! JSON Lines: an object a line.

use std::path::Path;

use super::objects::{Objects, Source};
use super::{Documents, TextOptions};
use crate::corpus::LoadNotes;
use crate::corpus::open::Lines;
use crate::error::Result;

/// Reads a document from every line.
pub(super) fn read(path: &Path, options: &TextOptions, docs: &mut Documents<'_>) -> Result<LoadNotes> {
    let mut objects =
        Objects::new(path, options, "give an object on every line, or an array of objects as json");
    let mut lines = Lines::open_text(path, options.encoding())?;
    while let Some(line) = lines.next_filled("remove it")? {
        let source = Source { json: line.text(path)?, line: line.number, indent: 0 };
        objects.push(&source, docs)?;
    }
    Ok(objects.notes())
}
