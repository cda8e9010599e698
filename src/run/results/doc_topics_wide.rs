//! doc-topics-wide.csv: a row for each document and a column for each topic, for spreadsheets and regressions.

use super::doc_topics_csv::wide_columns;
use super::table::{Cell, Table, write_csv};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::estimate::DocTopics;
use crate::run::folder::{Folder, name};

/// Larger tables are left to theta.npz: few programs open them.
pub(crate) const MOST_SHARES: usize = 5_000_000;

/// Writes doc-topics-wide.csv: θ_dk of every topic that has tokens, so that rows sum to 1; unless it would be too large.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_wide(folder: &Folder, corpus: &Corpus, docs: &DocTopics<'_>) -> Result<()> {
    let path = folder.file(name::DOC_TOPICS_WIDE);
    let active = docs.shares().active();
    if docs.num_docs().saturating_mul(active.len()) > MOST_SHARES {
        return folder.remove_result(name::DOC_TOPICS_WIDE);
    }
    let table = Table::new(wide_columns(corpus, active), |sink| {
        docs.for_each_made(
            |d| docs.all_shares(d),
            |d, shares| {
                let name = corpus.doc_name(d);
                let mut row =
                    vec![Cell::Int(d as i64 + 1), Cell::Text(&name), Cell::Int(docs.tokens(d) as i64)];
                row.extend(corpus.metadata.columns.iter().map(|column| Cell::Text(&column.values[d])));
                row.extend(shares.iter().map(|&(_, share)| Cell::Real(share)));
                sink(&row)
            },
        )
    });
    write_csv(&path, &table)
}
