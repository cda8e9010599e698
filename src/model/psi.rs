//! Step 5, Ψ | l: ς_k ~ Beta(1 + l_k, γ + Σ_{i>k} l_i), ς_K* = 1, Ψ_k = ς_k·Π_{i<k} (1 − ς_i).

use rayon::prelude::*;

use crate::dist::beta::{LnBeta, ln_beta_variate};
use crate::params::Params;
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
    /// Draws Ψ given l, in parallel over topics.
    pub fn sample(l: &[u64], params: &Params, iteration: u32) -> Self {
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
        Self { psi: ln_psi.iter().map(|&ln| libm::exp(ln)).collect(), ln_psi }
    }
}
