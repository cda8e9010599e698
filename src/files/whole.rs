//! Files that appear whole or not at all.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::temporary;
use crate::error::{Error, Result};
use crate::watch::go_on_here;

/// How the name of a file begins while it is written.
pub(crate) const HALF_WRITTEN: &str = ".writing-";

/// The folder that a file lies in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes `path` by way of a temporary file beside it: flushed to disk, closed, then renamed. A link of that name is
/// replaced, and not followed. The program must not have `path` open: Windows replaces no open file.
pub(crate) fn write_whole(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut NamedTempFile>) -> std::io::Result<()>,
) -> Result<()> {
    go_on_here()?;
    try_write_whole(path, fill).map_err(Error::write(path))
}

fn try_write_whole(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut NamedTempFile>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    // Readable as other programs' files are; a temporary file's own default is private.
    let mut temporary = temporary::make(builder.prefix(HALF_WRITTEN), folder, |path| File::create_new(path))?;
    let mut writer = BufWriter::with_capacity(1 << 16, temporary.file());
    fill(&mut writer)?;
    writer.flush()?;
    drop(writer);
    temporary.file().as_file().sync_all()?;
    temporary.rename(path)?;
    flush_folder(folder);
    Ok(())
}

/// Has the disk keep a new name in `folder`. Not every system can, and the file itself is safe already.
pub(crate) fn flush_folder(folder: &Path) {
    #[cfg(unix)]
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
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
