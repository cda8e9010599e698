//! Ψ against its three laws.

use hdp_gpu::Params;
use hdp_gpu::model::psi::Psi;
use hdp_gpu::params::PsiLaw;
use statrs::distribution::{Beta, ContinuousCDF};

use crate::common::P_VALUE_GATE;
use crate::grid::quantiles_p_value;
use crate::params;

const DRAWS: u32 = 100_000;

/// The shapes of a beta law.
type Shapes = (f64, f64);

/// The least p-value of shares of Ψ, in many draws, against their beta laws.
fn least_p_value<const N: usize>(
    l: &[u64],
    params: &Params,
    shares: fn(&[f64]) -> [f64; N],
    laws: [Shapes; N],
) -> f64 {
    let laws = laws.map(|(a, b)| Beta::new(a, b).unwrap());
    let mut quantiles = vec![Vec::new(); N];
    for iteration in 0..DRAWS {
        let psi = Psi::sample(l, params, iteration).psi;
        assert!((psi.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        for ((quantiles, share), law) in quantiles.iter_mut().zip(shares(&psi)).zip(&laws) {
            quantiles.push(law.cdf(share.clamp(0.0, 1.0)));
        }
    }
    quantiles.iter().map(|quantiles| quantiles_p_value(quantiles)).fold(1.0, f64::min)
}

/// The sticks ς_k, taken back out of Ψ, are Beta(1 − δ + l_k, γ + kδ + Σ_{i>k} l_i), k from 1.
#[test]
fn psi_has_the_law_of_its_sticks() {
    let sticks = |psi: &[f64]| {
        let mut left = 1.0;
        [0, 1, 2].map(|k| {
            let stick = psi[k] / left;
            left -= psi[k];
            stick
        })
    };
    for discount in [0.0, 0.3] {
        let params = params(|s| (s.gamma, s.max_topics, s.discount) = (0.7, 4, discount));
        // k as it should be, or from 0.
        let laws = |first: f64| {
            let law = |k: f64, l, after| (1.0 - discount + l, 0.7 + (first + k) * discount + after);
            [law(0.0, 40.0, 3.0), law(1.0, 0.0, 3.0), law(2.0, 3.0, 0.0)]
        };
        let p = least_p_value(&[40, 0, 3, 0], &params, sticks, laws(1.0));
        assert!(p > P_VALUE_GATE, "δ = {discount}: p = {p:e}");
        let p = least_p_value(&[40, 0, 3, 0], &params, sticks, laws(0.0));
        assert!(discount == 0.0 || p < P_VALUE_GATE, "one δ too few: p = {p:e}");
    }
}

/// Without an order of topics (Ψ_1, …, Ψ_K, rest) is Dir(l_1 − δ, …, l_K − δ, γ + Kδ), and the empty topics break sticks off
/// the rest.
#[test]
fn psi_without_an_order_has_the_law_of_its_tables() {
    // Ψ_0, Ψ_2 / (Ψ_2 + rest), and the sticks of 1 and 3.
    let shares = |psi: &[f64]| {
        let rest = psi[1] + psi[3] + psi[4];
        [psi[0], psi[2] / (psi[2] + rest), psi[1] / rest, psi[3] / (psi[3] + psi[4])]
    };
    for discount in [0.0, 0.3] {
        let params = params(|s| (s.gamma, s.max_topics, s.psi, s.discount) = (0.7, 5, PsiLaw::Dp, discount));
        // K as it should be, and a discount of the tables or none.
        let laws = |topics: f64, discount_of_tables: f64| {
            let table = |l: f64| l - discount_of_tables;
            let left = |more: f64| 0.7 + (topics + more) * discount;
            let stick = 1.0 - discount;
            [
                (table(40.0), table(3.0) + left(0.0)),
                (table(3.0), left(0.0)),
                (stick, left(1.0)),
                (stick, left(2.0)),
            ]
        };
        let p = least_p_value(&[40, 0, 3, 0, 0], &params, shares, laws(2.0, discount));
        assert!(p > P_VALUE_GATE, "δ = {discount}: p = {p:e}");
        for (topics, discount_of_tables) in [(1.0, discount), (2.0, 0.0)] {
            let p = least_p_value(&[40, 0, 3, 0, 0], &params, shares, laws(topics, discount_of_tables));
            assert!(discount == 0.0 || p < P_VALUE_GATE, "one δ too few: p = {p:e}");
        }
    }
}

/// A uniform Ψ is the same whatever l, the last topic included.
#[test]
fn a_uniform_psi_is_uniform() {
    for max_topics in [1, 3, 1000] {
        let params = params(|s| (s.psi, s.max_topics) = (PsiLaw::Uniform, max_topics));
        for l in [vec![0; max_topics as usize], (0..u64::from(max_topics)).collect()] {
            let Psi { psi, ln_psi } = Psi::sample(&l, &params, 1);
            for (psi, ln_psi) in psi.iter().zip(&ln_psi) {
                approx::assert_relative_eq!(*psi, 1.0 / f64::from(max_topics), max_relative = 1e-15);
                approx::assert_relative_eq!(*ln_psi, psi.ln(), epsilon = 1e-15);
            }
            assert_eq!(psi.len(), max_topics as usize);
        }
    }
}

/// Far past the last active topic Ψ underflows; its logarithm and everything made from it stay finite.
#[test]
fn ln_psi_stays_finite_where_psi_underflows() {
    let params = params(|s| (s.max_topics, s.gamma) = (65_535, 0.01));
    let mut l = vec![0; params.k_star()];
    l[0] = 1000;
    let psi = Psi::sample(&l, &params, 1);
    assert!(psi.psi.contains(&0.0));
    assert!(psi.ln_psi.iter().all(|ln| ln.is_finite()));
    assert!((psi.psi.iter().sum::<f64>() - 1.0).abs() < 1e-9);
}
