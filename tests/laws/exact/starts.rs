//! Starts against their laws: one pass in which each token is drawn given those before it, and whole documents in one topic.

use std::collections::BTreeMap;

use hdp_gpu::Settings;
use hdp_gpu::model::init::init_z;
use hdp_gpu::params::{Init, PsiLaw};

use super::case::{Case, partition};
use super::posterior::Posterior;
use crate::common::{P_VALUE_GATE, chi_square_p_value};

const STARTS: u64 = 20_000;

/// The p-value of the partitions of sequential starts, one a seed, with some settings changed.
fn p_value(case: &Case, law: &BTreeMap<Vec<u16>, f64>, change: fn(&mut Settings)) -> f64 {
    let case = case.with(|settings| settings.init = Init::Sequential).with(change);
    let mut seen = BTreeMap::<Vec<u16>, u64>::new();
    for seed in 0..STARTS {
        let z = init_z(&case.corpus, &case.params(seed));
        assert_eq!(partition(&z), z, "topics are numbered as they come");
        *seen.entry(z).or_default() += 1;
    }
    assert!(seen.keys().all(|z| law.contains_key(z)), "a partition that cannot be");
    let observed: Vec<u64> = law.keys().map(|z| seen.get(z).copied().unwrap_or(0)).collect();
    let expected: Vec<f64> = law.values().map(|probability| probability * STARTS as f64).collect();
    chi_square_p_value(&observed, &expected)
}

fn assert_obeyed(what: &str, case: &Case, law: &BTreeMap<Vec<u16>, f64>, wrong: fn(&mut Settings)) {
    let (p, of_wrong) = (p_value(case, law, |_| ()), p_value(case, law, wrong));
    println!("{what}: p = {p:.1e}, of a wrong start {of_wrong:.1e}");
    assert!(p > P_VALUE_GATE, "{what}: p = {p:e}");
    assert!(of_wrong < P_VALUE_GATE, "{what}: a wrong start goes unnoticed, p = {of_wrong:e}");
}

/// Words that say nothing, V = 1, leave the prior of the partitions: that of a Chinese restaurant franchise.
#[test]
fn a_sequential_start_without_words_has_the_law_of_the_prior() {
    let case = Case::new(&[&[0, 0, 0], &[0, 0], &[0]], (1.5, 0.5, 0.8), 40);
    assert_obeyed("sticks", &case, &Posterior::infinite(&case).partitions, |s| s.gamma *= 1.5);
    let discount = case.with(|settings| (settings.psi, settings.discount) = (PsiLaw::Dp, 0.25));
    assert_obeyed("discount", &discount, &Posterior::infinite(&discount).partitions, |s| s.discount = 0.0);
    let uniform = case.with(|settings| (settings.psi, settings.max_topics) = (PsiLaw::Uniform, 3));
    assert_obeyed("uniform", &uniform, &Posterior::uniform(&uniform).partitions, |s| s.max_topics = 2);
}

/// Words that say something: the law of the pass, token by token.
#[test]
fn a_sequential_start_has_the_law_of_its_predictions() {
    for discount in [0.0, 0.25] {
        let case = Case::new(&[&[0, 0, 1], &[1, 0]], (1.5, 0.5, 0.8), 40)
            .with(|settings| (settings.psi, settings.discount) = (PsiLaw::Dp, discount));
        let mut law = BTreeMap::new();
        predict(&case, &mut Vec::new(), &[], 1.0, &mut law);
        approx::assert_relative_eq!(law.values().sum::<f64>(), 1.0, max_relative = 1e-12);
        assert_obeyed("predictions", &case, &law, |settings| settings.beta *= 1.5);
    }
}

/// Adds the probabilities of all ways to go on from the topics `z` of the first tokens and the tables `l` of the topics: a
/// token sits at a table of its document, or at a new one of a topic that there is or is not yet.
fn predict(case: &Case, z: &mut Vec<u16>, l: &[f64], probability: f64, law: &mut BTreeMap<Vec<u16>, f64>) {
    let Settings { alpha, gamma, discount, .. } = case.settings;
    let i = z.len();
    let Some(doc) = (0..case.corpus.num_docs()).map(|d| case.corpus.doc(d)).find(|doc| doc.contains(&i))
    else {
        *law.entry(z.clone()).or_default() += probability;
        return;
    };
    let (tables, topics) = (l.iter().sum::<f64>(), l.len());
    let mut ways = Vec::new();
    for k in 0..=topics {
        let with = |k: usize| [z.as_slice(), &[k as u16]].concat();
        // p(w_i | z_i, those before).
        let word = (case.ln_words(&with(k)) - case.ln_words(z)).exp();
        let there = z[doc.start..].iter().filter(|&&topic| usize::from(topic) == k).count() as f64;
        let draws = l.get(k).map_or(gamma + topics as f64 * discount, |l| l - discount);
        ways.push((k, 0.0, there * word));
        ways.push((k, 1.0, alpha * draws / (tables + gamma) * word));
    }
    let total: f64 = ways.iter().map(|(_, _, weight)| weight).sum();
    for (k, new_tables, weight) in ways.into_iter().filter(|&(_, _, weight)| weight > 0.0) {
        let mut l = l.to_vec();
        l.resize(l.len().max(k + 1), 0.0);
        l[k] += new_tables;
        z.push(k as u16);
        predict(case, z, &l, probability * weight / total, law);
        z.pop();
    }
}

/// Whole documents in one uniform topic each, whatever the others have.
#[test]
fn documents_start_in_one_topic() {
    const TOPICS: usize = 4;
    let case = Case::new(&[&[0, 0, 1], &[1, 0], &[0], &[1]], (1.0, 0.5, 1.0), 5)
        .with(|settings| settings.init = Init::Documents(TOPICS as u32));
    let mut pairs = vec![[0; TOPICS * TOPICS]; 3];
    for seed in 0..5 * STARTS {
        let z = init_z(&case.corpus, &case.params(seed));
        let topics: Vec<usize> = (0..4)
            .map(|d| {
                let z = &z[case.corpus.doc(d)];
                assert!(z.iter().all(|k| *k == z[0]), "{z:?}");
                usize::from(z[0])
            })
            .collect();
        (0..3).for_each(|d| pairs[d][topics[d] * TOPICS + topics[d + 1]] += 1);
    }
    let expected = 5.0 * STARTS as f64 / (TOPICS * TOPICS) as f64;
    for pairs in pairs {
        let p = chi_square_p_value(&pairs, &[expected; TOPICS * TOPICS]);
        println!("pairs of documents: p = {p:.1e}");
        assert!(p > P_VALUE_GATE, "p = {p:e}");
    }
}
