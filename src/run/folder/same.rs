//! Whether a path still leads to the folder that it led to.

use std::io;
use std::path::Path;

/// What a folder is, whatever its name; two values are equal if they are of one folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Same(#[cfg(unix)] (u64, u64), #[cfg(not(unix))] std::path::PathBuf);

impl Same {
    /// The folder that `path` leads to now.
    #[cfg(unix)]
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        path.metadata().map(|found| Self((found.dev(), found.ino())))
    }

    /// The folder that `path` leads to now.
    #[cfg(not(unix))]
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        path.canonicalize().map(Self)
    }
}
