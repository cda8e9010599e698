//! Files that appear whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// How the name of a file begins while it is written.
pub(super) const HALF_WRITTEN: &str = ".writing-";

/// The folder that a file lies in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes `path` by way of a temporary file beside it: flushed to disk, then renamed. A link of that name is replaced,
/// and not followed.
pub(crate) fn write_whole(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<NamedTempFile>) -> io::Result<()>,
) -> Result<()> {
    let write = || {
        let mut file = HalfWritten::create(path)?;
        fill(&mut file.writer)?;
        file.finish()
    };
    write().map_err(Error::write(path))
}

/// A file that is being written beside its place, and goes when it is dropped.
#[derive(Debug)]
pub(crate) struct HalfWritten {
    path: PathBuf,
    writer: BufWriter<NamedTempFile>,
}

impl HalfWritten {
    /// An empty file that shall become `path`.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What other programs' files get, less the umask; a temporary file's own default is private.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.prefix(HALF_WRITTEN).tempfile_in(folder_of(path))?;
        Ok(Self { path: path.to_owned(), writer: BufWriter::with_capacity(1 << 16, file) })
    }

    /// Flushes the file to the disk and gives it its name.
    pub(crate) fn finish(self) -> io::Result<()> {
        let file = self.writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        flush_folder(folder_of(&self.path));
        Ok(())
    }
}

impl Write for HalfWritten {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Has the disk keep a new name in `folder`. Not every system can, and the file itself is safe already.
pub(super) fn flush_folder(folder: &Path) {
    #[cfg(unix)]
    let _ = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
    #[cfg(not(unix))]
    let _ = folder;
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_replaced_and_not_followed() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let [target, link] = ["target", "link"].map(|name| folder.path().join(name));
        std::fs::write(&target, "as it was").expect("a file for the test");
        std::os::unix::fs::symlink(&target, &link).expect("a link");
        write_whole(&link, |out| out.write_all(b"new")).expect("a file");
        assert_eq!(std::fs::read(&target).expect("the target"), b"as it was");
        assert_eq!(std::fs::read(&link).expect("a file"), b"new");
        assert!(!link.is_symlink());
    }
}
