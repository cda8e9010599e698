//! How large a corpus is, as far as defaults depend on it.

use super::Init;

/// The documents that are trained on and have tokens, and their tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Documents.
    pub docs: usize,
    /// Tokens.
    pub tokens: usize,
    /// Words of the vocabulary.
    pub words: usize,
}

impl Size {
    /// The start that such a corpus has unless another is asked for: topics as the square root of the tokens, and several documents to
    /// begin each of them.
    pub fn start(self) -> Init {
        /// The fewest and the most topics.
        const LEAST: usize = 8;
        const MOST: usize = 1000;
        /// Documents that begin a topic together, in the mean.
        const DOCS: usize = 4;
        Init::Documents(self.tokens.isqrt().min(self.docs / DOCS).clamp(LEAST, MOST) as u32)
    }

    /// Whether the urn's error would be seen (docs/QUALITY.md has the measurements), and a dense Φ takes little.
    pub fn is_small(self) -> bool {
        /// Below this many tokens.
        const TOKENS: usize = 50_000;
        /// With no more words than this, which a table of counts may have without tokens.
        const WORDS: usize = 20_000;
        self.tokens < TOKENS && self.words <= WORDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_corpora_begin_with_more_topics() {
        let start = |docs, tokens| Size { docs, tokens, words: 9 }.start();
        assert_eq!(start(0, 0), Init::Documents(8));
        assert_eq!(start(64, 3_000), Init::Documents(16));
        assert_eq!(start(2_000, 353_000), Init::Documents(500));
        assert_eq!(start(3_430, 467_000), Init::Documents(683));
        assert_eq!(start(usize::MAX, usize::MAX), Init::Documents(1000));
        assert!(Size { docs: 200, tokens: 35_000, words: 3_391 }.is_small());
        assert!(!Size { docs: 200, tokens: 35_000, words: 1 << 20 }.is_small());
        assert!(!Size { docs: 2_000, tokens: 353_000, words: 7_063 }.is_small());
    }
}
