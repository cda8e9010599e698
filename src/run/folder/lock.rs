//! RUN/checkpoint: the names of its files, and the lock that keeps a run folder to one process.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::name;
use super::same::Same;
use crate::error::{Error, Result};

/// How the names of checkpoints begin and end; the iteration is between.
const NAME: [&str; 2] = ["iteration-", ".checkpoint"];

/// The name of the checkpoint of an iteration.
pub(crate) fn checkpoint_name(iteration: u32) -> String {
    let [before, after] = NAME;
    format!("{before}{iteration}{after}")
}

/// The checkpoints in `folder` by their names, the newest first.
pub(crate) fn newest_first(folder: &Path) -> Result<Vec<(u32, PathBuf)>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(Error::read(folder))?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let name = entry.map_err(Error::read(folder))?.file_name();
        found.extend(iteration_of(&name).map(|iteration| (iteration, folder.join(name))));
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    Ok(found)
}

/// The iteration in a checkpoint's name.
fn iteration_of(name: &OsStr) -> Option<u32> {
    let name = name.to_str()?;
    let digits = name.strip_prefix(NAME[0])?.strip_suffix(NAME[1])?;
    digits.parse().ok().filter(|&iteration| checkpoint_name(iteration) == name)
}

/// Held while a process writes to a run folder; the system lets go of it when the process ends, however that happens.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
    folder: Same,
}

impl Lock {
    /// Takes the lock of the run folder `run`, and makes the folder of checkpoints for it.
    ///
    /// # Errors
    /// [`Error::Setting`] when another process holds it, [`Error::Write`] when it cannot be made.
    pub(super) fn take(run: &Path) -> Result<Self> {
        let folder = checkpoint_folder(run)?;
        std::fs::create_dir_all(&folder).map_err(Error::write(&folder))?;
        let path = folder.join(name::LOCK);
        refuse_other_than_file(&path)?;
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(Error::write(&path))?;
        try_lock(run, &file)?;
        Ok(Self { _file: file, folder: Same::of(run).map_err(Error::write(run))? })
    }

    /// Refuses to write to `run` when that leads elsewhere than it did when the lock was taken.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub(super) fn check_in_place(&self, run: &Path) -> Result<()> {
        let elsewhere =
            |path: &Path| Error::write(path)(io::Error::other("it is not the folder that it was"));
        if Same::of(run).map_err(Error::write(run))? != self.folder {
            return Err(elsewhere(run));
        }
        let checkpoints = run.join(name::CHECKPOINT);
        match checkpoints.symlink_metadata() {
            Ok(found) if !found.is_dir() => Err(elsewhere(&checkpoints)),
            _ => Ok(()),
        }
    }

    /// Refuses a run folder whose lock another process holds; makes nothing.
    ///
    /// # Errors
    /// As [`Self::take`].
    pub(super) fn check(run: &Path) -> Result<()> {
        let path = checkpoint_folder(run)?.join(name::LOCK);
        refuse_other_than_file(&path)?;
        match OpenOptions::new().write(true).open(&path) {
            Ok(file) => try_lock(run, &file),
            Err(_) => Ok(()),
        }
    }
}

fn try_lock(run: &Path, file: &File) -> Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::setting(
            "out",
            format!("another process is training in {}", run.display()),
            "wait for it or end it, or give another path",
        )),
        // Some network file systems know no locks: then nothing keeps two processes apart.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// The folder of checkpoints, which must not lie elsewhere.
fn checkpoint_folder(run: &Path) -> Result<PathBuf> {
    let folder = run.join(name::CHECKPOINT);
    match folder.symlink_metadata() {
        Ok(found) if !found.is_dir() => {
            let problem = format!("{} is not a folder of its own", folder.display());
            Err(Error::setting("out", problem, "remove it, or give another path"))
        }
        _ => Ok(folder),
    }
}

/// Refuses to follow a link, or to open a pipe or a device.
fn refuse_other_than_file(path: &Path) -> Result<()> {
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() => {
            let problem = format!("{} is not a plain file", path.display());
            Err(Error::setting("out", problem, "remove it, or give another path"))
        }
        _ => Ok(()),
    }
}
