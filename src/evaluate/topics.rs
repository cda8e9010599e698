//! What sets topics apart: relevance of words, exclusivity, diversity.

use std::collections::HashSet;

use super::summary::{insert_top, summarise};
use crate::model::counts::TopicWordCounts;
use crate::model::trained::{MeanPhi, Model};

/// The weight of probability against lift in relevance, as Sievert and Shirley (2014) found it best.
pub const RELEVANCE_LAMBDA: f64 = 0.6;

/// A topic's words, by several measures.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicWords {
    /// Its number.
    pub topic: u16,
    /// n_k.
    pub tokens: u64,
    /// The words with the largest φ_kv, falling.
    pub by_probability: Vec<u32>,
    /// The words with the largest relevance, falling.
    pub by_relevance: Vec<u32>,
    /// The mean over the first words of the first list of φ_kv / Σ_j φ_jv, over topics j with tokens: 1 when no other topic has its words.
    pub exclusivity: f64,
}

/// Every topic that has tokens, by number, with `words` words in each list, of which `measured` count for exclusivity.
///
/// φ_kv = (n_kv + β) / (n_k + Vβ). Relevance (Sievert and Shirley 2014) is λ·ln φ_kv + (1 − λ)·ln (φ_kv / p_v), with p_v word v's
/// share of all tokens and λ = [`RELEVANCE_LAMBDA`]; only words that the topic has are ranked.
pub fn topic_words(model: &Model, words: usize, measured: usize) -> Vec<TopicWords> {
    let n = &model.n;
    let phi = model.mean_phi();
    let relevant = relevant_words(n, &phi, words);
    let summaries = summarise(n, words);
    let exclusivity =
        exclusivity(n, &phi, summaries.iter().map(|topic| (topic.topic, first(&topic.top_words, measured))));
    summaries
        .into_iter()
        .zip(exclusivity)
        .map(|(summary, exclusivity)| TopicWords {
            topic: summary.topic,
            tokens: summary.tokens,
            by_relevance: relevant[usize::from(summary.topic)].iter().map(|&(_, word)| word).collect(),
            by_probability: summary.top_words,
            exclusivity,
        })
        .collect()
}

/// For each topic up to K* its `most` words with the largest relevance, falling.
pub(crate) fn relevant_words(n: &TopicWordCounts, phi: &MeanPhi, most: usize) -> Vec<Vec<(f64, u32)>> {
    let mut relevant: Vec<Vec<(f64, u32)>> = vec![Vec::new(); n.topic_tokens.len()];
    let total: u64 = n.topic_tokens.iter().sum();
    for column in n.columns() {
        let tokens: u64 = column.count.iter().map(|&count| u64::from(count)).sum();
        let ln_share = libm::log(tokens as f64 / total as f64);
        for (k, count) in column.iter() {
            let relevance = libm::log(phi.of(k, count)) - (1.0 - RELEVANCE_LAMBDA) * ln_share;
            insert_top(&mut relevant[usize::from(k)], most, relevance, column.word);
        }
    }
    relevant
}

/// At most `most` of the words.
pub(crate) fn first(words: &[u32], most: usize) -> &[u32] {
    &words[..words.len().min(most)]
}

/// The mean of φ_kv / Σ_j φ_jv over each topic's top words.
fn exclusivity<'a>(
    n: &TopicWordCounts,
    phi: &MeanPhi,
    topics: impl Iterator<Item = (u16, &'a [u32])>,
) -> Vec<f64> {
    let columns: Vec<_> = n.columns().collect();
    let share = |k: u16, v: u32| {
        let column = columns[v as usize];
        let n_kv = column.topic.binary_search(&k).map_or(0, |at| column.count[at]);
        phi.of(k, n_kv) / phi.sum(column.iter())
    };
    topics.map(|(k, top)| top.iter().map(|&v| share(k, v)).sum::<f64>() / top.len() as f64).collect()
}

/// Topic diversity (Dieng et al. 2020): the share of different words among the top words of all topics.
pub fn diversity<'a>(tops: impl Iterator<Item = &'a [u32]>) -> f64 {
    let mut different = HashSet::new();
    let mut all = 0u64;
    for &v in tops.flatten() {
        different.insert(v);
        all += 1;
    }
    different.len() as f64 / all as f64
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::counts::{ColumnBlock, Counts};

    /// Word 0 is everywhere, words 1 and 2 are topic 0's, word 3 is topic 2's.
    pub(in crate::evaluate) fn model() -> Model {
        let columns: [&[(u16, u32)]; 4] = [&[(0, 6), (2, 6)], &[(0, 4)], &[(0, 2)], &[(2, 4)]];
        let mut block = ColumnBlock::new(0..4);
        for column in columns {
            column.iter().for_each(|&(k, count)| block.push(k, count));
            block.end_column();
        }
        let mut n = Counts::new(&[], 3).n;
        (n.blocks, n.topic_tokens) = (vec![block], vec![12, 0, 10]);
        let vocab = (0..4).map(|v| v.to_string()).collect();
        Model { alpha: 0.1, beta: 0.01, gamma: 1.0, psi: vec![0.5, 0.1, 0.4], n, vocab }
    }

    #[test]
    fn relevance_prefers_words_of_the_topic_alone() {
        let topics = topic_words(&model(), 2, 2);
        assert_eq!(topics.iter().map(|topic| topic.topic).collect::<Vec<_>>(), [0, 2]);
        assert_eq!((&topics[0].by_probability[..], &topics[0].by_relevance[..]), (&[0, 1][..], &[1, 0][..]));
        assert_eq!((&topics[1].by_probability[..], &topics[1].by_relevance[..]), (&[0, 3][..], &[3, 0][..]));
    }

    #[test]
    fn exclusivity_by_hand() {
        let topics = topic_words(&model(), 2, 2);
        let (a, b) = (12.04, 10.04);
        let common = (6.01 / a) / (6.01 / a + 6.01 / b);
        let own = (4.01 / a) / (4.01 / a + 0.01 / b);
        approx::assert_relative_eq!(topics[0].exclusivity, (common + own) / 2.0, max_relative = 1e-12);
    }

    #[test]
    fn diversity_counts_words_once() {
        let tops: [&[u32]; 3] = [&[0, 1], &[0, 3], &[5, 1]];
        approx::assert_relative_eq!(diversity(tops.into_iter()), 4.0 / 6.0);
    }
}
