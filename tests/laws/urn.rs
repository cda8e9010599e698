//! The Poisson Pólya urn is an approximation that gets better as topics grow: runs with it come closer to runs with an
//! exact Φ as the corpus gets larger, in the number of tables a document.

use std::path::Path;
use std::sync::Arc;

use hdp_gpu::chain::Start;
use hdp_gpu::model::psi::Psi;
use hdp_gpu::params::{Algorithm, PhiLaw};
use hdp_gpu::synth::{SynthSettings, Synthetic, synth};
use hdp_gpu::{Params, Settings};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::chains::{Assembled, EXACT, Walk, as_it_is};
use crate::common::P_VALUE_GATE;
use crate::estimate::Estimate;
use crate::law::{Make, on_one_thread, pictures_folder, usual_psi};
use crate::mutations::Mutation;
use crate::plot::{BLUE, Corner, GREEN, Scale, Series, Titles, lines};

const URN: Algorithm = Algorithm::Ppu { phi: PhiLaw::Ppu };

/// Documents of the corpora.
const DOCS: [u32; 4] = [10, 40, 160, 640];
const DOC_LENGTH: f64 = 40.0;
const CORPORA: u64 = 16;

/// A corpus that is 64 times larger brings the urn at least so many times closer.
const CLOSER: f64 = 8.0;

const BURN_IN: usize = 50;
const ITERATIONS: usize = 200;

fn params(sampler: Algorithm, seed: u64) -> Params {
    let psi = usual_psi(sampler);
    let settings =
        Settings { alpha: 0.5, beta: 0.1, max_topics: 30, seed, sampler, psi, ..Settings::paper() };
    settings.check().expect("good settings")
}

fn corpus(docs: u32, seed: u64) -> Synthetic {
    let Settings { alpha, beta, gamma, max_topics, .. } = *params(EXACT, seed).settings();
    let settings =
        SynthSettings { docs, doc_length: DOC_LENGTH, vocab_size: 50, alpha, beta, gamma, max_topics, seed };
    synth(&settings).expect("good settings")
}

/// Tables a document, in the mean of a chain that starts from the truth: sticks in an order mix slowly, and from
/// another start chains would differ by how far they have come.
fn tables(synthetic: &Synthetic, params: &Params, make: Make) -> f64 {
    let psi = Psi { ln_psi: synthetic.psi.iter().map(|psi| psi.ln()).collect(), psi: synthetic.psi.clone() };
    let start = Start {
        iteration: 0,
        z: synthetic.z.clone(),
        l: vec![0; params.k_star()],
        psi,
        concentrations: params.concentrations(),
    };
    let corpus = Arc::new(synthetic.corpus.clone());
    let mut chain: Box<dyn Walk> = make(&corpus, params, start);
    (0..BURN_IN).for_each(|_| chain.step());
    let sum: u64 = (0..ITERATIONS)
        .map(|_| {
            chain.step();
            chain.now().l.iter().sum::<u64>()
        })
        .sum();
    sum as f64 / (ITERATIONS * corpus.num_docs()) as f64
}

/// How many more tables a document has in chains of `make` than with an exact Φ, for each size of the corpus.
fn distances(sampler: Algorithm, make: Make) -> Vec<Estimate> {
    let distance = |docs, seed| {
        let synthetic = corpus(docs, seed);
        let exact = tables(&synthetic, &params(EXACT, seed), &as_it_is);
        // Draws of its own, where the sampler is the same.
        tables(&synthetic, &params(sampler, seed + 1000), make) - exact
    };
    let of_size = |docs| (1..=CORPORA).map(|seed| distance(docs, seed)).collect::<Vec<f64>>();
    DOCS.iter().map(|&docs| Estimate::of_draws(&of_size(docs))).collect()
}

/// The standard errors that a mean over so few corpora is away from the truth once in a million times.
fn gate() -> f64 {
    let law = StudentsT::new(0.0, 1.0, CORPORA as f64 - 1.0).expect("a positive number of degrees");
    law.inverse_cdf(1.0 - P_VALUE_GATE / 2.0)
}

/// The distance of the smallest corpora is there, and that of the largest is smaller by a factor.
fn comes_closer(distances: &[Estimate]) -> Result<(), String> {
    let [small, large] = [&distances[0], &distances[DOCS.len() - 1]];
    let figures =
        || distances.iter().map(|it| format!("{:.4} ± {:.4}", it.mean, it.error)).collect::<Vec<_>>();
    let there = small.mean - gate() * small.error > 0.0;
    let closer = large.mean.abs() + gate() * large.error < small.mean / CLOSER;
    if there && closer { Ok(()) } else { Err(figures().join(", ")) }
}

/// The distances as points, by tokens of the corpus; never below a size that can be drawn.
fn curve(distances: &[Estimate]) -> Vec<(f64, f64)> {
    let size = |&docs: &u32| f64::from(docs) * DOC_LENGTH;
    DOCS.iter().map(size).zip(distances.iter().map(|distance| distance.mean.abs().max(1e-4))).collect()
}

#[test]
fn the_urn_comes_closer_to_an_exact_phi() {
    let (urn, direct) =
        on_one_thread(|| (distances(URN, &as_it_is), distances(Algorithm::Direct, &as_it_is)));
    for (name, distances) in [("urn", &urn), ("direct assignment", &direct)] {
        for (docs, distance) in DOCS.iter().zip(distances) {
            println!("{name}, {docs} documents: {:.4} ± {:.4}", distance.mean, distance.error);
        }
    }
    let path = pictures_folder().join("urn-distance.svg");
    draw(&path, &urn, &direct);
    comes_closer(&urn).unwrap_or_else(|figures| panic!("it does not: {figures}"));
    // A second exact sampler shows what chance alone makes of it.
    for (docs, distance) in DOCS.iter().zip(&direct) {
        let t = distance.mean / distance.error;
        assert!(t.abs() < gate(), "direct assignment differs on {docs} documents: t = {t}");
    }
}

fn draw(path: &Path, urn: &[Estimate], direct: &[Estimate]) {
    let (urn, direct) = (curve(urn), curve(direct));
    let series = [
        Series { name: "Poisson Pólya urn", color: BLUE, runs: &[], mean: &urn },
        Series { name: "direct assignment (exact: chance)", color: GREEN, runs: &[], mean: &direct },
    ];
    let titles = Titles {
        title: "Distance from runs with an exact Φ",
        x: "tokens of the corpus",
        y: "tables a document",
    };
    lines(path, &titles, (Scale::Log, Scale::Log), Corner::UpperRight, &series).expect("a picture");
}

fn assert_seen(mutation: Mutation) {
    let wrong: Make =
        &|corpus, params, start| Box::new(Assembled::new(corpus, params, start, Some(mutation)));
    match comes_closer(&on_one_thread(|| distances(URN, wrong))) {
        Ok(()) => panic!("{mutation:?} goes unnoticed"),
        Err(figures) => println!("{mutation:?}: {figures}"),
    }
}

#[test]
fn a_doubled_alpha_is_seen() {
    assert_seen(Mutation::AlphaDoubled);
}

#[test]
fn a_table_too_few_is_seen() {
    assert_seen(Mutation::NoFirstTable);
}

#[test]
fn an_exact_phi_has_no_distance() {
    assert!(comes_closer(&on_one_thread(|| distances(EXACT, &as_it_is))).is_err());
}
