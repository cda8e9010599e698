//! A digest that tells two corpora apart: what was trained on, for run.json.

use sha2::{Digest, Sha256};

use super::Corpus;
use crate::files::checked_file::hex;

/// SHA-256 over sizes, document ends, word numbers and words, as hexadecimal digits.
pub fn digest(corpus: &Corpus) -> String {
    const BATCH: usize = 1 << 14;
    let mut hasher = Sha256::new();
    for size in [corpus.num_docs(), corpus.vocab_size(), corpus.num_tokens()] {
        hasher.update((size as u64).to_le_bytes());
    }
    let mut bytes = Vec::with_capacity(8 * BATCH);
    for ends in corpus.doc_start[1..].chunks(BATCH) {
        bytes.clear();
        bytes.extend(ends.iter().flat_map(|&end| (end as u64).to_le_bytes()));
        hasher.update(&bytes);
    }
    for words in corpus.w.chunks(BATCH) {
        bytes.clear();
        bytes.extend(words.iter().flat_map(|v| v.to_le_bytes()));
        hasher.update(&bytes);
    }
    for word in &corpus.vocab {
        hasher.update((word.len() as u64).to_le_bytes());
        hasher.update(word.as_bytes());
    }
    hex(hasher)
}

/// SHA-256 over the names and the metadata of documents, as hexadecimal digits.
pub fn labels_digest(corpus: &Corpus) -> String {
    let mut hasher = Sha256::new();
    let columns = corpus.metadata.columns.iter();
    let columns = columns.flat_map(|column| std::iter::once(&column.name).chain(&column.values));
    for label in corpus.doc_names.iter().flatten().chain(columns) {
        hasher.update((label.len() as u64).to_le_bytes());
        hasher.update(label.as_bytes());
    }
    hex(hasher)
}
