//! The left-to-right estimate of a document's probability (Wallach et al. 2009, algorithm 3).
//!
//! p(w_n | w_1 … w_{n−1}) is a mean over particles. Each holds topics z_1 … z_{n−1}, samples all of them anew before
//! every token, and has the weight Σ_k φ_{k w_n}·(αΨ_k + m_k) / (αΨ_A + n − 1). Particles are then chosen anew by their weights,
//! as in a particle filter, before each draws z_n: without that, a word's repetitions come out as too improbable. The work
//! grows with the square of a document's length.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rayon::prelude::*;

use super::score::{DocScore, Score};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::estimate::Shares;
use crate::infer::{OrderedDoc, known_words};
use crate::model::counts::Column;
use crate::model::trained::{MeanPhi, Model};
use crate::rng::{Step, Stream};
use crate::watch::{Watch, go_on};

/// The longest document that is estimated, in known tokens: a longer one would take minutes.
pub const LONGEST: usize = 2_000;

/// Estimates the documents of `held_out` that have at most [`LONGEST`] known tokens, with some `particles`; none when nothing
/// could be scored.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted) when `watch` stops it.
pub fn left_to_right(
    model: &Model,
    held_out: &Corpus,
    particles: u32,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Option<Score>> {
    Ok(Score::of(&left_to_right_docs(model, held_out, particles, seed, watch)?))
}

/// The same, document by document.
///
/// # Errors
/// As [`left_to_right`].
pub fn left_to_right_docs(
    model: &Model,
    held_out: &Corpus,
    particles: u32,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Vec<DocScore>> {
    let known = known_words(model, held_out);
    let estimator = Estimator::new(model);
    let total = held_out.num_docs() as f64;
    let done = AtomicUsize::new(0);
    let score = |d| -> Result<DocScore> {
        let doc = OrderedDoc::new(held_out, d, &known);
        let words: Vec<u32> = doc.tokens.iter().map(|&(v, _)| v).collect();
        let unknown = u64::from(doc.unknown);
        if words.len() > LONGEST {
            return Ok(DocScore { unknown, ..DocScore::default() });
        }
        let log_probability = estimator.document(&words, particles, seed, doc.stream_index, watch)?;
        watch.share_done((done.fetch_add(1, Relaxed) + 1) as f64 / total);
        Ok(DocScore { log_probability, tokens: words.len() as u64, unknown })
    };
    (0..held_out.num_docs()).into_par_iter().map(score).collect()
}

struct Estimator<'a> {
    shares: Shares,
    /// αΨ_k by active topic.
    alpha_psi: Vec<f64>,
    phi: MeanPhi,
    columns: Vec<Column<'a>>,
}

/// A word of the document: φ_kv by active topic, and Σ_k αΨ_k·φ_kv.
struct WordRow {
    phi: Vec<f64>,
    prior: f64,
}

impl<'a> Estimator<'a> {
    fn new(model: &'a Model) -> Self {
        let shares = Shares::of_model(model);
        let alpha_psi = shares.active().iter().map(|&k| shares.alpha_psi()[usize::from(k)]).collect();
        Self { shares, alpha_psi, phi: model.mean_phi(), columns: model.n.columns().collect() }
    }

    /// ln p(w) of a document.
    fn document(
        &self,
        words: &[u32],
        particles: u32,
        seed: u64,
        stream_index: u64,
        watch: &dyn Watch,
    ) -> Result<f64> {
        let mut distinct = words.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let rows: Vec<WordRow> = distinct.iter().map(|&v| self.row(v)).collect();
        let at = |v| distinct.binary_search(v).expect("it is one of the words");
        let words: Vec<&WordRow> = words.iter().map(|v| &rows[at(v)]).collect();
        // The low bits of a stream's index are free for a document's own numbers.
        let [high, low] = [(stream_index >> 32) as u32, stream_index as u32];
        let stream = |number| Stream::new(seed, Step::LeftToRight, high, low | number);
        let mut randoms: Vec<Stream> = (1..=particles).map(stream).collect();
        let mut choice = stream(0);
        let mut particles = vec![Particle::new(self.shares.active().len()); randoms.len()];
        let mut log_probability = 0.0;
        for n in 0..words.len() {
            go_on(watch)?;
            for (particle, random) in particles.iter_mut().zip(&mut randoms) {
                particle.sample_anew(&words[..n], &self.alpha_psi, random);
            }
            let weights: Vec<f64> = particles.iter().map(|particle| particle.mass(words[n])).collect();
            let mean = weights.iter().sum::<f64>() / weights.len() as f64;
            log_probability += libm::log(mean / (self.shares.prior() + n as f64));
            particles = chosen(&particles, &weights, &mut choice);
            for (particle, random) in particles.iter_mut().zip(&mut randoms) {
                let k = particle.draw(words[n], &self.alpha_psi, random);
                particle.z.push(k);
            }
        }
        Ok(log_probability)
    }

    fn row(&self, v: u32) -> WordRow {
        let active = self.shares.active();
        let mut column = self.columns[v as usize].iter().peekable();
        let mut phi = Vec::with_capacity(active.len());
        for &k in active {
            let n_kv = column.next_if(|&(topic, _)| topic == k).map_or(0, |(_, count)| count);
            phi.push(self.phi.of(k, n_kv));
        }
        let prior = self.alpha_psi.iter().zip(&phi).map(|(alpha_psi, phi)| alpha_psi * phi).sum();
        WordRow { phi, prior }
    }
}

/// As many particles, each in proportion to its weight: those at evenly spaced places of the cumulative weights, which
/// begin at a random one.
fn chosen(particles: &[Particle], weights: &[f64], random: &mut Stream) -> Vec<Particle> {
    let step = weights.iter().sum::<f64>() / weights.len() as f64;
    let start = random.uniform() * step;
    let (mut at, mut end) = (0, weights[0]);
    let places = (0..weights.len()).map(|place| start + place as f64 * step);
    let choose = |place: f64| {
        while place >= end && at + 1 < weights.len() {
            at += 1;
            end += weights[at];
        }
        particles[at].clone()
    };
    places.map(choose).collect()
}

/// A document's topics, as numbers of active topics, up to the token that is reached.
#[derive(Clone)]
struct Particle {
    z: Vec<usize>,
    m: Vec<u32>,
    /// The topics with tokens, so that sums run over few.
    present: Vec<usize>,
}

impl Particle {
    fn new(topics: usize) -> Self {
        Self { z: Vec::new(), m: vec![0; topics], present: Vec::new() }
    }

    /// Samples the topics of all tokens so far, one after the other.
    fn sample_anew(&mut self, words: &[&WordRow], alpha_psi: &[f64], random: &mut Stream) {
        for (i, word) in words.iter().enumerate() {
            let k = self.z[i];
            self.m[k] -= 1;
            if self.m[k] == 0 {
                self.present.retain(|&topic| topic != k);
            }
            self.z[i] = self.draw(word, alpha_psi, random);
        }
    }

    /// Σ_k φ_kv·m_k.
    fn of_document(&self, word: &WordRow) -> f64 {
        self.present.iter().map(|&k| f64::from(self.m[k]) * word.phi[k]).sum()
    }

    /// Σ_k φ_kv·(αΨ_k + m_k).
    fn mass(&self, word: &WordRow) -> f64 {
        self.of_document(word) + word.prior
    }

    /// Draws a topic for a word in proportion to φ_kv·(αΨ_k + m_k), and counts it.
    fn draw(&mut self, word: &WordRow, alpha_psi: &[f64], random: &mut Stream) -> usize {
        let of_document = self.of_document(word);
        let u = random.uniform() * (of_document + word.prior);
        let k = if u < of_document {
            choose(self.present.iter().map(|&k| (k, f64::from(self.m[k]) * word.phi[k])), u)
        } else {
            let weights = word.phi.iter().zip(alpha_psi).map(|(phi, alpha_psi)| phi * alpha_psi);
            choose(weights.enumerate(), u - of_document)
        };
        if self.m[k] == 0 {
            self.present.push(k);
        }
        self.m[k] += 1;
        k
    }
}

/// The first topic at which the sum of weights exceeds `u`; the last one if rounding left none.
fn choose(weights: impl Iterator<Item = (usize, f64)>, u: f64) -> usize {
    let (mut sum, mut last) = (0.0, 0);
    for (k, weight) in weights {
        sum += weight;
        last = k;
        if u < sum {
            break;
        }
    }
    last
}
