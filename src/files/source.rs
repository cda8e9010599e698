//! Where the bytes of an input come from: a file, or memory that takes its place while a reader is tested.

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use crate::watch::Meter;

/// An opened input; what is read of a file counts where its reader is watched.
pub(crate) enum Source {
    File(File, Option<Arc<Meter>>),
    Memory(Cursor<Arc<[u8]>>),
}

/// What there is to know of an input before it is opened.
pub(crate) struct Kind {
    pub(crate) is_dir: bool,
    pub(crate) is_file: bool,
    pub(crate) length: u64,
}

impl Source {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        in_memory(path).map_or_else(
            || File::open(path).map(|file| Self::File(file, Meter::here())),
            |bytes| Ok(Self::Memory(Cursor::new(bytes))),
        )
    }
}

impl Kind {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        if let Some(bytes) = in_memory(path) {
            return Ok(Self { is_dir: false, is_file: true, length: bytes.len() as u64 });
        }
        let found = fs::metadata(path)?;
        Ok(Self { is_dir: found.is_dir(), is_file: found.is_file(), length: found.len() })
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file, None) => file.read(buffer),
            Self::File(file, Some(meter)) => file.read(buffer).and_then(|bytes| meter.count(bytes)),
            Self::Memory(bytes) => bytes.read(buffer),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file, _) => file.seek(to),
            Self::Memory(bytes) => bytes.seek(to),
        }
    }
}

/// The bytes that stand for the file `path` in this thread, if any do.
#[cfg(not(feature = "testing"))]
pub(crate) fn in_memory(_: &Path) -> Option<Arc<[u8]>> {
    None
}

#[cfg(feature = "testing")]
pub(crate) use self::files::in_memory;
#[cfg(feature = "testing")]
pub use self::files::with_files;

#[cfg(feature = "testing")]
mod files {
    use std::cell::RefCell;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    /// Files by their paths, the latest last.
    type Files = RefCell<Vec<(PathBuf, Arc<[u8]>)>>;

    thread_local! {
        static FILES: Files = const { RefCell::new(Vec::new()) };
    }

    pub(crate) fn in_memory(path: &Path) -> Option<Arc<[u8]>> {
        let found = |files: &Files| {
            files.borrow().iter().rev().find(|(name, _)| name == path).map(|(_, bytes)| Arc::clone(bytes))
        };
        FILES.with(found)
    }

    /// Does `work` with some files that are in memory only, as far as readers of this thread see them.
    pub fn with_files<T>(files: &[(&Path, &[u8])], work: impl FnOnce() -> T) -> T {
        /// What goes when the work has ended, in a panic too.
        struct Added(usize);
        impl Drop for Added {
            fn drop(&mut self) {
                FILES.with(|files| files.borrow_mut().truncate(self.0));
            }
        }
        let before = FILES.with(|all| all.borrow().len());
        let _added = Added(before);
        let new = files.iter().map(|&(path, bytes)| (path.to_owned(), bytes.into()));
        FILES.with(|all| all.borrow_mut().extend(new));
        work()
    }
}
