//! The topics of a run as lines.

use std::collections::HashMap;

use hdp_gpu::evaluate::listing::ListedTopic;
use hdp_gpu::evaluate::spread::is_background;
use hdp_gpu::run::results::read_back::Spread;

use super::wording::counted;

/// What marks a topic that is everywhere, and what is said of it.
const MARK: char = '*';
const MEANING: &str = "* background: spread evenly over all documents";

/// Topics, and what is known of them.
pub(super) struct TopicList<'a> {
    pub(super) vocab: &'a [String],
    /// All tokens.
    pub(super) tokens: u64,
    pub(super) spread: &'a HashMap<u16, Spread>,
}

impl TopicList<'_> {
    /// Topics as lines: rank, number, tokens, share of all tokens, a mark for background, label, and further words.
    pub(super) fn table(&self, topics: &[ListedTopic]) -> String {
        let mut text = format!(
            "{:>4} {:>6} {:>12} {:>7}  {} · {}\n",
            "rank", "topic", "tokens", "share", "label", "words"
        );
        for topic in topics {
            let summary = &topic.summary;
            let mark = if self.is_background(topic) { MARK } else { ' ' };
            text += &format!(
                "{:>4} {:>6} {:>12} {:>6.2}%{mark} {}\n",
                topic.rank,
                summary.topic,
                summary.tokens,
                self.percent(summary.tokens),
                self.words(topic),
            );
        }
        if topics.iter().any(|topic| self.is_background(topic)) {
            text += &format!("{MEANING}\n");
        }
        text
    }

    /// The line for topics that are not shown.
    pub(super) fn folded(&self, topics: &[ListedTopic], below: u64) -> String {
        let tokens: u64 = topics.iter().map(|topic| topic.summary.tokens).sum();
        let (count, below) = (counted(topics.len() as u64, "small topic"), counted(below, "token"));
        let share = self.percent(tokens);
        format!("{count} with fewer than {below} each, {share:.2}% of all: --all shows them\n")
    }

    /// The label, and the other words, most probable first.
    fn words(&self, topic: &ListedTopic) -> String {
        let others = topic.summary.top_words.iter().filter(|v| !topic.label.contains(v));
        let (label, others) = (self.named(&topic.label), self.named(others));
        if others.is_empty() { label } else { format!("{label} · {others}") }
    }

    /// Words by their numbers.
    pub(super) fn named<'v>(&self, words: impl IntoIterator<Item = &'v u32>) -> String {
        let words = words.into_iter().map(|&v| self.vocab[v as usize].as_str());
        words.collect::<Vec<_>>().join(" ")
    }

    pub(super) fn percent(&self, tokens: u64) -> f64 {
        100.0 * tokens as f64 / self.tokens as f64
    }

    pub(super) fn is_background(&self, topic: &ListedTopic) -> bool {
        is_background(self.distinctiveness(topic), topic.summary.tokens)
    }

    pub(super) fn distinctiveness(&self, topic: &ListedTopic) -> Option<f64> {
        self.spread.get(&topic.summary.topic)?.distinctiveness
    }
}
