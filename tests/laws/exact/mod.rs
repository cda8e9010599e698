//! Long runs on tiny corpora against the exact posterior, which enumeration gives.

mod case;
mod finish;
mod law;
mod learned;
mod posterior;
mod psi_laws;
mod quadrature;
mod starts;

use std::fmt::Debug;
use std::sync::LazyLock;

use hdp_gpu::chain::Start;
use hdp_gpu::params::{Algorithm, PsiLaw};
use hdp_gpu::{Params, Settings};

use self::case::Case;
use self::law::agrees;
use self::posterior::Posterior;
use crate::chains::{Assembled, Walk, as_it_is, on_cpu};
use crate::law::{Make, on_one_thread};
use crate::mutations::Mutation;

/// A case and what its runs must agree with.
struct Exact {
    case: Case,
    posterior: Posterior,
}

/// Three corpora: words within a document and across documents, up to 5 tokens of a document in a topic. The priors
/// spread the posterior over many partitions, and let a wrong step show.
fn cases(max_topics: u32) -> [Case; 3] {
    [
        Case::new(&[&[0, 0, 1], &[1, 2, 2]], (1.0, 0.5, 1.0), max_topics),
        Case::new(&[&[0, 1], &[0, 0, 1], &[1, 1]], (1.5, 0.3, 1.1), max_topics),
        Case::new(&[&[0, 1, 0, 1, 2], &[2, 2]], (1.5, 0.5, 0.5), max_topics),
    ]
}

/// K* where truncation shapes the posterior.
static TRUNCATED: LazyLock<Vec<Exact>> = LazyLock::new(|| {
    let cases = [2, 3].into_iter().flat_map(cases);
    cases.map(|case| Exact { posterior: Posterior::truncated(&case), case }).collect()
});

/// K* where it does not: what the sticks leave, (γ/(1 + γ))^19, is below 5e-6.
static INFINITE: LazyLock<Vec<Exact>> = LazyLock::new(|| {
    cases(20).into_iter().map(|case| Exact { posterior: Posterior::infinite(&case), case }).collect()
});

/// States of a run: of the sampler as it is, of others, and where an iteration takes a millisecond.
const LONG: usize = 40_000;
const MEDIUM: usize = 10_000;
const SHORT: usize = 1_200;

/// Chains of `make` draw from every posterior.
fn assert_agrees(exact: &[Exact], draws: usize, make: Make) {
    for Exact { case, posterior } in exact {
        match on_one_thread(|| agrees(case, posterior, draws, make)) {
            Ok(found) => println!("{case}: {found}"),
            Err(found) => panic!("{case}: {found}"),
        }
    }
}

/// Chains of `make`, in which `wrong` is wrong, are seen not to draw from any of the posteriors.
fn assert_differs(exact: &[Exact], draws: usize, wrong: impl Debug, make: Make) {
    for Exact { case, posterior } in exact {
        match on_one_thread(|| agrees(case, posterior, draws, make)) {
            Ok(found) => panic!("{wrong:?} goes unnoticed: {case}: {found}"),
            Err(found) => println!("{wrong:?}: {case}: {found}"),
        }
    }
}

#[test]
fn the_sampler_draws_from_the_posterior() {
    assert_agrees(&TRUNCATED, LONG, &|corpus, params, start| Box::new(on_cpu(corpus, params, start)));
}

/// The case for a device that is slow: the one where wrong steps show most.
fn short_case() -> &'static [Exact] {
    &TRUNCATED[5..]
}

/// Chains on the GPU draw from every posterior, in a short run.
#[cfg(feature = "gpu")]
fn assert_agrees_on_a_gpu(exact: &[Exact]) {
    if crate::gpu::left_out() {
        eprintln!("ignored: HDP_GPU_SKIP_GPU_TESTS is set");
        return;
    }
    let on_gpu: Make = &|corpus, params, start| Box::new(crate::chains::on_gpu(corpus, params, start));
    assert_agrees(exact, SHORT, on_gpu);
}

#[cfg(feature = "gpu")]
#[test]
fn the_sampler_draws_from_the_posterior_on_a_gpu() {
    assert_agrees_on_a_gpu(short_case());
}

/// Chains with a wrong step are seen not to draw from any of the posteriors.
fn assert_wrong_step_seen(exact: &[Exact], draws: usize, mutation: Mutation) {
    let wrong: Make =
        &|corpus, params, start| Box::new(Assembled::new(corpus, params, start, Some(mutation)));
    assert_differs(exact, draws, mutation, wrong);
}

/// A wrong step is seen on every corpus and at every K*, and in a run as short as the GPU's too.
fn assert_seen(mutation: Mutation) {
    assert_wrong_step_seen(&TRUNCATED, MEDIUM, mutation);
    assert_wrong_step_seen(short_case(), SHORT, mutation);
}

#[test]
fn z_with_twice_alpha_is_seen() {
    assert_seen(Mutation::AlphaDoubled);
}

#[test]
fn l_without_first_tables_is_seen() {
    assert_seen(Mutation::NoFirstTable);
}

#[test]
fn psi_without_a_stick_is_seen() {
    assert_seen(Mutation::MissingStick);
}

/// With a K* that is large enough the sampler draws from the posterior of the model without truncation.
#[test]
fn truncation_does_not_matter() {
    assert_agrees(&INFINITE, MEDIUM, &|corpus, params, start| Box::new(on_cpu(corpus, params, start)));
}

/// The same parameters, with some changed, for direct assignment.
fn direct(params: &Params, change: fn(&mut Settings)) -> Params {
    let mut settings = Settings { sampler: Algorithm::Direct, psi: PsiLaw::Dp, ..params.settings().clone() };
    change(&mut settings);
    settings.check().expect("good settings")
}

#[test]
fn direct_assignment_draws_from_the_posterior() {
    let make: Make = &|corpus, params, start| as_it_is(corpus, &direct(params, |_| ()), start);
    assert_agrees(&INFINITE, MEDIUM, make);
}

/// A wrong step of direct assignment is seen on every corpus. It has no order of sticks of which one could miss.
#[test]
fn direct_assignment_with_a_wrong_step_is_seen() {
    for mutation in [Mutation::AlphaDoubled, Mutation::NoFirstTable] {
        let make: Make = &|corpus, params, start| {
            Box::new(Assembled::new(corpus, &direct(params, |_| ()), start, Some(mutation)))
        };
        assert_differs(&INFINITE, MEDIUM, mutation, make);
    }
}

/// Direct assignment under another prior is seen on every corpus.
fn assert_prior_seen(wrong: &str, change: fn(&mut Settings)) {
    // A start brings its concentrations along, so it is another one too.
    let make: Make = &|corpus, params, _| {
        let other = direct(params, change);
        as_it_is(corpus, &other, Start::first(corpus, &other))
    };
    assert_differs(&INFINITE, SHORT, wrong, make);
}

#[test]
fn direct_assignment_under_other_priors_is_seen() {
    assert_prior_seen("2α", |settings| settings.alpha *= 2.0);
    assert_prior_seen("2β", |settings| settings.beta *= 2.0);
    assert_prior_seen("2γ", |settings| settings.gamma *= 2.0);
}

/// What is said about a state here is what the trace says about it.
#[test]
fn the_trace_has_these_likelihoods() {
    for Exact { case, .. } in TRUNCATED.iter().chain(&*INFINITE) {
        let params = case.params(1);
        let mut sampler = on_cpu(&case.corpus, &params, Start::first(&case.corpus, &params));
        for _ in 0..20 {
            Walk::step(&mut sampler);
            let Start { z, psi, .. } = sampler.now();
            let trace = sampler.state().log_likelihood();
            approx::assert_relative_eq!(case.model(&z, &psi.psi), trace.model, max_relative = 1e-9);
            approx::assert_relative_eq!(case.lda(&z), trace.lda, max_relative = 1e-9);
        }
    }
}
