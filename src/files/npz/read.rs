//! Reads the arrays of an archive, each from an opening of its own, so that several are read side by side and none is
//! held.

use std::io::{BufReader, Cursor, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use zip::ZipArchive;
use zip::read::ZipFile;

use super::npy::Npy;
use crate::error::{Error, Result};
use crate::files::source::Source;

const BUFFER: usize = 1 << 16;

/// An archive that can be opened more than once.
pub(crate) struct NpzReader<'a> {
    /// The file, which is also what errors blame.
    pub(crate) path: &'a Path,
    /// Its bytes, when they are in memory already.
    pub(crate) unpacked: Option<Arc<[u8]>>,
    /// What to do about a damaged one.
    pub(crate) remedy: &'static str,
}

/// A file, or its bytes.
pub(crate) trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

/// An opened archive.
pub(crate) type Archive = ZipArchive<Box<dyn ReadSeek>>;
/// An array of it, at its first value.
pub(crate) type Array<'a> = Npy<BufReader<ZipFile<'a, Box<dyn ReadSeek>>>>;

impl NpzReader<'_> {
    /// Opens the archive.
    pub(crate) fn open(&self) -> Result<Archive> {
        let reader: Box<dyn ReadSeek> = match &self.unpacked {
            Some(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            None => Box::new(BufReader::new(Source::open(self.path).map_err(Error::read(self.path))?)),
        };
        let damaged = |error| format!("the zip archive is damaged or cut short ({error})");
        ZipArchive::new(reader).map_err(|error| Error::input(self.path, damaged(error), self.remedy))
    }

    /// The array `name`.
    pub(crate) fn array<'b>(&self, archive: &'b mut Archive, name: &str) -> Result<Array<'b>> {
        let file = archive.by_name(&format!("{name}.npy")).map_err(|error| {
            let problem = format!("{name}.npy cannot be read from the archive ({error})");
            Error::input(self.path, problem, self.remedy)
        })?;
        self.checked(name, Npy::new(BufReader::with_capacity(BUFFER, file)))
    }

    /// `result`, or what is wrong with the array `name`.
    pub(crate) fn checked<T>(&self, name: &str, result: Result<T, String>) -> Result<T> {
        result.map_err(|problem| Error::input(self.path, format!("{name}.npy {problem}"), self.remedy))
    }
}
