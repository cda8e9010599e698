//! Whether chains of one model have settled, judged by traces that do not depend on the numbers of topics.
//!
//! A trace has settled when, over its second half in all chains,
//!
//! - R-hat by ranks is at most [`R_HAT_GATE`]: halves of chains lie where the others do, within a third of a standard deviation, and
//!   spread as far, within a factor of some 1.7, and
//! - it is known to be flat: from the third quarter to the last its mean over all chains moves by no more than a third of a
//!   standard deviation ([`DRIFT_GATE`]), and two standard errors of that change, by the effective sample size, leave it so. Chains that
//!   move together have means that agree, so R-hat alone sees less of it; and what merely cannot be told apart from flat is not
//!   known to be. This takes 144 independent values of all chains at least, which also keep R-hat from being small by chance.
//!
//! A trace that does not vary has settled if it is the same in all chains. The chains have settled when all their traces have.
//!
//! All of it is arithmetic on the rows of trace.csv, at iterations that `trace_every` alone decides: so chains settle at the
//! same iteration on any device, and however often they were stopped.

mod sentence;

use serde::{Deserialize, Serialize};

pub use self::sentence::Judged;

use crate::evaluate::convergence::{Convergence, convergence, looked_at};
use crate::params::{Anneal, Learn, Settings};
use crate::run::plan::{Plan, Until};
use crate::run::trace::TraceRow;

/// The largest R-hat of a trace that has settled. R-hat² − 1 is about the variance of the means of halves over that within them, for
/// normal scores of the values or of their distances from the median. At 1.05 means may vary by a third of a standard deviation, and
/// half of normal chains spread 1.7 times as far as the others; at 1.1, the classic value, it is half a standard deviation and a factor of
/// 2.2. 1.01 takes some fifty independent values of each half, which topic models take very long to give.
pub const R_HAT_GATE: f64 = 1.05;

/// The largest change of the mean of a trace that is flat, in standard deviations; with two standard errors added.
pub const DRIFT_GATE: f64 = 1.0 / 3.0;

/// Standard errors that a change is known within.
const ERRORS: f64 = 2.0;

/// Rows of the trace before the first look, so that a quarter has ten; every further look has a quarter more.
const FIRST_LOOK: u32 = 40;

/// The iterations at which chains are looked at, from the first on.
pub fn looks(trace_every: u32) -> impl Iterator<Item = u32> {
    let rows = std::iter::successors(Some(FIRST_LOOK), |&rows| rows.checked_add(rows.div_ceil(4)));
    rows.map_while(move |rows| rows.checked_mul(trace_every))
}

/// A trace that does not depend on the numbers of topics; its name is its column in trace.csv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Traced {
    /// The log-likelihood.
    LogLikelihood,
    /// The number of topics.
    ActiveTopics,
    /// α, where it is learned.
    Alpha,
    /// β, where it is learned.
    Beta,
    /// γ, where it is learned.
    Gamma,
}

impl Traced {
    /// Those that a model with these settings has.
    fn of(Learn { alpha, beta, gamma }: Learn) -> impl Iterator<Item = Self> {
        let learned = [(Self::Alpha, alpha), (Self::Beta, beta), (Self::Gamma, gamma)];
        let learned = learned.into_iter().filter(|(_, prior)| prior.is_some()).map(|(traced, _)| traced);
        [Self::LogLikelihood, Self::ActiveTopics].into_iter().chain(learned)
    }

    /// Its value in a row.
    fn value(self, row: &TraceRow) -> f64 {
        match self {
            Self::LogLikelihood => row.log_likelihood,
            Self::ActiveTopics => row.active_topics as f64,
            Self::Alpha => row.alpha,
            Self::Beta => row.beta,
            Self::Gamma => row.gamma,
        }
    }

    /// As a person names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::LogLikelihood => "the log-likelihood",
            Self::ActiveTopics => "the number of topics",
            Self::Alpha => "α",
            Self::Beta => "β",
            Self::Gamma => "γ",
        }
    }
}

/// The traces of a chain at the iterations of the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Traces {
    iteration: Vec<u32>,
    values: Vec<(Traced, Vec<f64>)>,
}

impl Traces {
    /// Of the rows of a chain with these settings, with a row every `trace_every` iterations; the last one may be off that grid.
    pub fn of(rows: &[TraceRow], settings: &Settings, trace_every: u32) -> Self {
        let rows: Vec<_> = rows.iter().filter(|row| row.iteration.is_multiple_of(trace_every)).collect();
        let values = |traced: Traced| rows.iter().map(|row| traced.value(row)).collect();
        Self {
            iteration: rows.iter().map(|row| row.iteration).collect(),
            values: Traced::of(settings.learn).map(|traced| (traced, values(traced))).collect(),
        }
    }

    /// The rows up to `iteration`.
    fn until(&self, iteration: u32) -> usize {
        self.iteration.partition_point(|&row| row <= iteration)
    }

    /// The last iteration.
    fn last(&self) -> u32 {
        self.iteration.last().copied().unwrap_or(0)
    }
}

/// What a look at chains has found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether they have settled.
    pub settled: bool,
    /// The iteration up to which their traces were looked at.
    pub iteration: u32,
    /// The iteration from which on: those before are left out.
    pub since: Option<u32>,
    /// Whether some of these were drawn with an α that was annealed.
    pub annealed: bool,
    /// Each trace.
    pub traces: Vec<TraceVerdict>,
}

/// What a look at a trace in all chains has found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceVerdict {
    /// Which one.
    pub trace: Traced,
    /// Whether it has settled.
    pub settled: bool,
    /// R-hat by ranks; none when it is too short or does not vary. Where it is infinite, JSON has null too.
    pub r_hat: Option<f64>,
    /// The independent values that its mean is worth.
    pub effective_size: Option<f64>,
    /// The change of its mean from the third quarter to the last, in standard deviations.
    pub drift: Option<f64>,
}

/// Looks at chains up to `iteration`. What is drawn before `from` is not from the model.
pub fn judge(chains: &[Traces], iteration: u32, from: u32) -> Verdict {
    let rows: Vec<usize> = chains.iter().map(|chain| chain.until(iteration)).collect();
    let shortest = rows.iter().copied().min().unwrap_or(0);
    let names = chains.first().map_or(&[][..], |first| &first.values);
    let mut traces = Vec::new();
    let mut since = None;
    for (at, &(trace, _)) in names.iter().enumerate() {
        let values: Vec<&[f64]> = chains.iter().map(|chain| &chain.values[at].1[..shortest]).collect();
        since = looked_at(&values).map(|length| chains[0].iteration[shortest - length]);
        let Convergence { r_hat, effective_size, drift } = convergence(&values);
        let mut found = TraceVerdict { trace, settled: false, r_hat, effective_size, drift };
        found.settled =
            if r_hat.is_some() { found.agrees() && found.is_flat() } else { is_constant(&values) };
        traces.push(found);
    }
    let annealed = since.is_some_and(|since| since < from);
    let settled = !annealed && !traces.is_empty() && traces.iter().all(|trace| trace.settled);
    let iteration = last(chains).min(iteration);
    Verdict { settled, iteration, since, annealed, traces }
}

/// Whether the values that are looked at are all the same.
fn is_constant(traces: &[&[f64]]) -> bool {
    let length = looked_at(traces).unwrap_or(0);
    let mut values = traces.iter().flat_map(|trace| &trace[trace.len() - length..]);
    // Where nothing is looked at, nothing is known.
    values.next().is_some_and(|first| values.all(|value| value == first))
}

/// The first look at which chains had settled. It depends on nothing but their traces, wherever they are looked at again.
pub fn settled(chains: &[Traces], plan: &Plan, anneal: Option<Anneal>) -> Option<Verdict> {
    let last = last(chains).min(plan.iterations);
    let looks = looks(plan.trace_every).take_while(|&look| look <= last);
    let mut verdicts = looks.map(|look| judge(chains, look, first_to_look_at(anneal)));
    verdicts.find(|verdict| verdict.settled)
}

/// What is to be said of chains: of that look, if they are looked at on their way, or of all of their rows.
pub fn verdict(chains: &[Traces], plan: &Plan, until: Until, anneal: Option<Anneal>) -> Verdict {
    let settled = if until == Until::Settled { settled(chains, plan, anneal) } else { None };
    settled.unwrap_or_else(|| judge(chains, last(chains), first_to_look_at(anneal)))
}

/// The last iteration of all chains.
fn last(chains: &[Traces]) -> u32 {
    chains.iter().map(Traces::last).min().unwrap_or(0)
}

/// What is drawn before this iteration is not from the model.
fn first_to_look_at(anneal: Option<Anneal>) -> u32 {
    anneal.map_or(0, |anneal| anneal.iterations)
}

impl TraceVerdict {
    /// Whether all halves of all chains look alike.
    pub fn agrees(&self) -> bool {
        self.r_hat.is_some_and(|r_hat| r_hat <= R_HAT_GATE)
    }

    /// Two standard errors of the change of its mean. Each of the two means is worth half of the values.
    fn error(&self) -> f64 {
        self.effective_size.map_or(f64::INFINITY, |size| ERRORS * (4.0 / size).sqrt())
    }

    /// Whether it is known to be flat.
    fn is_flat(&self) -> bool {
        self.drift.is_some_and(|drift| drift.abs() + self.error() <= DRIFT_GATE)
    }
}

#[cfg(test)]
mod tests;
