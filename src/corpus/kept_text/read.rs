//! Reads kept text: the lists first, and of the blocks only those that are asked for. The file may come from anyone.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use flate2::Crc;
use flate2::read::DeflateDecoder;
use sha2::{Digest, Sha256};

use super::{BLOCK_ENTRY, Block, DOC_ENTRY, MAGIC, TRAILER, VERSION};
use crate::corpus::open::MAX_LINE;

/// The text of documents, in a file. Clones share it.
#[derive(Clone, Debug)]
pub struct KeptText(Arc<Kept>);

#[derive(Debug)]
struct Kept {
    file: File,
    blocks: Vec<Place>,
    lengths: Vec<u32>,
}

/// Where a block is, and its first document.
#[derive(Debug)]
struct Place {
    block: Block,
    start: u64,
    first: usize,
}

impl KeptText {
    /// The texts in `file`, whose lists are checked.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn of_file(mut file: File) -> Result<Self, String> {
        let length = file.seek(SeekFrom::End(0)).map_err(told)?;
        let lists = Lists::read(&mut file, length)?;
        let (mut start, mut first) = (MAGIC.len() as u64, 0);
        let mut blocks = Vec::with_capacity(lists.blocks.len());
        for block in lists.blocks {
            blocks.push(Place { block, start, first });
            // The sums are the length of the file and the number of documents.
            start += block.packed;
            first += block.docs as usize;
        }
        Ok(Self(Arc::new(Kept { file, blocks, lengths: lists.lengths })))
    }

    /// How many documents there are.
    pub fn num_docs(&self) -> usize {
        self.0.lengths.len()
    }

    /// The texts of some documents, ascending; each block is unpacked once.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn texts(&self, docs: &[usize]) -> Result<Vec<String>, String> {
        let mut unpacked: Option<(usize, String)> = None;
        let text_of = |&d: &usize| {
            let at = self.block_of(d).ok_or_else(|| format!("has no document {}", d + 1))?;
            if unpacked.as_ref().is_none_or(|&(other, _)| other != at) {
                unpacked = Some((at, self.unpack(at)?));
            }
            let (_, text) = unpacked.as_ref().expect("has just been unpacked");
            let start = bytes(&self.0.lengths[self.0.blocks[at].first..d]) as usize;
            let text = text.get(start..start + self.0.lengths[d] as usize);
            text.map(str::to_owned).ok_or_else(damaged)
        };
        docs.iter().map(text_of).collect()
    }

    /// The bytes of the text of document `d`, if there is one.
    pub fn length_of(&self, d: usize) -> Option<usize> {
        self.0.lengths.get(d).map(|&length| length as usize)
    }

    fn block_of(&self, d: usize) -> Option<usize> {
        (d < self.num_docs()).then(|| self.0.blocks.partition_point(|place| place.first <= d) - 1)
    }

    /// The text of a block.
    fn unpack(&self, at: usize) -> Result<String, String> {
        let Place { block, start, first } = &self.0.blocks[at];
        let length = bytes(&self.0.lengths[*first..first + block.docs as usize]);
        if length > 2 * MAX_LINE as u64 {
            return Err(damaged());
        }
        let mut file = &self.0.file;
        file.seek(SeekFrom::Start(*start)).map_err(told)?;
        let mut text = Vec::new();
        // It grows with what is there, whatever the list says.
        let unpacked = DeflateDecoder::new(file.take(block.packed)).take(length + 1).read_to_end(&mut text);
        unpacked.map_err(|_| damaged())?;
        let mut crc = Crc::new();
        crc.update(&text);
        if text.len() as u64 != length || crc.sum() != block.crc {
            return Err(damaged());
        }
        String::from_utf8(text).map_err(|_| damaged())
    }
}

/// What stands after the blocks.
struct Lists {
    blocks: Vec<Block>,
    lengths: Vec<u32>,
}

impl Lists {
    /// Reads them from a file of `length` bytes, which must be as long as they say.
    fn read(file: &mut File, length: u64) -> Result<Self, String> {
        let trailer = part(file, length.checked_sub(TRAILER as u64), TRAILER)?;
        let number = |at: usize| u64::from_le_bytes(trailer[8 * at..8 * at + 8].try_into().expect("8 bytes"));
        let [version, docs, blocks] = [0, 1, 2].map(number);
        if version != VERSION {
            return Err(format!("has version {version} of its format, and this program reads {VERSION}"));
        }
        let lists = blocks.checked_mul(BLOCK_ENTRY as u64).zip(docs.checked_mul(DOC_ENTRY as u64));
        let lists =
            lists.and_then(|(blocks, docs)| blocks.checked_add(docs)).filter(|&lists| lists <= length);
        let lists = lists.ok_or_else(damaged)?;
        let end = length - TRAILER as u64;
        let bytes = part(file, end.checked_sub(lists), lists as usize)?;
        let magic = part(file, Some(0), MAGIC.len())?;
        let (numbers, checksum) = trailer.split_at(TRAILER - super::CHECKSUM);
        let sum = Sha256::new().chain_update(&magic).chain_update(&bytes).chain_update(numbers).finalize();
        if magic != MAGIC || sum[..] != *checksum {
            return Err(damaged());
        }
        let (blocks, lengths) = bytes.split_at(BLOCK_ENTRY * blocks as usize);
        let blocks: Vec<Block> = blocks.as_chunks().0.iter().map(Block::of_bytes).collect();
        let lengths = lengths.as_chunks().0.iter().map(|&length| u32::from_le_bytes(length)).collect();
        let packed = blocks.iter().try_fold(0u64, |sum, block| sum.checked_add(block.packed));
        let in_blocks: u64 = blocks.iter().map(|block| u64::from(block.docs)).sum();
        let is_whole = packed.is_some_and(|packed| end - lists == packed.saturating_add(MAGIC.len() as u64));
        if !is_whole || in_blocks != docs {
            return Err(damaged());
        }
        Ok(Self { blocks, lengths })
    }
}

/// `length` bytes of a file, which is as long as that.
fn part(file: &mut File, start: Option<u64>, length: usize) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(start.ok_or_else(damaged)?)).map_err(told)?;
    file.read_exact(&mut bytes).map_err(told)?;
    Ok(bytes)
}

fn bytes(lengths: &[u32]) -> u64 {
    lengths.iter().map(|&length| u64::from(length)).sum()
}

fn damaged() -> String {
    "is damaged".to_owned()
}

fn told(error: io::Error) -> String {
    format!("cannot be read ({error})")
}
