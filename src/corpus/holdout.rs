//! Documents that are kept out of training, to score the model on.

use std::sync::Arc;

use super::Corpus;
use crate::error::Result;
use crate::rng::{Step, Stream};

/// A corpus in two parts that have the same documents, words, names and metadata; a document is empty in one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// What is trained on.
    pub train: Arc<Corpus>,
    /// What is held out.
    pub held_out: Corpus,
    /// The documents that are held out, ascending.
    pub docs: Vec<usize>,
}

impl Split {
    /// The same with the words of both parts in files, as [`Corpus::put_away`] has them.
    pub(crate) fn put_away(self) -> Result<Self> {
        let train = Arc::unwrap_or_clone(self.train).put_away()?;
        Ok(Self { train: Arc::new(train), held_out: self.held_out.put_away()?, docs: self.docs })
    }
}

/// Holds out `share` of the documents with tokens, rounded; which ones depends on `seed` and the documents' numbers.
pub fn hold_out(corpus: &Corpus, share: f64, seed: u64) -> Split {
    let with_tokens = (0..corpus.num_docs()).filter(|&d| !corpus.doc(d).is_empty());
    let key = |d: usize| Stream::new(seed, Step::HoldOut, 0, d as u32).next_u64();
    let mut docs: Vec<(u64, usize)> = with_tokens.map(|d| (key(d), d)).collect();
    docs.sort_unstable();
    docs.truncate((share * docs.len() as f64).round() as usize);
    let mut is_held_out = vec![false; corpus.num_docs()];
    docs.iter().for_each(|&(_, d)| is_held_out[d] = true);
    Split {
        train: Arc::new(part(corpus, |d| !is_held_out[d])),
        held_out: part(corpus, |d| is_held_out[d]),
        docs: (0..corpus.num_docs()).filter(|&d| is_held_out[d]).collect(),
    }
}

/// The corpus with only the tokens of documents for which `is_kept` holds.
fn part(corpus: &Corpus, is_kept: impl Fn(usize) -> bool) -> Corpus {
    let mut w = Vec::new();
    let mut doc_start = vec![0];
    for d in 0..corpus.num_docs() {
        if is_kept(d) {
            w.extend_from_slice(&corpus.w[corpus.doc(d)]);
        }
        doc_start.push(w.len());
    }
    Corpus {
        w: w.into(),
        doc_start,
        vocab: corpus.vocab.clone(),
        doc_names: corpus.doc_names.clone(),
        metadata: corpus.metadata.clone(),
        stream_index: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_in_one_part() {
        let doc_start: Vec<usize> = (0..=100).map(|d| d / 2 * 3).collect();
        let corpus = Corpus::new((0..150).collect(), doc_start, (0..150).map(|v| v.to_string()).collect())
            .expect("a corpus");
        let Split { train, held_out, docs } = hold_out(&corpus, 0.1, 0);
        // Every second document is empty.
        assert_eq!((docs.len(), held_out.num_tokens(), train.num_tokens()), (5, 15, 135));
        for d in 0..100 {
            let (kept, other) = if docs.contains(&d) { (&held_out, &*train) } else { (&*train, &held_out) };
            assert_eq!(kept.w[kept.doc(d)], corpus.w[corpus.doc(d)]);
            assert!(other.doc(d).is_empty());
        }
        assert_eq!(hold_out(&corpus, 0.1, 0).docs, docs);
        assert_ne!(hold_out(&corpus, 0.1, 1).docs, docs);
    }
}
