//! Plain text, a document a line.

use std::path::Path;

use super::{Documents, RawDoc, TextOptions};
use crate::corpus::open::Lines;
use crate::error::Result;

/// Reads a document from every line, empty ones too; documents are named by their number.
pub(super) fn read(path: &Path, options: &TextOptions, docs: &mut Documents<'_>) -> Result<()> {
    let mut lines = Lines::open_text(path, options.encoding())?;
    while let Some(line) = lines.next()? {
        docs.push(&RawDoc { path, line: Some(line.number), name: None, text: line.text(path)? })?;
    }
    Ok(())
}
