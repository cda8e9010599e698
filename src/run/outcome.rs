//! What comes of a run.

use std::path::PathBuf;
use std::sync::Arc;

use super::record::{RunRecord, Status};
use super::trace::History;
use crate::chain::State;
use crate::corpus::Corpus;
use crate::estimate::Samples;
use crate::evaluate::listing::{ListedTopic, listed};

/// Topics and words of an ended chain that are kept to be shown.
const SHOWN_TOPICS: usize = 10;
const SHOWN_WORDS: usize = 8;

/// A run that has ended, or was stopped.
#[derive(Debug)]
pub struct Outcome {
    /// Its folder.
    pub out: PathBuf,
    /// The documents that it was trained on.
    pub corpus: Arc<Corpus>,
    /// Its chains, as far as they have begun; the first one's record is also that of all.
    pub chains: Vec<ChainOutcome>,
    /// The chain that was stopped on its way, or after which the others were not begun.
    pub interrupted: Option<u32>,
}

/// A chain that has ended, or was stopped.
#[derive(Debug)]
pub struct ChainOutcome {
    /// Its number, from 1.
    pub number: u32,
    /// What run.json says of it.
    pub record: RunRecord,
    /// All rows of its logs.
    pub history: History,
    /// The samples that its results are a mean of, when there are several.
    pub samples: Option<Arc<Samples>>,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// Topics with tokens.
    pub topics: usize,
    /// The log-likelihood per token.
    pub log_likelihood: f64,
    /// Its largest topics with their first words.
    pub largest: Vec<ListedTopic>,
}

impl ChainOutcome {
    pub(super) fn new(
        number: u32,
        record: RunRecord,
        history: History,
        samples: Option<Arc<Samples>>,
        interrupted: bool,
        state: &State,
    ) -> Self {
        let vocab = &state.portion().corpus.vocab;
        let mut largest = listed(&state.counts().n, vocab, state.params().beta(), SHOWN_WORDS);
        let topics = largest.len();
        largest.truncate(SHOWN_TOPICS);
        Self {
            number,
            record,
            history,
            samples,
            interrupted,
            topics,
            log_likelihood: state.log_likelihood().model / state.portion().num_tokens() as f64,
            largest,
        }
    }
}

impl Status {
    /// Of a run that has ended, or was interrupted.
    pub(super) fn ended(interrupted: bool) -> Self {
        if interrupted { Self::Interrupted } else { Self::Finished }
    }
}
