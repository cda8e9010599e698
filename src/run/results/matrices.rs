//! phi.npz and theta.npz: Φ and θ as sparse matrices that `scipy.sparse.load_npz` reads, with what the cells that are not
//! stored have, and standard deviations when there are samples.

use std::io::{self, Seek, Write};
use std::path::Path;

use crate::error::Result;
use crate::estimate::{DocTopic, DocTopics, PhiRow, PhiRows};
use crate::files::npz::{NpzWriter, Push};
use crate::files::whole::write_whole;

/// Writes Φ, K* × V: `floor` is φ_kv of the cells of topic k that are not stored.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_phi(path: &Path, phi: &PhiRows) -> Result<()> {
    let rows = &phi.rows;
    let cells = rows.iter().map(|row| row.words.len()).sum();
    let shape = Shape { rows: rows.len(), columns: phi.vocab_size, cells };
    let has_sd = rows.iter().any(|row| !row.sd.is_empty());
    let values = |of: fn(&PhiRow) -> &[f64]| rows.iter().flat_map(of).copied();
    write_whole(path, |out| {
        let mut npz = NpzWriter::new(out);
        shape.write(&mut npz)?;
        shape.indices(&mut npz, "indptr", rows.len() + 1, |push| {
            row_starts(rows.iter().map(|row| row.words.len())).try_for_each(push)
        })?;
        shape.indices(&mut npz, "indices", cells, |push| {
            rows.iter().flat_map(|row| &row.words).try_for_each(|&v| push(v as usize))
        })?;
        npz.array("data", &[cells], |push| values(|row| &row.phi).try_for_each(push))?;
        if has_sd {
            npz.array("sd", &[cells], |push| values(|row| &row.sd).try_for_each(push))?;
        }
        npz.vector("floor", rows.iter().map(|row| row.floor))?;
        npz.finish()
    })
}

/// Writes θ of the topics that have tokens, whose numbers are in `topics`, a column for each: a cell (d, i) that is not stored is
/// `alpha_psi[i] / (prior + tokens[d])`, and so rows sum to 1.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_theta(path: &Path, docs: &DocTopics<'_>) -> Result<()> {
    let (num_docs, shares) = (docs.num_docs(), docs.shares());
    let mut columns = vec![0; shares.alpha_psi().len()];
    shares.active().iter().zip(0..).for_each(|(&k, column)| columns[usize::from(k)] = column);
    let mut lengths = Vec::with_capacity(num_docs);
    let Ok(()) = docs.for_each(|_, topics| {
        lengths.push(topics.len());
        Ok::<(), std::convert::Infallible>(())
    });
    let cells = lengths.iter().sum();
    let shape = Shape { rows: num_docs, columns: shares.active().len(), cells };
    let reals = |push: &mut Push<'_, f64>, of: fn(&DocTopic) -> f64| {
        docs.for_each(|_, topics| topics.iter().try_for_each(|topic| push(of(topic))))
    };
    write_whole(path, |out| {
        let mut npz = NpzWriter::new(out);
        shape.write(&mut npz)?;
        shape.indices(&mut npz, "indptr", num_docs + 1, |push| {
            row_starts(lengths.iter().copied()).try_for_each(push)
        })?;
        shape.indices(&mut npz, "indices", cells, |push| {
            docs.for_each(|_, topics| {
                topics.iter().try_for_each(|topic| push(columns[usize::from(topic.topic)]))
            })
        })?;
        npz.array("data", &[cells], |push| reals(push, |topic| topic.share))?;
        if docs.has_sd() {
            npz.array("sd", &[cells], |push| reals(push, |topic| topic.sd.unwrap_or(f64::NAN)))?;
        }
        npz.vector("topics", shares.active().iter().map(|&k| i64::from(k)))?;
        npz.vector("alpha_psi", shares.active().iter().map(|&k| shares.alpha_psi()[usize::from(k)]))?;
        npz.array("prior", &[], |push| push(shares.prior()))?;
        npz.vector("tokens", (0..num_docs).map(|d| docs.tokens(d) as i64))?;
        npz.finish()
    })
}

/// Where each row begins, and where the last one ends.
fn row_starts(lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(lengths.scan(0, |end, length| {
        *end += length;
        Some(*end)
    }))
}

/// The sizes of a sparse matrix.
struct Shape {
    rows: usize,
    columns: usize,
    /// Cells that are stored.
    cells: usize,
}

impl Shape {
    fn write(&self, npz: &mut NpzWriter<impl Write + Seek>) -> io::Result<()> {
        npz.text("format", "csr")?;
        npz.vector("shape", [self.rows as i64, self.columns as i64].into_iter())
    }

    /// Adds an array of `length` places, with 32 bits when all of them fit, as SciPy does.
    fn indices(
        &self,
        npz: &mut NpzWriter<impl Write + Seek>,
        name: &str,
        length: usize,
        fill: impl FnOnce(&mut Push<'_, usize>) -> io::Result<()>,
    ) -> io::Result<()> {
        let largest = self.rows.max(self.columns).max(self.cells);
        if i32::try_from(largest).is_ok() {
            npz.array(name, &[length], |push| fill(&mut |place| push(place as i32)))
        } else {
            npz.array(name, &[length], |push| fill(&mut |place| push(place as i64)))
        }
    }
}
