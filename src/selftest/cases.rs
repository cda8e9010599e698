//! Corpora that are hard on purpose, with parameters.

use std::sync::Arc;

use crate::corpus::Corpus;
use crate::corpus::sample::sample;
use crate::params::{Init, MAX_TOPICS, Params, Settings};

/// A corpus with parameters to sample it under.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is.
    pub name: String,
    /// The corpus.
    pub corpus: Arc<Corpus>,
    /// The parameters.
    pub params: Params,
}

/// The cases: the sample, and one hard corpus with few, many and the most topics.
pub fn cases() -> Vec<Case> {
    let case = |corpus: &Arc<Corpus>, name: &str, max_topics: u32, init_topics: u32| {
        // The prior adds βK* topics to every word; with the most topics a smaller β keeps the test short.
        let beta = Settings::paper().beta.min(10.0 / f64::from(max_topics));
        let init = Init::Random(init_topics);
        let settings = Settings { beta, max_topics, init, ..Settings::paper() };
        Case {
            name: format!("{name}, K* = {max_topics}"),
            corpus: Arc::clone(corpus),
            params: settings.check().expect("the settings are usable"),
        }
    };
    let (sample, hard) = (Arc::new(sample().corpus), Arc::new(hard_corpus()));
    vec![
        case(&sample, "sample", 1000, 100),
        case(&hard, "hard", 2, 1),
        case(&hard, "hard", 1000, 200),
        case(&hard, "hard", MAX_TOPICS, 60_000),
    ]
}

/// Documents of no token, of one, of a few hundred and of 70,000, more than 16 bits count; a word in every
/// document, and words seen once.
fn hard_corpus() -> Corpus {
    const LONGEST: u32 = 70_000;
    const SINGLES: u32 = 2000;
    const MIDDLING: u32 = 300;
    const COMMON_WORDS: u32 = 10_000;
    let mut w = Vec::new();
    let mut doc_start = vec![0, 0];
    let mut words = 1 + COMMON_WORDS;
    let lengths = std::iter::once(LONGEST)
        .chain(std::iter::repeat_n(1, SINGLES as usize))
        .chain((1..=MIDDLING).map(|d| 2 + d * d % 257));
    for (d, length) in (0..).zip(lengths) {
        // The word that all documents have, common ones, and one that is never seen again.
        w.push(0);
        w.extend((2..length).map(|i| 1 + (i + 31 * d) % COMMON_WORDS));
        if length > 1 {
            w.push(words);
            words += 1;
        }
        doc_start.push(w.len());
    }
    doc_start.push(w.len());
    let vocab = (0..words).map(|word| format!("word{word}")).collect();
    Corpus::new(w, doc_start, vocab).expect("documents in order, and words of the vocabulary")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hard_corpus_is_as_hard_as_promised() {
        let corpus = hard_corpus();
        let lengths: Vec<usize> = corpus.doc_lengths().collect();
        assert_eq!(lengths.iter().max(), Some(&70_000));
        assert_eq!(lengths.iter().filter(|&&length| length == 1).count(), 2000);
        assert!(lengths[0] == 0 && lengths[lengths.len() - 1] == 0);
        let mut tokens = vec![0; corpus.vocab_size()];
        for &word in &corpus.w {
            tokens[word as usize] += 1;
        }
        assert_eq!(tokens[0], lengths.iter().filter(|&&length| length > 0).count());
        assert_eq!(tokens[10_001..], [1; 301]);
        assert!(tokens.iter().all(|&tokens| tokens > 0));
    }
}
