//! Other laws of Ψ than the paper's sticks: without an order, with a discount, and uniform.

use hdp_gpu::Params;
use hdp_gpu::params::{Algorithm, GammaPrior, PsiLaw};

use super::{ALPHA, DIRECT_K_STAR, geweke, short_geweke};
use crate::chains::EXACT;
use crate::law::{assert_broken, assert_obeyed, params};
use crate::mutations::{Mutation, altered};

/// With δ = 1/4 and γ = 1/2, sticks leave 60 / ((K* + 2)(K* + 3)(K* + 4)) to the flag topic: 0.0007 in the mean.
const K_STAR: u32 = 40;

fn without_an_order() -> Params {
    altered(&params(EXACT, ALPHA, DIRECT_K_STAR), |settings| settings.psi = PsiLaw::Dp)
}

fn with_discount(sampler: Algorithm, psi: PsiLaw, max_topics: u32) -> Params {
    altered(&params(sampler, ALPHA, max_topics), |settings| {
        (settings.psi, settings.gamma, settings.discount) = (psi, 0.5, 0.25);
    })
}

/// LDA, with α and β learned.
fn uniform() -> Params {
    altered(&params(EXACT, ALPHA, 4), |settings| {
        settings.psi = PsiLaw::Uniform;
        settings.learn.alpha = Some(GammaPrior { shape: 4.0, rate: 2.0 });
        settings.learn.beta = Some(GammaPrior { shape: 4.0, rate: 8.0 });
    })
}

#[test]
fn without_an_order_the_sampler_obeys() {
    assert_obeyed(without_an_order(), geweke);
}

#[test]
fn sticks_with_a_discount_obey() {
    assert_obeyed(with_discount(EXACT, PsiLaw::Sticks, 5), geweke);
}

#[test]
fn a_discount_without_an_order_obeys() {
    assert_obeyed(with_discount(EXACT, PsiLaw::Dp, K_STAR), geweke);
}

#[test]
fn direct_assignment_with_a_discount_obeys() {
    assert_obeyed(with_discount(Algorithm::Direct, PsiLaw::Dp, K_STAR), geweke);
}

#[test]
fn a_uniform_psi_obeys() {
    assert_obeyed(uniform(), geweke);
}

#[test]
fn a_rest_too_large_is_seen() {
    assert_broken(Mutation::PsiOfOneMore, without_an_order(), short_geweke);
}

#[test]
fn a_discount_that_comes_one_stick_late_is_seen() {
    assert_broken(Mutation::DiscountFromZero, with_discount(EXACT, PsiLaw::Sticks, 5), short_geweke);
    assert_broken(
        Mutation::DiscountFromZero,
        with_discount(Algorithm::Direct, PsiLaw::Dp, K_STAR),
        short_geweke,
    );
}

#[test]
fn tables_without_discount_are_seen() {
    let direct = with_discount(Algorithm::Direct, PsiLaw::Dp, K_STAR);
    assert_broken(Mutation::TablesWithoutDiscount, direct, geweke);
}

#[test]
fn a_uniform_psi_without_its_last_topic_is_seen() {
    assert_broken(Mutation::UniformWithoutLast, uniform(), short_geweke);
}
