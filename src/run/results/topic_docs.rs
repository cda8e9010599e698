//! topic-docs.csv: the documents with the largest shares of each topic.

use super::table::{Cell, Kind, Table, columns, write_csv};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::estimate::DocTopics;
use crate::evaluate::summary::insert_top;
use crate::run::folder::{Folder, name};

/// Documents of a topic.
const DOCUMENTS: usize = 20;

/// A document's share of a topic and its tokens: what it is ranked by.
pub(crate) type Rank = (f64, usize);

/// Writes topic-docs.csv, topics by number; only documents with tokens of a topic are listed.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_topic_docs(folder: &Folder, corpus: &Corpus, docs: &DocTopics<'_>) -> Result<()> {
    let header = columns(&[
        ("topic", Kind::Int),
        ("rank", Kind::Int),
        ("document", Kind::Int),
        ("name", Kind::Text),
        ("tokens", Kind::Int),
        ("share", Kind::Real),
    ]);
    let tops = largest_shares(docs, DOCUMENTS);
    let table = Table::new(header, |sink| {
        for (k, top) in tops.iter().enumerate() {
            for (rank, &((share, tokens), d)) in top.iter().enumerate() {
                sink(&[
                    Cell::Int(k as i64),
                    Cell::Int(rank as i64 + 1),
                    Cell::Int(i64::from(d) + 1),
                    Cell::Text(&corpus.doc_name(d as usize)),
                    Cell::Int(tokens as i64),
                    Cell::Real(share),
                ])?;
            }
        }
        Ok(())
    });
    write_csv(&folder.file(name::TOPIC_DOCS), &table)
}

/// The `most` documents with the largest shares of each topic up to K*, falling; ties by tokens, then by number.
pub(crate) fn largest_shares(docs: &DocTopics<'_>, most: usize) -> Vec<Vec<(Rank, u32)>> {
    let mut tops: Vec<Vec<(Rank, u32)>> = vec![Vec::new(); docs.shares().alpha_psi().len()];
    let Ok(()) = docs.for_each(|d, topics| {
        for topic in topics {
            let rank = (topic.share, docs.tokens(d));
            insert_top(&mut tops[usize::from(topic.topic)], most, rank, d as u32);
        }
        Ok::<(), std::convert::Infallible>(())
    });
    tops
}
