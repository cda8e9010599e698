//! The last state of a chain, read back from its checkpoint and finished: what all results are made of, whether they were written or not.

use std::path::Path;
use std::sync::Arc;

use super::checkpoint::{Opened, Store};
use super::finish::FinishRecord;
use super::folder::Folder;
use super::record::RunRecord;
use super::results::{self, Results};
use crate::chain::{FinishedState, State};
use crate::corpus::{Corpus, labels_digest};
use crate::error::{Error, Result};
use crate::estimate::Samples;
use crate::model::trained::Model;

/// The last state of a chain that was stopped, or its finished copy, if the chain has ended.
#[derive(Clone, Debug)]
pub struct LastState {
    /// The run as its checkpoint has it.
    pub record: RunRecord,
    /// The documents that it was trained on.
    pub corpus: Arc<Corpus>,
    /// The model.
    pub model: Model,
    /// The topics of the tokens.
    pub z: Vec<u16>,
    /// The samples that its results are a mean of, when there are several.
    pub samples: Option<Samples>,
}

impl LastState {
    /// Reads the newest checkpoint of the chain in the folder `chain`, which was trained on `corpus`. Documents that had no names
    /// keep none: a run's files call them by their numbers.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use hdp_gpu::corpus::{self, DocumentOptions};
    /// use hdp_gpu::run::{self, FrontEnd, LastState, Mode, RunRequest};
    ///
    /// let folder = tempfile::tempdir().expect("a folder for the run");
    /// let out = folder.path().join("run");
    /// let loaded = corpus::from_texts(&["ash birch cedar fir oak ash birch cedar fir oak"; 20], &DocumentOptions::default())?;
    /// let request = RunRequest { iterations: Some(5), ..RunRequest::default() };
    /// let front_end = FrontEnd { results: false, ..FrontEnd::default() };
    /// let ended = run::train(&out, Mode::New, &request, loaded, front_end, &mut ())?;
    /// assert!(!out.join("model.safetensors").exists());
    ///
    /// let last = LastState::read(&out, &ended.corpus)?;
    /// assert_eq!(last.z.len(), ended.corpus.num_tokens());
    /// last.write_results(&out)?;
    /// assert!(out.join("model.safetensors").exists());
    /// # Ok::<(), hdp_gpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Input`] when there is no checkpoint, or it is of another corpus.
    pub fn read(chain: &Path, corpus: &Arc<Corpus>) -> Result<Self> {
        let problem =
            |problem: String| Error::input(chain, problem, "give the run's own corpus, or train again");
        let checkpoint = Store::find(&Folder::unlocked(chain))?
            .checkpoint
            .ok_or_else(|| problem("has no checkpoint".into()))?;
        let course = checkpoint.kept.course();
        let Opened { mut kept, start, samples, .. } = checkpoint.open(corpus, &course).map_err(problem)?;
        let mut corpus = Arc::clone(corpus);
        if labels_digest(&corpus) != kept.labels {
            Arc::make_mut(&mut corpus).doc_names = None;
        }
        let params = kept.record.settings.model.clone().check()?;
        let (mut state, mut z) = State::new(Arc::clone(&corpus).into(), params, start);
        let sweeps = kept.sweeps_of_last(corpus.num_tokens());
        if sweeps > 0 {
            let finished = FinishedState::new(&corpus, &state, z, sweeps)?;
            kept.record.finished = Some(FinishRecord::of(&finished));
            (state, z) = (finished.state, finished.z);
        }
        let mut samples = samples;
        if let Some(samples) = &mut samples {
            samples.grow(state.params().k_star());
        }
        Ok(Self { record: kept.record, model: state.model(), corpus, z, samples })
    }

    /// What the run has found.
    pub fn results(&self) -> Results<'_> {
        Results::of(&self.corpus, &self.model, &self.z, self.samples.as_ref())
    }

    /// Writes all results to the folder `chain`, but for the logs, run.json and the page.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write_results(&self, chain: &Path) -> Result<()> {
        results::write(&Folder::unlocked(chain), &self.results())
    }
}
