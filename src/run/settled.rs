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

use serde::{Deserialize, Serialize};

use super::plan::{Plan, Until};
use super::trace::TraceRow;
use crate::evaluate::convergence::{Convergence, convergence, looked_at};
use crate::params::{Anneal, Learn, Settings};

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

    /// Why it has not settled.
    fn problem(&self, of: Judged) -> String {
        let name = self.trace.name();
        let (Some(r_hat), Some(drift), Some(size)) = (self.r_hat, self.drift, self.effective_size) else {
            return format!("{name} stays as it is in each of them and differs between them.");
        };
        let (between, in_all) =
            if of == Judged::Run { ("", "") } else { (" or differs between them", " in all of them") };
        if !self.agrees() {
            format!("{name} moves{between} (R-hat {r_hat:.3}, at most {R_HAT_GATE} when settled).")
        } else if drift.abs() > self.error() {
            let moves = if drift > 0.0 { "rises" } else { "falls" };
            format!("{name} agrees (R-hat {r_hat:.3}) and still {moves}{in_all}.")
        } else {
            format!(
                "{name} agrees (R-hat {r_hat:.3}), and its {size:.0} independent values are too few to know that it stays."
            )
        }
    }

    /// Whether it is known to be flat.
    fn is_flat(&self) -> bool {
        self.drift.is_some_and(|drift| drift.abs() + self.error() <= DRIFT_GATE)
    }
}

/// What a verdict is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// One chain, whose halves are compared.
    Run,
    /// So many chains of a run.
    Chains(usize),
    /// So many runs that were laid over each other.
    Runs(usize),
}

impl Judged {
    /// With what it does.
    fn has(self, done: &str) -> String {
        match self {
            Self::Run => format!("the run has {done}"),
            Self::Chains(count) => format!("the {count} chains have {done}"),
            Self::Runs(count) => format!("the {count} runs have {done}"),
        }
    }
}

impl Verdict {
    /// In one plain sentence; `capped` says that there have been all iterations that there may be.
    pub fn sentence(&self, of: Judged, capped: bool) -> String {
        if self.settled {
            let largest = self.traces.iter().filter_map(|trace| trace.r_hat).fold(1.0, f64::max);
            let since = self.since.unwrap_or(0);
            let (what, whose) = match of {
                Judged::Run => ("The run has settled".to_owned(), "its"),
                Judged::Chains(count) => (format!("The {count} chains agree"), "their"),
                Judged::Runs(count) => (format!("The {count} runs agree"), "their"),
            };
            return format!(
                "{what} since iteration {since}: {whose} traces are flat, with R-hat {largest:.3} at most."
            );
        }
        let done = if capped { ", with none left," } else { "" };
        let after = format!("By iteration {}{done} {}:", self.iteration, of.has("not settled"));
        if self.since.is_none() {
            return format!("{after} the traces are too short to tell.");
        }
        let r_hat = |trace: &&TraceVerdict| trace.r_hat.unwrap_or(f64::INFINITY);
        let unsettled = self.traces.iter().filter(|trace| !trace.settled);
        let worst = unsettled.max_by(|a, b| r_hat(a).total_cmp(&r_hat(b)));
        worst.map_or_else(
            || format!("{after} a part of what is looked at was annealed."),
            |worst| format!("{after} {}", worst.problem(of)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Step, Stream};

    const EVERY: u32 = 5;

    /// Rows of each chain.
    const ROWS: u32 = 3200;

    /// Chains x_t = ρ·x_{t−1} + noise, from far away. The noise has the variance 1 − ρ², so that x comes to have 1;
    /// `shift` of a chain and a row is added.
    fn chains(count: u64, rho: f64, seed: u64, shift: impl Fn(u64, u32) -> f64) -> Vec<Traces> {
        let scale = if rho < 1.0 { (12.0 * (1.0 - rho * rho)).sqrt() } else { 1.0 };
        let chain = |number: u64| {
            let mut random = Stream::new(1000 * seed + number, Step::Init, 0, 0);
            let mut x = -50.0;
            let values = (0..ROWS).map(|t| {
                x = rho * x + scale * (random.uniform() - 0.5);
                x + shift(number, t)
            });
            let values = vec![(Traced::LogLikelihood, values.collect())];
            Traces { iteration: (0..ROWS).map(|t| t * EVERY).collect(), values }
        };
        (0..count).map(chain).collect()
    }

    const PLAN: Plan =
        Plan { iterations: EVERY * ROWS, trace_every: EVERY, sampling: crate::run::plan::Sampling::LAST };

    fn found(chains: &[Traces]) -> Verdict {
        verdict(chains, &PLAN, Until::Settled, None)
    }

    #[test]
    fn looks_grow_by_a_quarter() {
        assert_eq!(looks(10).take(5).collect::<Vec<_>>(), [400, 500, 630, 790, 990]);
        assert!(looks(u32::MAX / 39).next().is_none());
        assert!(looks(1).count() < 100);
        // The independent values that the guide and docs/CHAINS.md speak of: with fewer, even no change is not known to be small.
        let least = 4.0 * ERRORS * ERRORS / (DRIFT_GATE * DRIFT_GATE);
        assert!((least - 144.0).abs() < 1e-9);
    }

    #[test]
    fn chains_that_agree_settle_once_they_have_come_to_where_they_stay() {
        for (count, rho, latest) in [(4, 0.0, 800), (4, 0.5, 1600), (4, 0.8, ROWS), (2, 0.5, ROWS)] {
            for seed in 1..=20 {
                let verdict = found(&chains(count, rho, seed, |_, _| 0.0));
                assert!(verdict.settled, "ρ = {rho}, seed {seed}: {verdict:?}");
                assert!(verdict.iteration <= latest * EVERY, "ρ = {rho}, seed {seed}: {verdict:?}");
                // The way there, −50·ρ^t, is left out.
                let rows = verdict.since.expect("rows") / EVERY;
                assert!(50.0 * rho.powf(f64::from(rows)) < 0.1, "ρ = {rho}, seed {seed}: {verdict:?}");
                let sentence = verdict.sentence(Judged::Chains(count as usize), true);
                assert!(sentence.contains(" chains agree since iteration "), "{sentence}");
            }
        }
    }

    /// What is added to a chain at a row.
    type Shift = fn(u64, u32) -> f64;

    /// Less than this, in standard deviations, the first looks cannot tell from chance.
    #[test]
    fn chains_that_differ_or_move_do_not_settle() {
        let never: [(&str, u64, f64, Shift); 8] = [
            ("means that differ by 1.5", 4, 0.0, |chain, _| 1.5 * (chain % 2) as f64),
            ("one of four elsewhere", 4, 0.5, |chain, _| if chain == 3 { 3.0 } else { 0.0 }),
            ("two chains apart", 2, 0.5, |chain, _| 3.0 * chain as f64),
            // Its mean is that of the others, so that the values alone do not tell.
            (
                "one of four wider",
                4,
                0.0,
                |chain, t| if chain == 3 { [3.0, -3.0][t as usize % 2] } else { 0.0 },
            ),
            ("a drift of all by 0.03 a row", 4, 0.0, |_, t| 0.03 * f64::from(t)),
            ("a drift of dependent values", 4, 0.5, |_, t| -0.03 * f64::from(t)),
            ("a drift of one", 4, 0.0, |chain, t| if chain == 2 { 0.06 * f64::from(t) } else { 0.0 }),
            ("a random walk", 4, 1.0, |_, _| 0.0),
        ];
        for (what, count, rho, shift) in never {
            for seed in 1..=20 {
                let verdict = found(&chains(count, rho, seed, shift));
                assert!(!verdict.settled, "{what}, seed {seed}: {verdict:?}");
                let sentence = verdict.sentence(Judged::Chains(count as usize), true);
                assert!(sentence.contains("have not settled: the log-likelihood "), "{sentence}");
            }
        }
    }

    /// R-hat alone would let these pass.
    #[test]
    fn agreement_alone_is_not_enough() {
        for seed in 1..=20 {
            let drifting = chains(4, 0.0, seed, |_, t| 0.002 * f64::from(t));
            let verdict = judge(&drifting, 800 * EVERY, 0);
            assert!(verdict.traces[0].agrees() && !verdict.settled, "seed {seed}: {verdict:?}");
            let sentence = verdict.sentence(Judged::Chains(4), false);
            assert!(sentence.contains(" still rises in all of them"), "{sentence}");
        }
        // 20 rows of 4 chains: some of these agree, none is known to stay.
        let short = (1..=20).map(|seed| judge(&chains(4, 0.0, seed, |_, _| 0.0), 40 * EVERY, 0));
        let short: Vec<Verdict> = short.collect();
        assert!(short.iter().all(|verdict| !verdict.settled));
        let too_few = |verdict: &&Verdict| {
            verdict.sentence(Judged::Chains(4), false).contains("independent values are too few")
        };
        assert!(short.iter().filter(too_few).count() > 5);
    }

    #[test]
    fn what_does_not_vary_must_be_the_same() {
        let constant = |value: f64| Traces {
            iteration: (0..100).map(|t| t * EVERY).collect(),
            values: vec![(Traced::ActiveTopics, vec![value; 100])],
        };
        assert!(found(&[constant(3.0), constant(3.0)]).settled);
        let differs = found(&[constant(3.0), constant(4.0)]);
        assert!(!differs.settled);
        assert!(
            differs
                .sentence(Judged::Chains(2), false)
                .contains("the number of topics stays as it is in each of them and differs")
        );
        assert!(!found(&[]).settled);
        let anneal = Some(Anneal { factor: 2.0, iterations: 400 });
        let annealed = verdict(&[constant(3.0), constant(3.0)], &PLAN, Until::Settled, anneal);
        assert!(!annealed.settled && annealed.sentence(Judged::Chains(2), true).ends_with("was annealed."));
        // Rounding of the mean of such values is no variance.
        let odd = constant(-1_025_693.734);
        assert!(found(&[odd.clone(), odd]).settled);
    }

    #[test]
    fn traces_are_the_rows_of_the_grid() {
        let row = |iteration, log_likelihood, active_topics, alpha| TraceRow {
            iteration,
            log_likelihood,
            log_likelihood_lda: 0.0,
            active_topics,
            flag_topic_tokens: 0,
            stuck_tokens: 0,
            alpha,
            beta: 0.01,
            gamma: 1.0,
            max_topics: 10,
        };
        let rows = [row(0, -3.5, 1, 0.1), row(5, -2.5, 2, 0.2), row(8, -1.0, 9, 0.3)];
        let mut settings = Settings::paper();
        let values = vec![(Traced::LogLikelihood, vec![-3.5, -2.5]), (Traced::ActiveTopics, vec![1.0, 2.0])];
        assert_eq!(Traces::of(&rows, &settings, EVERY), Traces { iteration: vec![0, 5], values });
        settings.learn.alpha = Some(crate::params::GammaPrior::VAGUE);
        assert_eq!(Traces::of(&rows, &settings, EVERY).values[2], (Traced::Alpha, vec![0.1, 0.2]));
    }
}
