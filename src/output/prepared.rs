//! A prepared corpus, written whole.

use std::path::Path;

use super::file::write_whole;
use crate::corpus::{Corpus, LoadNotes, Preparation, prepared};
use crate::error::Result;

/// Writes a corpus that was read as `format` to `path`, for [`crate::corpus::read`] to read it again faster.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_prepared(
    path: &Path,
    corpus: &Corpus,
    format: &str,
    preparation: &Preparation,
    notes: &LoadNotes,
) -> Result<()> {
    write_whole(path, |out| prepared::write(out, corpus, format, preparation, notes))
}
