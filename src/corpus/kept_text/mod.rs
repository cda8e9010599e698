//! The documents' own text, in one file, of which one document can be read without the others.
//!
//! All numbers are little-endian.
//!
//! | part | bytes |
//! |---|---|
//! | [`MAGIC`] | 8 |
//! | blocks: the text of some documents each, one after the other, by DEFLATE | |
//! | for each block its packed bytes, 8, its documents, 4, and the CRC-32 of their text, 4 | 16 per block |
//! | for each document the bytes of its text | 4 per document |
//! | format version, documents, blocks | 3 · 8 |
//! | SHA-256 of all of the above but the blocks, whose content is in the sum by its CRC-32 | 32 |

mod pack;
mod read;
mod spool;

pub use read::KeptText;
pub(super) use spool::Keeper;
pub use spool::SpooledText;

use crate::files::checked_file::CHECKSUM;

/// How such a file begins.
const MAGIC: &[u8; 8] = b"\x89HDPTXT\n";

/// The version of the format that is written, and the only one that is read.
const VERSION: u64 = 1;

/// Bytes after the list of documents.
const TRAILER: usize = 3 * 8 + CHECKSUM;

/// Bytes of a block in the list of blocks, and of a document in the list of documents.
const BLOCK_ENTRY: usize = 8 + 4 + 4;
const DOC_ENTRY: usize = 4;

/// A block is full when its text has this many bytes; a longer document has one for itself.
const BLOCK: usize = 1 << 17;

/// Some documents that are packed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    packed: u64,
    docs: u32,
    crc: u32,
}

impl Block {
    fn to_bytes(self) -> [u8; BLOCK_ENTRY] {
        let mut bytes = [0; BLOCK_ENTRY];
        bytes[..8].copy_from_slice(&self.packed.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.docs.to_le_bytes());
        bytes[12..].copy_from_slice(&self.crc.to_le_bytes());
        bytes
    }

    fn of_bytes(bytes: &[u8; BLOCK_ENTRY]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *bytes;
        Self {
            packed: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            docs: u32::from_le_bytes([i, j, k, l]),
            crc: u32::from_le_bytes([m, n, o, p]),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn packed(texts: &[&str]) -> Vec<u8> {
        let mut keeper = Keeper::new().expect("a temporary file");
        texts.iter().for_each(|text| keeper.add(text).expect("room"));
        let spooled = keeper.finish().expect("room");
        let mut bytes = Vec::new();
        spooled.write(&mut bytes).expect("memory takes every byte");
        assert_eq!(spooled.bytes(), texts.iter().map(|text| text.len() as u64).sum::<u64>());
        bytes
    }

    fn read(bytes: &[u8]) -> Result<KeptText, String> {
        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(bytes).expect("room");
        KeptText::of_file(file)
    }

    #[test]
    fn each_document_is_read_by_itself() {
        let long = "ein Wort ".repeat(BLOCK / 4);
        let texts = ["The first.", "", &long, "日本語。", &long[..BLOCK - 3], "last\n"];
        let read = read(&packed(&texts)).expect("a good file");
        assert_eq!(read.num_docs(), texts.len());
        for d in [5, 0, 3, 2, 1, 4] {
            assert_eq!(read.texts(&[d]).expect("a good file"), [texts[d]]);
        }
        assert_eq!(read.texts(&[0, 3, 5]).expect("a good file"), [texts[0], texts[3], texts[5]]);
    }

    #[test]
    fn no_byte_can_be_changed_unseen() {
        let whole = packed(&["one two", "", "drei vier fünf"]);
        let is_refused = |bytes: &[u8]| read(bytes).and_then(|kept| kept.texts(&[0, 1, 2])).is_err();
        assert!(!is_refused(&whole));
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 4;
            assert!(is_refused(&changed), "byte {at}");
            assert!(is_refused(&whole[..at]), "{at} bytes");
        }
        assert!(is_refused(&[&whole[..], &[0]].concat()));
    }
}
