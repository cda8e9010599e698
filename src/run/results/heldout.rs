//! Held-out documents in a run's folder: the corpus, so that the run can be scored again, and a list.

use crate::corpus::write_prepared;
use crate::corpus::{self, Corpus, Format, LoadNotes, Preparation, ReadOptions};
use crate::error::Result;
use crate::files::cell::defused;
use crate::files::whole::write_whole;
use crate::run::folder::{Folder, name};
use crate::run::record::{RunRecord, damaged};

/// Writes heldout.corpus and heldout-documents.csv; `docs` are held out.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_held_out(
    folder: &Folder,
    held_out: &Corpus,
    docs: &[usize],
    preparation: &Preparation,
) -> Result<()> {
    let format = Format::Prepared.name();
    write_prepared(&folder.file(name::HELD_OUT), held_out, format, preparation, &LoadNotes::default())?;
    write_whole(&folder.file(name::HELD_OUT_DOCUMENTS), |out| {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(["number", "name", "tokens"])?;
        for &d in docs {
            let name = defused(&held_out.doc_name(d)).into_owned();
            csv.write_record([(d + 1).to_string(), name, held_out.doc(d).len().to_string()])?;
        }
        csv.flush()
    })
}

/// Reads the documents that a run held out; none if it did not.
///
/// # Errors
/// [`crate::Error::Read`] or [`crate::Error::Input`] when the file is damaged.
pub fn read_held_out(run: &Folder) -> Result<Option<Corpus>> {
    let Some(holdout) = RunRecord::read(run)?.holdout else { return Ok(None) };
    let path = run.plain_file(name::HELD_OUT)?;
    let options = ReadOptions { format: Some(Format::Prepared), ..ReadOptions::default() };
    let held_out = corpus::read(&path, &options)?.corpus;
    if held_out.num_tokens() != holdout.tokens {
        let problem =
            format!("has {} tokens, and the run held out {}", held_out.num_tokens(), holdout.tokens);
        return Err(damaged(&path, problem));
    }
    Ok(Some(held_out))
}
