//! The files of a run's folder, opened for reading: plain files and nothing else, because a run may come from anyone.

use std::fs::{File, FileType};
use std::io::Read;
use std::path::PathBuf;

use super::Folder;
use crate::error::{Error, Result};
use crate::files::source::in_memory;
use crate::machine::Memory;
use crate::run::record::damaged;

impl Folder {
    /// The path of a file in it that is there and is a plain one. A link could lead to any file of the machine, a
    /// named pipe would have its reader wait for ever, and a device may never end. The folder itself may be a link.
    ///
    /// # Errors
    /// [`Error::Read`] when it is not there, [`Error::Input`] when it is something else.
    pub fn plain_file(&self, name: &str) -> Result<PathBuf> {
        let path = self.file(name);
        let kind = path.symlink_metadata().map_err(Error::read(&path))?.file_type();
        if kind.is_file() {
            return Ok(path);
        }
        let problem = format!("is {}, and a run has plain files only", called(kind));
        Err(damaged(&path, problem))
    }

    /// Opens a file in it.
    ///
    /// # Errors
    /// As [`Self::plain_file`].
    pub fn open(&self, name: &str) -> Result<File> {
        let path = self.plain_file(name)?;
        File::open(&path).map_err(Error::read(&path))
    }

    /// All bytes of a file in it.
    ///
    /// # Errors
    /// As [`Self::plain_file`].
    pub fn read(&self, name: &str) -> Result<Vec<u8>> {
        let path = self.file(name);
        if let Some(bytes) = in_memory(&path) {
            return Ok(bytes.to_vec());
        }
        let mut file = self.open(name)?;
        let length = file.metadata().map_err(Error::read(&path))?.len();
        if length > Memory::of_machine().total {
            return Err(damaged(&path, format!("has {length} bytes, more than the memory")));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(Error::read(&path))?;
        Ok(bytes)
    }

    /// The bytes of all files that the run left itself, as far as they are there.
    pub(in crate::run) fn bytes(&self) -> u64 {
        let files = self.files_of_run();
        let plain =
            files.iter().filter_map(|file| file.symlink_metadata().ok()).filter(|file| file.is_file());
        plain.fold(0, |bytes, file| bytes.saturating_add(file.len()))
    }
}

/// What a file is that is not a plain one.
fn called(kind: FileType) -> &'static str {
    if kind.is_symlink() {
        "a link"
    } else if kind.is_dir() {
        "a folder"
    } else {
        "a pipe or a device"
    }
}
