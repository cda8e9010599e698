//! `train --holdout`: documents that are kept out of training and scored at its end.

use clap::Args;
use hdp_gpu::checkpoint::Holdout;
use hdp_gpu::corpus::holdout::{Split, hold_out};
use hdp_gpu::device::Place;
use hdp_gpu::evaluate::Score;
use hdp_gpu::evaluate::completion::complete;
use hdp_gpu::infer::InferSettings;
use hdp_gpu::output::run_json::HoldoutInfo;
use hdp_gpu::{Chain, Corpus, Error, Result};

use crate::cli::tell;

#[derive(Debug, Args)]
pub(super) struct HoldoutArgs {
    /// Share of the documents to keep out of training and to score the model on at the end, for example 0.1
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    holdout: Option<f64>,

    /// Seed that chooses these documents [default: 0]
    #[arg(long, value_name = "SEED")]
    holdout_seed: Option<u64>,
}

impl HoldoutArgs {
    /// The documents to hold out, as typed or as in the run that goes on.
    pub(super) fn asked(&self, run: Option<Holdout>) -> Result<Option<Holdout>> {
        let share = self.holdout.or(run.map(|run| run.share));
        let seed = self.holdout_seed.or(run.map(|run| run.seed));
        match (share, seed) {
            (Some(share), _) if !(share > 0.0 && share < 1.0) => {
                let problem = format!("{share} is not a share of the documents");
                Err(Error::setting("holdout", problem, "give a number between 0 and 1, for example 0.1"))
            }
            (Some(share), seed) => Ok(Some(Holdout { share, seed: seed.unwrap_or(0) })),
            (None, Some(_)) => {
                Err(Error::setting("holdout_seed", "no documents are held out", "give `holdout` too"))
            }
            (None, None) => Ok(None),
        }
    }
}

/// The two parts of a corpus.
pub(super) fn split(corpus: &Corpus, Holdout { share, seed }: Holdout) -> Result<Split> {
    let split = hold_out(corpus, share, seed);
    let left = [("train on", split.train.w.is_empty()), ("score", split.docs.is_empty())];
    if let Some((what, _)) = left.into_iter().find(|&(_, is_empty)| is_empty) {
        let problem = format!("{share} of the documents leaves nothing to {what}");
        return Err(Error::setting("holdout", problem, "give another share, or more documents"));
    }
    Ok(split)
}

/// What run.json says of held-out documents before they are scored.
pub(super) fn info(split: &Split, Holdout { share, seed }: Holdout) -> HoldoutInfo {
    let (documents, tokens) = (split.docs.len(), split.held_out.num_tokens());
    HoldoutInfo { share, seed, documents, tokens, completion: None }
}

/// Document completion of held-out documents under the state of a chain.
pub(super) fn score(chain: &dyn Chain, split: &Split, device: &Place) -> Result<Option<Score>> {
    let completion = complete(&[chain.state().model()], &split.held_out, InferSettings::SCORE, device, &())?;
    if let Some(error) = &completion.device_error {
        tell(format_args!("warning: {error}; the CPU scored the held-out documents, with the same result"));
    }
    Ok(completion.score)
}
