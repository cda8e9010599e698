//! Files that appear whole or not at all.

use std::io::{BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// How the name of a file begins while it is written.
pub(crate) const HALF_WRITTEN: &str = ".writing-";

/// The folder that a file lies in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes `path` by way of a temporary file beside it: flushed to disk, then renamed. A link of that name is replaced,
/// and not followed.
pub(crate) fn write_whole(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut NamedTempFile>) -> std::io::Result<()>,
) -> Result<()> {
    try_write_whole(path, fill).map_err(Error::write(path))
}

fn try_write_whole(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut NamedTempFile>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What other programs' files get, less the umask; a temporary file's own default is private.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.prefix(HALF_WRITTEN).tempfile_in(folder)?;
    let mut writer = BufWriter::with_capacity(1 << 16, &mut file);
    fill(&mut writer)?;
    writer.flush()?;
    drop(writer);
    file.as_file().sync_all()?;
    file.persist(path)?;
    flush_folder(folder);
    Ok(())
}

/// Has the disk keep a new name in `folder`. Not every system can, and the file itself is safe already.
pub(crate) fn flush_folder(folder: &Path) {
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
