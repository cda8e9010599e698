//! MALLET's text, a document a line: `id label text`, separated by white space.

use std::path::Path;

use super::{Documents, RawDoc, TextOptions};
use crate::corpus::numbers::unlike;
use crate::corpus::open::Lines;
use crate::error::Result;

/// Reads a document from every line; the label becomes metadata.
pub(super) fn read(path: &Path, options: &TextOptions, docs: &mut Documents<'_>) -> Result<()> {
    const REMEDY: &str = "give every document an id and a label, or `format` text if the lines have none";
    let label_column = docs.metadata.add_column("label");
    let mut lines = Lines::open_text(path, options.encoding())?;
    while let Some(line) = lines.next_filled(REMEDY)? {
        let (name, rest) = first_field(line.text(path)?);
        let (label, text) = first_field(rest);
        if label.is_empty() {
            return Err(unlike(&line, path, "'id label text'", REMEDY));
        }
        docs.metadata.set(label_column, label.to_owned());
        docs.push(&RawDoc { path, line: Some(line.number), name: Some(name), text })?;
    }
    Ok(())
}

/// What stands before the first white space, and what comes after.
fn first_field(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}
