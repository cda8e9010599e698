//! Writes a prepared corpus.

use std::io::{self, Write};
use std::path::Path;

use super::{HEADER, Info, MAGIC, VERSION};
use crate::corpus::{Corpus, LoadNotes, Preparation, digest};
use crate::error::Result;
use crate::files::checked_file::{Hashing, write_numbers};
use crate::files::whole::write_whole;

/// Writes a corpus that was read as `format` to `path`, whole or not at all, for [`crate::corpus::read`] to read it
/// again faster.
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
    write_whole(path, |out| write(out, corpus, format, preparation, notes))
}

/// The same in memory, for tests.
#[cfg(feature = "testing")]
pub fn prepared_bytes(
    corpus: &Corpus,
    format: &str,
    preparation: &Preparation,
    notes: &LoadNotes,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, corpus, format, preparation, notes).expect("memory takes every byte");
    bytes
}

fn write(
    out: &mut impl Write,
    corpus: &Corpus,
    format: &str,
    preparation: &Preparation,
    notes: &LoadNotes,
) -> io::Result<()> {
    let info = Info {
        version: env!("CARGO_PKG_VERSION").into(),
        format: format.into(),
        digest: digest(corpus),
        named: corpus.doc_names.is_some(),
        metadata: corpus.metadata.columns.iter().map(|column| column.name.clone()).collect(),
        preparation: preparation.clone(),
        notes: notes.clone(),
    };
    let info = serde_json::to_vec(&info)?;
    let strings_bytes: usize = lists(corpus).map(|list| list_bytes(list)).sum();
    let mut out = Hashing::new(out);
    out.write_all(MAGIC)?;
    let sizes = [corpus.num_docs(), corpus.vocab_size(), corpus.num_tokens(), strings_bytes, info.len()];
    out.write_all(&VERSION.to_le_bytes())?;
    for size in sizes {
        out.write_all(&(size as u64).to_le_bytes())?;
    }
    write_numbers(&mut out, &corpus.w, |v| v.to_le_bytes())?;
    let end = HEADER + 4 * corpus.num_tokens();
    out.write_all(&[0; 8][..end.next_multiple_of(8) - end])?;
    write_numbers(&mut out, &corpus.doc_start, |&start| (start as u64).to_le_bytes())?;
    for list in lists(corpus) {
        write_list(&mut out, list)?;
    }
    out.write_all(&info)?;
    out.finish()
}

/// All lists of strings, in their order in the file.
fn lists(corpus: &Corpus) -> impl Iterator<Item = &Vec<String>> {
    let columns = corpus.metadata.columns.iter().map(|column| &column.values);
    std::iter::once(&corpus.vocab).chain(&corpus.doc_names).chain(columns)
}

fn list_bytes(list: &[String]) -> usize {
    list.iter().map(|string| 4 + string.len()).sum()
}

fn write_list(out: &mut impl Write, list: &[String]) -> io::Result<()> {
    let lengths: io::Result<Vec<u32>> =
        list.iter().map(|string| u32::try_from(string.len()).map_err(io::Error::other)).collect();
    write_numbers(out, &lengths?, |length| length.to_le_bytes())?;
    list.iter().try_for_each(|string| out.write_all(string.as_bytes()))
}
