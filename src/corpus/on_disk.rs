//! A corpus whose words are put away: in a temporary file that is mapped, so that they take no memory of their own.

use super::Corpus;
use crate::error::Result;

impl Corpus {
    /// The same corpus with its words in a file of the folder for temporary files, which goes with it.
    ///
    /// # Errors
    /// [`crate::Error::Write`] when the folder has no room.
    pub(crate) fn put_away(self) -> Result<Self> {
        // An empty file cannot be mapped.
        if self.w.is_mapped() || self.w.is_empty() {
            return Ok(self);
        }
        Ok(Self { w: self.w.put_away()?, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corpus_is_the_same_when_its_words_are_put_away() {
        let words = ["ash", "birch"].map(str::to_owned).to_vec();
        for (w, doc_start) in [(vec![0, 1, 1], vec![0, 2, 3]), (vec![], vec![0, 0])] {
            let corpus = Corpus::from_checked(w, doc_start, words.clone());
            let away = corpus.clone().put_away().expect("a file");
            assert_eq!(away, corpus);
            assert_eq!(away.w.is_mapped(), !corpus.w.is_empty());
        }
    }
}
