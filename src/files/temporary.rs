//! The temporary files that exist now, so that a process which is ended at once takes them along.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use tempfile::{Builder, NamedTempFile};

#[cfg(not(windows))]
use super::whole::HALF_WRITTEN;

static LISTED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// How long what is about to make a temporary file is waited for at the end of the process: a disk that is gone may hold it for ever.
const PATIENCE: Duration = Duration::from_millis(500);

/// A path that is on the list as long as this value lives.
struct Listed(PathBuf);

/// A temporary file, which goes before it leaves the list: fields are dropped in their order.
pub(crate) struct Temporary {
    file: NamedTempFile,
    listed: Listed,
}

/// Makes a temporary file in `folder` with `open`. Between that and its place on the list nobody can remove what is
/// listed, so that the file is never there without being on the list.
pub(crate) fn make(
    builder: &Builder,
    folder: &Path,
    open: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<Temporary> {
    let mut listed = None;
    let file = builder.make_in(folder, |path| {
        let mut list = lock();
        let file = open(path)?;
        list.insert(path.to_owned());
        listed = Some(Listed(path.to_owned()));
        Ok(file)
    })?;
    Ok(Temporary { file, listed: listed.expect("a file that was made is on the list") })
}

/// A new file that only its owner reads.
pub(crate) fn private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A file in `folder` that has no name, or loses it at once where the system makes none without.
#[cfg(not(windows))]
pub(crate) fn nameless(folder: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    if let Ok(file) = never_named(folder) {
        return Ok(file);
    }
    let Temporary { file, listed } = make(Builder::new().prefix(HALF_WRITTEN), folder, private)?;
    let (file, path) = file.into_parts();
    path.close()?;
    drop(listed);
    Ok(file)
}

/// A file in `folder` that goes with its handle, whatever becomes of the process.
#[cfg(windows)]
pub(crate) fn nameless(folder: &Path) -> io::Result<File> {
    tempfile::tempfile_in(folder)
}

/// The same where the file system has files without names.
#[cfg(target_os = "linux")]
fn never_named(folder: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::TMPFILE.bits() as i32;
    File::options().read(true).write(true).mode(0o600).custom_flags(flags).open(folder)
}

impl Temporary {
    /// The file with its path.
    pub(crate) fn file(&mut self) -> &mut NamedTempFile {
        &mut self.file
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Closes the file and gives it the name `path`. The standard library renames long paths on Windows too, which `persist` does not.
    pub(crate) fn rename(self, path: &Path) -> io::Result<()> {
        let Self { file, listed } = self;
        let (file, mut temporary) = file.into_parts();
        drop(file);
        let renamed = std::fs::rename(&temporary, path);
        temporary.disable_cleanup(renamed.is_ok());
        drop(temporary);
        drop(listed);
        renamed
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        lock().remove(&self.0);
    }
}

/// Removes all temporary files of this process, which has to end then: nobody else can make one any more.
pub fn remove_for_good() {
    let Some(listed) = lock_within(PATIENCE) else { return };
    for path in &*listed {
        // It may not be there any more.
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(listed);
}

/// The list, if it can be had within some time.
fn lock_within(patience: Duration) -> Option<MutexGuard<'static, BTreeSet<PathBuf>>> {
    let start = Instant::now();
    loop {
        match LISTED.try_lock() {
            Ok(list) => return Some(list),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if start.elapsed() > patience => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

fn lock() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LISTED.lock().unwrap_or_else(PoisonError::into_inner)
}
