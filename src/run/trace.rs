//! The rows of a run's logs as numbers: what checkpoints, verdicts and the report read.

use serde::{Deserialize, Serialize};

use super::logs::Rows;
use crate::chain::{Chain, Progress};

/// A row of trace.csv: a state of the chain. Log-likelihoods are rounded as they are written, so that a row that is read back is the
/// row that was written.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceRow {
    /// The iterations done.
    pub iteration: u32,
    /// log p(w | z) + log p(z | Ψ).
    pub log_likelihood: f64,
    /// The same with the document part of a symmetric LDA with K* topics.
    pub log_likelihood_lda: f64,
    /// Topics that have tokens.
    pub active_topics: usize,
    /// Tokens in the topic that stands for all others.
    pub flag_topic_tokens: u64,
    /// Tokens that had nothing to draw from in the last iteration.
    pub stuck_tokens: u64,
    /// α.
    pub alpha: f64,
    /// β.
    pub beta: f64,
    /// γ.
    pub gamma: f64,
    /// K*.
    pub max_topics: u32,
}

impl TraceRow {
    /// Of the chain's state, in which `stuck_tokens` were stuck in the last iteration.
    pub fn of(chain: &dyn Chain, stuck_tokens: u64) -> Self {
        let likelihood = chain.state().log_likelihood();
        let params = chain.state().params();
        Self {
            iteration: chain.state().iteration(),
            log_likelihood: rounded(likelihood.model, 3),
            log_likelihood_lda: rounded(likelihood.lda, 3),
            active_topics: chain.state().counts().n.active_topics(),
            flag_topic_tokens: chain.state().flag_topic_tokens(),
            stuck_tokens,
            alpha: params.alpha(),
            beta: params.beta(),
            gamma: params.gamma(),
            max_topics: params.max_topics(),
        }
    }

    /// Its fields as trace.csv has them.
    pub(super) fn fields(&self) -> [String; 10] {
        [
            self.iteration.to_string(),
            format!("{:.3}", self.log_likelihood),
            format!("{:.3}", self.log_likelihood_lda),
            self.active_topics.to_string(),
            self.flag_topic_tokens.to_string(),
            self.stuck_tokens.to_string(),
            self.alpha.to_string(),
            self.beta.to_string(),
            self.gamma.to_string(),
            self.max_topics.to_string(),
        ]
    }
}

/// How long an iteration took, of timing.csv.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct TimingRow {
    /// The iteration.
    pub iteration: u32,
    /// Its seconds, rounded as they are written.
    pub seconds: f64,
}

/// The tokens of the topics at a row of the trace, in the order of topics' numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicTokens {
    /// The iterations done.
    pub iteration: u32,
    /// Topics with their tokens; those without are left out.
    pub tokens: Vec<(u16, u64)>,
}

/// All rows of a run so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The trace.
    pub trace: Vec<TraceRow>,
    /// The time of each iteration.
    pub timing: Vec<TimingRow>,
    /// The tokens of topics at each row of the trace.
    pub topic_tokens: Vec<TopicTokens>,
}

impl History {
    /// Adds a state of the chain.
    pub(super) fn push_state(&mut self, row: TraceRow, chain: &dyn Chain) {
        let tokens =
            chain.state().counts().n.topic_tokens.iter().enumerate().filter(|&(_, &tokens)| tokens > 0);
        let tokens = tokens.map(|(k, &tokens)| (k as u16, tokens)).collect();
        self.topic_tokens.push(TopicTokens { iteration: row.iteration, tokens });
        self.trace.push(row);
    }

    /// Adds an iteration.
    pub(super) fn push_timing(&mut self, progress: &Progress) {
        let seconds = rounded(progress.seconds, 6);
        self.timing.push(TimingRow { iteration: progress.iteration, seconds });
    }

    /// Reads the three logs.
    ///
    /// # Errors
    /// Names the log that is none, and why.
    pub fn read(rows: &Rows) -> Result<Self, (&'static str, String)> {
        use super::folder::name;
        let mut topic_tokens: Vec<TopicTokens> = Vec::new();
        for (iteration, k, tokens) in read(&rows.tokens_per_topic, name::TOKENS_PER_TOPIC)? {
            match topic_tokens.last_mut() {
                Some(last) if last.iteration == iteration => last.tokens.push((k, tokens)),
                _ => topic_tokens.push(TopicTokens { iteration, tokens: vec![(k, tokens)] }),
            }
        }
        Ok(Self {
            trace: read(&rows.trace, name::TRACE)?,
            timing: read(&rows.timing, name::TIMING)?,
            topic_tokens,
        })
    }
}

/// The rows of a CSV text.
fn read<T: for<'de> Deserialize<'de>>(
    text: &[u8],
    name: &'static str,
) -> Result<Vec<T>, (&'static str, String)> {
    let mut reader = csv::Reader::from_reader(text);
    if !reader.headers().is_ok_and(|columns| columns.len() >= 3) {
        return Err((name, "it has no columns".to_owned()));
    }
    reader.into_deserialize().collect::<Result<_, _>>().map_err(|error| (name, error.to_string()))
}

/// The number that is read when `value` is written with so many decimals.
fn rounded(value: f64, decimals: usize) -> f64 {
    format!("{value:.decimals$}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_are_written() {
        let nothing = Rows { timing: Vec::new(), ..Rows::none() };
        assert_eq!(History::read(&nothing), Err(("timing.csv", "it has no columns".to_owned())));
        let row = TraceRow {
            iteration: 7,
            log_likelihood: rounded(-1_025_693.734_6, 3),
            log_likelihood_lda: rounded(-0.000_4, 3),
            active_topics: 3,
            flag_topic_tokens: 1,
            stuck_tokens: 2,
            alpha: 0.1 + 0.2,
            beta: 1e-9,
            gamma: 1e9,
            max_topics: 65_535,
        };
        let mut rows = Rows::none();
        rows.trace.extend(format!("{}\n", row.fields().join(",")).bytes());
        rows.timing
            .extend(b"1,0.000012,0,0,0,0,0,5,0,0,\"cpu (2 threads, \"\"x\"\")\",0.3700,16,0.000004,80\n");
        rows.tokens_per_topic.extend(b"0,0,5\n0,3,2\n7,1,7\n");
        let history = History::read(&rows).expect("rows");
        assert_eq!(history.trace, [row]);
        assert_eq!(history.timing, [TimingRow { iteration: 1, seconds: 12e-6 }]);
        let tokens = |iteration, tokens: &[_]| TopicTokens { iteration, tokens: tokens.to_vec() };
        assert_eq!(history.topic_tokens, [tokens(0, &[(0, 5), (3, 2)]), tokens(7, &[(1, 7)])]);
        rows.trace.extend(b"8,x\n");
        assert_eq!(History::read(&rows).map_err(|(name, _)| name), Err("trace.csv"));
    }
}
