//! Step 5, Ψ | l.
//!
//! The paper's sampler draws sticks in the order of the topics' numbers: ς_k ~ Beta(1 + l_k, γ + Σ_{i>k} l_i),
//! ς_K* = 1, Ψ_k = ς_k·Π_{i<k} (1 − ς_i). Direct assignment knows no order: (Ψ_1, …, Ψ_K, rest) ~ Dir(l_1, …, l_K, γ)
//! over the topics with tokens, and the rest is broken by fresh sticks over the empty ones. As K* grows, all that does
//! not depend on the topics' numbers has the same law under both.

use rayon::prelude::*;

use crate::dist::beta::{LnBeta, ln_beta_variate};
use crate::dist::gamma::ln_gamma_variate;
use crate::params::{Algorithm, Params};
use crate::rng::{Step, Stream};

/// The global topic distribution, with its logarithm: Ψ_k underflows where ln Ψ_k does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Psi {
    /// Ψ_k.
    pub psi: Vec<f64>,
    /// ln Ψ_k, always finite.
    pub ln_psi: Vec<f64>,
}

impl Psi {
    /// Draws Ψ given l.
    pub fn sample(l: &[u64], params: &Params, iteration: u32) -> Self {
        match params.sampler {
            Algorithm::Ppu { .. } => Self::sample_sticks(l, params, iteration),
            Algorithm::Direct => Self::sample_unordered(l, params, iteration),
        }
    }

    /// By sticks in the order of topics, in parallel over them.
    fn sample_sticks(l: &[u64], params: &Params, iteration: u32) -> Self {
        let k_star = params.k_star();
        debug_assert_eq!(l.len(), k_star);
        let mut after = vec![0u64; k_star];
        for k in (1..k_star).rev() {
            after[k - 1] = after[k] + l[k];
        }
        let sticks: Vec<LnBeta> = (0..k_star - 1)
            .into_par_iter()
            .with_min_len(64)
            .map(|k| {
                let mut stream = Stream::new(params.seed, Step::Psi, iteration, k as u32);
                ln_beta_variate(1.0 + l[k] as f64, params.gamma + after[k] as f64, &mut stream)
            })
            .collect();
        Self::from_sticks(&sticks)
    }

    /// By a Dirichlet draw over the topics with tokens. The flag topic stands for all the others: the rest is its
    /// own, and what no empty topic has broken off stays with it.
    fn sample_unordered(l: &[u64], params: &Params, iteration: u32) -> Self {
        let stream = |k: usize| Stream::new(params.seed, Step::Psi, iteration, k as u32);
        let flag = params.k_star() - 1;
        let mut ln_psi = vec![f64::NEG_INFINITY; params.k_star()];
        for k in (0..flag).filter(|&k| l[k] > 0) {
            ln_psi[k] = ln_gamma_variate(l[k] as f64, &mut stream(k));
        }
        ln_psi[flag] = ln_gamma_variate(params.gamma + l[flag] as f64, &mut stream(flag));
        let largest = ln_psi.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ln_total = largest + libm::log(ln_psi.iter().map(|ln| libm::exp(ln - largest)).sum());
        ln_psi.iter_mut().for_each(|ln| *ln -= ln_total);
        for k in (0..flag).filter(|&k| l[k] == 0) {
            let stick = ln_beta_variate(1.0, params.gamma, &mut stream(k));
            ln_psi[k] = ln_psi[flag] + stick.ln_x;
            ln_psi[flag] += stick.ln_1mx;
        }
        Self::from_ln(ln_psi)
    }

    /// Ψ from all sticks but the last, which is 1: the last Ψ is what is left, as a product and not as 1 − Σ,
    /// which would cancel to noise.
    pub(crate) fn from_sticks(sticks: &[LnBeta]) -> Self {
        let mut ln_left = 0.0;
        let mut ln_psi = Vec::with_capacity(sticks.len() + 1);
        for stick in sticks {
            ln_psi.push(ln_left + stick.ln_x);
            ln_left += stick.ln_1mx;
        }
        ln_psi.push(ln_left);
        Self::from_ln(ln_psi)
    }

    /// Ψ from its logarithm.
    pub(crate) fn from_ln(ln_psi: Vec<f64>) -> Self {
        Self { psi: ln_psi.iter().map(|&ln| libm::exp(ln)).collect(), ln_psi }
    }
}
