//! Other laws of Ψ than the paper's sticks: without an order, with a discount, and uniform; and a K* that grows.

use std::sync::{Arc, LazyLock};

use hdp_gpu::chain::Start;
use hdp_gpu::params::{Algorithm, PsiLaw};
use hdp_gpu::{Corpus, Params};

use super::case::Case;
use super::posterior::Posterior;
use super::{Exact, INFINITE, MEDIUM, SHORT, assert_agrees, assert_differs, assert_wrong_step_seen, cases};
use crate::chains::{Walk, as_it_is};
use crate::law::Make;
use crate::mutations::{Mutation, altered};

/// With γ = 1/2, sticks leave 0.0007 to the last of 40 topics, in the mean: two topics hardly ever share it.
const DISCOUNT: f64 = 0.25;

fn exact(cases: impl IntoIterator<Item = Case>, posterior: fn(&Case) -> Posterior) -> Vec<Exact> {
    cases.into_iter().map(|case| Exact { posterior: posterior(&case), case }).collect()
}

/// Sticks with a discount.
static STICKS: LazyLock<Vec<Exact>> = LazyLock::new(|| {
    let cases = [&cases(3)[2], &cases(2)[2]].map(|case| case.with(|settings| settings.discount = DISCOUNT));
    exact(cases, Posterior::truncated)
});

/// A discount without an order, for both samplers.
static NO_ORDER: LazyLock<Vec<Exact>> = LazyLock::new(|| {
    let case = cases(40)[2].with(|settings| (settings.psi, settings.discount) = (PsiLaw::Dp, DISCOUNT));
    let direct = case.with(|settings| settings.sampler = Algorithm::Direct);
    exact([case, direct], Posterior::infinite)
});

static UNIFORM: LazyLock<Vec<Exact>> = LazyLock::new(|| {
    let cases = [&cases(3)[1], &cases(4)[0]].map(|case| case.with(|settings| settings.psi = PsiLaw::Uniform));
    exact(cases, Posterior::uniform)
});

#[test]
fn without_an_order_the_sampler_draws_from_the_posterior() {
    let make: Make = &|corpus, params, start| {
        as_it_is(corpus, &altered(params, |settings| settings.psi = PsiLaw::Dp), start)
    };
    assert_agrees(&INFINITE, MEDIUM, make);
}

#[test]
fn sticks_with_a_discount_draw_from_the_posterior() {
    assert_agrees(&STICKS, MEDIUM, &as_it_is);
}

#[test]
fn a_discount_without_an_order_draws_from_the_posterior() {
    assert_agrees(&NO_ORDER, MEDIUM, &as_it_is);
}

#[test]
fn a_uniform_psi_draws_from_the_posterior() {
    assert_agrees(&UNIFORM, MEDIUM, &as_it_is);
}

#[test]
fn a_discount_that_comes_one_stick_late_is_seen() {
    assert_wrong_step_seen(&STICKS, MEDIUM, Mutation::DiscountFromZero);
    assert_wrong_step_seen(&NO_ORDER[1..], MEDIUM, Mutation::DiscountFromZero);
}

#[test]
fn tables_without_discount_are_seen() {
    assert_wrong_step_seen(&NO_ORDER[1..], MEDIUM, Mutation::TablesWithoutDiscount);
}

#[test]
fn a_uniform_psi_without_its_last_topic_is_seen() {
    assert_wrong_step_seen(&UNIFORM, SHORT, Mutation::UniformWithoutLast);
}

/// A chain whose K* is far too small and may grow, or not, from the same start.
fn small(grow: bool) -> impl Fn(&Arc<Corpus>, &Params, Start) -> Box<dyn Walk> + Sync {
    move |corpus, params, _| {
        let small = altered(params, |settings| {
            (settings.psi, settings.max_topics, settings.grow) = (PsiLaw::Dp, 2, grow);
        });
        as_it_is(corpus, &small, Start::first(corpus, &small))
    }
}

/// A K* that starts with 2 ends where truncation does not matter.
#[test]
fn a_k_star_that_grows_draws_from_the_posterior() {
    assert_agrees(&INFINITE[..2], MEDIUM, &small(true));
}

#[test]
fn a_k_star_that_does_not_grow_is_seen() {
    assert_differs(&INFINITE[..2], SHORT, "K* = 2", &small(false));
}
