//! Coherence of a topic's top words, with the definitions of gensim's `CoherenceModel`.
//!
//! All of them ask how often words occur together, in documents or in windows that slide over them. p(v) is the share of
//! windows with word v, p(u, v) that of windows with both; 1e-12 is added to p(u, v) within logarithms. A document without
//! tokens is no window: documents that preparation emptied or that are held out keep their rows and must not count.

use std::collections::HashMap;

use serde::Serialize;

use crate::corpus::Corpus;

/// What gensim adds to the probability of two words together.
const EPSILON: f64 = 1e-12;

/// Where words are looked for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Window {
    /// In a whole document.
    Document,
    /// In so many neighbouring tokens; a shorter document is a window of its own.
    Tokens(usize),
}

/// Where some words occur.
#[derive(Debug)]
pub struct Occurrences {
    windows: u64,
    postings: HashMap<u32, Posting>,
}

/// The windows that a word is in, kept as what takes less memory.
#[derive(Debug)]
enum Posting {
    /// Their numbers, ascending.
    Few(Vec<u64>),
    /// How many there are, and a bit for each window.
    Many(u64, Vec<u64>),
}

impl Posting {
    /// Adds the windows from `from` to `to` of `windows`; those before `from`, and none after it, may be there.
    fn extend(&mut self, from: u64, to: u64, windows: u64) {
        match self {
            Self::Few(places) => {
                places.extend(places.last().map_or(from, |&last| from.max(last + 1))..=to);
                if places.len() as u64 > windows.div_ceil(64) {
                    let mut bits = vec![0; windows.div_ceil(64) as usize];
                    places.iter().for_each(|at| bits[(at / 64) as usize] |= 1 << (at % 64));
                    *self = Self::Many(places.len() as u64, bits);
                }
            }
            Self::Many(count, bits) => {
                for at in from..=to {
                    let (word, bit) = (&mut bits[(at / 64) as usize], 1 << (at % 64));
                    *count += u64::from(*word & bit == 0);
                    *word |= bit;
                }
            }
        }
    }

    fn len(&self) -> u64 {
        match self {
            Self::Few(places) => places.len() as u64,
            Self::Many(count, _) => *count,
        }
    }

    /// The windows of both.
    fn common(&self, other: &Self) -> u64 {
        match (self, other) {
            (Self::Few(a), Self::Few(b)) => common(a, b),
            (Self::Many(_, a), Self::Many(_, b)) => {
                a.iter().zip(b).map(|(a, b)| u64::from((a & b).count_ones())).sum()
            }
            (Self::Few(places), Self::Many(_, bits)) | (Self::Many(_, bits), Self::Few(places)) => {
                places.iter().map(|at| bits[(at / 64) as usize] >> (at % 64) & 1).sum()
            }
        }
    }
}

/// The numbers in both of two ascending lists.
fn common(a: &[u64], b: &[u64]) -> u64 {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        both += u64::from(a[i] == b[j]);
        let (left, right) = (a[i], b[j]);
        i += usize::from(left <= right);
        j += usize::from(right <= left);
    }
    both
}

impl Occurrences {
    /// Looks for `words` in all windows of the documents of `corpus` that have tokens.
    pub fn new(corpus: &Corpus, window: Window, words: impl IntoIterator<Item = u32>) -> Self {
        Self::of_known(corpus, &Vec::from_iter((0..corpus.vocab_size() as u32).map(Some)), window, words)
    }

    /// The same in a corpus with other numbers: its word v is `known[v]`.
    pub fn of_known(
        corpus: &Corpus,
        known: &[Option<u32>],
        window: Window,
        words: impl IntoIterator<Item = u32>,
    ) -> Self {
        let width = |tokens: usize| match window {
            Window::Document => tokens,
            Window::Tokens(width) => width.min(tokens),
        };
        let windows_of = |tokens: usize| if tokens == 0 { 0 } else { tokens + 1 - width(tokens).max(1) };
        let windows = corpus.doc_lengths().map(windows_of).sum::<usize>() as u64;
        let mut postings: HashMap<u32, Posting> =
            words.into_iter().map(|v| (v, Posting::Few(Vec::new()))).collect();
        let is_looked_for: Vec<bool> =
            known.iter().map(|v| v.is_some_and(|v| postings.contains_key(&v))).collect();
        let mut first = 0;
        for d in 0..corpus.num_docs() {
            let tokens = &corpus.w[corpus.doc(d)];
            let last = first + windows_of(tokens.len()) as u64;
            for (at, &v) in tokens.iter().enumerate().filter(|&(_, &v)| is_looked_for[v as usize]) {
                if let Some(posting) = known[v as usize].and_then(|v| postings.get_mut(&v)) {
                    // Token `at` is in the windows that start from at − width + 1 to at.
                    let from = first + (at + 1).saturating_sub(width(tokens.len())) as u64;
                    posting.extend(from, (first + at as u64).min(last - 1), windows);
                }
            }
            first = last;
        }
        Self { windows, postings }
    }

    /// p(v).
    fn probability(&self, v: u32) -> f64 {
        self.postings[&v].len() as f64 / self.windows as f64
    }

    /// p(u, v).
    fn together(&self, u: u32, v: u32) -> f64 {
        self.postings[&u].common(&self.postings[&v]) as f64 / self.windows as f64
    }

    /// ln [p(u, v) / p(u)p(v)] / −ln p(u, v).
    fn npmi_of_pair(&self, u: u32, v: u32) -> f64 {
        let together = self.together(u, v) + EPSILON;
        libm::log(together / (self.probability(u) * self.probability(v))) / -libm::log(together)
    }

    /// UMass (Mimno et al. 2011): the mean of ln [p(u, v) / p(v)] over the pairs of a word and one before it in `top`.
    pub fn umass(&self, top: &[u32]) -> f64 {
        let ratio = |u, v| libm::log((self.together(u, v) + EPSILON) / self.probability(v));
        mean(top.iter().enumerate().flat_map(|(i, &u)| top[..i].iter().map(move |&v| ratio(u, v))))
    }

    /// NPMI (Aletras and Stevenson 2013): the mean of ln [p(u, v) / p(u)p(v)] / −ln p(u, v) over the pairs of `top`.
    pub fn npmi(&self, top: &[u32]) -> f64 {
        mean(
            top.iter().enumerate().flat_map(|(i, &u)| top[..i].iter().map(move |&v| self.npmi_of_pair(u, v))),
        )
    }

    /// C_v (Röder et al. 2015): the mean over words of `top` of the cosine between the word's NPMI with all of `top` and the
    /// sum of these vectors over all words.
    pub fn c_v(&self, top: &[u32]) -> f64 {
        if top.len() < 2 {
            return f64::NAN;
        }
        let vectors: Vec<Vec<f64>> =
            top.iter().map(|&u| top.iter().map(|&v| self.npmi_of_pair(u, v)).collect()).collect();
        let sum: Vec<f64> = (0..top.len()).map(|j| vectors.iter().map(|vector| vector[j]).sum()).collect();
        mean(vectors.iter().map(|vector| cosine(vector, &sum)))
    }
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// The mean; not a number when there is nothing to take it of.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0u64);
    for value in values {
        sum += value;
        count += 1;
    }
    sum / count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus() -> Corpus {
        let docs: [&[u32]; 5] = [&[0, 1, 2], &[0, 1], &[2, 3, 2], &[], &[0, 3, 3, 3, 1]];
        let mut corpus =
            Corpus::new(Vec::new(), vec![0], (0..5).map(|v| v.to_string()).collect()).expect("a corpus");
        for doc in docs {
            corpus.w.to_mut().extend(doc);
            corpus.doc_start.push(corpus.w.len());
        }
        corpus
    }

    #[test]
    fn documents_with_tokens_are_counted_once() {
        let found = Occurrences::new(&corpus(), Window::Document, 0..5);
        assert_eq!(found.windows, 4);
        assert_eq!((0..5).map(|v| found.probability(v)).collect::<Vec<_>>(), [0.75, 0.75, 0.5, 0.5, 0.0]);
        assert_eq!((found.together(0, 1), found.together(2, 3), found.together(0, 2)), (0.75, 0.25, 0.25));
    }

    #[test]
    fn windows_slide() {
        // Windows of two tokens: 01 12 | 01 | 23 32 | 03 33 33 31.
        let found = Occurrences::new(&corpus(), Window::Tokens(2), 0..5);
        assert_eq!(found.windows, 9);
        assert_eq!((0..4).map(|v| found.postings[&v].len()).collect::<Vec<_>>(), [3, 4, 3, 6]);
        assert_eq!(
            (found.together(0, 1), found.together(1, 3), found.together(0, 2)),
            (2.0 / 9.0, 1.0 / 9.0, 0.0)
        );
    }

    #[test]
    fn lists_and_bits_have_the_same_windows_in_common() {
        let multiples = |step| (0..1000).step_by(step).collect::<Vec<u64>>();
        let few = |step| Posting::Few(multiples(step));
        let many = |step| {
            let mut posting = Posting::Few(Vec::new());
            // Each of them twice, as when a word is twice in a window.
            multiples(step).into_iter().for_each(|at| (0..2).for_each(|_| posting.extend(at, at, 1000)));
            posting
        };
        assert!(matches!((many(2), many(100)), (Posting::Many(500, _), Posting::Few(_))));
        for (a, b) in [(2, 3), (2, 100), (100, 2), (100, 150), (7, 7)] {
            let expected = (0..1000u64).filter(|at| at % a == 0 && at % b == 0).count() as u64;
            let (a, b) = (a as usize, b as usize);
            assert_eq!([few(a).common(&few(b)), many(a).common(&many(b))], [expected; 2], "{a}, {b}");
        }
    }

    #[test]
    fn measures_by_hand() {
        let found = Occurrences::new(&corpus(), Window::Document, 0..5);
        approx::assert_relative_eq!(found.umass(&[2, 0]), (0.25f64 / 0.5).ln(), epsilon = 1e-9);
        approx::assert_relative_eq!(found.umass(&[0, 2]), (0.25f64 / 0.75).ln(), epsilon = 1e-9);
        approx::assert_relative_eq!(
            found.npmi(&[0, 2]),
            (0.25f64 / 0.375).ln() / -(0.25f64).ln(),
            epsilon = 1e-9
        );
        // Words that are always together, with NPMI 1 in all pairs.
        approx::assert_relative_eq!(found.npmi(&[0, 1]), 1.0, epsilon = 1e-9);
        approx::assert_relative_eq!(found.c_v(&[0, 1]), 1.0, epsilon = 1e-9);
        assert!(found.umass(&[1]).is_nan());
    }
}
