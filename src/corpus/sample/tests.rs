//! The sample has the sizes, the truth and the law that it claims, and never changes unnoticed.

use std::collections::BTreeMap;

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::*;
use crate::corpus::digest;

/// A change here is a change of the corpus for every user: say so in the CHANGELOG.
const DIGEST: &str = "fb3e549d42fa1ad0c3e9962252aca234c29cb2c9c75ff5654000b9ec026d0833";

fn p_value(statistic: f64, degrees: usize) -> f64 {
    ChiSquared::new(degrees as f64).unwrap().sf(statistic)
}

fn tokens_per_theme(sample: &Sample) -> Vec<u32> {
    let mut tokens = vec![0; sample.themes.len()];
    for &z in &sample.z_true {
        tokens[usize::from(z)] += 1;
    }
    tokens
}

#[test]
fn the_lists_are_well_formed() {
    let lists = parse(THEMES);
    assert_eq!(lists.len(), 26);
    assert_eq!(lists.last().unwrap().name, "background");
    assert_eq!(lists.iter().map(|list| list.thousandths).sum::<u32>(), 1000);
    let mut themes_of = BTreeMap::new();
    for list in &lists {
        let sizes = if list.name == "background" { 100..=150 } else { 40..=70 };
        assert!(sizes.contains(&list.words.len()), "{}: {} words", list.name, list.words.len());
        assert_eq!(list.words.iter().collect::<BTreeSet<_>>().len(), list.words.len(), "{}", list.name);
        for &word in &list.words {
            assert!(word.bytes().all(|byte| byte.is_ascii_lowercase()), "{}: {word}", list.name);
            *themes_of.entry(word).or_insert(0) += 1;
        }
    }
    let shared = themes_of.values().filter(|&&themes| themes > 1).count();
    assert!(shared >= 100, "{shared} words are shared between themes");
}

#[test]
fn sizes_are_as_described() {
    let Sample { corpus, z_true, themes } = sample();
    assert_eq!(corpus.num_docs(), 1500);
    assert!((140_000..160_000).contains(&corpus.num_tokens()), "{} tokens", corpus.num_tokens());
    assert_eq!(z_true.len(), corpus.num_tokens());
    assert!(corpus.doc_lengths().all(|length| (30..310).contains(&length)));
    assert!(
        corpus.doc_lengths().any(|length| length > 290) && corpus.doc_lengths().any(|length| length < 32)
    );
    assert_eq!(*corpus.doc_start.last().unwrap(), corpus.num_tokens());
    assert_eq!(corpus.doc_name(0), "sample-0001");
    assert_eq!(corpus.doc_name(1499), "sample-1500");
    assert!(corpus.vocab.is_sorted_by(|a, b| a < b));
    assert!((themes.iter().map(|theme| theme.share).sum::<f64>() - 1.0).abs() < 1e-12);
    for theme in &themes {
        assert!((theme.words.iter().map(|&(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-12, "{}", theme.name);
        assert!(theme.words.is_sorted_by(|a, b| a.0 < b.0), "{}", theme.name);
        assert!(theme.words.iter().all(|&(v, _)| (v as usize) < corpus.vocab_size()), "{}", theme.name);
    }
}

#[test]
fn every_theme_has_its_tokens_and_every_word_occurs() {
    let sample = sample();
    for (theme, tokens) in sample.themes.iter().zip(tokens_per_theme(&sample)) {
        assert!(tokens >= 1000, "{}: {tokens} tokens", theme.name);
    }
    let used: BTreeSet<u32> = sample.corpus.w.iter().copied().collect();
    assert_eq!(used.len(), sample.corpus.vocab_size());
}

#[test]
fn a_words_rank_in_its_list_is_its_rank_in_probability() {
    let Sample { corpus, themes, .. } = sample();
    for (list, theme) in parse(THEMES).iter().zip(&themes) {
        let mut words = theme.words.clone();
        words.sort_by(|a, b| b.1.total_cmp(&a.1));
        let ranked: Vec<&str> = words.iter().map(|&(v, _)| corpus.vocab[v as usize].as_str()).collect();
        assert_eq!(ranked, list.words, "{}", list.name);
    }
}

#[test]
fn tokens_come_from_their_themes_with_their_probabilities() {
    let sample = sample();
    let mut counts = vec![BTreeMap::new(); sample.themes.len()];
    for (&v, &z) in sample.corpus.w.iter().zip(&sample.z_true) {
        *counts[usize::from(z)].entry(v).or_insert(0u32) += 1;
    }
    let (mut statistic, mut degrees) = (0.0, 0);
    for ((theme, counts), tokens) in sample.themes.iter().zip(&mut counts).zip(tokens_per_theme(&sample)) {
        for &(v, p) in &theme.words {
            let expected = p * f64::from(tokens);
            let difference = f64::from(counts.remove(&v).unwrap_or(0)) - expected;
            statistic += difference * difference / expected;
        }
        assert!(counts.is_empty(), "{} has words of other themes: {counts:?}", theme.name);
        degrees += theme.words.len() - 1;
    }
    assert!(p_value(statistic, degrees) > 1e-6, "chi-square {statistic} on {degrees}");
}

/// The background is one binomial. The other themes' counts are Dirichlet-multinomial in each document: the
/// covariance of a multinomial with m tokens, times (m + a)/(1 + a) for the urn's concentration a.
#[test]
fn themes_have_their_shares() {
    let sample = sample();
    let mut tokens = tokens_per_theme(&sample);
    let background = tokens.len() - 1;
    let in_background = f64::from(tokens.pop().unwrap());
    let (n, p) = (sample.corpus.num_tokens() as f64, sample.themes[background].share);
    let score = (in_background - n * p) / (n * p * (1.0 - p)).sqrt();
    assert!(score.abs() < 4.9, "background: {in_background} of {n} tokens, z = {score}");

    let inflated: f64 = (0..sample.corpus.num_docs())
        .map(|d| sample.z_true[sample.corpus.doc(d)].iter().filter(|&&z| usize::from(z) < background).count())
        .map(|m| m as f64 * (m as f64 + CONCENTRATION) / (1.0 + CONCENTRATION))
        .sum();
    let mut statistic = 0.0;
    for (theme, &tokens) in sample.themes.iter().zip(&tokens) {
        let psi = theme.share / (1.0 - p);
        let difference = f64::from(tokens) - (n - in_background) * psi;
        statistic += difference * difference / (inflated * psi);
    }
    assert!(p_value(statistic, background - 1) > 1e-6, "chi-square {statistic}: {tokens:?}");
}

#[test]
fn every_call_returns_the_same_corpus() {
    assert_eq!(sample(), sample());
    assert_eq!(digest(&sample().corpus), DIGEST);
}
