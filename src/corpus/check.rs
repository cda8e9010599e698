//! What makes a corpus usable: its parts fit together, and its counts fit into the numbers that hold them.

use super::{Corpus, MAX_DOC_TOKENS};
use crate::error::{Error, Result};

/// A word has fewer tokens than this: n_kv is a 32-bit number, and so is ϕ_kv ~ Poisson(β + n_kv), which a
/// margin of 256 standard deviations keeps within them.
const MAX_WORD_TOKENS: u64 = (1 << 32) - (1 << 24);

/// Documents and words are numbered in 32 bits.
const MAX_NUMBERED: usize = u32::MAX as usize;

/// What is wrong with a corpus, and what to do about it.
#[derive(Debug)]
pub(super) struct Flaw {
    pub(super) problem: String,
    pub(super) remedy: &'static str,
}

impl Flaw {
    pub(super) fn new(problem: impl Into<String>, remedy: &'static str) -> Self {
        Self { problem: problem.into(), remedy }
    }
}

impl From<Flaw> for Error {
    fn from(Flaw { problem, remedy }: Flaw) -> Self {
        Self::Corpus { problem, remedy: remedy.into() }
    }
}

impl Corpus {
    /// Refuses a corpus that cannot be trained on because its parts do not fit together, as may be after a field was
    /// changed.
    ///
    /// # Errors
    /// [`Error::Corpus`] says which part does not fit.
    pub fn check(&self) -> Result<()> {
        self.check_parts()?;
        Ok(self.check_word_tokens()?)
    }

    /// Refuses parts that do not fit together.
    pub(super) fn check_parts(&self) -> Result<(), Flaw> {
        self.check_documents()?;
        self.check_words()?;
        let docs = self.num_docs();
        let names = self.doc_names.iter().map(|names| (names.len(), "names"));
        let columns = self.metadata.columns.iter().map(|column| (column.values.len(), "values of metadata"));
        let streams = self.stream_index.iter().map(|index| (index.len(), "places in the random streams"));
        match names.chain(columns).chain(streams).find(|&(number, _)| number != docs) {
            Some((number, what)) => {
                Err(Flaw::new(format!("{docs} documents have {number} {what}"), "give one per document"))
            }
            None => Ok(()),
        }
    }

    /// Refuses documents that do not follow each other from the first token to the last, or that are too long.
    fn check_documents(&self) -> Result<(), Flaw> {
        const REMEDY: &str = "give where each document begins, from 0 up, and at last the number of tokens";
        let (starts, tokens) = (&self.doc_start, self.num_tokens());
        let (Some(&first), Some(&last)) = (starts.first(), starts.last()) else {
            return Err(Flaw::new("the documents' starts are missing", REMEDY));
        };
        if first != 0 {
            return Err(Flaw::new(format!("the first document begins at token {first}, not at 0"), REMEDY));
        }
        if let Some(d) = starts.windows(2).position(|pair| pair[1] < pair[0]) {
            let problem = format!("document {} begins at {} and ends at {}", d + 1, starts[d], starts[d + 1]);
            return Err(Flaw::new(problem, REMEDY));
        }
        if last != tokens {
            let problem = format!("the last document ends at token {last}, and there are {tokens} tokens");
            return Err(Flaw::new(problem, REMEDY));
        }
        if let Some(d) = self.doc_lengths().position(|length| length > MAX_DOC_TOKENS) {
            let problem = format!("document {} has more than {MAX_DOC_TOKENS} tokens", d + 1);
            return Err(Flaw::new(problem, "split it into several documents"));
        }
        if self.num_docs() > MAX_NUMBERED {
            let problem = format!("{} documents are too many: the most is {MAX_NUMBERED}", self.num_docs());
            return Err(Flaw::new(problem, "train on a part of the corpus"));
        }
        Ok(())
    }

    /// Refuses word numbers without a word.
    fn check_words(&self) -> Result<(), Flaw> {
        let words = self.vocab_size();
        if words > MAX_NUMBERED {
            let problem = format!("{words} words are too many: the most is {MAX_NUMBERED}");
            return Err(Flaw::new(problem, "leave rare words out"));
        }
        // The largest is found several times as fast as the first that is too large.
        if self.w.iter().max().is_none_or(|&v| (v as usize) < words) {
            return Ok(());
        }
        let i = self.w.iter().position(|&v| v as usize >= words).unwrap_or_default();
        let problem = format!("token {i} has the word number {}, and there are {words} words", self.w[i]);
        Err(Flaw::new(problem, "number words from 0, each by its place in the vocabulary"))
    }

    /// Refuses a word that has more tokens than a count of n or ϕ has room for.
    pub(super) fn check_word_tokens(&self) -> Result<(), Flaw> {
        // So few tokens cannot be too many of one word.
        if (self.num_tokens() as u64) < MAX_WORD_TOKENS {
            return Ok(());
        }
        check_word_tokens(&self.word_tokens(), &self.vocab)
    }
}

fn check_word_tokens(word_tokens: &[u64], vocab: &[String]) -> Result<(), Flaw> {
    let mut words = word_tokens.iter().zip(vocab);
    let Some((tokens, word)) = words.find(|&(&tokens, _)| tokens >= MAX_WORD_TOKENS) else { return Ok(()) };
    Err(Flaw::new(
        format!("the word {word:?} occurs {tokens} times, and less than {MAX_WORD_TOKENS} can be counted"),
        "leave that word out, or train on a part of the corpus",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Metadata, MetadataColumn};

    fn words(number: usize) -> Vec<String> {
        (0..number).map(|v| v.to_string()).collect()
    }

    fn refused(w: &[u32], doc_start: &[usize]) -> String {
        let error = Corpus::new(w.to_vec(), doc_start.to_vec(), words(3)).expect_err("refused");
        assert!(error.exit_code() == 2 && matches!(error, Error::Corpus { .. }), "{error}");
        error.to_string()
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        assert!(Corpus::new(vec![2, 0, 1], vec![0, 0, 2, 3, 3], words(3)).is_ok());
        assert!(Corpus::new(vec![], vec![0], vec![]).is_ok());
        assert!(refused(&[], &[]).starts_with("corpus: the documents' starts are missing; give"));
        assert!(refused(&[0], &[1]).starts_with("corpus: the first document begins at token 1, not at 0;"));
        assert!(refused(&[0, 1], &[0, 2, 1, 2]).starts_with("corpus: document 2 begins at 2 and ends at 1;"));
        assert!(
            refused(&[0, 1], &[0, 1])
                .starts_with("corpus: the last document ends at token 1, and there are 2 t")
        );
        assert!(
            refused(&[0, 1], &[0, 3])
                .starts_with("corpus: the last document ends at token 3, and there are 2 t")
        );
        let problem = "corpus: token 1 has the word number 3, and there are 3 words;";
        assert!(refused(&[0, 3, 1, 4], &[0, 4]).starts_with(problem));
        let long = vec![0; MAX_DOC_TOKENS + 1];
        let problem = "corpus: document 2 has more than 16777216 tokens; split it";
        assert!(refused(&long, &[0, 0, MAX_DOC_TOKENS + 1]).starts_with(problem));
        assert!(Corpus::new(long[1..].to_vec(), vec![0, MAX_DOC_TOKENS], words(1)).is_ok());
    }

    #[test]
    fn labels_of_other_documents_are_refused() {
        let corpus = Corpus::new(vec![0], vec![0, 1, 1], words(1)).expect("a corpus");
        let refused = |corpus: Corpus| corpus.check().expect_err("refused").to_string();
        let names = Corpus { doc_names: Some(words(1)), ..corpus.clone() };
        assert!(refused(names).starts_with("corpus: 2 documents have 1 names; give one per document"));
        let columns = vec![MetadataColumn { name: "year".into(), values: words(3) }];
        let columns = Corpus { metadata: Metadata { columns }, ..corpus.clone() };
        assert!(refused(columns).starts_with("corpus: 2 documents have 3 values of metadata;"));
        let streams = Corpus { stream_index: Some(vec![]), ..corpus };
        assert!(refused(streams).starts_with("corpus: 2 documents have 0 places in the random streams;"));
    }

    #[test]
    fn a_word_with_more_tokens_than_32_bits_hold_is_refused() {
        let words = ["ash", "birch"].map(str::to_owned);
        let check = |tokens: u64| check_word_tokens(&[7, tokens], &words);
        assert!(check(MAX_WORD_TOKENS - 1).is_ok());
        let Flaw { problem, .. } = check(MAX_WORD_TOKENS).expect_err("too many");
        assert!(problem.starts_with("the word \"birch\" occurs 4278190080 times"), "{problem}");
    }
}
