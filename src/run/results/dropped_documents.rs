//! dropped-documents.csv: the documents that preparation emptied, and why.

use crate::corpus::Corpus;
use crate::error::Result;
use crate::files::cell::defused;
use crate::files::whole::write_whole;
use crate::run::folder::{Folder, name};
use crate::run::record::PreparationRecord;

/// Writes dropped-documents.csv, unless no document was emptied.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_dropped_documents(
    folder: &Folder,
    corpus: &Corpus,
    preparation: &PreparationRecord,
) -> Result<()> {
    let PreparationRecord { settings, dropped } = preparation;
    if dropped.documents.is_empty() {
        return Ok(());
    }
    write_whole(&folder.file(name::DROPPED_DOCUMENTS), |out| {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(["number", "name", "tokens_before", "reason"])?;
        for document in &dropped.documents {
            let name = corpus.doc_name(document.number as usize - 1);
            let [number, tokens] = [document.number, document.tokens].map(|number| number.to_string());
            csv.write_record([number, defused(&name).into_owned(), tokens, document.reason(settings)])?;
        }
        csv.flush()
    })
}
