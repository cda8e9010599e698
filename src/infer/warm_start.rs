//! A start from another run's model: its topics keep their numbers, and new documents and words find their places among them.

use crate::chain::Start;
use crate::corpus::Portion;
use crate::device::Place;
use crate::error::{Error, Result};
use crate::infer::{InferSettings, infer};
use crate::model::trained::Model;
use crate::params::{MAX_TOPICS, Params};
use crate::rng::{Step, key, scale_bits, token_bits, token_block};

/// Iterations with the model fixed, before the first with all of it.
const ITERATIONS: u32 = 20;

/// The state before the first iteration with the topics of `model`; with several ranks, all of them make it.
///
/// # Errors
/// When the model has a topic that is not below K* − 1 and K* does not grow.
pub fn start(model: &Model, portion: &Portion, params: &Params) -> Result<Start> {
    let mut params = params.clone();
    let last = model.active_topics().last().copied().unwrap_or(0);
    let least = u32::from(last) + 2;
    if params.grows() && least <= MAX_TOPICS {
        params.set_max_topics(params.max_topics().max(least));
    }
    if params.max_topics() < least {
        return Err(Error::setting(
            "max_topics",
            format!("{} topics leave no room beside topic {last} of the other run", params.max_topics()),
            format!("give a number from {least} to {MAX_TOPICS}"),
        ));
    }
    let z = portion.ranks.agree(z_of_model(model, portion, &params))?;
    Ok(Start::with_z_of(portion, &params, z))
}

/// The first topics of a corpus's tokens under `model`. A token of a word that the model does not know gets the topic of some
/// other token of its document, or, where it knows none, the model's largest.
fn z_of_model(model: &Model, portion: &Portion, params: &Params) -> Result<Vec<u16>> {
    let (corpus, first) = (&portion.corpus, portion.tokens().start);
    let settings = InferSettings { burn_in: ITERATIONS - 1, samples: 1, thin: 1, seed: params.seed() };
    let inferred = infer(model, corpus, settings, &Place::cpu(), &())?.z;
    let largest = (0..).zip(&model.n.topic_tokens).max_by_key(|&(_, tokens)| tokens).map_or(0, |(k, _)| k);
    let mut z = Vec::with_capacity(inferred.len());
    for d in 0..corpus.num_docs() {
        let known: Vec<u16> = inferred[corpus.doc(d)].iter().flatten().copied().collect();
        let some = |i| some_of(&known, first + i, params.seed()).unwrap_or(largest);
        z.extend(corpus.doc(d).map(|i| inferred[i].unwrap_or_else(|| some(i))));
    }
    Ok(z)
}

/// One of `known`, by the bits of token `i`.
fn some_of(known: &[u16], i: usize, seed: u64) -> Option<u16> {
    let bits = token_bits(token_block(key(seed), i as u64, 0, Step::Init), i as u64);
    known.get(scale_bits(bits, known.len() as u64) as usize).copied()
}
