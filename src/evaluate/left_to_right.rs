//! The left-to-right estimate of a document's probability (Wallach et al. 2009, algorithm 3).
//!
//! p(w_n | w_1 … w_{n−1}) is a mean over particles. Each holds topics z_1 … z_{n−1}, samples all of them anew before
//! every token, adds Σ_k φ_{k w_n}·(αΨ_k + m_k) / (αΨ_A + n − 1), and then draws z_n. Its work grows with the square of a
//! document's length.

use rayon::prelude::*;

use super::score::{DocScore, Score};
use crate::corpus::Corpus;
use crate::estimate::Shares;
use crate::infer::{OrderedDoc, known_words};
use crate::model::counts::Column;
use crate::model::trained::{MeanPhi, Model};
use crate::rng::{Step, Stream};

/// The longest document that is estimated, in known tokens: a longer one would take minutes.
pub const LONGEST: usize = 2_000;

/// Estimates the documents of `held_out` that have at most [`LONGEST`] known tokens, with some `particles`; none when nothing
/// could be scored.
pub fn left_to_right(model: &Model, held_out: &Corpus, particles: u32, seed: u64) -> Option<Score> {
    let known = known_words(model, held_out);
    let estimator = Estimator::new(model);
    let score = |d| {
        let doc = OrderedDoc::new(held_out, d, &known);
        let words: Vec<u32> = doc.tokens.iter().map(|&(v, _)| v).collect();
        let unknown = u64::from(doc.unknown);
        if words.len() > LONGEST {
            return DocScore { unknown, ..DocScore::default() };
        }
        let log_probability = estimator.document(&words, particles, seed, doc.stream_index);
        DocScore { log_probability, tokens: words.len() as u64, unknown }
    };
    let scores: Vec<DocScore> = (0..held_out.num_docs()).into_par_iter().map(score).collect();
    Score::of(&scores)
}

struct Estimator<'a> {
    shares: Shares,
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
        let shares = Shares::new(model.alpha, &model.psi, model.active_topics());
        Self { shares, phi: model.mean_phi(), columns: model.n.columns().collect() }
    }

    /// ln p(w) of a document.
    fn document(&self, words: &[u32], particles: u32, seed: u64, stream_index: u64) -> f64 {
        let mut distinct = words.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let rows: Vec<WordRow> = distinct.iter().map(|&v| self.row(v)).collect();
        let at = |v| distinct.binary_search(v).expect("it is one of the words");
        let words: Vec<&WordRow> = words.iter().map(|v| &rows[at(v)]).collect();
        let alpha_psi: Vec<f64> =
            self.shares.active().iter().map(|&k| self.shares.alpha_psi()[usize::from(k)]).collect();
        let mut sums = vec![0.0; words.len()];
        for particle in 0..particles {
            // The low bits of a stream's index are free for a document's own numbers.
            let [high, low] = [(stream_index >> 32) as u32, stream_index as u32 | particle];
            let random = Stream::new(seed, Step::LeftToRight, high, low);
            Particle { words: &words, alpha_psi: &alpha_psi, m: vec![0; alpha_psi.len()], random }
                .walk(self.shares.prior(), &mut sums);
        }
        sums.iter().map(|sum| libm::log(sum / f64::from(particles))).sum()
    }

    fn row(&self, v: u32) -> WordRow {
        let active = self.shares.active();
        let mut column = self.columns[v as usize].iter().peekable();
        let mut phi = Vec::with_capacity(active.len());
        for &k in active {
            let n_kv = column.next_if(|&(topic, _)| topic == k).map_or(0, |(_, count)| count);
            phi.push(self.phi.of(k, n_kv));
        }
        let alpha_psi = |k: &u16| self.shares.alpha_psi()[usize::from(*k)];
        let prior = active.iter().zip(&phi).map(|(k, phi)| alpha_psi(k) * phi).sum();
        WordRow { phi, prior }
    }
}

/// A document's topics, as numbers of active topics, up to the token that is reached.
struct Particle<'a> {
    words: &'a [&'a WordRow],
    alpha_psi: &'a [f64],
    m: Vec<u32>,
    random: Stream,
}

impl Particle<'_> {
    /// Adds p(w_n | w_1 … w_{n−1}) to the sum of each token n.
    fn walk(mut self, prior: f64, sums: &mut [f64]) {
        let mut z: Vec<usize> = Vec::with_capacity(self.words.len());
        // The topics with tokens, so that the sum runs over few.
        let mut present: Vec<usize> = Vec::new();
        for (n, sum) in sums.iter_mut().enumerate() {
            for earlier in 0..n {
                self.remove(z[earlier], &mut present);
                z[earlier] = self.draw(earlier, &mut present).0;
            }
            let (k, mass) = self.draw(n, &mut present);
            *sum += mass / (prior + n as f64);
            z.push(k);
        }
    }

    fn remove(&mut self, k: usize, present: &mut Vec<usize>) {
        self.m[k] -= 1;
        if self.m[k] == 0 {
            present.retain(|&topic| topic != k);
        }
    }

    /// Draws the topic of token `i` in proportion to φ_kv·(αΨ_k + m_k), counts it, and returns it with the sum.
    fn draw(&mut self, i: usize, present: &mut Vec<usize>) -> (usize, f64) {
        let WordRow { phi, prior } = self.words[i];
        let of_document: f64 = present.iter().map(|&k| f64::from(self.m[k]) * phi[k]).sum();
        let mass = of_document + prior;
        let u = self.random.uniform() * mass;
        let k = if u < of_document {
            let weights = present.iter().map(|&k| (k, f64::from(self.m[k]) * phi[k]));
            choose(weights, u)
        } else {
            let weights = phi.iter().zip(self.alpha_psi).map(|(phi, alpha_psi)| phi * alpha_psi);
            choose(weights.enumerate(), u - of_document)
        };
        if self.m[k] == 0 {
            present.push(k);
        }
        self.m[k] += 1;
        (k, mass)
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
