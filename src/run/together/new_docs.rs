//! Topics and scores of new documents on several ranks: each has its part of them, and the first one gathers what comes out.
//!
//! What comes of a document depends on its words, the model and the seed alone, so it does not matter where it is.

use super::led::tell_model;
use super::order::Order;
use super::packed::{Packed, WithTopics, unpack_all};
use crate::corpus::{Corpus, Portion};
use crate::device::Place;
use crate::error::{Error, Result};
use crate::evaluate::completion::{self, Completion, complete_docs};
use crate::evaluate::left_to_right::{self, left_to_right_docs};
use crate::evaluate::{DocScore, Score};
use crate::infer::{self, CHUNK_TOKENS, InferSettings, Inference, InferredDoc};
use crate::model::trained::Model;
use crate::ranks::Ranks;
use crate::watch::{Part, Watch, go_on};

/// Tokens of a rank's round: memory for a part does not grow with the number of documents, and who is stopped need not wait long for the
/// others. Tests of this crate have many rounds of few tokens.
const ROUND: usize = if cfg!(test) { 1000 } else { CHUNK_TOKENS };

/// What comes of documents, and why a device was left for the CPU.
type Done<T> = Result<(Vec<T>, Option<Error>)>;

/// As [`infer::infer`], on all ranks.
///
/// # Errors
/// As there, of any rank.
pub fn infer(
    ranks: &Ranks,
    model: &Model,
    corpus: &Corpus,
    settings: InferSettings,
    place: &Place,
    watch: &dyn Watch,
) -> Result<Inference> {
    if !ranks.are_several() {
        return infer::infer(model, corpus, settings, place, watch);
    }
    let infer = |own: &Corpus, watch: &dyn Watch| infer_docs(model, own, settings, place, watch);
    let (docs, device_error) = lead(ranks, Order::Infer(settings), model, corpus, watch, infer)?;
    let (docs, z): (Vec<InferredDoc>, Vec<_>) = docs.into_iter().unzip();
    Ok(Inference { docs, z: z.concat(), device_error })
}

/// As [`completion::complete`] with one model, on all ranks.
///
/// # Errors
/// As there, of any rank.
pub fn complete(
    ranks: &Ranks,
    model: &Model,
    held_out: &Corpus,
    settings: InferSettings,
    place: &Place,
    watch: &dyn Watch,
) -> Result<Completion> {
    let models = std::slice::from_ref(model);
    if !ranks.are_several() {
        return completion::complete(models, held_out, settings, place, watch);
    }
    let complete = |own: &Corpus, watch: &dyn Watch| complete_docs(models, own, settings, place, watch);
    let (scores, device_error) = lead(ranks, Order::Complete(settings), model, held_out, watch, complete)?;
    Ok(Completion { score: Score::of(&scores), device_error })
}

/// As [`left_to_right::left_to_right`], on all ranks.
///
/// # Errors
/// As there, of any rank.
pub fn left_to_right(
    ranks: &Ranks,
    model: &Model,
    held_out: &Corpus,
    particles: u32,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Option<Score>> {
    if !ranks.are_several() {
        return left_to_right::left_to_right(model, held_out, particles, seed, watch);
    }
    let estimate =
        |own: &Corpus, watch: &dyn Watch| Ok((left_to_right_docs(model, own, particles, seed, watch)?, None));
    let order = Order::LeftToRight { particles, seed };
    let (scores, _): (Vec<DocScore>, _) = lead(ranks, order, model, held_out, watch, estimate)?;
    Ok(Score::of(&scores))
}

/// The part of a further rank in [`infer`].
pub(super) fn infer_own(ranks: &Ranks, settings: InferSettings, place: &Place) -> Result<()> {
    follow(ranks, |model, corpus, watch| infer_docs(model, corpus, settings, place, watch))
}

/// The part of a further rank in [`complete`].
pub(super) fn complete_own(ranks: &Ranks, settings: InferSettings, place: &Place) -> Result<()> {
    follow(ranks, |model, corpus, watch| {
        complete_docs(std::slice::from_ref(model), corpus, settings, place, watch)
    })
}

/// The part of a further rank in [`left_to_right`].
pub(super) fn left_to_right_own(ranks: &Ranks, particles: u32, seed: u64) -> Result<()> {
    follow(ranks, |model, corpus, watch| {
        Ok((left_to_right_docs(model, corpus, particles, seed, watch)?, None))
    })
}

fn infer_docs(
    model: &Model,
    corpus: &Corpus,
    settings: InferSettings,
    place: &Place,
    watch: &dyn Watch,
) -> Done<WithTopics> {
    let Inference { docs, z, device_error } = infer::infer(model, corpus, settings, place, watch)?;
    let docs = docs.into_iter().enumerate().map(|(d, doc)| (doc, z[corpus.doc(d)].to_vec()));
    Ok((docs.collect(), device_error))
}

/// Has all ranks do `work` on their parts of `corpus`, and returns what comes of all documents, in their order.
fn lead<T: Packed>(
    ranks: &Ranks,
    order: Order,
    model: &Model,
    corpus: &Corpus,
    watch: &dyn Watch,
    work: impl Fn(&Corpus, &dyn Watch) -> Done<T>,
) -> Done<T> {
    order.give(ranks);
    ranks.together(|| {
        tell_model(ranks, model);
        let portion = Portion::handed_out(corpus, ranks);
        let mut of_ranks: Vec<Vec<T>> = (0..ranks.size()).map(|_| Vec::new()).collect();
        let device_error = in_rounds(&portion, watch, work, |docs| {
            of_ranks[0].extend(docs);
            (1..ranks.size()).for_each(|rank| of_ranks[rank].extend(unpack_all(&ranks.receive_told(rank))));
        })?;
        let errors: Vec<Option<String>> = ranks.gather_told(&device_error.as_ref().map(Error::to_string));
        let of_others = || errors.into_iter().flatten().next().map(|problem| ranks.refusal(problem));
        Ok((of_ranks.into_iter().flatten().collect(), device_error.or_else(of_others)))
    })
}

/// The part of a further rank in [`lead`].
fn follow<T: Packed>(ranks: &Ranks, work: impl Fn(&Model, &Corpus, &dyn Watch) -> Done<T>) -> Result<()> {
    let model = Model::told(ranks, None);
    let portion = Portion::taken(ranks);
    let device_error = in_rounds(
        &portion,
        &(),
        |own, watch| work(&model, own, watch),
        |docs| {
            let mut bytes = Vec::new();
            docs.iter().for_each(|doc| doc.pack(&mut bytes));
            ranks.send_told(0, &bytes);
        },
    )?;
    let _: Vec<Option<String>> = ranks.gather_told(&device_error.map(|error| ranks.named(error).to_string()));
    Ok(())
}

/// Does `work` on this rank's documents, some of them in each round, and hands on what comes of them. After a round all ranks know
/// whether one of them has failed or was stopped. Also returns why a device was left for the CPU.
fn in_rounds<T>(
    portion: &Portion,
    watch: &dyn Watch,
    work: impl Fn(&Corpus, &dyn Watch) -> Done<T>,
    mut hand_on: impl FnMut(Vec<T>),
) -> Result<Option<Error>> {
    let ranks = &portion.ranks;
    let most = (0..ranks.size()).map(|rank| portion.tokens_of(rank).len()).max();
    let rounds = most.unwrap_or(0).div_ceil(ROUND).max(1);
    let (share, mut device_error) = (1.0 / rounds as f64, None);
    for round in 0..rounds {
        let watch = Part { whole: watch, done: round as f64 * share, share };
        let own = portion.corpus.part_of(round, rounds);
        let (docs, error) = ranks.agree(go_on(&watch).and_then(|()| work(&own, &watch)))?;
        hand_on(docs);
        device_error = device_error.or(error);
    }
    Ok(device_error)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

    use super::*;
    use crate::chain::{Chain, Sampler};
    use crate::corpus::sample::sample;
    use crate::params::Settings as ModelSettings;
    use crate::ranks::threads;
    use crate::run::together::serve;

    const SETTINGS: InferSettings = InferSettings { burn_in: 3, samples: 2, thin: 1, seed: 5 };

    fn model_and_corpus() -> (Model, Corpus) {
        let corpus = sample().corpus;
        let params = ModelSettings::paper().check().expect("settings");
        let mut chain = Sampler::on_cpu(Arc::new(corpus.clone()), params).expect("a chain");
        chain.step().expect("an iteration");
        (chain.state().model(), corpus)
    }

    /// What the first of three ranks comes to, the others of which do what it orders; all are let go.
    fn led<T: Send>(lead: impl Fn(&Ranks) -> Result<T> + Sync) -> Result<T> {
        let mut done = threads(3, |ranks| {
            if !ranks.is_first() {
                serve(&ranks, Ok(Place::cpu()), "").expect("it is let go");
                return None;
            }
            let meeting = crate::run::together::meet(&ranks, Place::cpu(), "");
            let done = meeting.and_then(|_| lead(&ranks));
            assert!(!ranks.is_torn(), "the others wait for ever");
            crate::run::together::dismiss(&ranks);
            Some(done)
        });
        done.remove(0).expect("what the first rank came to")
    }

    #[test]
    fn topics_of_documents_are_those_of_one_process() {
        let (model, corpus) = model_and_corpus();
        assert!(corpus.num_tokens() > 9 * ROUND, "few rounds");
        let one = infer::infer(&model, &corpus, SETTINGS, &Place::cpu(), &()).expect("topics");
        let several = led(|ranks| infer(ranks, &model, &corpus, SETTINGS, &Place::cpu(), &()));
        let several = several.expect("topics");
        assert!(several.docs == one.docs && several.z == one.z, "other topics than one process has");
    }

    /// Stops after it was told so often of what is done.
    #[derive(Default)]
    struct Stopping {
        told: AtomicU32,
        stops: AtomicBool,
    }

    impl Watch for Stopping {
        fn share_done(&self, share: f64) {
            assert!((0.0..=1.0).contains(&share), "{share} is done");
            self.stops.store(self.told.fetch_add(1, Relaxed) > 2, Relaxed);
        }

        fn should_stop(&self) -> bool {
            self.stops.load(Relaxed)
        }
    }

    #[test]
    fn who_stops_the_first_rank_stops_all() {
        let (model, corpus) = model_and_corpus();
        let watch = Stopping::default();
        let stopped = led(|ranks| infer(ranks, &model, &corpus, SETTINGS, &Place::cpu(), &watch));
        assert!(matches!(stopped, Err(Error::Interrupted)) && watch.told.load(Relaxed) > 2);
    }
}
