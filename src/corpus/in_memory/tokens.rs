//! A corpus of documents that have been cut into words.

use std::path::Path;

use super::{DocumentOptions, NOWHERE, blame, check_word};
use crate::corpus::documents::{Documents, Read, TextOptions};
use crate::corpus::prepare::Intended;
use crate::corpus::{Loaded, PrepareOptions};
use crate::error::Result;
use crate::machine::Memory;

/// What the words are in other text that is prepared like this: all that stands between white space.
const BETWEEN_BLANKS: &str = r"\S+";

/// The corpus of `docs`, a list of words each, in the order of the words. They are prepared as the words of text are: put
/// into lower case, for example, unless `keep_case` is asked for.
///
/// It is the corpus of a text file whose words are cut at white space, by a `token_pattern` of `\S+`, which is also what
/// the preparation says; but a word may have spaces in it.
///
/// ```
/// use hdp_gpu::corpus::{self, DocumentOptions, PrepareOptions};
///
/// let docs = [vec!["ash", "new york", "ash"], vec!["C++", "ash"]];
/// let options = DocumentOptions { prepare: PrepareOptions::keep_all(), ..DocumentOptions::default() };
/// let loaded = corpus::from_tokens(&docs, &options)?;
/// assert_eq!(loaded.corpus.vocab, ["ash", "c++", "new york"]);
/// assert_eq!(loaded.corpus.w, [0, 2, 0, 1, 0]);
/// # Ok::<(), hdp_gpu::Error>(())
/// ```
///
/// # Errors
/// [`Error::Corpus`](crate::Error::Corpus) when a word is empty, or has a line end in it or white space at an end, and as
/// for [`from_texts`](super::from_texts); [`Error::Setting`](crate::Error::Setting) for a `token_pattern`.
pub fn from_tokens<D, W>(docs: &[D], options: &DocumentOptions) -> Result<Loaded>
where
    D: AsRef<[W]>,
    W: AsRef<str>,
{
    let intended = options.intended(true, check_for_tokens)?;
    let memory = Memory::of_machine();
    let mut documents = Documents::new(intended, false, &memory)?;
    for (d, doc) in docs.iter().enumerate() {
        let words = doc.as_ref();
        for (i, word) in words.iter().enumerate() {
            check_word(word.as_ref(), || format!("word {} of document {}", i + 1, d + 1))?;
        }
        documents.push_words(Path::new(NOWHERE), words.iter().map(AsRef::as_ref)).map_err(blame)?;
    }
    let Read { corpus, notes, intended, .. } = documents.finish().map_err(blame)?;
    options.finish("tokens", corpus, notes, intended, None)
}

fn check_for_tokens(prepare: &PrepareOptions) -> Result<Intended> {
    prepare.check_for_tokens("a list of tokens")?;
    let token_pattern = Some(BETWEEN_BLANKS.to_owned());
    PrepareOptions { token_pattern, ..prepare.clone() }.check_for_text(&TextOptions::default())
}
