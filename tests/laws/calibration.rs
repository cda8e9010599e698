//! Simulation-based calibration (Talts et al. 2018): of corpora that were drawn from the model, the true state is one
//! more draw of the posterior, so that its rank among a chain's draws is uniform.

use hdp_gpu::chain::Start;
use hdp_gpu::rng::{Step, Stream};
use hdp_gpu::synth::{SynthSettings, Synthetic, synth};
use hdp_gpu::{Corpus, Params, Settings};
use statrs::distribution::{Binomial, DiscreteCDF};

use crate::chains::EXACT;
use crate::common::chi_square_p_value;
use crate::law::{Findings, Make, Verdict, assert_broken, assert_obeyed, params, pictures_folder};
use crate::mutations::Mutation;
use crate::plot::{Titles, histogram};
use crate::quantities::{active_topics, doc_topics, largest_share, ln_words, log_likelihood, psi_squares};

const ALPHA: f64 = 3.0;
const CORPORA: u64 = 400;
const RANKS: usize = 20;
/// Iterations before the first draw; means over corpora do not change after 100.
const BURN_IN: usize = 240;
/// Iterations from one draw to the next. The autocorrelation of Σ Ψ², the slowest, is 0.16 after 40 iterations, 0.07
/// after 80 and 0.01 after 160, in the mean over corpora.
const THIN: usize = 120;

/// What is ranked, and the name of its picture.
const QUANTITIES: [(&str, &str); 6] = [
    ("active topics", "active-topics"),
    ("log-likelihood", "log-likelihood"),
    ("log-likelihood of the words", "words"),
    ("share of the largest topic", "largest-share"),
    ("Σ Ψ²", "psi"),
    ("pairs of a document and a topic", "pairs"),
];

/// For each quantity, how many corpora have the truth at each rank.
type Ranks = [[u64; RANKS]; QUANTITIES.len()];

/// Every quantity has uniform ranks.
fn calibration(make: Make, params: &Params) -> Verdict {
    verdict(&ranks(make, params))
}

fn verdict(ranks: &Ranks) -> Verdict {
    let mut findings = Findings::default();
    for ((name, _), ranks) in QUANTITIES.iter().zip(ranks) {
        findings.p_value(name, chi_square_p_value(ranks, &[CORPORA as f64 / RANKS as f64; RANKS]));
    }
    findings.verdict()
}

/// Ranks the truths of all corpora, each with seeds of its own.
fn ranks(make: Make, params: &Params) -> Ranks {
    let mut ranks = Ranks::default();
    for seed in 1..=CORPORA {
        let params = Settings { seed, ..params.settings().clone() }.check().expect("good settings");
        for (ranks, rank) in ranks.iter_mut().zip(rank_truth(make, &params)) {
            ranks[rank] += 1;
        }
    }
    ranks
}

/// The rank of each quantity of the truth among the draws of a chain that starts elsewhere; equal values are put in
/// random order.
fn rank_truth(make: Make, params: &Params) -> [usize; QUANTITIES.len()] {
    let Synthetic { corpus, z, psi, .. } = draw_corpus(params);
    let truth = quantities(&corpus, &z, &psi, params);
    let corpus = corpus.into();
    let mut walk = make(&corpus, params, Start::first(&corpus, params));
    (0..BURN_IN).for_each(|_| walk.step());
    let draws: Vec<_> = (1..RANKS)
        .map(|_| {
            (0..THIN).for_each(|_| walk.step());
            let Start { z, psi, .. } = walk.now();
            quantities(&corpus, &z, &psi.psi, params)
        })
        .collect();
    let mut stream = Stream::new(params.seed(), Step::SynthDocument, 1, 0);
    std::array::from_fn(|q| {
        let less = draws.iter().filter(|draw| draw[q] < truth[q]).count();
        let equal = draws.iter().filter(|draw| draw[q] == truth[q]).count();
        less + stream.below(equal as u64 + 1) as usize
    })
}

fn draw_corpus(params: &Params) -> Synthetic {
    let settings = SynthSettings {
        docs: 8,
        doc_length: 8.0,
        vocab_size: 6,
        alpha: params.alpha(),
        beta: params.beta(),
        gamma: params.gamma(),
        max_topics: params.max_topics(),
        seed: params.seed(),
    };
    synth(&settings).expect("good settings")
}

fn quantities(corpus: &Corpus, z: &[u16], psi: &[f64], params: &Params) -> [f64; QUANTITIES.len()] {
    [
        active_topics(z) as f64,
        log_likelihood(corpus, z, psi, params),
        ln_words(corpus, z, params),
        largest_share(z, params),
        psi_squares(psi),
        doc_topics(corpus, z) as f64,
    ]
}

/// Writes a picture for each quantity.
fn draw_pictures(ranks: &Ranks) {
    const PROBABILITY: f64 = 0.999;
    let law = Binomial::new(1.0 / RANKS as f64, CORPORA).expect("a law");
    let quantile = |p: f64| law.inverse_cdf(p) as f64;
    let band = quantile((1.0 - PROBABILITY) / 2.0)..quantile((1.0 + PROBABILITY) / 2.0);
    for ((name, file), ranks) in QUANTITIES.iter().zip(ranks) {
        let titles = Titles {
            title: &format!("Rank of the truth: {name}"),
            x: &format!("rank among {} draws of the posterior", RANKS - 1),
            y: &format!("corpora out of {CORPORA}"),
        };
        let path = pictures_folder().join(format!("calibration-{file}.svg"));
        histogram(&path, &titles, ranks, CORPORA as f64 / RANKS as f64, (band.clone(), PROBABILITY))
            .expect("a picture");
    }
}

#[test]
fn the_sampler_obeys() {
    assert_obeyed(params(EXACT, ALPHA, 6), |make, params| {
        let ranks = ranks(make, params);
        draw_pictures(&ranks);
        verdict(&ranks)
    });
}

#[test]
fn a_doubled_alpha_is_seen() {
    assert_broken(Mutation::AlphaDoubled, params(EXACT, ALPHA, 6), calibration);
}

#[test]
fn a_table_too_few_is_seen() {
    assert_broken(Mutation::NoFirstTable, params(EXACT, ALPHA, 6), calibration);
}

#[test]
fn a_missing_stick_is_seen() {
    assert_broken(Mutation::MissingStick, params(EXACT, ALPHA, 6), calibration);
}
