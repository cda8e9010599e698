//! The corpus: tokens by document, the vocabulary and the documents' names; and the readers that make one.

mod bag;
mod check;
pub mod dates;
mod decode;
mod detect;
mod digest;
mod documents;
mod entries;
mod gensim_dict;
pub mod holdout;
mod in_memory;
mod join;
mod kept_text;
mod kinds;
mod labels;
mod ldac;
mod loaded;
mod map;
mod memory;
mod mm;
mod notes;
mod npz;
mod numbers;
mod on_disk;
mod open;
mod per_token;
mod placed;
mod portion;
mod prepare;
mod prepared;
mod read;
pub mod sample;
mod spool;
pub mod state;
mod svmlight;
mod uci;
mod vocab;
mod zstd;

pub(crate) use bag::{order_with, shuffle_by};
pub use decode::TextEncoding;
pub use detect::Format;
pub use digest::{digest, labels_digest};
pub use documents::{Delimiter, TextOptions};
pub use in_memory::{Csr, DocumentOptions, from_csr, from_texts, from_tokens};
pub use join::NamePattern;
pub use kept_text::{KeptText, SpooledText};
pub(crate) use labels::Labels;
pub use loaded::Loaded;
pub(crate) use memory::strings_bytes;
pub use notes::{LoadNotes, SkippedFiles};
pub use per_token::{PerToken, Topics, Words};
pub use placed::{PlacedWord, Placer, TextOfDoc};
pub use portion::Portion;
pub use prepare::{
    Bigrams, Chosen, Dropped, DroppedDocument, Language, Preparation, PrepareOptions, StopWords,
    StopwordSource, Tally, TextPreparation,
};
#[cfg(feature = "testing")]
pub use prepared::prepared_bytes;
pub use prepared::write_prepared;
pub use read::{ReadOptions, read};
pub use vocab::VocabSource;

#[cfg(feature = "testing")]
pub use crate::files::source::with_files;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The longest document: B = Σ_k φ_kv·m_dk must fit in 64 bits on every device.
pub const MAX_DOC_TOKENS: usize = 1 << 24;

/// Tokens in scan order, document by document.
///
/// Every document of the input has its range in `doc_start`, empty ones too: an empty document has no
/// token to sample and adds nothing to any count or likelihood, but keeps its number and its row in results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corpus {
    /// The word type of each token; `w[i] < vocab.len()`.
    pub w: Words,
    /// Document d holds the tokens `doc_start[d]..doc_start[d + 1]`.
    pub doc_start: Vec<usize>,
    /// The words, by number.
    pub vocab: Vec<String>,
    /// The documents' names, when the input has any; otherwise documents are named by their number, from 1.
    pub doc_names: Option<Vec<String>>,
    /// What else the input says about its documents.
    pub metadata: Metadata,
    /// Where each document's tokens begin in the random streams, if that is not their place in the corpus: a
    /// document whose topics shall not depend on its neighbours is drawn by what it holds.
    pub stream_index: Option<Vec<u64>>,
}

/// Columns of values, one a document, that are carried along to the results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The columns, in the order of the input.
    pub columns: Vec<MetadataColumn>,
}

/// A column of metadata.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetadataColumn {
    /// Its name.
    pub name: String,
    /// Its value for each document; empty where the input has none.
    pub values: Vec<String>,
}

impl Corpus {
    /// A corpus whose documents have no names and no metadata: the word number of each token, where each document
    /// begins and at last the number of tokens, and the words.
    ///
    /// ```
    /// use hdp_gpu::Corpus;
    ///
    /// let words = vec!["ash".to_owned(), "birch".to_owned()];
    /// let corpus = Corpus::new(vec![0, 1, 1], vec![0, 2, 3], words.clone())?;
    /// assert_eq!((corpus.num_docs(), corpus.num_tokens()), (2, 3));
    ///
    /// let error = Corpus::new(vec![0, 2], vec![0, 2], words).unwrap_err();
    /// assert!(error.to_string().starts_with("corpus: token 1 has the word number 2, and there are 2 words"));
    /// # Ok::<(), hdp_gpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Corpus`] when the parts do not fit together, or a document or a word has more
    /// tokens than can be counted.
    pub fn new(w: Vec<u32>, doc_start: Vec<usize>, vocab: Vec<String>) -> Result<Self> {
        let corpus = Self::of_parts(w, doc_start, vocab);
        corpus.check()?;
        Ok(corpus)
    }

    /// As [`Self::new`], of parts that their maker has checked one by one.
    pub(crate) fn from_checked(w: Vec<u32>, doc_start: Vec<usize>, vocab: Vec<String>) -> Self {
        let corpus = Self::of_parts(w, doc_start, vocab);
        debug_assert!(corpus.check_parts().is_ok(), "{:?}", corpus.check_parts());
        corpus
    }

    fn of_parts(w: Vec<u32>, doc_start: Vec<usize>, vocab: Vec<String>) -> Self {
        Self {
            w: w.into(),
            doc_start,
            vocab,
            doc_names: None,
            metadata: Metadata::default(),
            stream_index: None,
        }
    }

    /// Refuses a corpus that lies in a mapped file which has been written to since it was read, as far as the file's length and
    /// time tell.
    ///
    /// # Errors
    /// [`Error::Input`].
    pub fn check_unchanged(&self) -> Result<()> {
        self.w.check_stamp()
    }

    /// As [`Self::check_unchanged`], with a look at every byte of the file.
    ///
    /// # Errors
    /// [`Error::Input`].
    pub fn check_content(&self) -> Result<()> {
        self.w.check_content()
    }

    /// The cause of `error`, if that is that the corpus has changed, or else `error` itself.
    #[must_use]
    pub fn blamed(&self, error: Error) -> Error {
        self.check_unchanged().err().unwrap_or(error)
    }

    /// N, the number of tokens.
    pub fn num_tokens(&self) -> usize {
        self.w.len()
    }

    /// D, the number of documents, empty ones included.
    pub fn num_docs(&self) -> usize {
        self.doc_start.len() - 1
    }

    /// V, the number of word types.
    pub fn vocab_size(&self) -> usize {
        self.vocab.len()
    }

    /// The tokens of document `d`.
    pub fn doc(&self, d: usize) -> std::ops::Range<usize> {
        self.doc_start[d]..self.doc_start[d + 1]
    }

    /// The tokens of some documents.
    pub(crate) fn tokens_of(&self, docs: &std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.doc_start[docs.start]..self.doc_start[docs.end]
    }

    /// The index of document `d`'s first token in the random streams.
    pub fn stream_index(&self, d: usize) -> u64 {
        self.stream_index.as_ref().map_or(self.doc_start[d] as u64, |index| index[d])
    }

    /// N_d for every document.
    pub fn doc_lengths(&self) -> impl Iterator<Item = usize> + '_ {
        self.doc_start.windows(2).map(|range| range[1] - range[0])
    }

    /// N_v for every word.
    pub fn word_tokens(&self) -> Vec<u64> {
        let mut tokens = vec![0; self.vocab_size()];
        for &v in &self.w {
            tokens[v as usize] += 1;
        }
        tokens
    }

    /// The name of document `d`.
    pub fn doc_name(&self, d: usize) -> String {
        self.doc_names.as_ref().map_or_else(|| (d + 1).to_string(), |names| names[d].clone())
    }
}
