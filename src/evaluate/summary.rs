//! Topics in words: the top words of each, the ranking, and the paper's quantile summary.

use crate::model::counts::TopicWordCounts;

/// The quantiles of the paper's appendix, in percent.
pub const QUANTILES: [u32; 5] = [100, 75, 50, 25, 5];

/// The topics shown at each quantile.
const TOPICS_PER_QUANTILE: usize = 5;

/// The fewest tokens of a topic that the quantile summary ranks.
pub const QUANTILE_MIN_TOKENS: u64 = 100;

/// A topic with its most frequent words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicSummary {
    /// Its number.
    pub topic: u16,
    /// n_k.
    pub tokens: u64,
    /// Words with n_kv > 0, by falling n_kv, then by number.
    pub top_words: Vec<u32>,
}

/// The topics that have tokens, by number, each with at most `words` top words.
pub fn summarise(n: &TopicWordCounts, words: usize) -> Vec<TopicSummary> {
    let mut tops: Vec<Vec<(u32, u32)>> = vec![Vec::new(); n.topic_tokens.len()];
    for column in n.columns() {
        for (k, count) in column.iter() {
            insert_top(&mut tops[usize::from(k)], words, count, column.word);
        }
    }
    // The range has an end: zip asks for a number past the last topic's, and an open range overflows there.
    (0..=u16::MAX)
        .zip(&n.topic_tokens)
        .zip(tops)
        .filter(|&((_, &tokens), _)| tokens > 0)
        .map(|((topic, &tokens), top)| TopicSummary {
            topic,
            tokens,
            top_words: top.into_iter().map(|(_, word)| word).collect(),
        })
        .collect()
}

/// Keeps `top` the `most` largest values, falling; words come in ascending order and ties stay in it.
pub(crate) fn insert_top<T: Copy + PartialOrd>(top: &mut Vec<(T, u32)>, most: usize, value: T, word: u32) {
    let at = top.partition_point(|&(other, _)| other >= value);
    if at < most {
        top.truncate(most - 1);
        top.insert(at, (value, word));
    }
}

/// Sorts topics from the largest to the smallest, equal ones by number.
pub fn rank(topics: &mut [TopicSummary]) {
    topics.sort_by_key(|topic| (std::cmp::Reverse(topic.tokens), topic.topic));
}

/// For each of [`QUANTILES`], the five topics whose tokens are closest to that quantile of the tokens per
/// topic, largest first, among topics with at least [`QUANTILE_MIN_TOKENS`] tokens.
pub fn quantile_summary(topics: &[TopicSummary]) -> Vec<(u32, Vec<&TopicSummary>)> {
    let mut ranked: Vec<&TopicSummary> =
        topics.iter().filter(|topic| topic.tokens >= QUANTILE_MIN_TOKENS).collect();
    ranked.sort_by_key(|topic| (std::cmp::Reverse(topic.tokens), topic.topic));
    if ranked.is_empty() {
        return Vec::new();
    }
    QUANTILES
        .iter()
        .map(|&percent| {
            let at = quantile(&ranked, f64::from(percent) / 100.0);
            let mut closest = ranked.clone();
            closest.sort_by(|a, b| {
                let distance = |topic: &TopicSummary| (topic.tokens as f64 - at).abs();
                distance(a).total_cmp(&distance(b))
            });
            closest.truncate(TOPICS_PER_QUANTILE);
            closest.sort_by_key(|topic| (std::cmp::Reverse(topic.tokens), topic.topic));
            (percent, closest)
        })
        .collect()
}

/// The quantile of the tokens of topics ranked from the largest, interpolated linearly between ranks.
fn quantile(ranked: &[&TopicSummary], share: f64) -> f64 {
    let position = (1.0 - share) * (ranked.len() - 1) as f64;
    let (above, below) = (position.floor() as usize, position.ceil() as usize);
    let part = position - position.floor();
    ranked[above].tokens as f64 * (1.0 - part) + ranked[below].tokens as f64 * part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::counts::{ColumnBlock, Counts};

    fn counts(columns: &[&[(u16, u32)]]) -> TopicWordCounts {
        let mut block = ColumnBlock::new(0..columns.len() as u32);
        let mut n = Counts::new(&[], 4).n;
        for column in columns {
            for &(k, count) in *column {
                block.push(k, count);
                n.topic_tokens[usize::from(k)] += u64::from(count);
            }
            block.end_column();
        }
        n.blocks = vec![block];
        n
    }

    #[test]
    fn top_words_fall_by_count_and_ties_go_by_number() {
        let n = counts(&[&[(0, 2), (3, 1)], &[(0, 5)], &[(0, 2)], &[(0, 1), (3, 7)]]);
        let topics = summarise(&n, 3);
        assert_eq!(topics[0], TopicSummary { topic: 0, tokens: 10, top_words: vec![1, 0, 2] });
        assert_eq!(topics[1], TopicSummary { topic: 3, tokens: 8, top_words: vec![3, 0] });
        assert_eq!(topics.len(), 2);
    }

    #[test]
    fn quantiles_take_the_closest_topics_with_enough_tokens() {
        let topics: Vec<TopicSummary> = (1..=21)
            .map(|topic| TopicSummary { topic, tokens: 50 * u64::from(topic), top_words: Vec::new() })
            .collect();
        let summary = quantile_summary(&topics);
        let shown = |at: usize| -> Vec<u64> { summary[at].1.iter().map(|topic| topic.tokens).collect() };
        assert_eq!(summary.iter().map(|&(percent, _)| percent).collect::<Vec<_>>(), QUANTILES);
        // Ranked are 100, 150, …, 1050: twenty topics, the median at 575, and the larger of 450 and 700.
        assert_eq!(shown(0), [1050, 1000, 950, 900, 850]);
        assert_eq!(shown(2), [700, 650, 600, 550, 500]);
        assert_eq!(shown(4), [300, 250, 200, 150, 100]);
        assert!(quantile_summary(&topics[..1]).is_empty());
    }
}
