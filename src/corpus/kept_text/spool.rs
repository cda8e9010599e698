//! Text as it is read goes to a temporary file as it is, which takes next to no time; it is packed when a run takes it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use flate2::Crc;

use super::{BLOCK, pack};
use crate::error::{Error, Result};
use crate::files::temporary::nameless;

/// Keeps the text of one document after the other.
pub(in crate::corpus) struct Keeper {
    file: File,
    /// What has not been written yet.
    text: Vec<u8>,
    crc: Crc,
    lengths: Vec<u32>,
}

impl Keeper {
    /// Nothing kept yet.
    ///
    /// # Errors
    /// [`Error::Write`] when there can be no temporary file; so with the other functions.
    pub(in crate::corpus) fn new() -> Result<Self> {
        let file = nameless(&std::env::temp_dir()).map_err(refused)?;
        Ok(Self { file, text: Vec::new(), crc: Crc::new(), lengths: Vec::new() })
    }

    /// What it takes in memory for the documents so far.
    pub(in crate::corpus) fn bytes(&self) -> u64 {
        (size_of::<u32>() * self.lengths.len()) as u64
    }

    /// Keeps the text of the next document.
    pub(in crate::corpus) fn add(&mut self, text: &str) -> Result<()> {
        let length = u32::try_from(text.len()).map_err(|error| refused(io::Error::other(error)))?;
        self.text.extend_from_slice(text.as_bytes());
        self.lengths.push(length);
        if self.text.len() >= BLOCK { self.write().map_err(refused) } else { Ok(()) }
    }

    fn write(&mut self) -> io::Result<()> {
        self.crc.update(&self.text);
        self.file.write_all(&self.text)?;
        self.text.clear();
        // A long document leaves no room behind.
        self.text.shrink_to(2 * BLOCK);
        Ok(())
    }

    /// All that was kept.
    pub(in crate::corpus) fn finish(mut self) -> Result<SpooledText> {
        self.write().map_err(refused)?;
        let Self { file, crc, lengths, .. } = self;
        Ok(SpooledText(Arc::new(Spooled { file, lengths, crc: crc.sum() })))
    }
}

/// The documents' own text, in a temporary file that goes with the last clone.
#[derive(Clone, Debug, PartialEq)]
pub struct SpooledText(Arc<Spooled>);

#[derive(Debug)]
struct Spooled {
    file: File,
    lengths: Vec<u32>,
    crc: u32,
}

impl PartialEq for Spooled {
    fn eq(&self, other: &Self) -> bool {
        (self.crc, &self.lengths) == (other.crc, &other.lengths)
    }
}

impl SpooledText {
    /// Bytes of all text.
    pub fn bytes(&self) -> u64 {
        self.0.lengths.iter().map(|&length| u64::from(length)).sum()
    }

    /// Writes the text to `out`, packed, as [`KeptText`](super::KeptText) reads it.
    ///
    /// # Errors
    /// Of either side.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut file = &self.0.file;
        file.seek(SeekFrom::Start(0))?;
        pack::pack(&mut file.take(self.bytes()), &self.0.lengths, out)
    }
}

/// A temporary file that cannot be written.
fn refused(source: io::Error) -> Error {
    Error::write(&std::env::temp_dir())(source)
}
