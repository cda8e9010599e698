//! The fuzz targets, and what must hold of all that is read. Readers take the input from memory; only a folder is made on the disk.

pub mod check;
pub mod checkpoint;
mod formats;
pub mod options;
pub mod prepared;
pub mod targets;

use std::path::{Path, PathBuf};

pub use formats::{read_every_way, read_plain};
use sha2::{Digest, Sha256};
use tempfile::{TempDir, tempdir, tempdir_in};

/// What a corpus in memory is called.
const CORPUS: &str = "memory/corpus";

/// Stands between the parts of an input that becomes several files.
const CUT: &[u8] = b"\n--8<--\n";

/// The parts of an input, at least one.
pub fn parts(input: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut rest = input;
    while let Some(at) = rest.windows(CUT.len()).position(|window| window == CUT) {
        parts.push(&rest[..at]);
        rest = &rest[at + CUT.len()..];
    }
    parts.push(rest);
    parts
}

/// `content` with the checksum that it ought to have, and the size of its information, the last number of the header,
/// such that all is accounted for.
fn forge(content: &[u8], header: usize, info_size: Option<u64>) -> Vec<u8> {
    let mut file = content.to_vec();
    if let Some(info) = info_size {
        file[header - 8..header].copy_from_slice(&info.to_le_bytes());
    }
    let checksum = Sha256::digest(&file);
    file.extend_from_slice(&checksum);
    file
}

/// A folder that goes with the value, in memory where the system has a place for that.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempdir_in(memory) } else { tempdir() };
        Self(folder.expect("a folder for the input"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file; returns its path.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, content).expect("a file for the input");
        path
    }
}
