//! What must hold of everything that a reader accepts, and of the errors when it does not.

use std::path::Path;

use hdp_gpu::corpus::{Loaded, MAX_DOC_TOKENS, ReadOptions};
use hdp_gpu::model::counts::TopicWordCounts;
use hdp_gpu::{Corpus, Error, Result};

/// Reads a corpus and checks it; `None` when it is refused, with an error that is checked as well.
pub fn read(path: &Path, options: &ReadOptions) -> Option<Loaded> {
    let loaded = accepted(hdp_gpu::corpus::read(path, options))?;
    corpus(&loaded.corpus);
    Some(loaded)
}

/// The value, if there is one. An error blames the input, in one line without control characters.
pub fn accepted<T>(result: Result<T>) -> Option<T> {
    result.map_err(|error| refusal(&error)).ok()
}

fn refusal(error: &Error) {
    assert_eq!(error.exit_code(), 2, "{error}");
    let shown = error.to_string();
    assert!(!shown.contains(char::is_control), "not fit for a terminal: {shown:?}");
}

/// A corpus has tokens, its documents follow each other, and all its numbers mean something.
pub fn corpus(corpus: &Corpus) {
    let Corpus { w, doc_start, vocab, doc_names, metadata, .. } = corpus;
    assert!(!w.is_empty(), "no tokens");
    assert!(doc_start.first() == Some(&0) && doc_start.last() == Some(&w.len()), "{doc_start:?}");
    assert!(doc_start.is_sorted(), "{doc_start:?}");
    assert!(corpus.doc_lengths().all(|length| length <= MAX_DOC_TOKENS), "too long a document");
    assert!(w.iter().all(|&v| (v as usize) < vocab.len()), "a word without a name");
    // vocab.txt has a word a line.
    assert!(vocab.iter().all(|word| format!("{word}\n").lines().eq([word])), "{vocab:?}");
    assert!(doc_names.as_ref().is_none_or(|names| names.len() == corpus.num_docs()), "{doc_names:?}");
    for column in &metadata.columns {
        assert_eq!(column.values.len(), corpus.num_docs(), "{:?}", column.name);
    }
}

/// A model has topics with tokens, sparse columns as everything after it expects them, and usable numbers.
pub fn model(concentrations: [f64; 3], psi: &[f64], n: &TopicWordCounts, vocab_size: usize) {
    assert!(concentrations.iter().all(|&number| number.is_finite() && number > 0.0), "{concentrations:?}");
    assert!(psi.iter().all(|&psi| psi.is_finite() && psi >= 0.0), "{psi:?}");
    assert!(n.active_topics() > 0, "no topics");
    let mut topic_tokens = vec![0; psi.len()];
    let mut words = 0..vocab_size as u32;
    for column in n.columns() {
        assert_eq!(Some(column.word), words.next());
        assert!(column.topic.is_sorted_by(|a, b| a < b), "{column:?}");
        for (k, count) in column.iter() {
            assert!(count > 0, "{column:?}");
            topic_tokens[usize::from(k)] += u64::from(count);
        }
    }
    assert!(words.is_empty(), "words without a column");
    assert_eq!(topic_tokens, n.topic_tokens);
}
