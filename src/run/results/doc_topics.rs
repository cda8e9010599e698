//! doc-topics.txt: each document's shares of the topics, in MALLET's layout, small ones with an exponent.

use std::io::{self, Write};

use super::mallet::field;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::estimate::DocTopics;
use crate::files::whole::write_whole;
use crate::run::folder::{Folder, name};

/// The layout is dense, a column for each topic number, while the largest active number is below this.
const DENSE_BELOW: u16 = 100;

/// Writes doc-topics.txt: θ_dk of every document and every topic that has tokens.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_doc_topics(folder: &Folder, corpus: &Corpus, docs: &DocTopics<'_>) -> Result<()> {
    let line = |d| line(docs, d, &corpus.doc_name(d)).expect("memory takes every line");
    write_whole(&folder.file(name::DOC_TOPICS), |out| {
        docs.for_each_made(line, |_, line| out.write_all(&line))
    })
}

/// The line of a document.
fn line(docs: &DocTopics<'_>, d: usize, name: &str) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    write!(out, "{d}\t{}", field(name))?;
    let mut shares = docs.all_shares(d);
    let largest = docs.shares().active().last().copied().unwrap_or(0);
    if largest < DENSE_BELOW {
        let mut pairs = shares.iter().peekable();
        for column in 0..=largest {
            let share = pairs.next_if(|&&(k, _)| k == column).map_or(0.0, |&(_, share)| share);
            write!(out, "\t{share:?}")?;
        }
    } else {
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (k, share) in shares {
            write!(out, "\t{k}\t{share:?}")?;
        }
    }
    writeln!(out)?;
    Ok(out)
}
