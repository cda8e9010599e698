//! The corpus inside the program, `sample`: drawn at run time from topics written by hand, so that its true
//! topics are known.
//!
//! A document picks a few themes by a Pólya urn over the themes' shares; each token is a background word
//! with the background's share, else a word of the document's next theme; within a theme the words'
//! frequencies fall by a power law.

use std::collections::BTreeSet;
use std::path::Path;

use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;

use super::loaded::{Loaded, Raw};
use super::{Corpus, LoadNotes, Metadata, PrepareOptions};
use crate::dist::urn::polya_urn;
use crate::error::Result;
use crate::rng::{Step, Stream};

/// What the corpus is called, by those who name a corpus and by what they are told.
pub const NAME: &str = "sample";

const THEMES: &str = include_str!("themes.txt");
const SEED: u64 = 1;
const NUM_DOCS: u32 = 1500;
/// Documents have SHORTEST + (LONGEST − SHORTEST)·u³ tokens, u uniform: many short ones, 100 in the mean.
const SHORTEST: f64 = 30.0;
const LONGEST: f64 = 310.0;
/// The urn's concentration: about four themes in a document of 100 tokens.
const CONCENTRATION: f64 = 1.0;
/// The word of rank r, from 0, has weight (r + RANK_SHIFT)^−RANK_POWER.
const RANK_SHIFT: f64 = 3.0;
const RANK_POWER: f64 = 0.9;

/// The corpus with its truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The documents.
    pub corpus: Corpus,
    /// The theme that each token was drawn from.
    pub z_true: Vec<u16>,
    /// The themes; the last one is the background.
    pub themes: Vec<Theme>,
}

/// One true topic.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// What the theme is about.
    pub name: &'static str,
    /// Its expected share of all tokens, the background's included.
    pub share: f64,
    /// Word numbers and probabilities, by word number.
    pub words: Vec<(u32, f64)>,
}

/// The corpus, prepared as counts are: nothing is left out unless that is asked for.
///
/// # Errors
/// [`Error::Setting`](crate::Error::Setting) for settings of text, [`Error::Input`](crate::Error::Input) when nothing is
/// left or a file of stop words cannot be used.
pub fn load(prepare: &PrepareOptions) -> Result<Loaded> {
    let settings = prepare.check_for_counts(NAME)?;
    let (corpus, notes) = (sample().corpus, LoadNotes::default());
    let remedy = String::new();
    let (path, source) = (Path::new(NAME), NAME.into());
    Raw { path, source, format: NAME, corpus, notes, kept_text: None, remedy }.prepare(settings, false)
}

/// Draws the corpus; every call returns the same.
pub fn sample() -> Sample {
    let lists = parse(THEMES);
    let vocab: Vec<&str> =
        lists.iter().flat_map(|list| &list.words).copied().collect::<BTreeSet<_>>().into_iter().collect();
    let themes: Vec<Theme> = lists.iter().map(|list| list.theme(&vocab)).collect();
    let laws: Vec<_> = themes.iter().map(|theme| weighted(theme.words.iter().map(|&(_, p)| p))).collect();
    let background = themes.len() - 1;
    let base = weighted(themes[..background].iter().map(|theme| theme.share));

    let mut w = Vec::new();
    let mut z_true = Vec::new();
    let mut doc_start = vec![0];
    let mut drawn = Vec::new();
    for d in 0..NUM_DOCS {
        let mut stream = Stream::new(SEED, Step::SynthDocument, 0, d);
        drawn.clear();
        for _ in 0..doc_length(&mut stream) {
            let z = if stream.uniform() < themes[background].share {
                background as u16
            } else {
                let z = polya_urn(&drawn, CONCENTRATION, &base, &mut stream);
                drawn.push(z);
                z
            };
            let at = laws[usize::from(z)].sample(&mut stream);
            w.push(themes[usize::from(z)].words[at].0);
            z_true.push(z);
        }
        doc_start.push(w.len());
    }
    let corpus = Corpus {
        w: w.into(),
        doc_start,
        vocab: vocab.into_iter().map(str::to_owned).collect(),
        doc_names: Some((1..=NUM_DOCS).map(|number| format!("sample-{number:04}")).collect()),
        metadata: Metadata::default(),
        stream_index: None,
    };
    Sample { corpus, z_true, themes }
}

fn weighted(weights: impl Iterator<Item = f64>) -> WeightedIndex<f64> {
    WeightedIndex::new(weights).expect("shares are positive")
}

fn doc_length(stream: &mut Stream) -> u32 {
    let u = stream.uniform();
    (SHORTEST + (LONGEST - SHORTEST) * (u * u * u)) as u32
}

/// A theme as written: words by rank.
struct List {
    name: &'static str,
    thousandths: u32,
    words: Vec<&'static str>,
}

impl List {
    /// The theme with its words numbered as in `vocab`, which is in byte order.
    fn theme(&self, vocab: &[&str]) -> Theme {
        let weights: Vec<f64> =
            (0..self.words.len()).map(|rank| libm::pow(rank as f64 + RANK_SHIFT, -RANK_POWER)).collect();
        let total: f64 = weights.iter().sum();
        let number = |word| vocab.binary_search(word).expect("the vocabulary holds every word of the lists");
        let words = self.words.iter().zip(&weights);
        let mut words: Vec<_> = words.map(|(word, weight)| (number(word) as u32, weight / total)).collect();
        words.sort_unstable_by_key(|&(v, _)| v);
        Theme { name: self.name, share: f64::from(self.thousandths) / 1000.0, words }
    }
}

/// Reads the lists: `96 sea voyages` opens a theme, other lines are words of the open one.
fn parse(text: &'static str) -> Vec<List> {
    let mut lists: Vec<List> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some((share, name)) = line.split_once(' ')
            && let Ok(thousandths) = share.parse()
        {
            lists.push(List { name, thousandths, words: Vec::new() });
        } else if let Some(open) = lists.last_mut() {
            open.words.extend(line.split_whitespace());
        }
    }
    lists
}

#[cfg(test)]
mod tests;
