//! Whether a run with the defaults finds what is there: the themes that the sample was drawn from.

use std::sync::Arc;

use hdp_gpu::corpus::sample::{Theme, sample};
use hdp_gpu::params::{SettingsRequest, Size};
use hdp_gpu::{Chain, Sampler, Settings};

const ITERATIONS: u32 = 1000;

/// The cosine of a theme's words and those of a topic.
fn cosine(theme: &Theme, phi: &[f64]) -> f64 {
    let norm = |squares: f64| squares.sqrt();
    let dot: f64 = theme.words.iter().map(|&(v, p)| p * phi[v as usize]).sum();
    let theme = norm(theme.words.iter().map(|(_, p)| p * p).sum());
    dot / (theme * norm(phi.iter().map(|phi| phi * phi).sum()))
}

fn every_theme_has_a_topic_of_its_own(seed: u64) {
    let truth = sample();
    let docs = truth.corpus.doc_lengths().filter(|&length| length > 0).count();
    let (tokens, words) = (truth.corpus.num_tokens(), truth.corpus.vocab_size());
    let settings = SettingsRequest::default().settings(None, Some(Size { docs, tokens, words }));
    let params = Settings { seed, ..settings }.check().expect("good settings");
    let mut chain = Sampler::on_cpu(Arc::new(truth.corpus), params).expect("the CPU");
    for _ in 0..ITERATIONS {
        chain.step().expect("the CPU does not fail");
    }
    let model = chain.state().model();
    let mean_phi = model.mean_phi();
    let mut phi = vec![vec![0.0; model.vocab.len()]; model.psi.len()];
    for k in model.active_topics() {
        phi[usize::from(k)].fill(mean_phi.of(k, 0));
    }
    for column in model.n.columns() {
        column.iter().for_each(|(k, n)| phi[usize::from(k)][column.word as usize] = mean_phi.of(k, n));
    }
    let mut taken = Vec::new();
    for theme in &truth.themes {
        let found = model.active_topics().into_iter().map(|k| (cosine(theme, &phi[usize::from(k)]), k));
        let (closest, k) = found.max_by(|a, b| a.0.total_cmp(&b.0)).expect("a topic");
        println!("{}: topic {k}, {closest:.3}", theme.name);
        assert!(closest > 0.9, "{}: the closest topic is {k}, with {closest}", theme.name);
        assert!(!taken.contains(&k), "{}: topic {k} is another theme's too", theme.name);
        taken.push(k);
    }
}

#[test]
fn every_theme_of_the_sample_with_the_first_seed() {
    every_theme_has_a_topic_of_its_own(1);
}

#[test]
fn every_theme_of_the_sample_with_the_second_seed() {
    every_theme_has_a_topic_of_its_own(2);
}

#[test]
fn every_theme_of_the_sample_with_the_third_seed() {
    every_theme_has_a_topic_of_its_own(3);
}
