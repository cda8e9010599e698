//! Geweke's (2004) joint distribution test of the whole sweep, "Getting it right": the prior drawn forwards, (Ψ, z, l, w)
//! afresh each time, against a chain that alternates one iteration given w with a fresh w given z. Both have the law of
//! the model if the iteration leaves the posterior as it is, whatever w.

use std::sync::Arc;

use hdp_gpu::chain::Start;
use hdp_gpu::dist::discrete::{Discrete, polya_urn};
use hdp_gpu::model::psi::Psi;
use hdp_gpu::params::Algorithm;
use hdp_gpu::rng::{Step, Stream};
use hdp_gpu::{Corpus, Params};

use crate::chains::{EXACT, Mutation};
use crate::estimate::{Estimate, autocorrelation};
use crate::law::{Findings, Make, Verdict, assert_broken, assert_obeyed, params};
use crate::quantities::{active_topics, largest_share, log_likelihood, psi_squares};

const DOCS: usize = 4;
const DOC_TOKENS: usize = 5;
const VOCAB_SIZE: usize = 4;
const ALPHA: f64 = 1.0;
/// What the sticks of the model leave to the last topic, (γ/(1 + γ))^29, is below 2e-9.
const DIRECT_K_STAR: u32 = 30;

const FORWARD_DRAWS: u32 = 100_000;
const BATCHES: usize = 250;
/// Iterations in a batch. The integrated autocorrelation time is about 20 iterations, and 40 for Ψ_1.
const BATCH: usize = 400;

/// What is compared, in means and all second moments. The last one depends on how topics are numbered.
const NAMES: [&str; 6] =
    ["active topics", "Σ l", "largest share", "log-likelihood", "Σ Ψ²", "Ψ of the first topic"];

type Quantities = [f64; NAMES.len()];

/// The moments of forward draws against those of the chain.
fn geweke(make: Make, params: &Params) -> Verdict {
    let forward: Vec<Quantities> = (0..FORWARD_DRAWS)
        .map(|draw| {
            let (start, corpus) = draw_prior(params, draw);
            quantities(&start, &corpus, params)
        })
        .collect();
    let chain = chain(make, params);
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

/// All first and second moments, the latter about the means of the forward draws. Direct assignment gives topics
/// numbers of its own.
fn moments(forward: &[Quantities], params: &Params) -> Vec<(String, Moment)> {
    let compared = if params.sampler == Algorithm::Direct { NAMES.len() - 1 } else { NAMES.len() };
    let centre: Quantities =
        std::array::from_fn(|q| forward.iter().map(|draw| draw[q]).sum::<f64>() / forward.len() as f64);
    let mut moments: Vec<(String, Moment)> = Vec::new();
    for p in 0..compared {
        moments.push((format!("E {}", NAMES[p]), Box::new(move |draw| draw[p])));
        for q in p..compared {
            let product = move |draw: &Quantities| (draw[p] - centre[p]) * (draw[q] - centre[q]);
            moments.push((format!("Cov {}, {}", NAMES[p], NAMES[q]), Box::new(product)));
        }
    }
    moments
}

/// A chain that starts with a forward draw, and so has the prior's law from the start. Its sampler is made anew for each
/// w, and the iterations count on: draws are keyed by them.
fn chain(make: Make, params: &Params) -> Vec<Quantities> {
    let (mut start, mut corpus) = draw_prior(params, FORWARD_DRAWS);
    (0..BATCHES * BATCH)
        .map(|_| {
            let mut walk = make(&corpus, params, start.clone());
            walk.step();
            start = walk.now();
            let mut stream = Stream::new(params.seed, Step::SynthTopic, start.iteration, 0);
            corpus = corpus_of(draw_words(&start.z, params, &mut stream));
            quantities(&start, &corpus, params)
        })
        .collect()
}

fn quantities(Start { z, l, psi, .. }: &Start, corpus: &Corpus, params: &Params) -> Quantities {
    [
        active_topics(z) as f64,
        l.iter().sum::<u64>() as f64,
        largest_share(z, params),
        log_likelihood(corpus, z, &psi.psi, params),
        psi_squares(&psi.psi),
        psi.psi[0],
    ]
}

/// (Ψ, z, l, w) as the model says.
fn draw_prior(params: &Params, draw: u32) -> (Start, Arc<Corpus>) {
    let mut stream = Stream::new(params.seed, Step::SynthDocument, 0, draw);
    let psi = draw_psi(params, &mut stream);
    let base = Discrete::new(psi.iter().copied());
    let mut z = Vec::new();
    let mut l = vec![0; params.k_star()];
    for d in 0..DOCS {
        for _ in 0..DOC_TOKENS {
            z.push(polya_urn(&z[d * DOC_TOKENS..], params.alpha, &base, &mut stream));
        }
        draw_l(&z[d * DOC_TOKENS..], &psi, params, &mut l, &mut stream);
    }
    let w = draw_words(&z, params, &mut stream);
    let psi = Psi { ln_psi: psi.iter().map(|psi| psi.ln()).collect(), psi };
    (Start { iteration: 0, z, l, psi, concentrations: params.concentrations() }, corpus_of(w))
}

/// Ψ_k = ς_k·Π_{i<k} (1 − ς_i) with ς_k ~ Beta(1, γ), whose distribution function is 1 − (1 − x)^γ, and ς_K* = 1.
fn draw_psi(params: &Params, stream: &mut Stream) -> Vec<f64> {
    let mut left = 1.0;
    let mut psi = Vec::new();
    for _ in 1..params.k_star() {
        let rest = left * stream.uniform().powf(1.0 / params.gamma);
        psi.push(left - rest);
        left = rest;
    }
    psi.push(left);
    psi
}

/// Adds to l the global draws of a document: its j-th token of topic k is one with probability αΨ_k/(αΨ_k + j − 1).
fn draw_l(z: &[u16], psi: &[f64], params: &Params, l: &mut [u64], stream: &mut Stream) {
    for (i, &k) in z.iter().enumerate() {
        let before = z[..i].iter().filter(|&&other| other == k).count() as f64;
        let k = usize::from(k);
        let alpha_psi = params.alpha * psi[k];
        if stream.uniform() * (alpha_psi + before) < alpha_psi {
            l[k] += 1;
        }
    }
}

/// w given z with Φ integrated out: a Pólya urn of words for each topic.
fn draw_words(z: &[u16], params: &Params, stream: &mut Stream) -> Vec<u32> {
    let words = Discrete::new([1.0; VOCAB_SIZE]);
    let mut drawn = vec![Vec::new(); params.k_star()];
    z.iter()
        .map(|&k| {
            let drawn = &mut drawn[usize::from(k)];
            let v = polya_urn(drawn, params.beta * VOCAB_SIZE as f64, &words, stream);
            drawn.push(v);
            u32::from(v)
        })
        .collect()
}

fn corpus_of(w: Vec<u32>) -> Arc<Corpus> {
    let doc_start = (0..=DOCS).map(|d| d * DOC_TOKENS).collect();
    let vocab = (0..VOCAB_SIZE).map(|v| format!("w{v}")).collect();
    Arc::new(Corpus::new(w, doc_start, vocab))
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
