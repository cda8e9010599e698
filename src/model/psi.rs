//! Step 5, Ψ | l.
//!
//! Three laws. The paper's sticks come in the order of the topics' numbers: ς_k ~ Beta(1 − δ + l_k, γ + kδ + Σ_{i>k} l_i),
//! k from 1, ς_K* = 1, Ψ_k = ς_k·Π_{i<k} (1 − ς_i), with the discount δ of a Pitman-Yor process, 0 in the paper. The posterior of
//! the process itself knows no order: (Ψ_1, …, Ψ_K, rest) ~ Dir(l_1 − δ, …, l_K − δ, γ + Kδ) over the K topics with tokens, and
//! the rest is broken by fresh sticks over the empty ones. As K* grows, all that does not depend on the topics' numbers has
//! the same law under both. The third is uniform, whatever l.

use rayon::prelude::*;

use crate::dist::beta::{LnBeta, ln_beta_variate};
use crate::dist::gamma::ln_gamma_variate;
use crate::heap::Heap;
use crate::params::{Params, PsiLaw};
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
    /// What it takes: Ψ_k and its logarithm.
    pub(crate) fn bytes(k_star: f64) -> Heap {
        Heap::exact::<[f64; 2]>(k_star)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        let Self { psi, ln_psi } = self;
        crate::heap::held(psi) + crate::heap::held(ln_psi)
    }

    /// Draws Ψ given l.
    pub fn sample(l: &[u64], params: &Params, iteration: u32) -> Self {
        debug_assert_eq!(l.len(), params.k_star());
        match params.psi() {
            PsiLaw::Sticks => Self::sample_sticks(l, params, iteration),
            PsiLaw::Dp => Self::sample_unordered(l, params, iteration),
            PsiLaw::Uniform => {
                Self::from_ln(vec![-libm::log(f64::from(params.max_topics())); params.k_star()])
            }
        }
    }

    /// By sticks in the order of topics.
    fn sample_sticks(l: &[u64], params: &Params, iteration: u32) -> Self {
        let k_star = params.k_star();
        let mut after = vec![0u64; k_star];
        for k in (1..k_star).rev() {
            after[k - 1] = after[k] + l[k];
        }
        let sticks: Vec<LnBeta> = by_topic(k_star - 1, params, iteration, |k, stream| {
            let left = params.gamma() + (k + 1) as f64 * params.discount() + after[k] as f64;
            ln_beta_variate(1.0 - params.discount() + l[k] as f64, left, stream)
        });
        Self::from_sticks(&sticks)
    }

    /// By a Dirichlet draw over the topics with tokens. The flag topic stands for all the others: the rest is its
    /// own, and what no empty topic has broken off stays with it.
    fn sample_unordered(l: &[u64], params: &Params, iteration: u32) -> Self {
        let flag = params.k_star() - 1;
        let mut before = Vec::with_capacity(flag);
        let mut topics = l[..flag].iter().filter(|&&l| l > 0).count();
        let rest = params.gamma() + topics as f64 * params.discount();
        for &l in &l[..flag] {
            topics += usize::from(l == 0);
            before.push(topics);
        }
        let drawn: Vec<LnBeta> = by_topic(flag + 1, params, iteration, |k, stream| {
            let gamma_variate =
                |shape: f64, stream| LnBeta { ln_x: ln_gamma_variate(shape, stream), ln_1mx: 0.0 };
            if k == flag {
                gamma_variate(rest + l[k] as f64, stream)
            } else if l[k] > 0 {
                gamma_variate(l[k] as f64 - params.discount(), stream)
            } else {
                let left = params.gamma() + before[k] as f64 * params.discount();
                ln_beta_variate(1.0 - params.discount(), left, stream)
            }
        });
        let has_share = |k: usize| k == flag || l[k] > 0;
        let mut ln_psi: Vec<f64> = drawn.iter().map(|drawn| drawn.ln_x).collect();
        let ln_total = ln_sum_exp((0..=flag).filter(|&k| has_share(k)).map(|k| ln_psi[k]));
        (0..=flag).filter(|&k| has_share(k)).for_each(|k| ln_psi[k] -= ln_total);
        for k in (0..flag).filter(|&k| l[k] == 0) {
            ln_psi[k] += ln_psi[flag];
            ln_psi[flag] += drawn[k].ln_1mx;
        }
        Self::from_ln(ln_psi)
    }

    /// ln of what the first `topics` leave to the others.
    pub(super) fn ln_left(&self, topics: usize) -> f64 {
        ln_sum_exp(self.ln_psi[topics..].iter().copied())
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

/// What topics draw from streams of their own, in parallel.
fn by_topic<T: Send>(
    topics: usize,
    params: &Params,
    iteration: u32,
    draw: impl Fn(usize, &mut Stream) -> T + Sync,
) -> Vec<T> {
    let drawn = (0..topics).into_par_iter().with_min_len(64);
    drawn.map(|k| draw(k, &mut Stream::new(params.seed(), Step::Psi, iteration, k as u32))).collect()
}

/// ln Σ e^x.
fn ln_sum_exp(ln: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = ln.clone().fold(f64::NEG_INFINITY, f64::max);
    largest + libm::log(ln.map(|ln| libm::exp(ln - largest)).sum())
}
