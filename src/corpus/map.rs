//! A file mapped into memory: the one place of this crate that is not safe Rust.

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// The bytes of `file`, read from it when they are used.
#[expect(unsafe_code, reason = "mapping is unsafe, since no program can keep others from changing the file")]
pub(super) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the bytes may be anything, so all that can go wrong is that they change while the map is in use. They
    // are only read as numbers, which all have a meaning, and every use of such a number as an index is checked. This
    // program replaces a prepared file by renaming a new one over it, which leaves a map of the old one as it is.
    unsafe { Mmap::map(file) }
}
