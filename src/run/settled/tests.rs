//! Chains that settle, chains that do not, and what is said of them.

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
        ("one of four wider", 4, 0.0, |chain, t| if chain == 3 { [3.0, -3.0][t as usize % 2] } else { 0.0 }),
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
