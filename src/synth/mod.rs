//! A corpus drawn from the model's own prior, with the truth beside it; and one for measuring, more like text.

pub mod files;
pub mod zipf;

use std::collections::BTreeMap;

use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_distr::weighted::WeightedAliasIndex;

use crate::corpus::{Corpus, MAX_DOC_TOKENS};
use crate::dist::beta::{LnBeta, ln_beta_variate};
use crate::dist::dirichlet::dirichlet_variate;
use crate::dist::poisson::Poisson;
use crate::dist::urn::polya_urn;
use crate::error::{Error, Result};
use crate::machine::Memory;
use crate::model::psi::Psi;
use crate::params::Settings;
use crate::rng::{Step, Stream};

/// The iterations that key a topic's two draws in [`Step::SynthTopic`]: its stick ς_k and its row φ_k.
const STICK: u32 = 0;
const ROW: u32 = 1;

/// The longest mean: a document drawn with it is never longer than a corpus may hold.
const MAX_DOC_LENGTH: f64 = (MAX_DOC_TOKENS / 2) as f64;

/// A token's word and topic, and again when they are put in order to be written.
const TOKEN_BYTES: f64 = 12.0;
/// A word of the vocabulary, twice.
const WORD_BYTES: f64 = 112.0;
/// φ_kv and its cell of the alias table, or what is written of it.
const PHI_BYTES: f64 = 20.0;

/// Sizes, priors, truncation and seed as given.
#[derive(Clone, Debug, PartialEq)]
pub struct SynthSettings {
    /// D, the number of documents.
    pub docs: u32,
    /// The mean of the Poisson law of a document's length; documents have at least one token.
    pub doc_length: f64,
    /// V, the number of words.
    pub vocab_size: u32,
    /// α, the concentration of θ_d.
    pub alpha: f64,
    /// β, the concentration of φ_k, a word.
    pub beta: f64,
    /// γ, the concentration of Ψ.
    pub gamma: f64,
    /// K*, the number of topics that Ψ is cut off at.
    pub max_topics: u32,
    /// The seed of every random draw.
    pub seed: u64,
}

impl SynthSettings {
    /// Checks every value.
    ///
    /// # Errors
    /// [`Error::Setting`] names the first value that cannot be used.
    pub fn check(&self) -> Result<()> {
        for (setting, value) in [("docs", self.docs), ("vocab_size", self.vocab_size)] {
            if value == 0 {
                return Err(Error::setting(setting, "0 makes no corpus", "give a number from 1"));
            }
        }
        if !(self.doc_length > 0.0 && self.doc_length <= MAX_DOC_LENGTH) {
            return Err(Error::setting(
                "doc_length",
                format!("{} is not a usable mean length", self.doc_length),
                format!("give a number above 0 and at most {MAX_DOC_LENGTH}"),
            ));
        }
        let Self { alpha, beta, gamma, max_topics, seed, .. } = *self;
        Settings { alpha, beta, gamma, max_topics, seed, ..Settings::paper() }.check_priors()
    }

    /// Refuses a corpus with `topics` topics in use that does not fit into the memory.
    fn check_memory(&self, memory: &Memory, topics: usize) -> Result<()> {
        let tokens = f64::from(self.docs) * self.doc_length.max(1.0);
        let token_bytes = tokens * TOKEN_BYTES;
        let word_bytes = f64::from(self.vocab_size) * (WORD_BYTES + topics as f64 * PHI_BYTES);
        if token_bytes + word_bytes <= memory.total as f64 {
            return Ok(());
        }
        let setting = if token_bytes > word_bytes { "docs" } else { "vocab_size" };
        let problem = format!(
            "{tokens:.0} tokens and {} words with {topics} topics need {:.0} MB of memory, and there are {} MB",
            self.vocab_size,
            ((token_bytes + word_bytes) / 1e6).ceil(),
            memory.total / 1_000_000
        );
        Err(Error::setting(setting, problem, "lower `docs`, `doc_length`, `vocab_size` or `gamma`"))
    }
}

/// A corpus with its truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Synthetic {
    /// The documents; the vocabulary has all V words, drawn or not.
    pub corpus: Corpus,
    /// The topic that each token was drawn from.
    pub z: Vec<u16>,
    /// Ψ, length K*.
    pub psi: Vec<f64>,
    /// φ_k of the topics that have tokens, by topic.
    pub phi: Vec<(u16, Vec<f64>)>,
}

/// Draws a corpus: Ψ ~ GEM(γ) cut off at K*, φ_k ~ Dir(β), and in each document z_i from the Pólya urn of
/// αΨ and w_i ~ φ_z(i).
///
/// # Errors
/// [`Error::Setting`] when a setting cannot be used, or when the memory is too small.
pub fn synth(settings: &SynthSettings) -> Result<Synthetic> {
    synth_within(&Memory::of_machine(), settings)
}

fn synth_within(memory: &Memory, settings: &SynthSettings) -> Result<Synthetic> {
    settings.check()?;
    settings.check_memory(memory, 1)?;
    let psi = draw_psi(settings);
    let base = WeightedIndex::new(&psi).expect("Ψ adds up to 1");
    let length = Poisson::new(settings.doc_length);
    // A row is drawn when its topic gets its first token: most of the K* topics never do.
    let mut rows = BTreeMap::new();
    let mut w = Vec::new();
    let mut z = Vec::new();
    let mut doc_start = vec![0];
    for d in 0..settings.docs {
        let mut stream = Stream::new(settings.seed, Step::SynthDocument, 0, d);
        let first = z.len();
        for _ in 0..length.sample(&mut stream).max(1) {
            let k = polya_urn(&z[first..], settings.alpha, &base, &mut stream);
            if !rows.contains_key(&k) {
                settings.check_memory(memory, rows.len() + 1)?;
                rows.insert(k, Row::draw(settings, k));
            }
            let row = &rows[&k];
            w.push(row.law.sample(&mut stream) as u32);
            z.push(k);
        }
        doc_start.push(z.len());
    }
    let corpus = Corpus::new(w, doc_start, vocab(settings.vocab_size))?;
    let phi = rows.into_iter().map(|(k, row)| (k, row.phi)).collect();
    Ok(Synthetic { corpus, z, psi, phi })
}

/// Ψ by its sticks: ς_k ~ Beta(1, γ), ς_K* = 1.
fn draw_psi(settings: &SynthSettings) -> Vec<f64> {
    let sticks: Vec<LnBeta> = (0..settings.max_topics - 1)
        .map(|k| {
            let mut stream = Stream::new(settings.seed, Step::SynthTopic, STICK, k);
            ln_beta_variate(1.0, settings.gamma, &mut stream)
        })
        .collect();
    Psi::from_sticks(&sticks).psi
}

/// φ_k, and the law to draw words from it: an alias table, as most of a corpus is drawn from rows.
struct Row {
    phi: Vec<f64>,
    law: WeightedAliasIndex<f64>,
}

impl Row {
    /// φ_k ~ Dir(β).
    fn draw(settings: &SynthSettings, k: u16) -> Self {
        let mut stream = Stream::new(settings.seed, Step::SynthTopic, ROW, u32::from(k));
        let mut phi = Vec::new();
        let shapes = std::iter::repeat_n(settings.beta, settings.vocab_size as usize);
        dirichlet_variate(shapes, &mut stream, &mut phi);
        let law = WeightedAliasIndex::new(phi.clone()).expect("φ_k adds up to 1");
        Self { phi, law }
    }
}

/// `w0001`, `w0002`, …: as many digits as the last one needs, so that the order of bytes is that of numbers.
fn vocab(vocab_size: u32) -> Vec<String> {
    let digits = vocab_size.to_string().len().max(4);
    (1..=vocab_size).map(|number| format!("w{number:0digits$}")).collect()
}

#[cfg(test)]
mod tests;
