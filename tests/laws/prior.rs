//! Words that carry no information, V = 1, leave the prior as it is: a chain must come back to the laws of the tables
//! and the topics of a Chinese restaurant franchise, which are known exactly.

use std::sync::Arc;

use hdp_gpu::chain::Start;
use hdp_gpu::model::init::init_z;
use hdp_gpu::params::{Algorithm, Init};
use hdp_gpu::{Corpus, Params};

use crate::chains::EXACT;
use crate::common::{chi_square_p_value, z_score};
use crate::estimate::autocorrelation;
use crate::law::{Findings, Make, Verdict, assert_broken, assert_obeyed, params};
use crate::mutations::{Mutation, altered};
use crate::quantities::active_topics;

/// Documents of many lengths.
const LENGTHS: [usize; 5] = [1, 2, 4, 8, 15];

const ALPHA: f64 = 2.0;
/// So many that the flag topic has a mean Ψ of (γ/(1 + γ))^(K*−1) = 2·10⁻⁹: topics are as many as without truncation.
const K_STAR: u32 = 30;

const BURN_IN: usize = 200;
const DRAWS: usize = 5_000;
/// Iterations from one draw to the next: the autocorrelation is 0.03 for topics, and none is seen for tables.
const THIN: usize = 40;

/// The number of tables, Σ_k l_k, and that of active topics against their laws.
fn prior(make: Make, params: &Params) -> Verdict {
    let (tables, topics): (Vec<usize>, Vec<usize>) = draws(make, params).into_iter().unzip();
    let law_of_tables = law_of_tables(params);
    let law_of_topics = law_of_topics(&law_of_tables, params);
    let mut findings = Findings::default();
    compare("tables", &tables, &law_of_tables, &mut findings);
    compare("topics", &topics, &law_of_topics, &mut findings);
    findings.verdict()
}

/// The mean and the whole law of `draws`.
fn compare(what: &str, draws: &[usize], law: &[f64], findings: &mut Findings) {
    let values: Vec<f64> = draws.iter().map(|&draw| draw as f64).collect();
    let memory = autocorrelation(&values, 1);
    assert!(memory < 0.1, "{what}: draws are too close, with an autocorrelation of {memory}");

    let moment = |power: i32| -> f64 { (0..).zip(law).map(|(x, p)| f64::from(x).powi(power) * p).sum() };
    let (mean, variance) = (moment(1), moment(2) - moment(1) * moment(1));
    findings.z_score(&format!("E {what} = {mean:.4}"), z_score(values.into_iter(), mean, variance));

    let mut counts = vec![0; law.len()];
    draws.iter().for_each(|&draw| counts[draw] += 1);
    let expected: Vec<f64> = law.iter().map(|p| p * DRAWS as f64).collect();
    findings.p_value(&format!("law of {what}"), chi_square_p_value(&counts, &expected));
}

/// (Σ_k l_k, active topics) of a chain, thinned.
fn draws(make: Make, params: &Params) -> Vec<(usize, usize)> {
    let corpus = corpus();
    let mut walk = make(&corpus, params, Start::first(&corpus, params));
    (0..BURN_IN).for_each(|_| walk.step());
    (0..DRAWS)
        .map(|_| {
            (0..THIN).for_each(|_| walk.step());
            let Start { z, l, .. } = walk.now();
            (l.iter().sum::<u64>() as usize, active_topics(&z))
        })
        .collect()
}

fn corpus() -> Arc<Corpus> {
    let mut doc_start = vec![0];
    doc_start.extend(LENGTHS.iter().scan(0, |end, length| {
        *end += length;
        Some(*end)
    }));
    let w = vec![0; LENGTHS.iter().sum()];
    Arc::new(Corpus::new(w, doc_start, vec!["w".into()]).expect("a corpus"))
}

/// The law of the number of tables: a document's token i, from 0, opens one with probability α/(α + i), whatever
/// happened before.
fn law_of_tables(params: &Params) -> Vec<f64> {
    let opens = |i: usize| params.alpha() / (params.alpha() + i as f64);
    LENGTHS.iter().flat_map(|&length| 0..length).fold(vec![1.0], |law, i| with_trial(&law, opens(i)))
}

/// The law of the number of topics: table i of them all, from 0, has a new one with probability γ/(γ + i).
fn law_of_topics(tables: &[f64], params: &Params) -> Vec<f64> {
    let mut topics = vec![0.0; tables.len()];
    let mut given = vec![1.0];
    for (i, p) in tables.iter().enumerate() {
        topics.iter_mut().zip(&given).for_each(|(topics, given)| *topics += p * given);
        given = with_trial(&given, params.gamma() / (params.gamma() + i as f64));
    }
    topics
}

/// The law of a number of successes with one more trial.
fn with_trial(law: &[f64], success: f64) -> Vec<f64> {
    let before = law.iter().copied().chain([0.0]);
    let one_less = [0.0].into_iter().chain(law.iter().copied());
    before.zip(one_less).map(|(same, less)| same * (1.0 - success) + less * success).collect()
}

/// The number of topics that sequential starts have, one a seed.
fn starts(params: &Params) -> Verdict {
    let corpus = corpus();
    let topics: Vec<usize> = (0..DRAWS as u64)
        .map(|seed| active_topics(&init_z(&corpus, &altered(params, |settings| settings.seed = seed))))
        .collect();
    let mut findings = Findings::default();
    let prior = self::params(EXACT, ALPHA, K_STAR);
    compare("topics", &topics, &law_of_topics(&law_of_tables(&prior), &prior), &mut findings);
    findings.verdict()
}

/// A start that draws each token given those before it is a draw of the prior, and one with another prior is not.
#[test]
fn a_sequential_start_obeys() {
    let start = altered(&params(EXACT, ALPHA, K_STAR), |settings| settings.init = Init::Sequential);
    println!("{}", starts(&start).expect("the law is obeyed"));
    let wrong = altered(&start, |settings| settings.gamma *= 1.5);
    println!("{}", starts(&wrong).expect_err("1.5γ goes unnoticed"));
}

#[test]
fn the_sampler_obeys() {
    assert_obeyed(params(EXACT, ALPHA, K_STAR), prior);
}

#[test]
fn direct_assignment_obeys() {
    assert_obeyed(params(Algorithm::Direct, ALPHA, K_STAR), prior);
}

#[test]
fn a_doubled_alpha_is_seen() {
    assert_broken(Mutation::AlphaDoubled, params(EXACT, ALPHA, K_STAR), prior);
}

#[test]
fn a_table_too_few_is_seen() {
    assert_broken(Mutation::NoFirstTable, params(EXACT, ALPHA, K_STAR), prior);
}

#[test]
fn a_missing_stick_is_seen() {
    assert_broken(Mutation::MissingStick, params(EXACT, ALPHA, K_STAR), prior);
}
