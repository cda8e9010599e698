//! rand_distr's draws against ours: a second opinion by other algorithms, for small, middle and large parameters.

use std::collections::BTreeMap;

use hdp_gpu::dist::beta::ln_beta_variate;
use hdp_gpu::dist::binomial::binomial;
use hdp_gpu::dist::gamma::ln_gamma_variate;
use hdp_gpu::dist::poisson::Poisson;
use hdp_gpu::rng::Stream;
use rand::distr::Distribution;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::common::P_VALUE_GATE;
use super::{DRAWS, stream};

/// Draws that both samples together have in a cell at least, so that chi-square's law holds.
const LEAST_TOGETHER: u64 = 20;
/// Equally likely cells for a law that has a density.
const CELLS: usize = 100;
/// Where numbers next to 0 and next to 1 begin to lose their digits: what is beyond is one cell.
const LEAST: f64 = 1e-300;
const MOST_BELOW_1: f64 = 1.0 - 1e-12;

/// The p-value of two samples of the same size having one law, from the counts of both in each cell.
fn two_sample_p_value(cells: impl Iterator<Item = [u64; 2]>) -> f64 {
    let mut pools: Vec<[u64; 2]> = Vec::new();
    let mut open = [0, 0];
    for [ours, theirs] in cells {
        open = [open[0] + ours, open[1] + theirs];
        if open[0] + open[1] >= LEAST_TOGETHER {
            pools.push(std::mem::take(&mut open));
        }
    }
    assert!(pools.len() >= 2, "{} cells are left after pooling", pools.len());
    let last = pools.last_mut().expect("there are two");
    *last = [last[0] + open[0], last[1] + open[1]];
    let sizes = pools.iter().fold([0, 0], |sum, pool| [sum[0] + pool[0], sum[1] + pool[1]]);
    assert_eq!(sizes[0], sizes[1], "samples of the same size");

    let statistic: f64 = pools.iter().map(|&[a, b]| (a as f64 - b as f64).powi(2) / (a + b) as f64).sum();
    ChiSquared::new((pools.len() - 1) as f64).expect("a positive number of degrees").sf(statistic)
}

/// Two samples of counts.
fn p_value_of_counts(ours: impl Iterator<Item = u64>, theirs: impl Iterator<Item = u64>) -> f64 {
    let mut cells: BTreeMap<u64, [u64; 2]> = BTreeMap::new();
    ours.for_each(|k| cells.entry(k).or_default()[0] += 1);
    theirs.for_each(|k| cells.entry(k).or_default()[1] += 1);
    two_sample_p_value(cells.into_values())
}

/// Two samples of numbers, over cells that hold as many of both together.
fn p_value_of_numbers(ours: Vec<f64>, theirs: Vec<f64>) -> f64 {
    let mut together = [&ours[..], &theirs[..]].concat();
    together.sort_unstable_by(f64::total_cmp);
    let mut edges: Vec<f64> = (1..CELLS).map(|cell| together[cell * together.len() / CELLS]).collect();
    edges.dedup();
    let mut cells = vec![[0, 0]; edges.len() + 1];
    for (of, sample) in [ours, theirs].iter().enumerate() {
        for x in sample {
            cells[edges.partition_point(|edge| edge < x)][of] += 1;
        }
    }
    two_sample_p_value(cells.into_iter())
}

/// A stream of its own for our draws of a case, and one for theirs.
fn streams(case: usize) -> (Stream, Stream) {
    (stream(1000 + 2 * case), stream(1001 + 2 * case))
}

fn draws<T>(mut draw: impl FnMut() -> T) -> impl Iterator<Item = T> {
    (0..DRAWS).map(move |_| draw())
}

fn assert_agree(name: &str, p: f64) {
    assert!(p > P_VALUE_GATE, "{name}: p = {p:e}");
}

#[test]
fn poisson() {
    for (case, mean) in [0.01, 0.5, 3.0, 11.9, 12.1, 100.0, 300.0, 5000.0, 1e6].into_iter().enumerate() {
        let (mut first, mut second) = streams(case);
        let (ours, theirs) = (Poisson::new(mean), rand_distr::Poisson::new(mean).unwrap());
        let ours = draws(|| ours.sample(&mut first));
        let theirs = draws(|| theirs.sample(&mut second) as u64);
        assert_agree(&format!("Poisson({mean})"), p_value_of_counts(ours, theirs));
    }
}

#[test]
fn binomial_counts() {
    let cases = [
        (1, 0.3),
        (7, 0.01),
        (19, 0.7),
        (40, 0.5),
        (1000, 0.001),
        (1000, 0.3),
        (30_000, 0.999),
        (1_000_000, 0.3),
        (1 << 40, 1e-9),
    ];
    for (case, (n, p)) in cases.into_iter().enumerate() {
        let (mut first, mut second) = streams(case);
        let theirs = rand_distr::Binomial::new(n, p).unwrap();
        let ours = draws(|| binomial(n, p, &mut first));
        let theirs = draws(|| theirs.sample(&mut second));
        assert_agree(&format!("Binomial({n}, {p})"), p_value_of_counts(ours, theirs));
    }
}

#[test]
fn gamma() {
    for (case, shape) in [0.003, 0.1, 0.9, 1.0, 2.5, 100.0, 1e6].into_iter().enumerate() {
        let (mut first, mut second) = streams(case);
        let theirs = rand_distr::Gamma::new(shape, 1.0).unwrap();
        let ours = draws(|| ln_gamma_variate(shape, &mut first).exp().max(LEAST)).collect();
        let theirs = draws(|| theirs.sample(&mut second).max(LEAST)).collect();
        assert_agree(&format!("Gamma({shape})"), p_value_of_numbers(ours, theirs));
    }
}

#[test]
fn beta() {
    let shapes = [(1.0, 0.01), (0.01, 1.0), (0.5, 0.5), (1.0, 1.0), (2.5, 100.0), (100.0, 100.0), (1e6, 2.5)];
    for (case, (a, b)) in shapes.into_iter().enumerate() {
        let (mut first, mut second) = streams(case);
        let theirs = rand_distr::Beta::new(a, b).unwrap();
        let ours = draws(|| ln_beta_variate(a, b, &mut first).ln_x.exp().clamp(LEAST, MOST_BELOW_1));
        let theirs = draws(|| theirs.sample(&mut second).clamp(LEAST, MOST_BELOW_1));
        assert_agree(&format!("Beta({a}, {b})"), p_value_of_numbers(ours.collect(), theirs.collect()));
    }
}

/// What is a hundredth off is seen, in counts and in numbers.
#[test]
fn other_laws_are_told_apart() {
    let (mut first, mut second) = streams(0);
    let (ours, theirs) = (Poisson::new(3.0), rand_distr::Poisson::new(3.03).unwrap());
    let ours = draws(|| ours.sample(&mut first));
    let p = p_value_of_counts(ours, draws(|| theirs.sample(&mut second) as u64));
    assert!(p < P_VALUE_GATE, "counts: {p}");

    let theirs = rand_distr::Gamma::new(2.525, 1.0).unwrap();
    let ours = draws(|| ln_gamma_variate(2.5, &mut first).exp()).collect();
    let p = p_value_of_numbers(ours, draws(|| theirs.sample(&mut second)).collect());
    assert!(p < P_VALUE_GATE, "numbers: {p}");
}

/// Four cells, the last two of which are pooled: 10²/90 + 10²/110 + 0 at two degrees of freedom.
#[test]
fn two_samples_know_their_table() {
    let p = two_sample_p_value([[50, 40], [50, 60], [12, 11], [5, 6]].into_iter());
    let statistic: f64 = 100.0 / 90.0 + 100.0 / 110.0;
    assert!((p - (-0.5 * statistic).exp()).abs() < 1e-12, "{p}");
}
