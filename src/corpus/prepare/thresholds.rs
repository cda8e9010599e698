//! How rare a word and how short a document may be, by the size of the corpus.

/// The paper leaves out words with fewer tokens, and documents with fewer of what remains.
pub(super) const OF_PAPER: u64 = 10;
/// The tokens after stop words from which on thresholds are the paper's, which are of corpora of that size and more.
const FULL_SIZE: u64 = 200_000;
/// With fewer tokens after stop words a word may occur once: there are hardly any that do more often.
const TINY: u64 = 100;

/// What thresholds go by: what is left when stop words and short words have gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) tokens: u64,
    /// Of a document with tokens; half of them have as many or more.
    pub(super) median_length: u64,
}

impl Size {
    /// A threshold that grows as the square root of the tokens, up to the paper's.
    fn scaled(self) -> u64 {
        (self.tokens / (FULL_SIZE / (OF_PAPER * OF_PAPER))).isqrt().min(OF_PAPER)
    }

    /// The tokens of a word that is kept, from 2 on: once says nothing of what a word goes with.
    pub(super) fn min_count(self) -> u64 {
        if self.tokens < TINY { 1 } else { self.scaled().max(2) }
    }

    /// The tokens of a document that is kept. Where documents are short, most of them would go with the paper's.
    pub(super) fn min_doc_length(self) -> u64 {
        self.scaled().min(self.median_length / 4).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_grow_up_to_those_of_the_paper() {
        let found = |tokens, median_length| {
            let size = Size { tokens, median_length };
            (size.min_count(), size.min_doc_length())
        };
        for (tokens, median_length, thresholds) in [
            (0, 0, (1, 1)),
            (60, 10, (1, 1)),
            (600, 10, (2, 1)),
            (8_000, 100, (2, 2)),
            (18_000, 100, (3, 3)),
            (50_000, 100, (5, 5)),
            (50_000, 8, (5, 2)),
            (199_999, 100, (9, 9)),
            (200_000, 100, (10, 10)),
            (14_000_000, 1_000, (10, 10)),
            (14_000_000, 7, (10, 1)),
            (u64::MAX / 1_000, 40, (10, 10)),
        ] {
            assert_eq!(found(tokens, median_length), thresholds, "{tokens} tokens, {median_length} long");
        }
    }
}
