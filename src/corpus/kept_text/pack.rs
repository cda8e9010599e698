//! Packs text block by block, some blocks side by side, and writes the lists of what there is.

use std::io::{self, Read, Write};

use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::{BLOCK, Block, MAGIC, VERSION};
use crate::files::checked_file::write_numbers;

/// Bytes of text that are packed side by side.
const BATCH: usize = 16 * BLOCK;

/// Writes documents of these lengths, whose texts follow each other in `text`, to `out`.
pub(super) fn pack(text: &mut impl Read, lengths: &[u32], out: &mut impl Write) -> io::Result<()> {
    out.write_all(MAGIC)?;
    let mut blocks = Vec::new();
    let groups: Vec<&[u32]> = groups(lengths, BLOCK).collect();
    let sizes: Vec<u32> = groups.iter().map(|docs| docs.iter().sum()).collect();
    let mut groups = groups.into_iter();
    for sizes in self::groups(&sizes, BATCH) {
        let read = |&size: &u32| {
            let mut block = vec![0; size as usize];
            text.read_exact(&mut block).map(|()| block)
        };
        let texts = sizes.iter().map(read).collect::<io::Result<Vec<_>>>()?;
        let packed: Vec<io::Result<Vec<u8>>> = texts.par_iter().map(|text| packed(text)).collect();
        for ((text, packed), docs) in texts.iter().zip(packed).zip(&mut groups) {
            let packed = packed?;
            out.write_all(&packed)?;
            let mut crc = Crc::new();
            crc.update(text);
            blocks.push(Block { packed: packed.len() as u64, docs: docs.len() as u32, crc: crc.sum() });
        }
    }
    write_lists(&blocks, lengths, out)
}

/// Neighbouring sizes whose sum is at most `most`, or that are larger by themselves.
fn groups(sizes: &[u32], most: usize) -> impl Iterator<Item = &[u32]> {
    let mut sum = 0;
    sizes.chunk_by(move |&size, &next| {
        sum += u64::from(size);
        let has_room = sum + u64::from(next) <= most as u64;
        if !has_room {
            sum = 0;
        }
        has_room
    })
}

/// A block by itself, so that it can be read without the others.
fn packed(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut compress = Compress::new(Compression::fast(), false);
    let mut packed = Vec::with_capacity(text.len() / 2 + 64);
    loop {
        let done = compress.total_in() as usize;
        if compress.compress_vec(&text[done..], &mut packed, FlushCompress::Finish)? == Status::StreamEnd {
            return Ok(packed);
        }
        packed.reserve(packed.capacity());
    }
}

fn write_lists(blocks: &[Block], lengths: &[u32], out: &mut impl Write) -> io::Result<()> {
    let mut lists = Vec::new();
    write_numbers(&mut lists, blocks, |block| block.to_bytes())?;
    write_numbers(&mut lists, lengths, |length| length.to_le_bytes())?;
    for number in [VERSION, lengths.len() as u64, blocks.len() as u64] {
        lists.extend(number.to_le_bytes());
    }
    out.write_all(&lists)?;
    out.write_all(&Sha256::new().chain_update(MAGIC).chain_update(&lists).finalize())
}
