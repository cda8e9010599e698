//! A corpus of a sparse matrix of counts: a row is a document, a column a word.

use std::collections::HashSet;
use std::fmt::Display;
use std::ops::ControlFlow;
use std::path::Path;

use super::{DocumentOptions, NOWHERE, blame, check_word};
use crate::corpus::check::Flaw;
use crate::corpus::entries::{self, Entries, Entry, Shape};
use crate::corpus::{Corpus, LoadNotes, Loaded};
use crate::error::Result;
use crate::machine::Memory;

/// What to do about rows that are none.
const INDPTR_REMEDY: &str = "give where each row begins, from 0 up, and at last the number of entries";

/// A sparse matrix by rows, as scipy's csr_matrix holds it. Its numbers may be of any integer type; entries of a row may be
/// in any order, and those of one column are added up.
#[derive(Clone, Copy, Debug)]
pub struct Csr<'a, P, I, C> {
    /// Row d has the entries `indptr[d]..indptr[d + 1]`.
    pub indptr: &'a [P],
    /// The column of each entry.
    pub indices: &'a [I],
    /// The count of each entry.
    pub data: &'a [C],
    /// The number of columns.
    pub columns: usize,
}

/// The corpus of a matrix of counts whose columns are called `vocab`, or by their numbers from 0.
///
/// It is the corpus of a file of the same matrix: each document is in the order that a bag of words is given, which depends
/// on its counts and its number only.
///
/// ```
/// use hdp_gpu::corpus::{self, Csr, DocumentOptions};
///
/// let matrix = Csr { indptr: &[0, 2, 2, 3], indices: &[0, 1, 1], data: &[1, 2, 3], columns: 2 };
/// let words = vec!["ash".to_owned(), "birch".to_owned()];
/// let loaded = corpus::from_csr(&matrix, Some(words), &DocumentOptions::default())?;
/// assert_eq!(loaded.corpus.doc_start, [0, 3, 3, 6]);
/// assert_eq!(loaded.corpus.word_tokens(), [1, 5]);
/// # Ok::<(), hdp_gpu::Error>(())
/// ```
///
/// # Errors
/// [`Error::Corpus`](crate::Error::Corpus) when the arrays are those of no matrix, when a count is negative, when the
/// vocabulary does not fit, and as for [`from_texts`](super::from_texts); [`Error::Setting`](crate::Error::Setting) for
/// settings of text.
pub fn from_csr<P, I, C>(
    matrix: &Csr<'_, P, I, C>,
    vocab: Option<Vec<String>>,
    options: &DocumentOptions,
) -> Result<Loaded>
where
    P: Copy + Display + TryInto<u64>,
    I: Copy + Display + TryInto<u64>,
    C: Copy + Display + TryInto<u64>,
{
    let intended = options.intended(false, |prepare| prepare.check_for_counts("a matrix of counts"))?;
    matrix.check()?;
    let repeated_words = vocab.as_ref().map_or(Ok(0), |vocab| check_vocab(vocab, matrix.columns))?;
    let memory = Memory::of_machine();
    let bags = entries::checked_bags(matrix, Path::new(NOWHERE), &memory).map_err(blame)?;
    let vocab = vocab.unwrap_or_else(|| (0..matrix.columns).map(|v| v.to_string()).collect());
    let notes = LoadNotes { merged_entries: bags.merged_entries, repeated_words, ..LoadNotes::default() };
    options.finish("csr", Corpus::from_checked(bags.w, bags.doc_start, vocab), notes, intended, None)
}

/// Refuses words that are not those of `columns` columns; returns how many repeat an earlier one.
fn check_vocab(vocab: &[String], columns: usize) -> Result<u64> {
    if vocab.len() != columns {
        let problem = format!("{} words are given for {columns} columns", vocab.len());
        return Err(Flaw::new(problem, "give one per column, or none to name words by their number").into());
    }
    for (v, word) in vocab.iter().enumerate() {
        check_word(word, || format!("the word of column {v}"))?;
    }
    Ok((columns - vocab.iter().collect::<HashSet<_>>().len()) as u64)
}

impl<P, I, C> Csr<'_, P, I, C>
where
    P: Copy + Display + TryInto<u64>,
{
    /// Refuses arrays whose lengths do not fit, and rows that do not follow each other from the first entry to the last.
    fn check(&self) -> Result<(), Flaw> {
        let Self { indptr, indices, data, .. } = self;
        if indices.len() != data.len() {
            let problem = format!("indices has {} numbers and data has {}", indices.len(), data.len());
            return Err(Flaw::new(problem, "give both for each entry"));
        }
        let mut end = 0;
        for (at, &next) in indptr.iter().enumerate() {
            match next.try_into() {
                Ok(0) if at == 0 => {}
                Ok(next) if at > 0 && next >= end => end = next,
                _ if at == 0 => {
                    return Err(Flaw::new(format!("indptr begins with {next}, not with 0"), INDPTR_REMEDY));
                }
                _ => return Err(Flaw::new(format!("indptr has {next} after {end}"), INDPTR_REMEDY)),
            }
        }
        if indptr.is_empty() || end != data.len() as u64 {
            let problem = format!("indptr ends at {end}, and there are {} entries", data.len());
            return Err(Flaw::new(problem, INDPTR_REMEDY));
        }
        Ok(())
    }

    /// Where row `d` begins, in a matrix that has been checked.
    fn start(&self, d: usize) -> usize {
        self.indptr[d].try_into().map_or(usize::MAX, |start| start as usize)
    }
}

impl<P, I, C> Entries for Csr<'_, P, I, C>
where
    P: Copy + Display + TryInto<u64>,
    I: Copy + Display + TryInto<u64>,
    C: Copy + Display + TryInto<u64>,
{
    fn shape(&self) -> Shape {
        Shape { docs: self.indptr.len() as u64 - 1, words: self.columns as u64 }
    }

    fn num_entries(&self) -> u64 {
        self.data.len() as u64
    }

    fn visit(&self, mut visit: impl FnMut(Entry) -> Result<ControlFlow<()>>) -> Result<()> {
        for d in 0..self.indptr.len() - 1 {
            for at in self.start(d)..self.start(d + 1) {
                let Some(v) = self.indices[at].try_into().ok().filter(|&v| v < self.columns as u64) else {
                    let (column, columns) = (self.indices[at], self.columns);
                    let problem =
                        format!("entry {at} is in column {column}, and there are {columns} columns");
                    return Err(Flaw::new(problem, "number columns from 0").into());
                };
                let Ok(count) = self.data[at].try_into() else {
                    let problem = format!("entry {at} has the count {}", self.data[at]);
                    return Err(Flaw::new(problem, "give how often each word occurs, 0 or more").into());
                };
                let entry = Entry { line: None, d, v: v as u32, count };
                // A zero that is written out is no entry.
                if count > 0 && visit(entry)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
