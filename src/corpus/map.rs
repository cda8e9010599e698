//! A file mapped into memory, for [`super::prepared`], and for what [`super::per_token`] puts into files that nobody else sees.
//!
//! A map is a view of the file and no copy of it. What holds, on the systems that this program runs on:
//! - While nobody writes to the file, the map is its content as it was opened. Renaming another file over it, which is how
//!   this program replaces a prepared corpus, and removing it leave the map as it is; Windows refuses both.
//! - Another process that writes into the file changes the map, and the file's length or time of modification with it. After
//!   each iteration these are compared, and before each checkpoint the checksum too, so that nothing which came of other words
//!   is ever written.
//! - Another process that cuts the file off takes the pages behind the new end away. On Unix the next use of such a page is
//!   SIGBUS, with which the program ends in a sentence (`cli/faults.rs`): what was written before is good, and a run goes on
//!   from its last checkpoint. Windows refuses to cut off a file that is mapped.
//!
//! Nothing in the program can hold others back: locks bind only who asks for them.

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use memmap2::Mmap;

use crate::error::{Error, Result};
use crate::files::checked_file::{CHECKSUM, checked};
use crate::files::source::in_memory;

/// The bytes of a file, read from it when they are used.
pub(super) struct MappedFile {
    map: Held,
    /// What there is to compare, if others may write to it.
    seen: Option<Seen>,
}

/// A map, or memory that takes its place.
enum Held {
    Map(Mmap),
    Memory(Arc<[u8]>),
}

/// A file that ends with a checksum, as it was when it was mapped.
struct Seen {
    path: PathBuf,
    file: File,
    stamp: Stamp,
    checksum: Vec<u8>,
}

/// What changes with a file's content.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(file: &File) -> io::Result<Self> {
        let found = file.metadata()?;
        Ok(Self { length: found.len(), modified: found.modified().ok() })
    }
}

impl MappedFile {
    /// A file that ends with a checksum.
    pub(super) fn open(path: &Path) -> Result<Self> {
        if let Some(bytes) = in_memory(path) {
            return Ok(Self { map: Held::Memory(bytes), seen: None });
        }
        let file = File::open(path).map_err(Error::read(path))?;
        let stamp = Stamp::of(&file).map_err(Error::read(path))?;
        let map = map(&file).map_err(Error::read(path))?;
        let checksum = map[map.len().saturating_sub(CHECKSUM)..].to_vec();
        Ok(Self { map: Held::Map(map), seen: Some(Seen { path: path.to_owned(), file, stamp, checksum }) })
    }

    /// A file that nobody else sees.
    pub(super) fn unseen(file: &File) -> io::Result<Self> {
        Ok(Self { map: Held::Map(map(file)?), seen: None })
    }

    /// Lets some bytes of the file out of memory, until they are used again. The system would do that itself once it is short of memory; a
    /// process that is one of several on its machine does not wait for it.
    #[cfg(unix)]
    pub(super) fn let_go(&self, bytes: Range<usize>) {
        let Held::Map(map) = &self.map else { return };
        // The answer is of no use: what cannot be let go stays.
        #[expect(
            unsafe_code,
            reason = "the same is done to memory that is no file's, which would lose its content"
        )]
        // SAFETY: the map is never written to, so its pages are the file's, and are read from there again.
        let _ = unsafe {
            map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, bytes.start, bytes.len())
        };
    }

    /// Elsewhere the system sees to it.
    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "there is no such call")]
    pub(super) fn let_go(&self, _: Range<usize>) {}

    /// Refuses a file whose length or time of modification has changed.
    pub(super) fn check_stamp(&self) -> Result<()> {
        self.seen.as_ref().map_or(Ok(()), Seen::check_stamp)
    }

    /// Refuses a file that has changed, however that was done.
    pub(super) fn check_content(&self) -> Result<()> {
        let Some(seen) = &self.seen else { return Ok(()) };
        let checked = seen.check_content(self);
        // All of it was read, of which a part may be used.
        self.let_go(0..self.len());
        checked
    }
}

impl Seen {
    fn check_stamp(&self) -> Result<()> {
        let now = Stamp::of(&self.file).map_err(Error::read(&self.path))?;
        if now == self.stamp { Ok(()) } else { Err(self.changed()) }
    }

    fn check_content(&self, now: &[u8]) -> Result<()> {
        self.check_stamp()?;
        let is_whole = checked(now).is_some() && now.ends_with(&self.checksum);
        if is_whole { Ok(()) } else { Err(self.changed()) }
    }

    fn changed(&self) -> Error {
        let remedy = "give the command again when it is as it was; what a run has on the disk is good, and it goes on with `resume`";
        Error::input(&self.path, "changed while it was in use", remedy)
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.map {
            Held::Map(map) => map,
            Held::Memory(bytes) => bytes,
        }
    }
}

/// The bytes of `file`, read from it when they are used.
#[expect(unsafe_code, reason = "mapping is unsafe, since no program can keep others from changing the file")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: that nobody changes the file while it is mapped is asked of the user (see `corpus::read`), and cannot be
    // made sure of here. What is done so that a change does as little as possible: the map is never written to; all that
    // must keep its meaning (where documents begin, strings, information) is copied out of it before it is checked; only
    // word numbers stay in it, for which every bit pattern is a value; and no `unsafe` code of this crate indexes by them,
    // so that one out of range is a panic.
    unsafe { Mmap::map(file) }
}
