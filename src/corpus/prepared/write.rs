//! Writes a prepared corpus.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use super::{HEADER, Info, MAGIC, VERSION};
use crate::corpus::{Corpus, LoadNotes, digest};

/// Writes a corpus that was read as `format`.
pub(crate) fn write(
    out: &mut impl Write,
    corpus: &Corpus,
    format: &str,
    notes: &LoadNotes,
) -> io::Result<()> {
    let info = Info {
        version: env!("CARGO_PKG_VERSION").into(),
        format: format.into(),
        digest: digest(corpus),
        named: corpus.doc_names.is_some(),
        metadata: corpus.metadata.columns.iter().map(|column| column.name.clone()).collect(),
        notes: notes.clone(),
    };
    let info = serde_json::to_vec(&info)?;
    let strings_bytes: usize = lists(corpus).map(|list| list_bytes(list)).sum();
    let mut out = Hashing { out, hasher: Sha256::new() };
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
    let checksum = out.hasher.finalize();
    out.out.write_all(&checksum)
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

fn write_numbers<T, const SIZE: usize>(
    out: &mut impl Write,
    numbers: &[T],
    to_le_bytes: impl Fn(&T) -> [u8; SIZE],
) -> io::Result<()> {
    const BATCH: usize = 1 << 14;
    let mut bytes = Vec::with_capacity(SIZE * BATCH);
    for batch in numbers.chunks(BATCH) {
        bytes.clear();
        bytes.extend(batch.iter().flat_map(&to_le_bytes));
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// Passes on what is written, and adds it to a checksum.
struct Hashing<'a, W> {
    out: &'a mut W,
    hasher: Sha256,
}

impl<W: Write> Write for Hashing<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
