//! The laws of the host's random variates, draw by draw against the exact probabilities.

#[path = "../common/mod.rs"]
mod common;
mod second_opinion;
mod weighted;

use std::ops::Range;

use common::{P_VALUE_GATE, Z_GATE, chi_square_p_value, z_score};
use hdp_gpu::dist::beta::ln_beta_variate;
use hdp_gpu::dist::binomial::binomial;
use hdp_gpu::dist::gamma::ln_gamma_variate;
use hdp_gpu::dist::poisson::{Poisson, PoissonByCount};
use hdp_gpu::rng::{Step, Stream};
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::beta::{beta_reg, ln_beta};
use statrs::function::factorial::{ln_binomial, ln_factorial};
use statrs::function::gamma::{digamma, gamma_lr, ln_gamma};

const DRAWS: usize = 1_000_000;

/// A stream of its own for every case of a test.
fn stream(case: usize) -> Stream {
    Stream::new(20_200_601, Step::Phi, 0, case as u32)
}

/// Draws against the probabilities of the values in `range`; one more cell takes the values outside.
fn assert_pmf(name: &str, range: Range<u64>, pmf: impl Fn(u64) -> f64, draws: &[u64]) {
    let cells = (range.end - range.start) as usize;
    let mut observed = vec![0; cells + 1];
    for &k in draws {
        observed[if range.contains(&k) { (k - range.start) as usize } else { cells }] += 1;
    }
    let mut masses: Vec<f64> = range.map(pmf).collect();
    masses.push((1.0 - masses.iter().sum::<f64>()).max(0.0));
    let expected: Vec<f64> = masses.iter().map(|mass| mass * draws.len() as f64).collect();
    let p = chi_square_p_value(&observed, &expected);
    assert!(p > P_VALUE_GATE, "{name}: p = {p:e}");
}

/// Draws against a continuous distribution function, over cells that are equally likely.
fn assert_cdf(name: &str, range: Range<f64>, cdf: impl Fn(f64) -> f64, draws: &[f64]) {
    const CELLS: usize = 100;
    let quantile = |mass: f64| {
        let (mut low, mut high) = (range.start, range.end);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if cdf(middle) < mass { low = middle } else { high = middle }
        }
        high
    };
    let edges: Vec<f64> = (1..CELLS).map(|cell| quantile(cell as f64 / CELLS as f64)).collect();
    assert!(range.start < edges[0] && edges[CELLS - 2] < range.end, "{name}: {edges:?} outside {range:?}");
    let mut observed = vec![0; CELLS];
    for draw in draws {
        observed[edges.partition_point(|edge| edge < draw)] += 1;
    }
    let p = chi_square_p_value(&observed, &[draws.len() as f64 / CELLS as f64; CELLS]);
    assert!(p > P_VALUE_GATE, "{name}: p = {p:e}");
}

/// The mean and the variance of draws; `fourth` is the fourth central moment.
fn assert_moments(
    name: &str,
    mean: f64,
    variance: f64,
    fourth: f64,
    draws: impl Iterator<Item = f64> + Clone,
) {
    let z = z_score(draws.clone(), mean, variance);
    assert!(z.abs() < Z_GATE, "{name}: the mean is off by {z} standard errors");
    let squares = draws.map(|draw| (draw - mean) * (draw - mean));
    let z = z_score(squares, variance, fourth - variance * variance);
    assert!(z.abs() < Z_GATE, "{name}: the variance is off by {z} standard errors");
}

/// The counts within ten standard deviations and a few of the mean.
fn bulk(mean: f64, variance: f64) -> Range<u64> {
    let reach = 10.0 * variance.sqrt() + 20.0;
    (mean - reach).max(0.0) as u64..(mean + reach) as u64
}

fn assert_poisson(name: &str, mean: f64, draws: &[u64]) {
    let pmf = |k: u64| (k as f64 * mean.ln() - mean - ln_factorial(k)).exp();
    assert_pmf(name, bulk(mean, mean), pmf, draws);
    assert_moments(name, mean, mean, mean + 3.0 * mean * mean, draws.iter().map(|&k| k as f64));
}

#[test]
fn poisson() {
    for (case, mean) in
        [0.01, 0.5, 1.0, 3.0, 12.3, 100.0, 255.0, 256.0, 300.0, 5000.0, 1e6].into_iter().enumerate()
    {
        let (law, mut stream) = (Poisson::new(mean), stream(case));
        // Small means need more draws for the same number of events.
        let draws = DRAWS * (0.3 / mean).max(1.0) as usize;
        let draws: Vec<u64> = (0..draws).map(|_| law.sample(&mut stream)).collect();
        assert_poisson(&format!("Poisson({mean})"), mean, &draws);
    }
}

#[test]
fn poisson_by_count() {
    let law = PoissonByCount::new();
    for (case, mean) in [1, 2, 3, 20, 100, 255, 256, 5000].into_iter().enumerate() {
        let mut stream = stream(case);
        let draws: Vec<u64> = (0..DRAWS).map(|_| law.sample(mean, &mut stream)).collect();
        assert_poisson(&format!("PoissonByCount({mean})"), f64::from(mean), &draws);
    }
    assert!((0..1000).all(|_| law.sample(0, &mut stream(0)) == 0));
}

/// Where a value has no mass to speak of, the normal law is exact enough.
#[test]
fn poisson_and_binomial_at_the_far_end() {
    let standard = Normal::standard();
    let assert_normal = |name: &str, mean: f64, variance: f64, fourth: f64, draws: Vec<f64>| {
        assert_moments(name, mean, variance, fourth, draws.iter().copied());
        let scaled: Vec<f64> = draws.iter().map(|k| (k - mean) / variance.sqrt()).collect();
        assert_cdf(name, -20.0..20.0, |z| standard.cdf(z), &scaled);
    };

    let mean = 4_294_967_296.0;
    let (law, mut random) = (Poisson::new(mean), stream(0));
    let draws = (0..DRAWS).map(|_| law.sample(&mut random) as f64).collect();
    assert_normal("Poisson(2^32)", mean, mean, mean + 3.0 * mean * mean, draws);

    for (case, p) in [0.001, 0.3, 0.999].into_iter().enumerate() {
        let n: u64 = 1 << 40;
        let mut random = stream(1 + case);
        let draws = (0..DRAWS).map(|_| binomial(n, p, &mut random) as f64).collect();
        let (mean, variance, fourth) = binomial_moments(n, p);
        assert_normal(&format!("Binomial(2^40, {p})"), mean, variance, fourth, draws);
    }
}

/// Mean, variance and fourth central moment.
fn binomial_moments(n: u64, p: f64) -> (f64, f64, f64) {
    let (n, each) = (n as f64, p * (1.0 - p));
    (n * p, n * each, n * each * (1.0 + 3.0 * (n - 2.0) * each))
}

#[test]
fn binomial_over_a_grid() {
    let mut case = 0;
    for n in [1, 2, 7, 19, 21, 40, 200, 1000, 2000, 30_000, 1_000_000] {
        for p in [1e-5, 0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.999] {
            let (mean, variance, fourth) = binomial_moments(n, p);
            // Rarer events would not fill two cells.
            if variance < 5e-4 {
                continue;
            }
            let mut random = stream(case);
            let draws: Vec<u64> = (0..DRAWS / 2).map(|_| binomial(n, p, &mut random)).collect();
            let name = format!("Binomial({n}, {p})");
            let pmf = |k: u64| (ln_binomial(n, k) + k as f64 * p.ln() + (n - k) as f64 * (-p).ln_1p()).exp();
            let range = bulk(mean, variance);
            assert_pmf(&name, range.start..range.end.min(n + 1), pmf, &draws);
            // Two cells say all about a single trial.
            if n > 1 {
                assert_moments(&name, mean, variance, fourth, draws.iter().map(|&k| k as f64));
            }
            case += 1;
        }
    }
    assert!(case > 60, "{case} cases");
}

/// P(ln X ≤ t) of Gamma(shape): where e^t would underflow, x^a/Γ(a + 1) is all that is left of it.
fn ln_gamma_cdf(shape: f64, t: f64) -> f64 {
    if t < -35.0 { (shape * t - ln_gamma(shape + 1.0)).exp() } else { gamma_lr(shape, t.exp()) }
}

/// ψ′ and ψ‴, from the asymptotic series past a shift of 20.
fn polygamma_1_3(shape: f64) -> (f64, f64) {
    let (mut first, mut third) = (0.0, 0.0);
    let mut x = shape;
    while x < 20.0 {
        first += x.powi(-2);
        third += 6.0 * x.powi(-4);
        x += 1.0;
    }
    first += 1.0 / x + 0.5 * x.powi(-2) + x.powi(-3) / 6.0 - x.powi(-5) / 30.0 + x.powi(-7) / 42.0;
    third += 2.0 * x.powi(-3) + 3.0 * x.powi(-4) + 2.0 * x.powi(-5) - x.powi(-7) + 4.0 / 3.0 * x.powi(-9);
    (first, third)
}

#[test]
fn gamma_over_a_grid() {
    for (case, shape) in [1e-3, 0.01, 0.5, 0.9, 1.0, 2.5, 100.0, 1e6].into_iter().enumerate() {
        let mut random = stream(case);
        let draws: Vec<f64> = (0..DRAWS).map(|_| ln_gamma_variate(shape, &mut random)).collect();
        let name = format!("Gamma({shape})");
        assert_cdf(&name, -1e5..20.0, |t| ln_gamma_cdf(shape, t), &draws);
        let (first, third) = polygamma_1_3(shape);
        let fourth = 3.0 * first * first + third;
        assert_moments(&format!("ln {name}"), digamma(shape), first, fourth, draws.iter().copied());
        if shape >= 0.5 {
            let fourth = 3.0 * shape * shape + 6.0 * shape;
            assert_moments(&name, shape, shape, fourth, draws.iter().map(|t| t.exp()));
        }
    }
}

#[test]
fn gamma_at_the_ends_of_its_range() {
    // ln X is −Exp(shape) but for terms that vanish with the shape.
    let mut random = stream(0);
    let scaled: Vec<f64> = (0..DRAWS).map(|_| -1e-9 * ln_gamma_variate(1e-9, &mut random)).collect();
    assert_cdf("Gamma(1e-9)", -1.0..100.0, |t| -(-t).exp_m1(), &scaled);
    assert_moments("Gamma(1e-9)", 1.0, 1.0, 9.0, scaled.iter().copied());

    // ln X is normal around ln a with a variance of 1/a, but for terms that vanish with 1/√a.
    let (shape, mut random) = (1e12f64, stream(1));
    let scaled: Vec<f64> =
        (0..DRAWS).map(|_| (ln_gamma_variate(shape, &mut random) - shape.ln()) * shape.sqrt()).collect();
    let standard = Normal::standard();
    assert_cdf("Gamma(1e12)", -20.0..20.0, |z| standard.cdf(z), &scaled);
}

/// P(ln X − ln(1 − X) ≤ t) of Beta(a, b), from the smaller of X and 1 − X.
fn log_odds_cdf(a: f64, b: f64, t: f64) -> f64 {
    if t > 0.0 {
        return 1.0 - log_odds_cdf(b, a, -t);
    }
    if t < -35.0 { (a * t - ln_beta(a, b)).exp() / a } else { beta_reg(a, b, 1.0 / (1.0 + (-t).exp())) }
}

#[test]
fn beta_over_a_grid() {
    let shapes = [
        (1.0, 1.0),
        (1.0, 0.01),
        (0.01, 1.0),
        (1001.0, 0.5),
        (1.0, 1e6),
        (1e-3, 1e-3),
        (0.5, 0.01),
        (2.5, 100.0),
        (100.0, 100.0),
        (1e6, 0.5),
        (1e6, 2.5),
    ];
    for (case, (a, b)) in shapes.into_iter().enumerate() {
        let mut random = stream(case);
        let name = format!("Beta({a}, {b})");
        let draws: Vec<f64> = (0..DRAWS)
            .map(|_| {
                let draw = ln_beta_variate(a, b, &mut random);
                let (larger, smaller) = (draw.ln_x.max(draw.ln_1mx), draw.ln_x.min(draw.ln_1mx));
                assert!(smaller.is_finite() && larger <= 0.0, "{name}: {draw:?}");
                // x + (1 − x) = 1, to the last digits of the logarithm that is next to 0.
                let exact = (-smaller.exp()).ln_1p();
                assert!((larger - exact).abs() <= 1e-12 * exact.abs(), "{name}: {draw:?}");
                draw.ln_x - draw.ln_1mx
            })
            .collect();
        assert_cdf(&name, -1e5..1e5, |t| log_odds_cdf(a, b, t), &draws);
        let ((first_a, third_a), (first_b, third_b)) = (polygamma_1_3(a), polygamma_1_3(b));
        let variance = first_a + first_b;
        let fourth = 3.0 * variance * variance + third_a + third_b;
        let mean = digamma(a) - digamma(b);
        assert_moments(&format!("log-odds of {name}"), mean, variance, fourth, draws.into_iter());
    }
}
