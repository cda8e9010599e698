//! How much goes into one submission: short ones, because operating systems end long ones.

use std::time::Duration;

use super::layout::Doc;

/// The time that a submission should take.
const TARGET: Duration = Duration::from_millis(50);

/// The most dispatches in one submission.
const MOST_REPEATS: u32 = 64;

/// Learned from the submissions so far.
#[derive(Debug)]
pub(super) struct Pace {
    /// Tokens whose documents are sampled together.
    tokens: u64,
    /// Dispatches in one submission.
    repeats: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Self { tokens: 1 << 15, repeats: 1 }
    }
}

impl Pace {
    /// Where the run of documents ends that starts with document `begin` and has at most `most` of them.
    pub(super) fn end(&self, docs: &[Doc], begin: usize, most: usize) -> usize {
        let last = docs.len().min(begin + most);
        let mut tokens = 0;
        let fits = docs[begin..last].iter().take_while(|doc| {
            tokens += u64::from(doc.tokens);
            tokens <= self.tokens
        });
        begin + fits.count().max(1)
    }

    pub(super) fn repeats(&self) -> u32 {
        self.repeats
    }

    /// Learns from a submission that took `time` and ended all of its documents, or not.
    pub(super) fn learn(&mut self, time: Duration, finished: bool) {
        if time > TARGET * 3 / 2 {
            self.repeats = (self.repeats / 2).max(1);
            self.tokens = (self.tokens / 2).max(1);
        } else if time < TARGET / 2 {
            if finished {
                self.tokens = (self.tokens * 2).min(1 << 40);
            } else {
                self.repeats = (self.repeats * 2).min(MOST_REPEATS);
            }
        }
    }
}
