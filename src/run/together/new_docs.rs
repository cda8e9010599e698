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
    let infer =
        |own: &Corpus, place: &Place, watch: &dyn Watch| infer_docs(model, own, settings, place, watch);
    let (docs, device_error) = lead(ranks, Order::Infer(settings), (model, corpus, place), watch, infer)?;
    // The others have their words in memory.
    corpus.check_content()?;
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
    let complete =
        |own: &Corpus, place: &Place, watch: &dyn Watch| complete_docs(models, own, settings, place, watch);
    let order = Order::Complete(settings);
    let (scores, device_error) = lead(ranks, order, (model, held_out, place), watch, complete)?;
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
    let estimate = |own: &Corpus, _: &Place, watch: &dyn Watch| {
        Ok((left_to_right_docs(model, own, particles, seed, watch)?, None))
    };
    let order = Order::LeftToRight { particles, seed };
    // It is the CPU's work.
    let of = (model, held_out, &Place::cpu());
    let (scores, _): (Vec<DocScore>, _) = lead(ranks, order, of, watch, estimate)?;
    Ok(Score::of(&scores))
}

/// The part of a further rank in [`infer`].
pub(super) fn infer_own(ranks: &Ranks, settings: InferSettings, place: &Place) -> Result<()> {
    follow(ranks, place, |model, corpus, place, watch| infer_docs(model, corpus, settings, place, watch))
}

/// The part of a further rank in [`complete`].
pub(super) fn complete_own(ranks: &Ranks, settings: InferSettings, place: &Place) -> Result<()> {
    follow(ranks, place, |model, corpus, place, watch| {
        complete_docs(std::slice::from_ref(model), corpus, settings, place, watch)
    })
}

/// The part of a further rank in [`left_to_right`].
pub(super) fn left_to_right_own(ranks: &Ranks, particles: u32, seed: u64) -> Result<()> {
    follow(ranks, &Place::cpu(), |model, corpus, _, watch| {
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
    let Inference { docs, z, device_error } = infer::infer_part(model, corpus, settings, place, watch)?;
    let docs = docs.into_iter().enumerate().map(|(d, doc)| (doc, z[corpus.doc(d)].to_vec()));
    Ok((docs.collect(), device_error))
}

/// Has all ranks do `work` on their parts of `corpus`, and returns what comes of all documents, in their order.
fn lead<T: Packed>(
    ranks: &Ranks,
    order: Order,
    (model, corpus, place): (&Model, &Corpus, &Place),
    watch: &dyn Watch,
    work: impl Fn(&Corpus, &Place, &dyn Watch) -> Done<T>,
) -> Done<T> {
    order.give(ranks);
    ranks.together(|| {
        tell_model(ranks, model);
        let portion = Portion::handed_out(corpus, ranks);
        let mut of_ranks: Vec<Vec<T>> = (0..ranks.size()).map(|_| Vec::new()).collect();
        let device_error = in_rounds(&portion, place, watch, work, |docs| {
            of_ranks[0].extend(docs);
            (1..ranks.size()).for_each(|rank| of_ranks[rank].extend(unpack_all(&ranks.receive_told(rank))));
        })?;
        let errors: Vec<Option<String>> = ranks.gather_told(&device_error.as_ref().map(Error::to_string));
        let of_others = || errors.into_iter().flatten().next().map(|problem| ranks.refusal(problem));
        Ok((of_ranks.into_iter().flatten().collect(), device_error.or_else(of_others)))
    })
}

/// The part of a further rank in [`lead`].
fn follow<T: Packed>(
    ranks: &Ranks,
    place: &Place,
    work: impl Fn(&Model, &Corpus, &Place, &dyn Watch) -> Done<T>,
) -> Result<()> {
    let model = Model::told(ranks, None);
    let portion = Portion::taken(ranks);
    let device_error = in_rounds(
        &portion,
        place,
        &(),
        |own, place, watch| work(&model, own, place, watch),
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
/// whether one of them has failed or was stopped. A device that was left for the CPU is not tried again; also returns why it was.
fn in_rounds<T>(
    portion: &Portion,
    place: &Place,
    watch: &dyn Watch,
    work: impl Fn(&Corpus, &Place, &dyn Watch) -> Done<T>,
    mut hand_on: impl FnMut(Vec<T>),
) -> Result<Option<Error>> {
    let ranks = &portion.ranks;
    let most = (0..ranks.size()).map(|rank| portion.tokens_of(rank).len()).max();
    let rounds = most.unwrap_or(0).div_ceil(ROUND).max(1);
    let (share, mut device_error) = (1.0 / rounds as f64, None);
    let cpu = Place::cpu();
    for round in 0..rounds {
        let watch = Part { whole: watch, done: round as f64 * share, share };
        let own = portion.corpus.part_of(round, rounds);
        let place = if device_error.is_some() { &cpu } else { place };
        let (docs, error) = ranks.agree(go_on(&watch).and_then(|()| work(&own, place, &watch)))?;
        hand_on(docs);
        device_error = device_error.or(error);
    }
    Ok(device_error)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::{Seek, SeekFrom, Write};
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

    use super::*;
    use crate::chain::{Chain, Sampler};
    use crate::corpus::sample::sample;
    use crate::corpus::{LoadNotes, Preparation, ReadOptions, read, write_prepared};
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

    #[test]
    fn a_device_that_has_failed_is_not_tried_again() {
        let corpus = sample().corpus;
        let tries = threads(2, |ranks| {
            let portion =
                if ranks.is_first() { Portion::handed_out(&corpus, &ranks) } else { Portion::taken(&ranks) };
            let (given, tries, rounds) = (Place::cpu(), AtomicU32::new(0), AtomicU32::new(0));
            let work = |_: &Corpus, place: &Place, _: &dyn Watch| {
                rounds.fetch_add(1, Relaxed);
                let is_tried = std::ptr::eq(place, &given);
                tries.fetch_add(u32::from(is_tried), Relaxed);
                // It works in the first round.
                let fails = is_tried && rounds.load(Relaxed) > 1;
                Ok((vec![()], fails.then(|| Error::internal("lost"))))
            };
            let error = in_rounds(&portion, &given, &(), work, drop).expect("the CPU takes over");
            assert!(error.is_some_and(|error| error.to_string().starts_with("lost")));
            assert!(rounds.into_inner() > 3, "few rounds");
            tries.into_inner()
        });
        assert_eq!(tries, [2, 2]);
    }

    /// Changes the end of a file, its checksum, on the way, and has it as it was before the end.
    struct Changing<'a> {
        path: &'a Path,
        last: u8,
        told: AtomicU32,
    }

    impl Changing<'_> {
        fn write(&self, last: u8) {
            let mut file = OpenOptions::new().write(true).open(self.path).expect("the corpus");
            let modified = file.metadata().and_then(|about| about.modified()).expect("its time");
            file.seek(SeekFrom::End(-1)).expect("its last byte");
            file.write_all(&[last]).expect("room for a byte");
            file.set_modified(modified).expect("its time");
        }
    }

    impl Watch for Changing<'_> {
        fn share_done(&self, share: f64) {
            match self.told.fetch_add(1, Relaxed) {
                0 => self.write(!self.last),
                _ if share > 0.9 => self.write(self.last),
                _ => {}
            }
        }

        fn should_stop(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_mapped_corpus_is_compared_once_at_the_end() {
        let (model, corpus) = model_and_corpus();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sample.corpus");
        let (preparation, notes) = (Preparation::default(), LoadNotes::default());
        write_prepared(&path, &corpus, "sample", &preparation, &notes).expect("room for a corpus");
        let mapped = read(&path, &ReadOptions::default()).expect("the same").corpus;
        assert!(mapped.w.is_mapped());
        let last = *fs::read(&path).expect("its bytes").last().expect("a checksum");
        let watch = Changing { path: &path, last, told: AtomicU32::new(0) };
        let infer =
            |watch: &dyn Watch| led(|ranks| infer(ranks, &model, &mapped, SETTINGS, &Place::cpu(), watch));
        infer(&watch).expect("it is as it was");
        watch.write(!last);
        let refused = infer(&()).expect_err("it has changed");
        assert!(refused.to_string().contains("changed while it was in use"), "{refused}");
    }
}
