//! Topics as lists show them: ranked by size, with a short label, and the smallest ones folded.

use std::str::FromStr;

use super::summary::{TopicSummary, rank, summarise};
use super::topics::relevant_words;
use crate::model::counts::TopicWordCounts;
use crate::model::trained::MeanPhi;

/// Words of a label.
const LABEL_WORDS: usize = 3;

/// Relevant words that a label is chosen from.
const CANDIDATES: usize = 10;

/// Letters that two words need in common to be taken for forms of one.
const COMMON_LETTERS: usize = 4;

/// A topic of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedTopic {
    /// Its place by size, from 1.
    pub rank: usize,
    /// Its number, its tokens and its most probable words.
    pub summary: TopicSummary,
    /// The words of its label.
    pub label: Vec<u32>,
}

/// All topics that have tokens, largest first, each with at most `words` top words.
pub fn listed(n: &TopicWordCounts, vocab: &[String], beta: f64, words: usize) -> Vec<ListedTopic> {
    let mut summaries = summarise(n, words);
    rank(&mut summaries);
    let labels = labels(n, vocab, beta);
    let listed = (1..).zip(summaries).map(|(rank, summary)| {
        let label = labels[usize::from(summary.topic)].clone();
        ListedTopic { rank, summary, label }
    });
    listed.collect()
}

/// The words of each topic's label, by number up to K*: the first three by relevance (λ = 0.6) of which none is the beginning of another.
pub fn labels(n: &TopicWordCounts, vocab: &[String], beta: f64) -> Vec<Vec<u32>> {
    let relevant = relevant_words(n, &MeanPhi::new(n, vocab.len(), beta), CANDIDATES);
    relevant.into_iter().map(|words| label(words.into_iter().map(|(_, v)| v), vocab)).collect()
}

fn label(candidates: impl Iterator<Item = u32>, vocab: &[String]) -> Vec<u32> {
    let mut label: Vec<u32> = Vec::new();
    for v in candidates {
        let is_new = |&other: &u32| !are_forms(&vocab[v as usize], &vocab[other as usize]);
        if label.len() < LABEL_WORDS && label.iter().all(is_new) {
            label.push(v);
        }
    }
    label
}

/// Whether one word is the beginning of the other, as in `official` and `officials`.
fn are_forms(a: &str, b: &str) -> bool {
    let shorter = if a.len() < b.len() { a } else { b };
    (a.starts_with(b) || b.starts_with(a)) && shorter.chars().nth(COMMON_LETTERS - 1).is_some()
}

/// The topics that a list folds into one line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Fold {
    /// Those with less than a thousandth of all tokens, as long as they have no more than a fiftieth together.
    #[default]
    Auto,
    /// Those with fewer tokens.
    Tokens(u64),
    /// Those with less than this share of all tokens.
    Share(f64),
}

impl Fold {
    /// How few tokens a topic must have to be folded, among topics of these sizes.
    pub fn below(self, sizes: impl Iterator<Item = u64>) -> u64 {
        let mut sizes: Vec<u64> = sizes.collect();
        let all: u64 = sizes.iter().sum();
        match self {
            Self::Tokens(tokens) => tokens,
            Self::Share(share) => (share * all as f64).ceil() as u64,
            Self::Auto => {
                sizes.sort_unstable();
                let mut together = 0;
                let too_many = sizes.into_iter().find(|tokens| {
                    together += tokens;
                    together > all / 50
                });
                all.div_ceil(1000).min(too_many.unwrap_or(0))
            }
        }
    }
}

impl FromStr for Fold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = |text: &str| text.parse().ok().filter(|share| (0.0..=100.0).contains(share));
        match text.strip_suffix('%') {
            _ if text == "auto" => Ok(Self::Auto),
            Some(percent) => share(percent.trim_end()).map(|percent| Self::Share(percent / 100.0)).ok_or(()),
            None => text.parse().map(Self::Tokens).map_err(drop),
        }
        .map_err(|()| "give auto, a number of tokens, or a share such as 0.5%".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::topics::tests::model;

    #[test]
    fn labels_repeat_no_word_in_another_form() {
        let vocab: Vec<String> =
            ["official", "officials", "off", "state", "states", "tax", "taxes"].map(str::to_owned).to_vec();
        let words = |label: &[u32]| label.iter().map(|&v| vocab[v as usize].clone()).collect::<Vec<_>>();
        assert_eq!(words(&label([0, 1, 2, 3, 4].into_iter(), &vocab)), ["official", "off", "state"]);
        assert_eq!(words(&label([5, 6].into_iter(), &vocab)), ["tax", "taxes"]);
    }

    #[test]
    fn topics_are_ranked_with_their_labels() {
        let model = model();
        let listed = listed(&model.n, &model.vocab, model.beta, 2);
        let found: Vec<_> =
            listed.iter().map(|topic| (topic.rank, topic.summary.topic, &topic.label[..])).collect();
        assert_eq!(found, [(1, 0, &[1, 0, 2][..]), (2, 2, &[3, 0][..])]);
    }

    #[test]
    fn debris_is_folded_and_many_small_topics_are_not() {
        let below = |fold: Fold, sizes: &[u64]| fold.below(sizes.iter().copied());
        assert_eq!(below(Fold::Auto, &[50_000, 40_000, 9_900, 60, 30, 10]), 100);
        assert_eq!(below(Fold::Auto, &[100; 20]), 2);
        // A fiftieth of all is reached by the 41st of 2000 equal topics, so that none is folded.
        assert_eq!(below(Fold::Auto, &[50; 2000]), 50);
        assert_eq!(below(Fold::Auto, &[5]), 1);
        assert_eq!(below("7".parse().unwrap(), &[5, 50]), 7);
        assert_eq!(below("10 %".parse().unwrap(), &[5, 50]), 6);
        assert_eq!("auto".parse(), Ok(Fold::Auto));
        for wrong in ["", "-1", "x", "101%", "-1%", "%", "nan%", "0.5"] {
            assert!(wrong.parse::<Fold>().is_err(), "{wrong}");
        }
    }
}
