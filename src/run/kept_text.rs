//! The documents' own text in a run's folder: written before the first iteration, and never again.

use std::path::PathBuf;

use super::folder::{Folder, name};
use super::record::damaged;
use crate::corpus::{KeptText, SpooledText};
use crate::error::Result;
use crate::files::whole::write_whole;

/// Writes the text of the documents of a run that begins to its folder.
///
/// # Errors
/// [`crate::Error::Write`].
pub(super) fn write_kept_text(folder: &Folder, text: &SpooledText) -> Result<()> {
    write_whole(&folder.file(name::TEXTS), |out| text.write(out))
}

/// The text that the run in `folder` has kept, with its file, or that of the run which `folder` is a further chain of; runs of the first
/// versions have none.
///
/// # Errors
/// [`crate::Error::Read`] or [`crate::Error::Input`] when the file is no plain one, or damaged.
pub fn open_kept_text(folder: &Folder) -> Result<Option<(PathBuf, KeptText)>> {
    let has_text = |folder: &Folder| folder.file(name::TEXTS).symlink_metadata().is_ok();
    let of_all = || folder.of_all_chains().filter(has_text);
    let Some(folder) = Some(folder.clone()).filter(has_text).or_else(of_all) else { return Ok(None) };
    let file = folder.open(name::TEXTS)?;
    let path = folder.file(name::TEXTS);
    let kept = KeptText::of_file(file).map_err(|problem| damaged(&path, problem))?;
    Ok(Some((path, kept)))
}
