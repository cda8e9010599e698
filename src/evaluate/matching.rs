//! The topics of several runs, matched: which ones all of them have found, and which only some.

use std::collections::HashMap;

use super::listing::{Fold, labels};
use super::nearness::smoothed;
use super::summary::{rank, summarise};
use crate::model::trained::Model;

/// Topics of two runs are one from this cosine on.
pub const SAME_TOPIC: f64 = 0.8;

/// Topics of each run that are matched; the work grows with the square of their number.
const MOST_TOPICS: usize = 1_000;

/// A topic in one of the runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Its number there.
    pub topic: u16,
    /// Its share of that run's tokens.
    pub share: f64,
    /// The cosine of its words' law with that of the first run that has it, which has 1.
    pub cosine: f64,
}

/// A topic that one run or several have found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundTopic {
    /// The words of its label, in the first run that has it.
    pub label: Vec<String>,
    /// Where it is in each of the runs, if it is there.
    pub found: Vec<Option<Found>>,
}

impl FoundTopic {
    /// The runs that have it.
    pub fn runs(&self) -> usize {
        self.found.iter().flatten().count()
    }

    /// Its mean share over these.
    fn share(&self) -> f64 {
        self.found.iter().flatten().map(|found| found.share).sum::<f64>() / self.runs() as f64
    }
}

/// Matches the topics of one run after the other with those of all before; folded topics are left out.
#[derive(Debug, Default)]
pub struct Matcher {
    fold: Fold,
    runs: usize,
    /// The words so far.
    words: HashMap<String, u32>,
    topics: Vec<Kept>,
}

/// A topic in the first run that has it.
#[derive(Debug)]
struct Kept {
    law: Law,
    /// Its words, as the matcher numbers them, with n_kv.
    row: Vec<(u32, u32)>,
    shown: FoundTopic,
}

/// What the cosine needs of a topic beside its words.
#[derive(Clone, Copy, Debug, Default)]
struct Law {
    n_k: f64,
    beta: f64,
    /// Σ_v n_kv².
    squares: f64,
}

/// A topic of the run that is being added, with its words.
struct New {
    topic: u16,
    law: Law,
    row: Vec<(u32, u32)>,
}

impl Matcher {
    /// Before the first run.
    pub fn new(fold: Fold) -> Self {
        Self { fold, ..Self::default() }
    }

    /// Adds a run: each of its topics goes to the one that it is most like, the most alike first, or is a further one.
    pub fn add(&mut self, model: &Model) {
        let new = self.topics_of(model);
        let own: Vec<Option<(usize, f64)>> = self.own(&new);
        let labels = labels(&model.n, &model.vocab, model.beta);
        let all: u64 = model.n.topic_tokens.iter().sum();
        for topic in &mut self.topics {
            topic.shown.found.push(None);
        }
        for (new, own) in new.into_iter().zip(own) {
            let (share, k) = (new.law.n_k / all as f64, new.topic);
            let found = |cosine| Some(Found { topic: k, share, cosine });
            if let Some((at, cosine)) = own {
                self.topics[at].shown.found[self.runs] = found(cosine);
            } else {
                let label = labels[usize::from(k)].iter().map(|&v| model.vocab[v as usize].clone());
                let mut shown = FoundTopic { label: label.collect(), found: vec![None; self.runs + 1] };
                shown.found[self.runs] = found(1.0);
                self.topics.push(Kept { law: new.law, row: new.row, shown });
            }
        }
        self.runs += 1;
    }

    /// All topics, those that most runs have first, and larger before smaller ones.
    pub fn into_topics(self) -> Vec<FoundTopic> {
        let mut topics: Vec<FoundTopic> = self.topics.into_iter().map(|topic| topic.shown).collect();
        topics.sort_by(|a, b| b.runs().cmp(&a.runs()).then(b.share().total_cmp(&a.share())));
        topics
    }

    /// The largest topics of a run, with their words in the matcher's numbers.
    fn topics_of(&mut self, model: &Model) -> Vec<New> {
        let mut summaries = summarise(&model.n, 0);
        let below = self.fold.below(summaries.iter().map(|topic| topic.tokens));
        summaries.retain(|topic| topic.tokens >= below);
        rank(&mut summaries);
        summaries.truncate(MOST_TOPICS);
        let law = |n_k: u64| Law { n_k: n_k as f64, beta: model.beta, squares: 0.0 };
        let new = |tokens, topic| New { topic, law: law(tokens), row: Vec::new() };
        let mut new: Vec<New> = summaries.iter().map(|topic| new(topic.tokens, topic.topic)).collect();
        let mut places = vec![None; model.psi.len()];
        new.iter().enumerate().for_each(|(at, new)| places[usize::from(new.topic)] = Some(at));
        for (column, word) in model.n.columns().zip(&model.vocab) {
            let next = self.words.len() as u32;
            let v = *self.words.entry(word.clone()).or_insert(next);
            for (k, n_kv) in column.iter() {
                if let Some(at) = places[usize::from(k)] {
                    new[at].row.push((v, n_kv));
                    new[at].law.squares += f64::from(n_kv) * f64::from(n_kv);
                }
            }
        }
        new
    }

    /// For each new topic the kept one that it belongs to, and how alike they are.
    fn own(&self, new: &[New]) -> Vec<Option<(usize, f64)>> {
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        let mut by_word: Vec<Vec<(usize, u32)>> = vec![Vec::new(); self.words.len()];
        for (at, topic) in self.topics.iter().enumerate() {
            topic.row.iter().for_each(|&(v, n)| by_word[v as usize].push((at, n)));
        }
        for (j, new) in new.iter().enumerate() {
            let mut products = vec![0.0; self.topics.len()];
            for &(v, n) in &new.row {
                by_word[v as usize].iter().for_each(|&(at, m)| products[at] += f64::from(n) * f64::from(m));
            }
            let cosines = products.into_iter().zip(&self.topics).enumerate();
            let cosines =
                cosines.map(|(at, (product, kept))| (self.cosine(product, kept.law, new.law), at, j));
            pairs.extend(cosines.filter(|&(cosine, ..)| cosine >= SAME_TOPIC));
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let (mut own, mut is_taken) = (vec![None; new.len()], vec![false; self.topics.len()]);
        for (cosine, at, j) in pairs {
            if own[j].is_none() && !is_taken[at] {
                (own[j], is_taken[at]) = (Some((at, cosine)), true);
            }
        }
        own
    }

    fn cosine(&self, product: f64, a: Law, b: Law) -> f64 {
        let vocab = self.words.len() as f64;
        let inner = |product, a: Law, b: Law| smoothed(product, (a.n_k, a.beta), (b.n_k, b.beta), vocab);
        inner(product, a, b) / (inner(a.squares, a, a) * inner(b.squares, b, b)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::counts::{ColumnBlock, Counts};

    /// A model of these topics, as counts of words.
    fn model(vocab: &[&str], topics: &[&[u32]]) -> Model {
        let mut n = Counts::new(&[], topics.len()).n;
        let mut block = ColumnBlock::new(0..vocab.len() as u32);
        for v in 0..vocab.len() {
            for (k, counts) in topics.iter().enumerate().filter(|(_, counts)| counts[v] > 0) {
                block.push(k as u16, counts[v]);
            }
            block.end_column();
        }
        n.topic_tokens = topics.iter().map(|counts| counts.iter().map(|&n| u64::from(n)).sum()).collect();
        n.blocks = vec![block];
        let psi = vec![1.0 / topics.len() as f64; topics.len()];
        let vocab = vocab.iter().map(|&word| word.to_owned()).collect();
        Model { alpha: 0.1, beta: 0.01, gamma: 1.0, psi, n, vocab }
    }

    #[test]
    fn topics_are_found_again_whatever_their_numbers_and_the_words_numbers_are() {
        let mut matcher = Matcher::new(Fold::Tokens(0));
        matcher.add(&model(&["ash", "bank", "ship"], &[&[90, 0, 0], &[0, 0, 60], &[0, 30, 0]]));
        matcher
            .add(&model(&["ship", "ash", "coin", "bank"], &[&[70, 1, 0, 0], &[0, 0, 50, 0], &[0, 80, 0, 1]]));
        matcher.add(&model(&["coin", "ship", "ash"], &[&[40, 0, 0], &[0, 50, 50]]));
        let topics = matcher.into_topics();
        let numbers = |topic: &FoundTopic| {
            topic.found.iter().map(|found| found.map(|found| found.topic)).collect::<Vec<_>>()
        };
        let found: Vec<_> = topics.iter().map(|topic| (topic.label[0].as_str(), numbers(topic))).collect();
        assert_eq!(
            found,
            [
                ("ash", vec![Some(0), Some(2), None]),
                ("ship", vec![Some(1), Some(0), None]),
                ("coin", vec![None, Some(1), Some(0)]),
                ("ship", vec![None, None, Some(1)]),
                ("bank", vec![Some(2), None, None]),
            ]
        );
        let cosine = topics[0].found[1].unwrap().cosine;
        assert!((SAME_TOPIC..1.0).contains(&cosine), "{cosine}");
        assert_eq!(topics[0].found[0], Some(Found { topic: 0, share: 0.5, cosine: 1.0 }));
    }

    /// Two topics that are like one of another run: the more alike is it.
    #[test]
    fn a_topic_is_matched_once() {
        let mut matcher = Matcher::new(Fold::Tokens(2));
        matcher.add(&model(&["ash", "birch"], &[&[50, 50]]));
        matcher.add(&model(&["ash", "birch"], &[&[30, 20], &[25, 25], &[0, 1]]));
        let topics = matcher.into_topics();
        let numbers: Vec<_> = topics.iter().map(|topic| topic.found[1].map(|found| found.topic)).collect();
        assert_eq!(numbers, [Some(1), Some(0)]);
    }
}
