//! A corpus of strings, a document each.

use std::path::Path;

use super::{DocumentOptions, NOWHERE, blame};
use crate::corpus::Loaded;
use crate::corpus::documents::{Documents, RawDoc, Read, TextOptions};
use crate::error::Result;
use crate::machine::Memory;

/// The corpus of `texts`, a document each, prepared as text files are.
///
/// ```
/// use hdp_gpu::corpus::{self, DocumentOptions, PrepareOptions};
///
/// let texts = ["The ash and the birch", "Birches bend", ""];
/// let options = DocumentOptions { prepare: PrepareOptions::keep_all(), ..DocumentOptions::default() };
/// let loaded = corpus::from_texts(&texts, &options)?;
/// assert_eq!(loaded.corpus.vocab, ["and", "ash", "bend", "birch", "birches", "the"]);
/// assert_eq!(loaded.corpus.doc_start, [0, 5, 7, 7]);
/// # Ok::<(), hdp_gpu::Error>(())
/// ```
///
/// # Errors
/// [`Error::Corpus`](crate::Error::Corpus) when nothing is left of the texts, when one is too long, or when names or
/// metadata do not fit them; [`Error::Setting`](crate::Error::Setting) and, for files of stop words,
/// [`Error::Input`](crate::Error::Input) as for [`read`](crate::corpus::read).
pub fn from_texts<T: AsRef<str>>(texts: &[T], options: &DocumentOptions) -> Result<Loaded> {
    let intended = options.intended(true, |prepare| prepare.check_for_text(&TextOptions::default()))?;
    let memory = Memory::of_machine();
    let mut docs = Documents::new(intended, options.keep_text, &memory)?;
    for text in texts {
        let doc = RawDoc { path: Path::new(NOWHERE), line: None, name: None, text: text.as_ref() };
        docs.push(&doc).map_err(blame)?;
    }
    let Read { corpus, notes, intended, kept_text } = docs.finish().map_err(blame)?;
    options.finish("texts", corpus, notes, intended, kept_text)
}
