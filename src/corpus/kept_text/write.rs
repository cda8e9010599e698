//! Keeps text as it is read: it goes to a temporary file, some documents at a time.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use sha2::{Digest, Sha256};

use super::{BLOCK, Block, KeptText, MAGIC, VERSION};
use crate::error::{Error, Result};
use crate::files::checked_file::write_numbers;
use crate::files::temporary::nameless;

/// Keeps the text of one document after the other.
pub(in crate::corpus) struct Keeper {
    file: File,
    compress: Compress,
    /// The text of the current block, and how many documents it is of.
    text: Vec<u8>,
    docs: u32,
    packed: Vec<u8>,
    blocks: Vec<Block>,
    lengths: Vec<u32>,
}

impl Keeper {
    /// Nothing kept yet.
    ///
    /// # Errors
    /// [`Error::Write`] when there can be no temporary file; so with the other functions.
    pub(in crate::corpus) fn new() -> Result<Self> {
        let begin = || {
            let mut file = nameless(&std::env::temp_dir())?;
            file.write_all(MAGIC)?;
            Ok(file)
        };
        Ok(Self {
            file: begin().map_err(refused)?,
            // What training writes is larger and packed better: this must take no time.
            compress: Compress::new(Compression::fast(), false),
            text: Vec::new(),
            docs: 0,
            packed: Vec::new(),
            blocks: Vec::new(),
            lengths: Vec::new(),
        })
    }

    /// What it takes in memory for the documents so far.
    pub(in crate::corpus) fn bytes(&self) -> u64 {
        (size_of::<u32>() * self.lengths.len() + size_of::<Block>() * self.blocks.len()) as u64
    }

    /// Keeps the text of the next document.
    pub(in crate::corpus) fn add(&mut self, text: &str) -> Result<()> {
        let length = u32::try_from(text.len()).map_err(|error| refused(io::Error::other(error)))?;
        if !self.text.is_empty() && self.text.len() + text.len() > BLOCK {
            self.end_block().map_err(refused)?;
        }
        self.text.extend_from_slice(text.as_bytes());
        self.docs += 1;
        self.lengths.push(length);
        Ok(())
    }

    fn end_block(&mut self) -> io::Result<()> {
        self.pack()?;
        self.file.write_all(&self.packed)?;
        let mut crc = Crc::new();
        crc.update(&self.text);
        self.blocks.push(Block { packed: self.packed.len() as u64, docs: self.docs, crc: crc.sum() });
        self.text.clear();
        self.docs = 0;
        Ok(())
    }

    /// Packs the text of the current block.
    fn pack(&mut self) -> io::Result<()> {
        self.compress.reset();
        self.packed.clear();
        self.packed.reserve(self.text.len() / 2 + 64);
        loop {
            let done = self.compress.total_in() as usize;
            let status =
                self.compress.compress_vec(&self.text[done..], &mut self.packed, FlushCompress::Finish)?;
            if status == Status::StreamEnd {
                return Ok(());
            }
            self.packed.reserve(self.packed.capacity().max(64));
        }
    }

    /// All that was kept.
    pub(in crate::corpus) fn finish(mut self) -> Result<KeptText> {
        self.write_rest().and_then(|()| KeptText::of_file(self.file).map_err(io::Error::other)).map_err(refused)
    }

    fn write_rest(&mut self) -> io::Result<()> {
        if self.docs > 0 {
            self.end_block()?;
        }
        let mut rest = Vec::new();
        write_numbers(&mut rest, &self.blocks, |block| block.to_bytes())?;
        write_numbers(&mut rest, &self.lengths, |length| length.to_le_bytes())?;
        for number in [VERSION, self.lengths.len() as u64, self.blocks.len() as u64] {
            rest.extend(number.to_le_bytes());
        }
        let checksum = Sha256::new().chain_update(MAGIC).chain_update(&rest).finalize();
        self.file.seek(SeekFrom::End(0))?;
        self.file.write_all(&rest)?;
        self.file.write_all(&checksum)
    }
}

/// A temporary file that cannot be written.
fn refused(source: io::Error) -> Error {
    Error::write(&std::env::temp_dir())(source)
}
