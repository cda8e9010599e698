//! A folder of text files, a document each: all files below it, in the byte order of their relative paths.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Documents, RawDoc, TextOptions};
use crate::corpus::LoadNotes;
use crate::corpus::decode::TextEncoding;
use crate::corpus::open::{MAX_LINE, failed, open_text};
use crate::error::{Error, Result};

/// Reads every file below `path`. Hidden ones are left out and counted, and so are links to folders and links
/// that lead out of `path`.
pub(super) fn read(path: &Path, options: &TextOptions, docs: &mut Documents<'_>) -> Result<LoadNotes> {
    let root = path.canonicalize().map_err(Error::read(path))?;
    let mut found = Found::default();
    found.walk(path, "", &root)?;
    found.names.sort_unstable();
    if found.names.is_empty() {
        return Err(Error::input(
            path,
            format!("has no files but {} hidden ones and {} links", found.hidden_files, found.skipped_links),
            "give a folder with a text file for each document",
        ));
    }
    let mut text = String::new();
    for (name, file) in &found.names {
        read_text(file, options.encoding(), &mut text)?;
        docs.push(&RawDoc { path: file, line: None, name: Some(name), text: &text })?;
    }
    let Found { hidden_files, skipped_links, .. } = found;
    Ok(LoadNotes { hidden_files, skipped_links, ..LoadNotes::default() })
}

/// The text of a whole file.
fn read_text(file: &Path, encoding: TextEncoding, text: &mut String) -> Result<()> {
    const REMEDY: &str = "take it out of the folder, or begin its name with a dot, which has it left out";
    text.clear();
    let bounded = open_text(file, encoding)?.take(MAX_LINE as u64 + 1).read_to_string(text);
    let length = bounded.map_err(|source| not_text(file, source, REMEDY))?;
    if length > MAX_LINE {
        let problem = format!("is longer than {MAX_LINE} bytes");
        return Err(Error::input(file, problem, "split it into several documents"));
    }
    if text.contains('\0') {
        return Err(Error::input(file, "is not text: it has a byte of value 0", REMEDY));
    }
    Ok(())
}

/// In a folder, bytes that mean nothing are more often a picture than another encoding.
fn not_text(file: &Path, source: std::io::Error, remedy: &str) -> Error {
    match failed(file, source) {
        Error::Input { path, line: line @ Some(_), problem, remedy: other } => {
            Error::Input { path, line, problem, remedy: format!("if it is no text, {remedy}; else {other}") }
        }
        error => error,
    }
}

/// The files of a folder.
#[derive(Default)]
struct Found {
    /// The path from the folder, with slashes on every system, and the whole path.
    names: Vec<(String, PathBuf)>,
    hidden_files: u64,
    skipped_links: u64,
}

impl Found {
    /// Adds what is in `folder`, whose path from the top is `prefix`.
    fn walk(&mut self, folder: &Path, prefix: &str, root: &Path) -> Result<()> {
        for entry in fs::read_dir(folder).map_err(Error::read(folder))? {
            let entry = entry.map_err(Error::read(folder))?;
            let (path, file_name) = (entry.path(), entry.file_name());
            let name = format!("{prefix}{}", file_name.to_string_lossy());
            let kind = entry.file_type().map_err(Error::read(&path))?;
            if file_name.as_encoded_bytes().starts_with(b".") {
                self.hidden_files += 1;
            } else if kind.is_symlink() && !is_file_below(&path, root) {
                self.skipped_links += 1;
            } else if kind.is_dir() {
                self.walk(&path, &format!("{name}/"), root)?;
            } else {
                self.names.push((name, path));
            }
        }
        Ok(())
    }
}

/// Whether a link leads to a file below `root`. Links to folders could go round in circles.
fn is_file_below(link: &Path, root: &Path) -> bool {
    link.canonicalize().is_ok_and(|target| target.starts_with(root) && target.is_file())
}
