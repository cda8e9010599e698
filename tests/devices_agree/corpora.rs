//! Corpora that are hard on purpose.

use std::sync::Arc;

use hdp_gpu::Corpus;
use hdp_gpu::rng::{Step, Stream};

/// Documents given by the numbers of their words.
pub(crate) fn corpus(docs: &[Vec<u32>], vocab_size: u32) -> Arc<Corpus> {
    let mut doc_start = vec![0];
    doc_start.extend(docs.iter().scan(0, |end, doc| {
        *end += doc.len();
        Some(*end)
    }));
    Arc::new(
        Corpus::new(docs.concat(), doc_start, (0..vocab_size).map(|v| v.to_string()).collect())
            .expect("a corpus"),
    )
}

/// Documents of the given lengths; words with small numbers are the common ones.
pub(crate) fn drawn(lengths: &[usize], vocab_size: u32) -> Arc<Corpus> {
    let docs: Vec<Vec<u32>> = (0..)
        .zip(lengths)
        .map(|(d, &tokens)| {
            let mut stream = Stream::new(1, Step::SynthDocument, 0, d);
            let mut below = || stream.below(u64::from(vocab_size)) as u32;
            (0..tokens).map(|_| below().min(below())).collect()
        })
        .collect();
    corpus(&docs, vocab_size)
}

/// Documents that all have word 0, twice at the start and once at the end.
pub(crate) fn with_a_common_word(docs: u32, tokens: usize, vocab_size: u32) -> Arc<Corpus> {
    let rest = drawn(&vec![tokens; docs as usize], vocab_size);
    let docs: Vec<Vec<u32>> =
        (0..rest.num_docs()).map(|d| [&[0, 0], &rest.w[rest.doc(d)], &[0]].concat()).collect();
    corpus(&docs, vocab_size)
}

/// Documents of which every word is seen once in the whole corpus.
pub(crate) fn words_seen_once(docs: u32, tokens: u32) -> Arc<Corpus> {
    let docs_words: Vec<Vec<u32>> = (0..docs).map(|d| (d * tokens..(d + 1) * tokens).collect()).collect();
    corpus(&docs_words, docs * tokens)
}
