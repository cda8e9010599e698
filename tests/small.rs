//! Whether small corpora get few topics and the right ones: 64 documents of 30 to 60 tokens, drawn like the sample from 8 of its themes and
//! its background.

use std::collections::BTreeMap;
use std::sync::Arc;

use hdp_gpu::chain::{self, FinishedState, Start};
use hdp_gpu::corpus::sample::{Theme, sample};
use hdp_gpu::device::Place;
use hdp_gpu::params::{SettingsRequest, Size};
use hdp_gpu::rng::{Step, Stream};
use hdp_gpu::{Corpus, Settings};
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::seq::IndexedRandom;

const DOCS: u32 = 64;
const THEMES: usize = 8;
const ITERATIONS: u32 = 1000;
/// The finish of a run of so many iterations.
const SWEEPS: u32 = 40;
/// A theme is found where a topic that is no other theme's is so close to it: it has some two hundred tokens.
const CLOSE: f64 = 0.6;

/// A small corpus, with its themes in the numbers of its own words.
struct Small {
    corpus: Arc<Corpus>,
    themes: Vec<BTreeMap<u32, f64>>,
}

fn law(weights: impl Iterator<Item = f64>) -> WeightedIndex<f64> {
    WeightedIndex::new(weights).expect("positive weights")
}

/// Corpus number `number`; words that themes share are one word.
fn small(number: u32) -> Small {
    let whole = sample();
    let (background, themes) = whole.themes.split_last().expect("a background");
    let mut stream = Stream::new(7, Step::SynthDocument, number, 0);
    let themes: Vec<&Theme> = themes.sample(&mut stream, THEMES).collect();
    let shares = law(themes.iter().map(|theme| theme.share));
    let words = |theme: &Theme| law(theme.words.iter().map(|&(_, p)| p));
    let laws: Vec<_> = themes.iter().map(|theme| words(theme)).collect();
    let background_law = words(background);
    let (mut tokens, mut doc_start) = (Vec::new(), vec![0]);
    for d in 1..=DOCS {
        let mut stream = Stream::new(7, Step::SynthDocument, number, d);
        let mut drawn: Vec<usize> = Vec::new();
        for _ in 0..30 + (stream.uniform() * 31.0) as u32 {
            tokens.push(if stream.uniform() < background.share {
                background.words[background_law.sample(&mut stream)].0
            } else {
                let is_new = stream.uniform() * (1.0 + drawn.len() as f64) < 1.0;
                let z = match drawn.choose(&mut stream) {
                    Some(&z) if !is_new => z,
                    _ => shares.sample(&mut stream),
                };
                drawn.push(z);
                themes[z].words[laws[z].sample(&mut stream)].0
            });
        }
        doc_start.push(tokens.len());
    }
    let mut used = tokens.clone();
    used.sort_unstable();
    used.dedup();
    let own = |v: &u32| used.binary_search(v).ok().map(|v| v as u32);
    let themes =
        themes.iter().map(|theme| theme.words.iter().filter_map(|(v, p)| Some((own(v)?, *p))).collect());
    let themes = themes.collect();
    let w = tokens.iter().map(|v| own(v).expect("a word that is used")).collect::<Vec<_>>();
    let vocab = used.iter().map(|&v| whole.corpus.vocab[v as usize].clone()).collect();
    Small { corpus: Arc::new(Corpus::new(w, doc_start, vocab).expect("a corpus")), themes }
}

fn cosine(a: &BTreeMap<u32, f64>, b: &BTreeMap<u32, f64>) -> f64 {
    let norm = |of: &BTreeMap<u32, f64>| of.values().map(|x| x * x).sum::<f64>().sqrt();
    a.iter().filter_map(|(v, x)| Some(x * b.get(v)?)).sum::<f64>() / (norm(a) * norm(b))
}

/// The topics that come out, and how many themes have one of their own.
fn topics_and_found(Small { corpus, themes }: &Small, seed: u64) -> (usize, usize) {
    let size = Size { docs: DOCS as usize, tokens: corpus.num_tokens(), words: corpus.vocab_size() };
    let settings = SettingsRequest::default().settings(None, Some(size));
    let params = Settings { seed, ..settings }.check().expect("good settings");
    let start = Start::first(corpus, &params);
    let mut chain = chain::open(Arc::clone(corpus), params, start, &Place::cpu()).expect("the CPU");
    (0..ITERATIONS).for_each(|_| assert!(chain.step().is_ok()));
    let (state, z) = chain.state_and_z().expect("the CPU");
    let finished = FinishedState::new(corpus, state, z.into_owned(), SWEEPS).expect("a finish");
    let mut topics: BTreeMap<u16, BTreeMap<u32, f64>> = BTreeMap::new();
    for (&k, &v) in finished.z.iter().zip(&*corpus.w) {
        *topics.entry(k).or_default().entry(v).or_default() += 1.0;
    }
    let mut pairs: Vec<(f64, usize, u16)> = Vec::new();
    for (theme, words) in themes.iter().enumerate() {
        pairs.extend(topics.iter().map(|(&k, topic)| (cosine(words, topic), theme, k)));
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut found, mut taken) = (Vec::new(), Vec::new());
    for (close, theme, k) in pairs {
        if close > CLOSE && !found.contains(&theme) && !taken.contains(&k) {
            found.push(theme);
            taken.push(k);
        }
    }
    (topics.len(), found.len())
}

fn corpus_has_its_themes(number: u32) {
    let small = small(number);
    for seed in 1..=3 {
        let (topics, found) = topics_and_found(&small, seed);
        println!("corpus {number}, seed {seed}: {topics} topics, {found} of {THEMES} themes");
        assert!(found * 4 >= THEMES * 3 && topics <= 2 * THEMES, "{topics} topics, {found} themes");
    }
}

#[test]
fn the_first_has_its_themes() {
    corpus_has_its_themes(1);
}

#[test]
fn the_second_has_its_themes() {
    corpus_has_its_themes(2);
}

#[test]
fn the_third_has_its_themes() {
    corpus_has_its_themes(3);
}
