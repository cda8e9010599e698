//! Learned concentrations: the posterior with α, β and γ integrated over their priors, by quadrature.
//!
//! Given z, (α, γ) and β have nothing to do with each other: p(z, w) = ∫ p(z | α, γ) p(α) p(γ) · ∫ p(w | z, β) p(β).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use hdp_gpu::Settings;
use hdp_gpu::chain::Start;
use hdp_gpu::params::{Algorithm, GammaPrior, Learn, PsiLaw};

use super::case::{Case, partition};
use super::posterior::{Mean, Posterior, infinite_prior, labelled, truncated_prior, unlabelled};
use super::quadrature::gamma_nodes;
use super::{Exact, MEDIUM, assert_agrees, assert_wrong_step_seen, cases};
use crate::chains::as_it_is;
use crate::mutations::Mutation;

/// α, β and γ, of means 1.5, 0.5 and 1.
const PRIORS: [GammaPrior; 3] = [
    GammaPrior { shape: 3.0, rate: 2.0 },
    GammaPrior { shape: 4.0, rate: 8.0 },
    GammaPrior { shape: 4.0, rate: 4.0 },
];

/// One z of an enumeration.
struct Term {
    z: Vec<u16>,
    topics: Integrals<2>,
    words: Integrals<1>,
}

/// Integrals of a probability over concentrations, and of its products with their logarithms.
#[derive(Clone, Copy)]
struct Integrals<const N: usize> {
    probability: f64,
    ln: [f64; N],
}

impl<const N: usize> Integrals<N> {
    const NONE: Self = Self { probability: 0.0, ln: [0.0; N] };

    fn add(&mut self, probability: f64, concentrations: [f64; N]) {
        self.probability += probability;
        self.ln.iter_mut().zip(concentrations).for_each(|(sum, c)| *sum += probability * c.ln());
    }
}

impl Posterior {
    /// Under the priors of all concentrations.
    fn learned(case: &Case) -> Self {
        let sticks = case.settings.psi == PsiLaw::Sticks;
        let all: Vec<_> = if sticks { labelled(case).collect() } else { unlabelled(case).collect() };
        let prior = if sticks { truncated_prior } else { infinite_prior };
        let mut terms: Vec<Term> =
            all.into_iter().map(|z| Term { z, topics: Integrals::NONE, words: Integrals::NONE }).collect();
        let [alphas, betas, gammas] = PRIORS.map(gamma_nodes);
        for &(alpha, of_alpha) in &alphas {
            for &(gamma, of_gamma) in &gammas {
                let given = case.with(|settings| (settings.alpha, settings.gamma) = (alpha, gamma));
                for Term { z, topics, .. } in &mut terms {
                    topics.add(of_alpha * of_gamma * prior(&given, z), [alpha, gamma]);
                }
            }
        }
        for &(beta, of_beta) in &betas {
            let given = case.with(|settings| settings.beta = beta);
            for Term { z, words, .. } in &mut terms {
                words.add(of_beta * given.ln_words(z).exp(), [beta]);
            }
        }
        Self::of_terms(&terms)
    }

    fn of_terms(terms: &[Term]) -> Self {
        let mut partitions = BTreeMap::new();
        let [mut evidence, mut alpha, mut beta, mut gamma] = [0.0; 4];
        for Term { z, topics, words } in terms {
            let joint = topics.probability * words.probability;
            evidence += joint;
            alpha += topics.ln[0] * words.probability;
            gamma += topics.ln[1] * words.probability;
            beta += words.ln[0] * topics.probability;
            *partitions.entry(partition(z)).or_default() += joint;
        }
        partitions.values_mut().for_each(|probability| *probability /= evidence);
        let mean = |name, of, sum: f64| Mean { name, of, mean: sum / evidence };
        let of: [fn(&Case, &Start) -> f64; 3] = [
            |_, state| state.concentrations.alpha.ln(),
            |_, state| state.concentrations.beta.ln(),
            |_, state| state.concentrations.gamma.ln(),
        ];
        let means = vec![mean("ln α", of[0], alpha), mean("ln β", of[1], beta), mean("ln γ", of[2], gamma)];
        Self { partitions, means }
    }
}

/// The case with all concentrations learned, and its posterior.
fn learned(case: &Case, change: fn(&mut Settings)) -> Exact {
    let [alpha, beta, gamma] = PRIORS.map(Some);
    let case = case.with(|settings| settings.learn = Learn { alpha, beta, gamma }).with(change);
    Exact { posterior: Posterior::learned(&case), case }
}

static STICKS: LazyLock<Vec<Exact>> =
    LazyLock::new(|| vec![learned(&cases(3)[0], |_| ()), learned(&cases(2)[2], |_| ())]);

/// With so many topics that the flag topic has a mean Ψ of 1e-5.
static NO_ORDER: LazyLock<Vec<Exact>> = LazyLock::new(|| {
    vec![
        learned(&cases(30)[0], |settings| settings.psi = PsiLaw::Dp),
        learned(&cases(30)[2], |settings| {
            (settings.psi, settings.sampler) = (PsiLaw::Dp, Algorithm::Direct);
        }),
    ]
});

#[test]
fn the_sampler_draws_from_the_posterior() {
    assert_agrees(&STICKS, MEDIUM, &as_it_is);
}

#[test]
fn without_an_order_the_samplers_draw_from_the_posterior() {
    assert_agrees(&NO_ORDER, MEDIUM, &as_it_is);
}

#[cfg(feature = "gpu")]
#[test]
fn the_sampler_draws_from_the_posterior_on_a_gpu() {
    super::assert_agrees_on_a_gpu(&NO_ORDER[..1]);
}

#[test]
fn wrong_ways_to_learn_are_seen() {
    for mutation in Mutation::OF_LEARNING {
        assert_wrong_step_seen(&STICKS[..1], MEDIUM, mutation);
        assert_wrong_step_seen(&NO_ORDER[1..], MEDIUM, mutation);
    }
}
