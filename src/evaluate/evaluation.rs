//! All measures of a model's topics at once.

use serde::Serialize;

use super::Score;
use super::coherence::{Occurrences, Window};
use super::topics::{TopicWords, diversity, topic_words};
use crate::corpus::Corpus;
use crate::infer::known_words;
use crate::model::trained::Model;

/// Words of each topic that diversity looks at, as its authors did.
pub const DIVERSITY_WORDS: usize = 25;

/// Tokens of the windows of C_v, as its authors chose them.
pub const C_V_WINDOW: usize = 110;

/// What to measure, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Measures {
    /// Top words of each topic.
    pub words: usize,
    /// The windows of NPMI.
    pub npmi_window: Window,
    /// The windows of C_v.
    pub c_v_window: Window,
}

impl Default for Measures {
    /// The top ten words, looked for in whole documents.
    fn default() -> Self {
        Self { words: 10, npmi_window: Window::Document, c_v_window: Window::Document }
    }
}

/// What was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// Held-out document completion, when documents were held out.
    pub completion: Option<Score>,
    /// The left-to-right estimate of held-out documents.
    pub left_to_right: Option<Score>,
    /// UMass coherence.
    pub umass: Mean,
    /// NPMI coherence.
    pub npmi: Mean,
    /// C_v coherence.
    pub c_v: Mean,
    /// Exclusivity.
    pub exclusivity: Mean,
    /// Topic diversity.
    pub diversity: f64,
    /// Every topic that has tokens, largest first.
    pub topics: Vec<TopicMeasures>,
}

/// A mean over topics; topics with a single word have no coherence and are left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// In which every topic counts alike; none when no topic has a value.
    pub mean: Option<f64>,
    /// In which topics count by their tokens.
    pub weighted_by_tokens: Option<f64>,
}

/// The measures of one topic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TopicMeasures {
    /// Its number.
    pub topic: u16,
    /// n_k.
    pub tokens: u64,
    /// UMass; none for a topic with a single word.
    pub umass: Option<f64>,
    /// NPMI, the same.
    pub npmi: Option<f64>,
    /// C_v, the same.
    pub c_v: Option<f64>,
    /// Exclusivity.
    pub exclusivity: f64,
}

/// Measures the topics of `model`, with coherence in `corpus`, whose words are found by their names.
pub fn evaluate(model: &Model, corpus: &Corpus, measures: Measures) -> Evaluation {
    let mut words = topic_words(model, measures.words, measures.words);
    words.sort_by_key(|topic| (std::cmp::Reverse(topic.tokens), topic.topic));
    let known = known_words(model, corpus);
    let looked_for = || words.iter().flat_map(|topic| topic.by_probability.iter().copied());
    let occurrences = |window| Occurrences::of_known(corpus, &known, window, looked_for());
    let in_documents = occurrences(Window::Document);
    let others = [measures.npmi_window, measures.c_v_window]
        .map(|window| (window != Window::Document).then(|| occurrences(window)));
    let [npmi, c_v] = others.each_ref().map(|other| other.as_ref().unwrap_or(&in_documents));
    let finite = |value: f64| value.is_finite().then_some(value);
    let of_topic = |topic: &TopicWords| TopicMeasures {
        topic: topic.topic,
        tokens: topic.tokens,
        umass: finite(in_documents.umass(&topic.by_probability)),
        npmi: finite(npmi.npmi(&topic.by_probability)),
        c_v: finite(c_v.c_v(&topic.by_probability)),
        exclusivity: topic.exclusivity,
    };
    let topics: Vec<TopicMeasures> = words.iter().map(of_topic).collect();
    let most = topic_words(model, DIVERSITY_WORDS, DIVERSITY_WORDS);
    Evaluation {
        completion: None,
        left_to_right: None,
        umass: Mean::over(&topics, |topic| topic.umass),
        npmi: Mean::over(&topics, |topic| topic.npmi),
        c_v: Mean::over(&topics, |topic| topic.c_v),
        exclusivity: Mean::over(&topics, |topic| Some(topic.exclusivity)),
        diversity: diversity(most.iter().map(|topic| &topic.by_probability[..])),
        topics,
    }
}

impl Mean {
    fn over(topics: &[TopicMeasures], value: impl Fn(&TopicMeasures) -> Option<f64>) -> Self {
        let values: Vec<(f64, f64)> =
            topics.iter().filter_map(|topic| Some((value(topic)?, topic.tokens as f64))).collect();
        let mean = |weight: &dyn Fn(f64) -> f64| {
            let total: f64 = values.iter().map(|&(_, tokens)| weight(tokens)).sum();
            let sum: f64 = values.iter().map(|&(value, tokens)| value * weight(tokens)).sum();
            (total > 0.0).then(|| sum / total)
        };
        Self { mean: mean(&|_| 1.0), weighted_by_tokens: mean(&|tokens| tokens) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_leave_out_what_has_no_value() {
        let topic = |tokens, umass| TopicMeasures {
            topic: 0,
            tokens,
            umass,
            npmi: None,
            c_v: None,
            exclusivity: 1.0,
        };
        let topics = [topic(1, Some(-1.0)), topic(3, Some(-2.0)), topic(9, None)];
        let mean = Mean::over(&topics, |topic| topic.umass);
        assert_eq!(mean, Mean { mean: Some(-1.5), weighted_by_tokens: Some(-1.75) });
        let none = Mean { mean: None, weighted_by_tokens: None };
        assert_eq!(Mean::over(&topics, |topic| topic.npmi), none);
    }
}
