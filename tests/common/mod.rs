//! What the random tests share: chi-square p-values, z-scores and the gates that they must pass, and the cases of
//! property tests.
//!
//! The tests below use every item, so that a test file may take only what it needs.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The p-value below which a random test fails: a correct program misses it once in a million.
pub(crate) const P_VALUE_GATE: f64 = 1e-6;

/// The z-score above which a random test fails, as rare as [`P_VALUE_GATE`].
pub(crate) const Z_GATE: f64 = 4.9;

/// Cells that expect less are pooled with their neighbours, so that chi-square's law holds.
const LEAST_EXPECTED: f64 = 10.0;

/// The p-value of counts against expected counts that add up to the same total: one cell a value or range,
/// a cell for everything else included.
///
/// A count where none can be gives 0. At least two cells are left after pooling, or nothing is tested.
pub(crate) fn chi_square_p_value(observed: &[u64], expected: &[f64]) -> f64 {
    assert_eq!(observed.len(), expected.len(), "one expectation a cell");
    let (drawn, total) = (observed.iter().sum::<u64>() as f64, expected.iter().sum::<f64>());
    assert!((drawn - total).abs() <= 1e-6 * total, "{drawn} draws, but {total} expected");

    let mut pools: Vec<(f64, f64)> = Vec::new();
    let mut open = (0.0, 0.0);
    for (&count, &expectation) in observed.iter().zip(expected) {
        assert!(expectation >= 0.0, "an expectation of {expectation}");
        if expectation == 0.0 && count > 0 {
            return 0.0;
        }
        open = (open.0 + count as f64, open.1 + expectation);
        if open.1 >= LEAST_EXPECTED {
            pools.push(std::mem::take(&mut open));
        }
    }
    assert!(pools.len() >= 2, "{} cells are left after pooling", pools.len());
    let last = pools.last_mut().expect("there are two");
    *last = (last.0 + open.0, last.1 + open.1);

    let statistic: f64 = pools.iter().map(|(count, mean)| (count - mean) * (count - mean) / mean).sum();
    ChiSquared::new((pools.len() - 1) as f64).expect("a positive number of degrees").sf(statistic)
}

/// How many standard errors the mean of `values` is away from `mean`, where a value has `variance`.
pub(crate) fn z_score(values: impl Iterator<Item = f64>, mean: f64, variance: f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0u64);
    for value in values {
        sum += value - mean;
        count += 1;
    }
    sum / (count as f64 * variance).sqrt()
}

/// So many cases, the same ones in every run.
pub(crate) fn fixed_cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

#[test]
fn property_tests_are_the_same_in_every_run() {
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::TestRunner;
    let case = || {
        let mut runner = TestRunner::new(fixed_cases(3));
        (0u64..u64::MAX).new_tree(&mut runner).expect("a case").current()
    };
    assert_eq!((case(), fixed_cases(3).cases), (case(), 3));
}

#[test]
fn chi_square_knows_its_table() {
    // Twice 10²/40 makes 5, at one degree of freedom.
    let p = chi_square_p_value(&[30, 50], &[40.0, 40.0]);
    assert!((p - 0.025_347).abs() < 1e-6, "{p}");
    assert!(chi_square_p_value(&[5_000, 5_000], &[4_700.0, 5_300.0]) < P_VALUE_GATE);
    // Two pools of 12 are left, the second with what remains at the end: twice 6²/12 makes 6.
    let p = chi_square_p_value(&[3, 3, 9, 5, 3, 1], &[6.0, 6.0, 6.0, 4.0, 1.0, 1.0]);
    assert!((p - 0.014_306).abs() < 1e-6, "{p}");
    assert_eq!(chi_square_p_value(&[20, 19, 1], &[20.0, 20.0, 0.0]), 0.0);
}

#[test]
fn z_scores_count_standard_errors() {
    let z = z_score([1.0, 3.0, 5.0, 7.0].into_iter(), 2.0, 4.0);
    assert!((z - 2.0).abs() < 1e-12 && z < Z_GATE, "{z}");
}
