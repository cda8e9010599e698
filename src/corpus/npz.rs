//! Reads a sparse matrix as scipy.sparse.save_npz writes it: a zip of NumPy arrays, by rows (csr), by columns (csc)
//! or by coordinates (coo). Rows are documents. The arrays are read side by side, so that none is ever held.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use super::entries::{self, Entries, Entry, Shape};
use super::numbers::{COUNT_REMEDY, real_flaw, whole};
use super::vocab::VocabSource;
use super::{Corpus, LoadNotes, open};
use crate::error::{Error, Result};
use crate::files::npz::{Archive, MAGIC, Npy, NpzReader, Number};
use crate::machine::Memory;

const REMEDY: &str = "save the matrix again with scipy.sparse.save_npz";

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
    npz: NpzReader<'a>,
    layout: Layout,
    rows: u64,
    columns: u64,
    num_entries: u64,
    transpose: bool,
}

impl Layout {
    fn read(npz: &NpzReader<'_>, archive: &mut Archive) -> Result<Self> {
        let name = npz.checked("format", npz.array(archive, "format")?.text())?;
        match name.as_str() {
            "csr" => Ok(Self::Csr),
            "csc" => Ok(Self::Csc),
            "coo" => Ok(Self::Coo),
            _ => Err(Error::input(
                npz.path,
                format!("is a sparse matrix in the format {name:?}"),
                "convert it with its method tocsr() and save it again",
            )),
        }
    }
}

/// Rows and columns.
fn sizes(npz: &NpzReader<'_>, archive: &mut Archive) -> Result<[u64; 2]> {
    let mut shape = npz.array(archive, "shape")?;
    if npz.checked("shape", shape.len())? != 2 {
        return npz.checked("shape", Err("is not that of a matrix".into()));
    }
    let mut size = || npz.checked("shape", shape.next().and_then(index));
    let sizes = [size()?, size()?];
    npz.checked("shape", shape.end())?;
    Ok(sizes)
}

impl<'a> Matrix<'a> {
    fn open(path: &'a Path, transpose: bool, memory: &Memory) -> Result<Self> {
        let unpacked = open::unpacked(path, MAGIC, memory)?.map(Arc::from);
        let npz = NpzReader { path, unpacked, remedy: REMEDY };
        let mut archive = npz.open()?;
        let layout = Layout::read(&npz, &mut archive)?;
        let [rows, columns] = sizes(&npz, &mut archive)?;
        let num_entries = npz.checked("data", npz.array(&mut archive, "data")?.len())?;
        Ok(Self { npz, layout, rows, columns, num_entries, transpose })
    }

    /// The count of entry `at`, from 0.
    #[inline]
    fn count(&self, value: Result<Number, String>, at: u64) -> Result<u64> {
        whole_number(self.npz.checked("data", value)?).map_err(|real| {
            let problem = format!("entry {} of data.npy: the count {real} {}", at + 1, real_flaw(real));
            Error::input(self.npz.path, problem, COUNT_REMEDY)
        })
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
        let npz = &self.npz;
        let (major_name, minor_name, majors, minors) = match self.layout {
            Layout::Csr => ("indptr", "indices", self.rows, self.columns),
            Layout::Csc => ("indptr", "indices", self.columns, self.rows),
            Layout::Coo => ("row", "col", self.rows, self.columns),
        };
        let mut archives = [npz.open()?, npz.open()?, npz.open()?];
        let [first, second, third] = &mut archives;
        let lines = Majors::new(npz.array(first, major_name)?, self.layout, majors, self.num_entries);
        let mut lines = npz.checked(major_name, lines)?;
        let mut minor = npz.array(second, minor_name)?;
        npz.checked(minor_name, minor.check_len(self.num_entries))?;
        let mut data = npz.array(third, "data")?;
        npz.checked("data", data.check_len(self.num_entries))?;
        for at in 0..self.num_entries {
            let i = npz.checked(major_name, lines.of(at).and_then(|i| below(i, majors)))?;
            let j = npz.checked(minor_name, minor.next().and_then(index).and_then(|j| below(j, minors)))?;
            let count = self.count(data.next(), at)?;
            // By columns, i is the column; transposed, the row is the word.
            let (d, v) = if (self.layout == Layout::Csc) == self.transpose { (i, j) } else { (j, i) };
            let entry = Entry { line: None, d: d as usize, v: v as u32, count };
            // A zero that is written out is no entry.
            if count > 0 && visit(entry)?.is_break() {
                return Ok(());
            }
        }
        npz.checked(major_name, lines.end(self.num_entries))?;
        npz.checked(minor_name, minor.end())?;
        npz.checked("data", data.end())
    }
}

/// The row of each entry; by columns, its column.
enum Majors<R> {
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

impl<R: Read> Majors<R> {
    fn new(mut npy: Npy<R>, layout: Layout, majors: u64, num_entries: u64) -> Result<Self, String> {
        if layout == Layout::Coo {
            npy.check_len(num_entries)?;
            return Ok(Self::Listed(npy));
        }
        npy.check_len(majors.saturating_add(1))?;
        if npy.next().and_then(index)? != 0 {
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

/// The whole number that `number` is, also when it is stored as a real one; else what it is.
#[inline]
fn whole_number(number: Number) -> Result<u64, f64> {
    match number {
        Number::Whole(number) => Ok(number),
        Number::Real(real) => whole(real).ok_or(real),
    }
}

/// The whole number that an index is.
fn index(number: Number) -> Result<u64, String> {
    whole_number(number).map_err(|real| format!("has {real}, which is no index"))
}

fn below(index: u64, most: u64) -> Result<u64, String> {
    if index < most { Ok(index) } else { Err(format!("has {index}, and the matrix ends before {most}")) }
}
