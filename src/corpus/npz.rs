//! Reads a sparse matrix as scipy.sparse.save_npz writes it: a zip of NumPy arrays, by rows (csr), by columns (csc)
//! or by coordinates (coo). Rows are documents. The arrays are read side by side, so that none is ever held.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use zip::ZipArchive;
use zip::read::ZipFile;

use super::entries::{self, Entries, Entry, Shape};
use super::memory::Memory;
use super::npy::{Npy, Number};
use super::numbers::{COUNT_REMEDY, real_flaw};
use super::vocab::VocabSource;
use super::{Corpus, LoadNotes, open};
use crate::error::{Error, Result};

/// How a zip file begins.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

const REMEDY: &str = "save the matrix again with scipy.sparse.save_npz";
const BUFFER: usize = 1 << 16;

/// Reads `path`, with its vocabulary; `transpose` when rows are words.
pub(super) fn read(
    path: &Path,
    source: &VocabSource,
    transpose: bool,
    memory: &Memory,
) -> Result<(Corpus, LoadNotes)> {
    let matrix = Matrix::open(path, transpose, memory)?;
    entries::corpus(&matrix, path, source, 0, "give a matrix with counts in it", memory)
}

/// How the places of the entries are told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Row by row: where each row begins, and the columns.
    Csr,
    /// Column by column: where each column begins, and the rows.
    Csc,
    /// The row and the column of each.
    Coo,
}

/// A matrix whose sizes are known.
struct Matrix<'a> {
    path: &'a Path,
    /// The archive, if it is compressed once more.
    unpacked: Option<Arc<[u8]>>,
    layout: Layout,
    rows: u64,
    columns: u64,
    num_entries: u64,
    transpose: bool,
}

/// A file, or its bytes.
trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

type Archive = ZipArchive<Box<dyn ReadSeek>>;
type Array<'a> = Npy<BufReader<ZipFile<'a, Box<dyn ReadSeek>>>>;

impl<'a> Matrix<'a> {
    fn open(path: &'a Path, transpose: bool, memory: &Memory) -> Result<Self> {
        let unpacked = open::unpacked(path, MAGIC, memory)?.map(Arc::from);
        let (layout, num_entries) = (Layout::Coo, 0);
        let matrix = Self { path, unpacked, layout, rows: 0, columns: 0, num_entries, transpose };
        let mut archive = matrix.archive()?;
        let layout = matrix.layout(&mut archive)?;
        let [rows, columns] = matrix.sizes(&mut archive)?;
        let num_entries = matrix.checked("data", matrix.array(&mut archive, "data")?.len())?;
        Ok(Self { layout, rows, columns, num_entries, ..matrix })
    }

    fn archive(&self) -> Result<Archive> {
        let reader: Box<dyn ReadSeek> = match &self.unpacked {
            Some(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            None => Box::new(BufReader::new(File::open(self.path).map_err(Error::read(self.path))?)),
        };
        let damaged = |error| format!("the zip archive is damaged or cut short ({error})");
        ZipArchive::new(reader).map_err(|error| Error::input(self.path, damaged(error), REMEDY))
    }

    /// The array `name`, at its first value.
    fn array<'b>(&self, archive: &'b mut Archive, name: &str) -> Result<Array<'b>> {
        let file = archive.by_name(&format!("{name}.npy")).map_err(|error| {
            Error::input(self.path, format!("{name}.npy cannot be read from the archive ({error})"), REMEDY)
        })?;
        self.checked(name, Npy::new(BufReader::with_capacity(BUFFER, file)))
    }

    /// `result`, or what is wrong with the array `name`.
    fn checked<T>(&self, name: &str, result: Result<T, String>) -> Result<T> {
        result.map_err(|problem| Error::input(self.path, format!("{name}.npy {problem}"), REMEDY))
    }

    fn layout(&self, archive: &mut Archive) -> Result<Layout> {
        let name = self.checked("format", self.array(archive, "format")?.text())?;
        match name.as_str() {
            "csr" => Ok(Layout::Csr),
            "csc" => Ok(Layout::Csc),
            "coo" => Ok(Layout::Coo),
            _ => Err(Error::input(
                self.path,
                format!("is a sparse matrix in the format {name:?}"),
                "convert it with its method tocsr() and save it again",
            )),
        }
    }

    /// Rows and columns.
    fn sizes(&self, archive: &mut Archive) -> Result<[u64; 2]> {
        let mut shape = self.array(archive, "shape")?;
        if self.checked("shape", shape.len())? != 2 {
            return self.checked("shape", Err("is not that of a matrix".into()));
        }
        let mut size = || self.checked("shape", shape.next().and_then(index));
        let sizes = [size()?, size()?];
        self.checked("shape", shape.end())?;
        Ok(sizes)
    }

    /// The count of entry `at`, from 0.
    #[inline]
    fn count(&self, value: Result<Number, String>, at: u64) -> Result<u64> {
        match self.checked("data", value)? {
            Number::Whole(count) => Ok(count),
            Number::Real(real) => {
                let problem = format!("entry {} of data.npy: the count {real} {}", at + 1, real_flaw(real));
                Err(Error::input(self.path, problem, COUNT_REMEDY))
            }
        }
    }
}

impl Entries for Matrix<'_> {
    fn shape(&self) -> Shape {
        if self.transpose {
            Shape { docs: self.columns, words: self.rows }
        } else {
            Shape { docs: self.rows, words: self.columns }
        }
    }

    fn num_entries(&self) -> u64 {
        self.num_entries
    }

    fn visit(&self, mut visit: impl FnMut(Entry) -> Result<ControlFlow<()>>) -> Result<()> {
        let (major_name, minor_name, majors, minors) = match self.layout {
            Layout::Csr => ("indptr", "indices", self.rows, self.columns),
            Layout::Csc => ("indptr", "indices", self.columns, self.rows),
            Layout::Coo => ("row", "col", self.rows, self.columns),
        };
        let mut archives = [self.archive()?, self.archive()?, self.archive()?];
        let [first, second, third] = &mut archives;
        let lines = Lines::new(self.array(first, major_name)?, self.layout, majors, self.num_entries);
        let mut lines = self.checked(major_name, lines)?;
        let mut minor = self.array(second, minor_name)?;
        self.checked(minor_name, check_len(&minor, self.num_entries))?;
        let mut data = self.array(third, "data")?;
        self.checked("data", check_len(&data, self.num_entries))?;
        for at in 0..self.num_entries {
            let i = self.checked(major_name, lines.of(at).and_then(|i| below(i, majors)))?;
            let j = self.checked(minor_name, minor.next().and_then(index).and_then(|j| below(j, minors)))?;
            let count = self.count(data.next(), at)?;
            // By columns, i is the column; transposed, the row is the word.
            let (d, v) = if (self.layout == Layout::Csc) == self.transpose { (i, j) } else { (j, i) };
            let entry = Entry { line: None, d: d as usize, v: v as u32, count };
            // A zero that is written out is no entry.
            if count > 0 && visit(entry)?.is_break() {
                return Ok(());
            }
        }
        self.checked(major_name, lines.end(self.num_entries))?;
        self.checked(minor_name, minor.end())?;
        self.checked("data", data.end())
    }
}

/// The row of each entry; by columns, its column.
enum Lines<R> {
    /// One after another.
    Listed(Npy<R>),
    /// Where each begins, and at last where the last one ends.
    Pointers {
        npy: Npy<R>,
        /// Lines of the matrix that have begun, and those that have not.
        begun: u64,
        left: u64,
        /// Where the current one ends.
        end: u64,
    },
}

impl<R: Read> Lines<R> {
    fn new(mut npy: Npy<R>, layout: Layout, majors: u64, num_entries: u64) -> Result<Self, String> {
        if layout == Layout::Coo {
            check_len(&npy, num_entries)?;
            return Ok(Self::Listed(npy));
        }
        check_len(&npy, majors.saturating_add(1))?;
        if npy.next()? != Number::Whole(0) {
            return Err("does not begin with 0".into());
        }
        Ok(Self::Pointers { npy, begun: 0, left: majors, end: 0 })
    }

    /// The line of entry `at`, from 0; entries are asked for in order.
    #[inline]
    fn of(&mut self, at: u64) -> Result<u64, String> {
        match self {
            Self::Listed(npy) => npy.next().and_then(index),
            Self::Pointers { npy, begun, left, end } => {
                while at >= *end {
                    if *left == 0 {
                        return Err(format!("ends at {end}, before the last entry"));
                    }
                    let next = index(npy.next()?)?;
                    if next < *end {
                        return Err(format!("has {next} after {end}"));
                    }
                    (*begun, *left, *end) = (*begun + 1, *left - 1, next);
                }
                Ok(*begun - 1)
            }
        }
    }

    /// Refuses lines that have more than `num_entries` entries together.
    fn end(self, num_entries: u64) -> Result<(), String> {
        match self {
            Self::Listed(npy) => npy.end(),
            Self::Pointers { mut npy, left, end, .. } => {
                // All that follow are empty.
                let mut last = end;
                for _ in 0..left {
                    last = index(npy.next()?)?;
                }
                if last != num_entries {
                    return Err(format!("ends at {last}, but there are {num_entries} entries"));
                }
                npy.end()
            }
        }
    }
}

/// The whole number that an index is.
fn index(number: Number) -> Result<u64, String> {
    match number {
        Number::Whole(index) => Ok(index),
        Number::Real(real) => Err(format!("has {real}, which is no index")),
    }
}

fn below(index: u64, most: u64) -> Result<u64, String> {
    if index < most { Ok(index) } else { Err(format!("has {index}, and the matrix ends before {most}")) }
}

fn check_len<R: Read>(npy: &Npy<R>, expected: u64) -> Result<(), String> {
    match npy.len()? {
        length if length == expected => Ok(()),
        length => Err(format!("has {length} values, and {expected} were expected")),
    }
}
