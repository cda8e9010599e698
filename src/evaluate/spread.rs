//! How a topic is spread over documents: topics that are everywhere alike say nothing of any of them.

use std::collections::BTreeMap;
use std::convert::Infallible;

use crate::estimate::DocTopics;

/// Below this distinctiveness a topic is background. On the corpora that were tried, topics of function words and of an agency's or a
/// forum's own phrases lie below, and those of a subject above 0.25.
pub const BACKGROUND: f64 = 0.2;

/// Fewer tokens than this say little of where a topic is.
const LEAST_TOKENS: u64 = 100;

/// Whether a topic is background: in all documents about alike.
pub fn is_background(distinctiveness: Option<f64>, tokens: u64) -> bool {
    tokens >= LEAST_TOKENS && distinctiveness.is_some_and(|distinctiveness| distinctiveness < BACKGROUND)
}

/// How far the tokens of each topic up to K* keep to documents of their own: 0 when they are spread as evenly as whole tokens can be, 1 when
/// no other topic is where it is; none without tokens, or where documents are too short to tell.
///
/// With p_d = m_dk / n_k and the share s = n_k / N this is (D − E) / (ln 1/s − E), where D = Σ_d p_d ln(p_d / (N_d / N)) is the divergence of
/// the topic's documents from those of all tokens, and E = Σ_d (N_d / N) ln((1 + (N_d − 1)s) / (N_d s)) bounds what D is when each token
/// is in the topic with probability s, wherever it is.
pub fn distinctiveness(docs: &DocTopics<'_>, topic_tokens: &[u64]) -> Vec<Option<f64>> {
    let mut sums = vec![0.0; topic_tokens.len()];
    let mut lengths: BTreeMap<usize, u64> = BTreeMap::new();
    let Ok(()) = docs.for_each(|d, topics| {
        let tokens = docs.tokens(d);
        *lengths.entry(tokens).or_default() += 1;
        for topic in topics {
            sums[usize::from(topic.topic)] += topic.m * libm::log(topic.m / tokens as f64);
        }
        Ok::<(), Infallible>(())
    });
    lengths.remove(&0);
    let all: u64 = lengths.iter().map(|(&length, docs)| length as u64 * docs).sum();
    let of_topic = |(&n_k, sum): (&u64, f64)| {
        let share = n_k as f64 / all as f64;
        let own = -libm::log(share);
        let (found, even) = (sum / n_k as f64 + own, even_spread(&lengths, all, share));
        // Where a token fills a document, every topic has documents of its own.
        (n_k > 0 && own - even > 1e-9).then(|| ((found - even) / (own - even)).clamp(0.0, 1.0))
    };
    topic_tokens.iter().zip(sums).map(of_topic).collect()
}

/// E of a topic with this share, given how many documents have each length.
fn even_spread(lengths: &BTreeMap<usize, u64>, all: u64, share: f64) -> f64 {
    let of_length = |(&length, &docs): (&usize, &u64)| {
        let length = length as f64;
        length * docs as f64 / all as f64 * libm::log((1.0 + (length - 1.0) * share) / (length * share))
    };
    lengths.iter().map(of_length).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::counts::Counts;
    use crate::model::trained::Model;

    /// Documents of `length` tokens, whose topics are what `z` says of document and token.
    fn of(docs: usize, length: usize, z: impl Fn(usize, usize) -> u16) -> Vec<Option<f64>> {
        let doc_start: Vec<usize> = (0..=docs).map(|d| d * length).collect();
        let z: Vec<u16> = (0..docs * length).map(|i| z(i / length, i % length)).collect();
        let mut n = Counts::new(&[], 4).n;
        z.iter().for_each(|&k| n.topic_tokens[usize::from(k)] += 1);
        let model = Model { alpha: 0.1, beta: 0.01, gamma: 1.0, psi: vec![0.25; 4], n, vocab: Vec::new() };
        distinctiveness(&DocTopics::of_state(&model, &doc_start, &z), &model.n.topic_tokens)
    }

    #[test]
    fn a_topic_everywhere_is_none_of_any_document() {
        // A tenth of every document is in topic 0, and all else of each half in a topic of its own.
        let found = of(100, 50, |d, i| if i % 10 == 0 { 0 } else { 1 + (d % 2) as u16 });
        assert_eq!(found[0], Some(0.0));
        assert!(found[1].unwrap() > 0.8 && found[1] == found[2], "{found:?}");
        assert_eq!(found[3], None);
        assert!(
            is_background(found[0], 500) && !is_background(found[0], 50) && !is_background(found[1], 500)
        );
        assert!(!is_background(None, 500));
    }

    #[test]
    fn documents_of_their_own_are_all_that_can_be() {
        assert_eq!(of(40, 30, |d, _| (d / 10) as u16), [Some(1.0); 4]);
        assert_eq!(of(40, 1, |d, _| (d % 4) as u16), [None; 4]);
        assert_eq!(of(40, 30, |_, _| 2), [None; 4]);
    }

    /// In short documents a topic that is spread evenly is in few of them.
    #[test]
    fn short_documents_do_not_make_a_topic_distinct() {
        let found = of(2000, 5, |d, i| u16::from((d * 5 + i) % 23 != 0));
        assert!(found[0].unwrap() < 0.1, "{found:?}");
    }
}
