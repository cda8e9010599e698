//! α, β and γ learned, all at once, under each law of Ψ that has a γ.

use hdp_gpu::Params;
use hdp_gpu::params::{Algorithm, GammaPrior, Learn, PsiLaw};

use super::{ALPHA, geweke, short_geweke};
use crate::chains::EXACT;
use crate::law::{assert_broken, assert_obeyed, params};
use crate::mutations::{Mutation, altered};

/// Means of 1, 0.5 and 1, and few values so small that a chain would stay there.
const LEARN: Learn = Learn {
    alpha: Some(GammaPrior { shape: 4.0, rate: 4.0 }),
    beta: Some(GammaPrior { shape: 4.0, rate: 8.0 }),
    gamma: Some(GammaPrior { shape: 4.0, rate: 4.0 }),
};

/// So many topics that the flag topic has a mean Ψ of 1e-5, where Ψ has no order.
const K_STAR: u32 = 30;

fn learned(sampler: Algorithm, psi: PsiLaw, max_topics: u32) -> Params {
    altered(&params(sampler, ALPHA, max_topics), |settings| (settings.psi, settings.learn) = (psi, LEARN))
}

fn with_sticks() -> Params {
    learned(EXACT, PsiLaw::Sticks, 5)
}

fn without_an_order() -> Params {
    learned(EXACT, PsiLaw::Dp, K_STAR)
}

#[test]
fn the_sampler_obeys() {
    assert_obeyed(with_sticks(), geweke);
}

#[test]
fn the_sampler_without_an_order_obeys() {
    assert_obeyed(without_an_order(), geweke);
}

#[test]
fn direct_assignment_obeys() {
    assert_obeyed(learned(Algorithm::Direct, PsiLaw::Dp, K_STAR), geweke);
}

#[test]
fn wrong_ways_to_learn_are_seen() {
    for mutation in Mutation::OF_LEARNING {
        assert_broken(mutation, with_sticks(), short_geweke);
    }
}

#[test]
fn wrong_ways_to_learn_without_an_order_are_seen() {
    for mutation in Mutation::OF_LEARNING {
        assert_broken(mutation, without_an_order(), short_geweke);
    }
}
