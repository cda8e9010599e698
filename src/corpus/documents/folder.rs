//! A folder of files with text, a document each: all files below it, in the byte order of their relative paths.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::bad_files::BadFiles;
use super::file::read_text;
use super::{Documents, RawDoc, TextOptions};
use crate::corpus::kinds;
use crate::corpus::notes::{LoadNotes, SkippedFiles};
use crate::error::{Error, Result};
use crate::watch::will_read;

/// Reads every file below `path`, or `path` itself. Left out and counted are hidden ones, links to folders and links that lead
/// out of `path`, and files whose names tell that they are read by nothing here; those that cannot be read are left out when
/// the options say so.
pub(super) fn read(path: &Path, options: &TextOptions, docs: &mut Documents<'_>) -> Result<LoadNotes> {
    let mut found = Found::default();
    if path.is_dir() {
        let root = path.canonicalize().map_err(Error::read(path))?;
        found.walk(path, "", &root)?;
        found.names.sort_unstable();
    } else {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.names.push((name, path.to_owned()));
    }
    let Found { names, hidden_files, skipped_links, skipped_files, mut bad_files } = found;
    let notes = LoadNotes { hidden_files, skipped_links, skipped_files, ..LoadNotes::default() };
    if names.is_empty() {
        bad_files.check(path, 0, options)?;
        return Err(no_files(path, &notes));
    }
    will_read(|| names.iter().map(|(_, file)| fs::metadata(file).map_or(0, |found| found.len())).sum());
    let mut text = String::new();
    let mut read = 0;
    for (name, file) in &names {
        match read_text(file, options, &mut text) {
            // A file that cannot be used only has the others looked at.
            Ok(()) if bad_files.count() > 0 && !options.skip_bad => {}
            Ok(()) => {
                docs.push(&RawDoc { path: file, line: None, name: Some(name), text: &text })?;
                read += 1;
            }
            Err(error) => bad_files.add(name, error)?,
        }
    }
    bad_files.check(path, read, options)?;
    Ok(bad_files.noted(notes))
}

fn no_files(path: &Path, notes: &LoadNotes) -> Error {
    let LoadNotes { hidden_files, skipped_links, skipped_files, .. } = notes;
    let mut problem = format!("has no files but {hidden_files} hidden ones and {skipped_links} links");
    let mut remedy = "give a folder with a text file for each document".to_owned();
    if let Some(first) = skipped_files.first() {
        let kinds = skipped_files.iter().map(|kind| format!("{}: {}", kind.what, kind.files));
        problem = format!("has no files that can be read ({})", kinds.collect::<Vec<_>>().join(", "));
        remedy.clone_from(&first.remedy);
    }
    Error::input(path, problem, remedy)
}

/// The files of a folder.
#[derive(Default)]
struct Found {
    /// The path from the folder, with slashes on every system, and the whole path.
    names: Vec<(String, PathBuf)>,
    hidden_files: u64,
    skipped_links: u64,
    /// Those that are read by nothing here, by their kind.
    skipped_files: Vec<SkippedFiles>,
    /// Folders that cannot be looked into.
    bad_files: BadFiles,
}

impl Found {
    /// Adds what is in `folder`, whose path from the top is `prefix`.
    fn walk(&mut self, folder: &Path, prefix: &str, root: &Path) -> Result<()> {
        let entries: io::Result<Vec<_>> = fs::read_dir(folder).and_then(Iterator::collect);
        let mut entries = entries.map_err(Error::read(folder))?;
        // Systems hand them out in any order.
        entries.sort_unstable_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (path, file_name) = (entry.path(), entry.file_name());
            let name = format!("{prefix}{}", file_name.to_string_lossy());
            let kind = entry.file_type().map_err(Error::read(&path))?;
            if is_hidden(file_name.as_encoded_bytes()) {
                self.hidden_files += 1;
            } else if kind.is_symlink() && !is_file_below(&path, root) {
                self.skipped_links += 1;
            } else if kind.is_dir() {
                let walked = self.walk(&path, &format!("{name}/"), root);
                walked.or_else(|error| self.bad_files.add(&name, error))?;
            } else if let Some(kind) = kinds::by_name(&path) {
                self.skip(name.replace(char::is_control, "\u{fffd}"), kind);
            } else {
                self.names.push((name, path));
            }
        }
        Ok(())
    }

    fn skip(&mut self, name: String, kind: &kinds::Kind) {
        match self.skipped_files.iter_mut().find(|skipped| skipped.what == kind.many) {
            Some(skipped) => {
                skipped.files += 1;
                // Folders hand their files out in any order.
                if name < skipped.first {
                    skipped.first = name;
                }
            }
            None => {
                let (what, remedy) = (kind.many.to_owned(), kind.remedy.to_owned());
                self.skipped_files.push(SkippedFiles { what, files: 1, first: name, remedy });
                self.skipped_files.sort_by(|a, b| a.what.cmp(&b.what));
            }
        }
    }
}

/// Names with a dot in front; those that Word gives to files beside documents that are open; and those of Windows.
fn is_hidden(file_name: &[u8]) -> bool {
    let is_of_windows = |name: &&[u8]| file_name.eq_ignore_ascii_case(name);
    file_name.starts_with(b".")
        || file_name.starts_with(b"~$")
        || [&b"desktop.ini"[..], b"thumbs.db"].iter().any(is_of_windows)
}

/// Whether a link leads to a file below `root`. Links to folders could go round in circles.
fn is_file_below(link: &Path, root: &Path) -> bool {
    link.canonicalize().is_ok_and(|target| target.starts_with(root) && target.is_file())
}
