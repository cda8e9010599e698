//! The text of a file that is one document: plain, of a web page (.html, .htm), or of Word (.docx).

use std::io::Read;
use std::path::Path;

use super::{TextOptions, docx, html};
use crate::corpus::decode::TextEncoding;
use crate::corpus::kinds;
use crate::corpus::open::{self, MAX_LINE, failed, open_text};
use crate::error::{Error, Result};

const REMEDY: &str = "take it out of the folder, or leave out all that cannot be read with `skip_bad`";

/// How much of a web page is looked at for its encoding, as browsers do.
const HEAD: usize = 1024;

/// How a file has its text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Html,
    Docx,
}

impl Form {
    /// What the name tells.
    fn of(path: &Path) -> Self {
        match kinds::ending(path).as_deref() {
            Some("html" | "htm" | "xhtml") => Self::Html,
            Some("docx") => Self::Docx,
            _ => Self::Plain,
        }
    }
}

/// Whether the file's name says that it is one document, not one per line.
pub(in crate::corpus) fn is_document(path: &Path) -> bool {
    Form::of(path) != Form::Plain
}

/// Reads the text of a file.
pub(super) fn read_text(file: &Path, options: &TextOptions, text: &mut String) -> Result<()> {
    text.clear();
    match Form::of(file) {
        Form::Plain => read_plain(file, options.encoding(), text),
        Form::Docx => docx::add_text(file, text),
        Form::Html => {
            let mut page = String::new();
            read_plain(file, page_encoding(file, options)?, &mut page)?;
            html::add_text(&page, text);
            Ok(())
        }
    }
}

/// The encoding that was given, or else the one that a page says it is in.
fn page_encoding(file: &Path, options: &TextOptions) -> Result<TextEncoding> {
    if let Some(given) = options.encoding {
        return Ok(given);
    }
    let said = html::charset(&open::start(file, HEAD)?);
    // It has been found in single bytes, so it is not of two.
    let said = said.filter(|name| !name.starts_with("utf-16"));
    Ok(said.and_then(|name| name.parse().ok()).unwrap_or_default())
}

/// Adds the whole of a file.
fn read_plain(file: &Path, encoding: TextEncoding, text: &mut String) -> Result<()> {
    let bounded = open_text(file, encoding)?.take(MAX_LINE as u64 + 1).read_to_string(text);
    let length = bounded.map_err(|source| not_text(file, source))?;
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
fn not_text(file: &Path, source: std::io::Error) -> Error {
    match failed(file, source) {
        Error::Input { path, line: line @ Some(_), problem, remedy: other } => {
            Error::Input { path, line, problem, remedy: format!("if it is no text, {REMEDY}; else {other}") }
        }
        error => error,
    }
}
