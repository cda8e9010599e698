//! The tokens of a corpus while words are taken out of it.

use std::collections::HashMap;

use super::dropped::Tally;
use crate::corpus::Corpus;

/// A place whose word has been taken out. It stays until the end, so that its neighbours stay apart.
pub(super) const GAP: u32 = u32::MAX;

/// A corpus with gaps.
pub(super) struct Tokens {
    pub(super) corpus: Corpus,
    /// Words that were taken out, by number.
    gone: Vec<bool>,
}

impl Tokens {
    pub(super) fn new(corpus: Corpus) -> Self {
        Self { gone: vec![false; corpus.vocab_size()], corpus }
    }

    /// N_v: the tokens of each word.
    pub(super) fn word_tokens(&self) -> Vec<u64> {
        let mut tokens = vec![0; self.corpus.vocab_size()];
        for &v in self.corpus.w.iter().filter(|&&v| v != GAP) {
            tokens[v as usize] += 1;
        }
        tokens
    }

    /// The documents that have each word.
    pub(super) fn word_docs(&self) -> Vec<u64> {
        let mut docs = vec![0; self.corpus.vocab_size()];
        let mut last_doc = vec![usize::MAX; self.corpus.vocab_size()];
        for d in 0..self.corpus.num_docs() {
            for &v in self.corpus.w[self.corpus.doc(d)].iter().filter(|&&v| v != GAP) {
                let v = v as usize;
                docs[v] += u64::from(last_doc[v] != d);
                last_doc[v] = d;
            }
        }
        docs
    }

    /// Takes out the words for which `is_dropped` holds.
    pub(super) fn drop_words(&mut self, is_dropped: impl Fn(usize, &str) -> bool) -> Tally {
        let mut tally = Tally::default();
        for (v, word) in self.corpus.vocab.iter().enumerate() {
            if !self.gone[v] && is_dropped(v, word) {
                self.gone[v] = true;
                tally.words += 1;
            }
        }
        if tally.words > 0 {
            for v in self.corpus.w.iter_mut().filter(|v| **v != GAP) {
                if self.gone[*v as usize] {
                    *v = GAP;
                    tally.tokens += 1;
                }
            }
        }
        tally
    }

    /// Puts `rename` of each word in its place; words that become the same have one number afterwards.
    pub(super) fn rename_words(&mut self, rename: impl Fn(&str) -> String) {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let renamed: Vec<u32> = self
            .corpus
            .vocab
            .iter()
            .zip(&self.gone)
            .map(|(word, &gone)| {
                let new = numbers.len() as u32;
                if gone { GAP } else { *numbers.entry(rename(word)).or_insert(new) }
            })
            .collect();
        for v in self.corpus.w.iter_mut().filter(|v| **v != GAP) {
            *v = renamed[*v as usize];
        }
        self.gone = vec![false; numbers.len()];
        self.corpus.vocab = vec![String::new(); numbers.len()];
        for (word, v) in numbers {
            self.corpus.vocab[v as usize] = word;
        }
    }

    /// The number of a word that is new.
    pub(super) fn add_word(&mut self, word: String) -> u32 {
        self.corpus.vocab.push(word);
        self.gone.push(false);
        self.corpus.vocab.len() as u32 - 1
    }

    /// The corpus without gaps, with only the words for which `is_kept` holds, in the same order.
    pub(super) fn close_gaps(self, is_kept: impl Fn(usize) -> bool) -> Corpus {
        let Self { mut corpus, gone } = self;
        let mut numbers = vec![GAP; gone.len()];
        let mut kept = 0;
        let mut v = 0;
        corpus.vocab.retain(|_| {
            let keep = !gone[v] && is_kept(v);
            if keep {
                numbers[v] = kept;
                kept += 1;
            }
            v += 1;
            keep
        });
        let mut end = 0;
        for d in 0..corpus.num_docs() {
            let doc = corpus.doc(d);
            corpus.doc_start[d] = end;
            for i in doc {
                if corpus.w[i] != GAP {
                    corpus.w[end] = numbers[corpus.w[i] as usize];
                    end += 1;
                }
            }
        }
        let docs = corpus.num_docs();
        corpus.doc_start[docs] = end;
        corpus.w.to_mut().truncate(end);
        corpus.w.to_mut().shrink_to_fit();
        corpus
    }
}
