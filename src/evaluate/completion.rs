//! Held-out document completion: θ from one half of a document, and the probability of the other half under it.
//!
//! A document's known tokens are put into a random order that depends on its words alone. θ is inferred from the first half
//! (the larger one of an odd number), a mean over samples; a token v of the second half has p = Σ_k θ_k·φ_kv. Several states of a
//! chain predict better than one: p is then its mean over them.

use rayon::prelude::*;

use super::score::{DocScore, Score};
use crate::corpus::Corpus;
use crate::device::Place;
use crate::error::{Error, Result};
use crate::estimate::{DocTopics, Shares};
use crate::infer::{InferSettings, OrderedDoc, infer, known_words};
use crate::model::trained::{MeanPhi, Model};
use crate::watch::{Part, Watch};

/// What came out.
#[derive(Debug)]
pub struct Completion {
    /// The score of the second halves; none when no document has two known words.
    pub score: Option<Score>,
    /// Why the device was left for the CPU.
    pub device_error: Option<Error>,
}

/// What came out of each document, and why the device was left for the CPU.
pub type DocCompletions = (Vec<DocScore>, Option<Error>);

/// Scores the documents of `held_out`, whose words are found in the models by their names. The models are states of one chain, and
/// have the same words.
///
/// # Errors
/// As [`infer`].
///
/// # Panics
/// When there is no model.
pub fn complete(
    models: &[Model],
    held_out: &Corpus,
    settings: InferSettings,
    place: &Place,
    watch: &dyn Watch,
) -> Result<Completion> {
    let (scores, device_error) = complete_docs(models, held_out, settings, place, watch)?;
    Ok(Completion { score: Score::of(&scores), device_error })
}

/// The same, document by document.
///
/// # Errors
/// As [`infer`].
///
/// # Panics
/// When there is no model.
pub fn complete_docs(
    models: &[Model],
    held_out: &Corpus,
    settings: InferSettings,
    place: &Place,
    watch: &dyn Watch,
) -> Result<DocCompletions> {
    let known = known_words(&models[0], held_out);
    let (mut w, mut doc_start) = (Vec::new(), vec![0]);
    let mut scored = Vec::with_capacity(held_out.num_docs());
    for d in 0..held_out.num_docs() {
        let OrderedDoc { tokens, unknown, .. } = OrderedDoc::new(held_out, d, &known);
        let words: Vec<u32> = tokens.into_iter().map(|(v, _)| v).collect();
        let (first, second) = words.split_at(words.len().div_ceil(2));
        w.extend_from_slice(first);
        doc_start.push(w.len());
        scored.push(Scored { sum: vec![0.0; second.len()], words: second.to_vec(), unknown });
    }
    let observed = Corpus::new(w, doc_start, models[0].vocab.clone())?;
    let mut device_error = None;
    for (number, model) in models.iter().enumerate() {
        let share = 1.0 / models.len() as f64;
        let watch = Part { whole: watch, done: number as f64 * share, share };
        let inference = infer(model, &observed, settings, place, &watch)?;
        let docs = DocTopics::of_new(model, &inference.docs);
        let predictive = Predictive::new(model, docs.shares());
        scored.par_iter_mut().enumerate().for_each(|(d, Scored { words, sum, .. })| {
            let theta = predictive.theta(&docs, d);
            sum.iter_mut().zip(words).for_each(|(sum, &mut v)| *sum += predictive.of(&theta, v));
        });
        device_error = device_error.or(inference.device_error);
    }
    Ok((scored.iter().map(|doc| doc.score(models.len() as f64)).collect(), device_error))
}

/// The second half of a document.
struct Scored {
    words: Vec<u32>,
    /// The probability of each word, added up over models.
    sum: Vec<f64>,
    /// Tokens of the whole document that the models do not know.
    unknown: u32,
}

impl Scored {
    fn score(&self, models: f64) -> DocScore {
        DocScore {
            log_probability: self.sum.iter().map(|sum| libm::log(sum / models)).sum(),
            tokens: self.words.len() as u64,
            unknown: u64::from(self.unknown),
        }
    }
}

/// p(v | θ) = Σ_k θ_k·φ_kv over active topics.
struct Predictive<'a> {
    model: &'a Model,
    shares: &'a Shares,
    phi: MeanPhi,
    columns: Vec<crate::model::counts::Column<'a>>,
}

/// θ of a document by topic number, and Σ_k θ_k·β / (n_k + Vβ), what a word has without any tokens.
struct Theta {
    theta: Vec<f64>,
    floor: f64,
}

impl<'a> Predictive<'a> {
    fn new(model: &'a Model, shares: &'a Shares) -> Self {
        Self { model, shares, phi: model.mean_phi(), columns: model.n.columns().collect() }
    }

    fn theta(&self, docs: &DocTopics<'_>, d: usize) -> Theta {
        let tokens = docs.tokens(d);
        let mut theta = vec![0.0; self.model.psi.len()];
        for &k in self.shares.active() {
            theta[usize::from(k)] = self.shares.share(k, 0.0, tokens);
        }
        for topic in docs.of(d) {
            theta[usize::from(topic.topic)] = topic.share;
        }
        let floor = self.shares.active().iter().map(|&k| theta[usize::from(k)] * self.phi.of(k, 0)).sum();
        Theta { theta, floor }
    }

    fn of(&self, theta: &Theta, v: u32) -> f64 {
        let above =
            |(k, n_kv): (u16, u32)| theta.theta[usize::from(k)] * (self.phi.of(k, n_kv) - self.phi.of(k, 0));
        theta.floor + self.columns[v as usize].iter().map(above).sum::<f64>()
    }
}
