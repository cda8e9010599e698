//! The finish of a run: how long it is, and the states that it is given to.
//!
//! Results are made of finished copies of states: of the last one, when the chain has come to its end, and of each sample.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::checkpoint::Kept;
use super::plan::Plan;
use crate::chain::{Chain, FinishedState, State};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::params::{Algorithm, Concentrations, Preset};

/// The most sweeps that are made unless more are asked for.
const MOST_SWEEPS: u32 = 40;

/// Iterations that a sweep comes with, in a run of few. On AP, 40 sweeps after 1,000 iterations took a quarter of the processor time of
/// these; a finish goes on one thread however many the run has.
const ITERATIONS_PER_SWEEP: u32 = 25;

/// The most tokens of a corpus whose runs are finished unless it is asked for: a finish runs on one thread.
const MOST_TOKENS: usize = 2_000_000;

/// The sweeps of a finish: a number, or `auto`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Finish {
    /// As many as a run of this length on this corpus can spare.
    #[default]
    Auto,
    /// So many.
    Sweeps(u32),
}

impl Finish {
    /// None.
    pub const NONE: Self = Self::Sweeps(0);

    /// That of a preset.
    pub fn of_preset(preset: Preset) -> Self {
        match preset {
            Preset::Auto | Preset::Default | Preset::Small => Self::Auto,
            Preset::Paper => Self::NONE,
        }
    }

    /// What a run has that began before there was a finish.
    pub(super) fn none() -> Self {
        Self::NONE
    }
}

impl fmt::Display for Finish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Sweeps(sweeps) => write!(f, "{sweeps}"),
        }
    }
}

impl FromStr for Finish {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => text.parse().map(Self::Sweeps).map_err(|_| "give a number of sweeps, or auto".to_owned()),
        }
    }
}

impl TryFrom<String> for Finish {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Finish> for String {
    fn from(finish: Finish) -> Self {
        finish.to_string()
    }
}

impl Plan {
    /// The sweeps that each state of which results are made gets, in a chain of `sampler` on `tokens` tokens.
    pub fn sweeps(&self, sampler: Algorithm, tokens: usize) -> u32 {
        match self.sampling.finish {
            Finish::Sweeps(sweeps) => sweeps,
            Finish::Auto if sampler == Algorithm::Direct || tokens > MOST_TOKENS => 0,
            Finish::Auto => (self.iterations / ITERATIONS_PER_SWEEP).min(MOST_SWEEPS) / self.sampling.samples,
        }
    }
}

impl Kept {
    /// The sweeps that each sample of the chain gets.
    pub(super) fn sweeps(&self, tokens: usize) -> u32 {
        self.course().sweeps(self.record.settings.model.sampler, tokens)
    }

    /// The same of the state that the chain is at: none before its end.
    pub(super) fn sweeps_of_last(&self, tokens: usize) -> u32 {
        if self.iteration() == self.course().iterations { self.sweeps(tokens) } else { 0 }
    }
}

/// The finished copy of a chain's state, if there is to be one; `corpus` is all documents.
pub(super) fn finished(
    chain: &mut dyn Chain,
    corpus: &Arc<Corpus>,
    sweeps: u32,
) -> Result<Option<FinishedState>> {
    if sweeps == 0 {
        return Ok(None);
    }
    let (state, z) = chain.state_and_z()?;
    FinishedState::new(corpus, state, z.into_owned(), sweeps).map(Some)
}

/// The state that results are made of, with its z: the chain's, unless there is a finished copy.
pub(super) fn shown<'a>(
    finished: Option<&'a FinishedState>,
    chain: &'a mut dyn Chain,
) -> Result<(&'a State, Cow<'a, [u16]>)> {
    match finished {
        Some(FinishedState { state, z, .. }) => Ok((state, Cow::Borrowed(z))),
        None => chain.state_and_z(),
    }
}

/// What a finish came to: in run.json.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinishRecord {
    /// The sweeps that were made.
    pub sweeps: u32,
    /// The topics that then have tokens.
    pub active_topics: usize,
    /// The log-likelihood, as trace.csv has it of the chain.
    pub log_likelihood: f64,
    /// α, β and γ.
    pub concentrations: Concentrations,
}

impl FinishRecord {
    pub(super) fn of(finished: &FinishedState) -> Self {
        let FinishedState { state, sweeps, .. } = finished;
        Self {
            sweeps: *sweeps,
            active_topics: state.counts().n.active_topics(),
            log_likelihood: state.log_likelihood().model,
            concentrations: state.params().concentrations(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::PhiLaw;
    use crate::run::plan::Sampling;

    #[test]
    fn sweeps_depend_on_settings_and_the_size_of_the_corpus() {
        let urn = Algorithm::Ppu { phi: PhiLaw::Ppu };
        let sweeps = |finish, iterations, samples, sampler, tokens| {
            let sampling = Sampling { samples, finish, ..Sampling::LAST };
            Plan { iterations, trace_every: 10, sampling }.sweeps(sampler, tokens)
        };
        let auto = |iterations, samples, tokens| sweeps(Finish::Auto, iterations, samples, urn, tokens);
        assert_eq!(
            [1, 24, 25, 500, 1000, 9000].map(|iterations| auto(iterations, 1, 10)),
            [0, 0, 1, 20, 40, 40]
        );
        assert_eq!([2, 10, 50].map(|samples| auto(1000, samples, 10)), [20, 4, 0]);
        assert_eq!([MOST_TOKENS, MOST_TOKENS + 1].map(|tokens| auto(1000, 1, tokens)), [40, 0]);
        assert_eq!(sweeps(Finish::Auto, 1000, 1, Algorithm::Direct, 10), 0);
        assert_eq!(sweeps(Finish::Sweeps(7), 1, 9, urn, usize::MAX), 7);
    }

    #[test]
    fn a_finish_is_read_as_it_is_written() {
        for finish in [Finish::Auto, Finish::NONE, Finish::Sweeps(40)] {
            assert_eq!(finish.to_string().parse(), Ok(finish));
        }
        for text in ["", "-1", "some", "1.5"] {
            assert_eq!(text.parse::<Finish>(), Err("give a number of sweeps, or auto".to_owned()));
        }
    }
}
