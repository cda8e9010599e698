//! Geweke's (2004) joint distribution test of the whole sweep, "Getting it right": the prior drawn forwards, (Ψ, z, l, w)
//! and the concentrations that are learned afresh each time, against a chain that alternates one iteration given w with a
//! fresh w given z. Both have the law of the model if the iteration leaves the posterior as it is, whatever w.

mod forward;
mod learned;
mod psi_laws;

use hdp_gpu::chain::Start;
use hdp_gpu::params::{Algorithm, PsiLaw};
use hdp_gpu::rng::{Step, Stream};
use hdp_gpu::{Corpus, Params};

use self::forward::{draw_prior, draw_words, with};
use crate::chains::EXACT;
use crate::estimate::{Estimate, autocorrelation};
use crate::law::{Findings, Make, Verdict, assert_broken, assert_obeyed, params};
use crate::mutations::Mutation;
use crate::quantities::{active_topics, largest_share, log_likelihood, psi_squares};

const DOCS: usize = 4;
const DOC_TOKENS: usize = 5;
const VOCAB_SIZE: usize = 4;
const ALPHA: f64 = 1.0;
/// What the sticks of the model leave to the last topic, (γ/(1 + γ))^29, is below 2e-9.
const DIRECT_K_STAR: u32 = 30;

const FORWARD_DRAWS: u32 = 100_000;
const BATCHES: usize = 250;
/// Batches that show what is wrong.
const FEW_BATCHES: usize = 50;
/// Iterations in a batch. The integrated autocorrelation time is about 20 iterations, and 40 for Ψ_1.
const BATCH: usize = 400;

/// What is compared, in means and all second moments, where it is random.
const NAMES: [&str; 9] = [
    "active topics",
    "Σ l",
    "largest share",
    "log-likelihood",
    "Σ Ψ²",
    "Ψ of the first topic",
    "ln α",
    "ln β",
    "ln γ",
];

type Quantities = [f64; NAMES.len()];

/// The moments of forward draws against those of the chain.
fn geweke(make: Make, params: &Params) -> Verdict {
    compare(make, params, BATCHES)
}

/// The same with a shorter chain.
fn short_geweke(make: Make, params: &Params) -> Verdict {
    compare(make, params, FEW_BATCHES)
}

fn compare(make: Make, params: &Params, batches: usize) -> Verdict {
    let forward: Vec<Quantities> = (0..FORWARD_DRAWS)
        .map(|draw| {
            let (start, corpus) = draw_prior(params, draw);
            quantities(&start, &corpus, params)
        })
        .collect();
    let chain = chain(make, params, batches * BATCH);
    let mut findings = Findings::default();
    for (what, moment) in moments(&forward, params) {
        let forward: Vec<f64> = forward.iter().map(&moment).collect();
        let chain: Vec<f64> = chain.iter().map(&moment).collect();
        // If it falls off exponentially, the error of the mean is then 5 % too small at most.
        let memory = autocorrelation(&chain, BATCH / 4);
        assert!(memory < 0.1, "{what}: the autocorrelation is still {memory} in a quarter of a batch");
        let forward = Estimate::of_draws(&forward);
        let z = forward.z_score(&Estimate::of_batches(&chain, BATCH));
        findings.z_score(&format!("{what} = {:.4}", forward.mean), z);
    }
    findings.verdict()
}

type Moment = Box<dyn Fn(&Quantities) -> f64>;

/// All first and second moments, the latter about the means of the forward draws.
fn moments(forward: &[Quantities], params: &Params) -> Vec<(String, Moment)> {
    let centre: Quantities =
        std::array::from_fn(|q| forward.iter().map(|draw| draw[q]).sum::<f64>() / forward.len() as f64);
    let mut moments: Vec<(String, Moment)> = Vec::new();
    let compared = random_ones(params);
    for (at, &p) in compared.iter().enumerate() {
        moments.push((format!("E {}", NAMES[p]), Box::new(move |draw| draw[p])));
        for &q in &compared[at..] {
            let product = move |draw: &Quantities| (draw[p] - centre[p]) * (draw[q] - centre[q]);
            moments.push((format!("Cov {}, {}", NAMES[p], NAMES[q]), Box::new(product)));
        }
    }
    moments
}

/// The quantities that are random. The first Ψ depends on how topics are numbered, which means something for
/// sticks only.
fn random_ones(params: &Params) -> Vec<usize> {
    let (psi, learn) = (params.psi(), params.learn());
    let random = [
        true,
        true,
        true,
        true,
        psi != PsiLaw::Uniform,
        psi == PsiLaw::Sticks,
        learn.alpha.is_some(),
        learn.beta.is_some(),
        learn.gamma.is_some(),
    ];
    (0..NAMES.len()).filter(|&q| random[q]).collect()
}

/// A chain that starts with a forward draw, and so has the prior's law from the start. Its sampler is made anew for each
/// w, and the iterations count on: draws are keyed by them.
fn chain(make: Make, params: &Params, iterations: usize) -> Vec<Quantities> {
    let (mut start, mut corpus) = draw_prior(params, FORWARD_DRAWS);
    (0..iterations)
        .map(|_| {
            let mut walk = make(&corpus, params, start.clone());
            walk.step();
            start = walk.now();
            let mut stream = Stream::new(params.seed(), Step::SynthTopic, start.iteration, 0);
            corpus = draw_words(&start.z, &with(params, start.concentrations), &mut stream);
            quantities(&start, &corpus, params)
        })
        .collect()
}

fn quantities(
    Start { z, l, psi, concentrations, .. }: &Start,
    corpus: &Corpus,
    params: &Params,
) -> Quantities {
    let params = &with(params, *concentrations);
    [
        active_topics(z) as f64,
        l.iter().sum::<u64>() as f64,
        largest_share(z, params),
        log_likelihood(corpus, z, &psi.psi, params),
        psi_squares(&psi.psi),
        psi.psi[0],
        concentrations.alpha.ln(),
        concentrations.beta.ln(),
        concentrations.gamma.ln(),
    ]
}

#[test]
fn the_sampler_obeys() {
    assert_obeyed(params(EXACT, ALPHA, 5), geweke);
}

/// Whose topics have no order, with a K* that does not matter.
#[test]
fn direct_assignment_obeys() {
    assert_obeyed(params(Algorithm::Direct, ALPHA, DIRECT_K_STAR), geweke);
}

#[test]
fn a_doubled_alpha_is_seen_in_direct_assignment() {
    assert_broken(Mutation::AlphaDoubled, params(Algorithm::Direct, ALPHA, DIRECT_K_STAR), geweke);
}

#[test]
fn a_table_too_few_is_seen_in_direct_assignment() {
    assert_broken(Mutation::NoFirstTable, params(Algorithm::Direct, ALPHA, DIRECT_K_STAR), geweke);
}

#[test]
fn a_doubled_alpha_is_seen() {
    assert_broken(Mutation::AlphaDoubled, params(EXACT, ALPHA, 5), geweke);
}

#[test]
fn a_table_too_few_is_seen() {
    assert_broken(Mutation::NoFirstTable, params(EXACT, ALPHA, 5), geweke);
}

#[test]
fn a_missing_stick_is_seen() {
    assert_broken(Mutation::MissingStick, params(EXACT, ALPHA, 5), geweke);
}
