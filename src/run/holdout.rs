//! Documents that are kept out of training and scored at its end.

use super::observer::{Event, Observer};
use super::record::HoldoutRecord;
use super::spec::Holdout;
use super::together::new_docs::complete;
use crate::corpus::holdout::Split;
use crate::corpus::{self, Corpus};
use crate::device::Place;
use crate::error::{Error, Result};
use crate::evaluate::Score;
use crate::infer::InferSettings;
use crate::model::trained::Model;
use crate::ranks::Ranks;

/// The two parts of a corpus.
///
/// # Errors
/// [`Error::Setting`] when one of them would be empty.
pub(super) fn hold_out(corpus: &Corpus, Holdout { share, seed }: Holdout) -> Result<Split> {
    let split = corpus::holdout::hold_out(corpus, share, seed);
    let left = [("train on", split.train.w.is_empty()), ("score", split.docs.is_empty())];
    if let Some((what, _)) = left.into_iter().find(|&(_, is_empty)| is_empty) {
        let problem = format!("{share} of the documents leaves nothing to {what}");
        return Err(Error::setting("holdout", problem, "give another share, or more documents"));
    }
    Ok(split)
}

impl HoldoutRecord {
    /// Before the documents are scored.
    pub(super) fn new(split: &Split, asked: Holdout) -> Self {
        let (documents, tokens) = (split.docs.len(), split.held_out.num_tokens());
        Self { asked, documents, tokens, completion: None }
    }
}

/// Document completion of held-out documents under a model.
pub(super) fn score(
    ranks: &Ranks,
    model: &Model,
    split: &Split,
    place: &Place,
    observer: &mut dyn Observer,
) -> Result<Option<Score>> {
    let completion = complete(ranks, model, &split.held_out, InferSettings::SCORE, place, &())?;
    if let Some(error) = &completion.device_error {
        observer.event(&Event::ScoredOnCpu(error));
    }
    Ok(completion.score)
}
