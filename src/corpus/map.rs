//! A file mapped into memory, for [`super::prepared`] alone.
//!
//! A map is a view of the file and no copy of it. What holds, on the systems that this program runs on:
//! - While nobody writes to the file, the map is its content as it was opened. Renaming another file over it, which is how
//!   this program replaces a prepared corpus, and removing it leave the map as it is; Windows refuses both.
//! - Another process that writes into the file changes the map. `prepared/read.rs` compares the length, the checksum and
//!   every number once, before a corpus is made; a later change is not noticed, and the topics are then those of other
//!   words.
//! - Another process that cuts the file off takes the pages behind the new end away. On Unix the next use of such a page
//!   ends this process with SIGBUS, which is not caught: no result is lost that was written before, and a run goes on from
//!   its last checkpoint. Windows refuses to cut off a file that is mapped.
//!
//! Nothing in the program can hold others back: locks bind only who asks for them. A corpus that others may write to
//! should be copied first, or be given compressed, which is read into memory.

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// The bytes of `file`, read from it when they are used.
#[expect(unsafe_code, reason = "mapping is unsafe, since no program can keep others from changing the file")]
pub(super) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: that nobody changes the file while it is mapped is asked of the user (see `corpus::read`), and cannot be
    // made sure of here. What is done so that a change does as little as possible: the map is never written to; all that
    // must keep its meaning (where documents begin, strings, information) is copied out of it before it is checked; only
    // word numbers stay in it, for which every bit pattern is a value; and no `unsafe` code of this crate indexes by them,
    // so that one out of range is a panic.
    unsafe { Mmap::map(file) }
}
