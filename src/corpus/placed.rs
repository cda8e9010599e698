//! Where the tokens of documents stand in their text: it is cut and prepared again as it was before.
//!
//! Nothing is remembered of places while a corpus is read, which would take more memory than its tokens do. A preparation is complete, so
//! that text gives the same tokens at any time; whether it does is seen, and text that does not is not taken for a document's own.

use std::collections::HashMap;
use std::ops::Range;

use super::documents::Interner;
use super::prepare::{InPlace, Splitter, prepare_in_place};
use super::{Corpus, Preparation};
use crate::error::Result;

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedWord {
    /// Where it stands there, in bytes.
    pub span: Range<usize>,
    /// The token of the document that it is, from 0; both words of a pair are one. Most have been left out.
    pub token: Option<usize>,
}

/// A document's text, and the words of its tokens.
#[derive(Clone, Copy, Debug)]
pub struct TextOfDoc<'a> {
    /// As its file has it.
    pub text: &'a str,
    /// By their numbers.
    pub w: &'a [u32],
}

/// Finds the words of texts again.
pub struct Placer<'a> {
    settings: &'a Preparation,
    splitter: Splitter,
    numbers: HashMap<&'a str, u32>,
}

impl<'a> Placer<'a> {
    /// For documents that were prepared by these settings and have these words.
    ///
    /// # Errors
    /// [`Error::Corpus`](crate::Error::Corpus) when this program cannot cut text so.
    pub fn new(settings: &'a Preparation, vocab: &'a [String]) -> Result<Self> {
        let numbers = vocab.iter().map(String::as_str).zip(0..).collect();
        Ok(Self { settings, splitter: Splitter::new(settings)?, numbers })
    }

    /// The words of each text in their order; nothing for one that does not give the tokens of its document.
    ///
    /// # Errors
    /// None that depend on the texts.
    pub fn place(&mut self, docs: &[TextOfDoc<'_>]) -> Result<Vec<Option<Vec<PlacedWord>>>> {
        let mut words = Interner::default();
        let (mut w, mut spans, mut doc_start) = (Vec::new(), Vec::new(), vec![0]);
        for TextOfDoc { text, .. } in docs {
            self.splitter.each_word(text, |found, word| {
                let start = found.as_ptr() as usize - text.as_ptr() as usize;
                spans.push(start..start + found.len());
                w.push(words.number(word));
                Ok(())
            })?;
            doc_start.push(w.len());
        }
        let corpus = Corpus::from_checked(w, doc_start.clone(), words.into_words());
        let (in_place, vocab) = prepare_in_place(corpus, self.settings);
        let numbers: Vec<_> = vocab.iter().map(|word| self.numbers.get(word.as_str()).copied()).collect();
        let docs = docs.iter().zip(doc_start.windows(2));
        Ok(docs
            .map(|(doc, ends)| found(&spans[ends[0]..ends[1]], &in_place[ends[0]..ends[1]], &numbers, doc.w))
            .collect())
    }
}

/// The words of one text, if they are those of the tokens `w`; `numbers` has the word of those for each word here.
fn found(
    spans: &[Range<usize>],
    in_place: &[InPlace],
    numbers: &[Option<u32>],
    w: &[u32],
) -> Option<Vec<PlacedWord>> {
    let (mut next, mut last) = (0, None);
    let mut words = Vec::with_capacity(spans.len());
    for (span, place) in spans.iter().zip(in_place) {
        let token = match place {
            InPlace::Gone => None,
            InPlace::Joined => last,
            InPlace::Word(v) => match numbers[*v as usize] {
                Some(v) if w.get(next) == Some(&v) => {
                    next += 1;
                    Some(next - 1)
                }
                Some(_) => return None,
                None => None,
            },
        };
        last = token;
        words.push(PlacedWord { span: span.clone(), token });
    }
    (next == w.len()).then_some(words)
}
