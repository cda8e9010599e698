//! A prepared corpus: one file, checked as a whole, whose tokens are used in place.
//!
//! All numbers are little-endian.
//!
//! | part | bytes |
//! |---|---|
//! | [`MAGIC`] | 8 |
//! | format version, D, V, N, bytes of the strings, bytes of the information | 6 · 8 |
//! | w, filled up with zeros to a multiple of 8 | 4 · N |
//! | `doc_start` | 8 · (D + 1) |
//! | strings: words, names of documents if they have any, columns of metadata; of each list first all lengths, 4 bytes each | |
//! | information: [`Info`] as JSON | |
//! | SHA-256 of all of the above | 32 |

mod read;
mod write;

pub(super) use read::read;
use serde::{Deserialize, Serialize};
#[cfg(feature = "testing")]
pub use write::prepared_bytes;
pub use write::write_prepared;

use super::{LoadNotes, Preparation};
use crate::files::checked_file::CHECKSUM;

/// How a prepared corpus begins: no text does, and what changes line ends destroys it.
pub(super) const MAGIC: &[u8; 8] = b"\x89HDPGPU\n";

/// The version of the format that is written, and the only one that is read.
const VERSION: u64 = 1;

/// The numbers after [`MAGIC`].
#[derive(Clone, Copy, Debug)]
struct Header {
    docs: u64,
    words: u64,
    tokens: u64,
    strings: u64,
    info: u64,
}

/// Where the parts of a file begin, after the header, and its whole length.
#[derive(Clone, Copy, Debug)]
struct Places {
    doc_start: usize,
    strings: usize,
    info: usize,
    checksum: usize,
    length: usize,
}

/// Bytes before w.
const HEADER: usize = MAGIC.len() + 6 * 8;

impl Header {
    /// `None` when the numbers are those of no file.
    fn places(&self) -> Option<Places> {
        let after = |start: usize, count: u64, size: u64| {
            start.checked_add(usize::try_from(count.checked_mul(size)?).ok()?)
        };
        let doc_start = after(HEADER, self.tokens, 4)?.checked_next_multiple_of(8)?;
        let strings = after(doc_start, self.docs.checked_add(1)?, 8)?;
        let info = after(strings, self.strings, 1)?;
        let checksum = after(info, self.info, 1)?;
        let length = checksum.checked_add(CHECKSUM)?;
        Some(Places { doc_start, strings, info, checksum, length })
    }
}

/// What is told of a corpus beside its content.
#[derive(Debug, Serialize, Deserialize)]
struct Info {
    /// The version of the program that wrote it.
    version: String,
    /// The format that the corpus was read from.
    format: String,
    /// SHA-256 of the corpus, as in run.json.
    digest: String,
    /// Whether documents have names.
    named: bool,
    /// The names of the columns of metadata.
    metadata: Vec<String>,
    /// How it was prepared.
    preparation: Preparation,
    /// What its reader noticed.
    notes: LoadNotes,
}
