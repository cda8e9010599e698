//! Words and their numbers, in the order in which they first occur.

use std::collections::HashMap;

/// Gives each word its number.
#[derive(Default)]
pub(in crate::corpus) struct Interner {
    numbers: HashMap<Box<str>, u32>,
}

impl Interner {
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The number of `word`, a new one if it has not been seen.
    pub(in crate::corpus) fn number(&mut self, word: &str) -> u32 {
        if let Some(&v) = self.numbers.get(word) {
            return v;
        }
        let v = self.numbers.len() as u32;
        self.numbers.insert(word.into(), v);
        v
    }

    /// The words, by number.
    pub(in crate::corpus) fn into_words(self) -> Vec<String> {
        let mut words = vec![String::new(); self.numbers.len()];
        for (word, v) in self.numbers {
            words[v as usize] = word.into();
        }
        words
    }
}
