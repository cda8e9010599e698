//! Reads plain text, a document a line: lower-case Unicode words with a letter in them, in their order.

use std::collections::HashMap;
use std::path::Path;

use unicode_segmentation::UnicodeSegmentation;

use super::Corpus;
use super::bag::check_length;
use super::memory::{Memory, Sizes, reserve};
use super::open::Lines;
use crate::error::Result;

/// Reads `path`; the vocabulary is the words of the text in byte order.
pub(super) fn read(path: &Path, memory: &Memory) -> Result<Corpus> {
    let mut numbers = HashMap::new();
    let mut w = Vec::new();
    let mut doc_start = vec![0];
    let mut lines = Lines::open(path)?;
    let mut word = String::new();
    while let Some(line) = lines.next()? {
        let d = doc_start.len() - 1;
        for segment in line.text(path)?.unicode_words().filter(|word| word.contains(char::is_alphabetic)) {
            check_length(path, line.number, d, w.len() - doc_start[d], 1)?;
            lower_case(segment, &mut word);
            reserve(&mut w, 1, path)?;
            w.push(word_number(&word, &mut numbers));
        }
        doc_start.push(w.len());
        let sizes = Sizes { docs: d as u64 + 1, words: numbers.len() as u64, tokens: w.len() as u64 };
        memory.check(path, Some(line.number), sizes)?;
    }
    w.shrink_to_fit();
    doc_start.shrink_to_fit();
    let vocab = sort_vocab(numbers, &mut w);
    Ok(Corpus::new(w, doc_start, vocab))
}

/// Writes `segment` into `word`, in lower case.
fn lower_case(segment: &str, word: &mut String) {
    word.clear();
    if segment.is_ascii() {
        word.push_str(segment);
        word.make_ascii_lowercase();
    } else {
        // Not letter by letter: a Greek sigma at the end of a word has a form of its own.
        word.push_str(&segment.to_lowercase());
    }
}

/// The number of `word`, in order of first occurrence.
fn word_number(word: &str, numbers: &mut HashMap<String, u32>) -> u32 {
    if let Some(&v) = numbers.get(word) {
        return v;
    }
    let v = numbers.len() as u32;
    numbers.insert(word.to_owned(), v);
    v
}

/// Sorts the words and renumbers the tokens in `w`.
fn sort_vocab(numbers: HashMap<String, u32>, w: &mut [u32]) -> Vec<String> {
    let mut words: Vec<(String, u32)> = numbers.into_iter().collect();
    words.sort_unstable();
    let mut sorted = vec![0; words.len()];
    for (v, &(_, first_number)) in (0..).zip(&words) {
        sorted[first_number as usize] = v;
    }
    for v in w {
        *v = sorted[*v as usize];
    }
    words.into_iter().map(|(word, _)| word).collect()
}
