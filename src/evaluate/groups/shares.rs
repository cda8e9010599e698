//! The topics of groups: their shares of a group's tokens, and how sure these are.

use std::collections::BTreeMap;
use std::convert::Infallible;

use super::{Grouping, WIDTH};
use crate::estimate::{DocTopic, DocTopics};

/// A topic in a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopicInGroup {
    /// The topic.
    pub topic: u16,
    /// Its tokens there, the mean over samples.
    pub tokens: f64,
    /// The documents of the group that have some.
    pub documents: u64,
    /// Its share of the group's tokens.
    pub share: f64,
    /// The ends of an interval for it; not a number where nothing tells how wide it is.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The topics of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupTopics {
    /// The documents that have tokens.
    pub documents: u64,
    /// Their tokens.
    pub tokens: u64,
    /// Those that have tokens, by number.
    pub topics: Vec<TopicInGroup>,
}

/// The topics of every group of each of `groupings`.
///
/// A share is the topic's tokens in all documents of the group by the group's tokens. Its interval of 95 % tells how far it would
/// move with other documents like these: from the differences between the documents of the group (the variance of a ratio). With
/// samples it tells how far it moves from sample to sample: the variances of the documents' tokens are added up, as if documents did not
/// move together.
pub fn topics_of_groups(groupings: &[Grouping], docs: &DocTopics<'_>) -> Vec<Vec<GroupTopics>> {
    let sums = |grouping: &Grouping| vec![Sums::default(); grouping.names.len()];
    let mut all: Vec<Vec<Sums>> = groupings.iter().map(sums).collect();
    let Ok(()) = docs.for_each(|d, topics| {
        for (grouping, groups) in groupings.iter().zip(&mut all) {
            if let Some(group) = grouping.of_docs.get(d).copied().flatten() {
                groups[group as usize].add(docs, d, &topics);
            }
        }
        Ok::<(), Infallible>(())
    });
    let topics = |groups: Vec<Sums>| groups.into_iter().map(|sums| sums.topics(docs.has_sd())).collect();
    all.into_iter().map(topics).collect()
}

/// What is added up over the documents of a group.
#[derive(Clone, Default)]
struct Sums {
    documents: u64,
    /// Σ N_d and Σ N_d².
    tokens: u64,
    squares: f64,
    topics: BTreeMap<u16, TopicSums>,
}

/// Of a topic.
#[derive(Clone, Copy, Default)]
struct TopicSums {
    documents: u64,
    /// Σ m, Σ m² and Σ m N_d.
    m: f64,
    m_squared: f64,
    m_tokens: f64,
    /// The variances of m over samples.
    variance: f64,
}

impl Sums {
    fn add(&mut self, docs: &DocTopics<'_>, d: usize, topics: &[DocTopic]) {
        let tokens = docs.tokens(d);
        if tokens == 0 {
            return;
        }
        let real = tokens as f64;
        self.documents += 1;
        self.tokens += tokens as u64;
        self.squares += real * real;
        for topic in topics {
            let sums = self.topics.entry(topic.topic).or_default();
            sums.documents += 1;
            sums.m += topic.m;
            sums.m_squared += topic.m * topic.m;
            sums.m_tokens += topic.m * real;
            let sd = topic.sd.unwrap_or(0.0) * (docs.shares().prior() + real);
            sums.variance += sd * sd;
        }
    }

    fn topics(self, has_sd: bool) -> GroupTopics {
        let Self { documents, tokens, .. } = self;
        let topic = |(&topic, sums): (&u16, &TopicSums)| {
            let share = sums.m / tokens as f64;
            let variance = if has_sd { sums.variance } else { self.between(sums, share) };
            let half = WIDTH * variance.sqrt() / tokens as f64;
            TopicInGroup {
                topic,
                tokens: sums.m,
                documents: sums.documents,
                share,
                // The smaller of two numbers is the one when the other is none.
                low: if half.is_nan() { half } else { (share - half).max(0.0) },
                high: if half.is_nan() { half } else { (share + half).min(1.0) },
            }
        };
        let topics = self.topics.iter().map(topic).collect();
        GroupTopics { documents, tokens, topics }
    }

    /// The variance of a topic's tokens by the differences between documents, which a single one does not have:
    /// n/(n-1) Σ (m - share N_d)².
    fn between(&self, sums: &TopicSums, share: f64) -> f64 {
        let n = self.documents as f64;
        let squares = sums.m_squared - 2.0 * share * sums.m_tokens + share * share * self.squares;
        // Rounding can leave less than nothing.
        if self.documents > 1 { n / (n - 1.0) * squares.max(0.0) } else { f64::NAN }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::counts::Counts;
    use crate::model::trained::Model;

    fn model(topic_tokens: Vec<u64>) -> Model {
        let mut n = Counts::new(&[], 4).n;
        n.topic_tokens = topic_tokens;
        Model { alpha: 0.4, beta: 0.1, gamma: 1.0, psi: vec![0.25; 4], n, vocab: Vec::new() }
    }

    fn grouping(of_docs: &[Option<u32>]) -> Grouping {
        let names = (0..3).map(|group| group.to_string()).collect();
        Grouping { unit: None, names, at: Vec::new(), of_docs: of_docs.to_vec() }
    }

    #[test]
    fn shares_are_of_the_tokens_and_intervals_of_the_differences_between_documents() {
        let z = [0, 0, 1, 1, 0, 1, 1, 1, 1, 3];
        // Documents of 4, 2, 0, 3 and 1 tokens; the first two, and an empty one, are a group.
        let (model, starts) = (model(vec![3, 6, 0, 1]), [0, 4, 6, 6, 9, 10]);
        let docs = DocTopics::of_state(&model, &starts, &z);
        let groups = &topics_of_groups(&[grouping(&[Some(0), Some(0), Some(0), Some(2), None])], &docs)[0];
        assert_eq!([groups[0].documents, groups[1].documents, groups[2].documents], [2, 0, 1]);
        assert_eq!([groups[0].tokens, groups[1].tokens, groups[2].tokens], [6, 0, 3]);
        let [first, second] = groups[0].topics.as_slice() else { panic!("{:?}", groups[0]) };
        assert_eq!((first.topic, first.tokens, first.documents, first.share), (0, 3.0, 2, 0.5));
        // Both documents have the half of it: nothing differs.
        assert_eq!((second.low, second.high), (0.5, 0.5));
        // A document alone does not differ from any other.
        assert_eq!(groups[2].topics[0].share, 1.0);
        assert!(groups[2].topics[0].low.is_nan() && groups[2].topics[0].high.is_nan());
    }

    /// Against the formula, written out.
    #[test]
    fn the_interval_is_that_of_a_ratio() {
        let counts = [(1usize, 9usize), (3, 4), (0, 5), (6, 6)];
        let (mut z, mut starts) = (Vec::new(), vec![0]);
        for (m, rest) in counts {
            z.extend(std::iter::repeat_n(0u16, m).chain(std::iter::repeat_n(1, rest)));
            starts.push(z.len());
        }
        let model = model(vec![10, 24, 0, 0]);
        let docs = DocTopics::of_state(&model, &starts, &z);
        let groups = &topics_of_groups(&[grouping(&[Some(0); 4])], &docs)[0];
        let (share, total) = (10.0 / 34.0, 34.0);
        let squares: f64 =
            counts.iter().map(|&(m, rest)| (m as f64 - share * (m + rest) as f64).powi(2)).sum();
        let half = 1.96 * (4.0 / 3.0 * squares).sqrt() / total;
        let topic = groups[0].topics[0];
        approx::assert_relative_eq!(topic.high, share + half, max_relative = 1e-12);
        approx::assert_relative_eq!(topic.low, f64::max(share - half, 0.0), max_relative = 1e-12);
        assert!(topic.low > 0.0, "the lower end is cut off");
    }
}
