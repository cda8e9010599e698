//! The results of a run or of an inference: what is known, and the files it goes into.

pub mod doc_topics;
pub mod doc_topics_csv;
pub mod doc_topics_wide;
pub mod dropped_documents;
pub mod evaluation;
pub mod heldout;
pub mod inference;
pub mod last_state;
pub mod ldavis;
pub mod mallet;
pub mod matrices;
pub mod model_file;
#[cfg(feature = "parquet")]
mod parquet;
pub mod read_back;
mod table;
pub(crate) mod tensors;
pub mod topic_docs;
pub mod topics_by_group;
pub mod topics_csv;

use crate::chain::{Chain, FinishedState};
use crate::corpus::Corpus;
use crate::error::{Error, Result, caught};
use crate::estimate::{DocTopics, PhiRows, Samples};
use crate::model::trained::Model;
use crate::run::finish::shown;
use crate::run::folder::{Folder, FolderKind, name};

/// What a run has found.
#[derive(Debug)]
pub struct Results<'a> {
    /// The documents.
    pub corpus: &'a Corpus,
    /// The last state, but for z.
    pub model: &'a Model,
    /// z of the last state.
    pub z: &'a [u16],
    /// θ, of the last state or a mean over samples.
    pub docs: DocTopics<'a>,
    /// Φ, the same.
    pub phi: PhiRows,
}

/// Writes the results of the chain's state, of its finished copy, or of `samples`: everything but the logs and run.json.
///
/// # Errors
/// When the device fails or a file cannot be written.
pub(super) fn write_results(
    chain: &mut dyn Chain,
    finished: Option<&FinishedState>,
    corpus: &Corpus,
    samples: Option<&Samples>,
    folder: &Folder,
) -> Result<()> {
    let (state, z) = shown(finished, chain)?;
    let model = state.model();
    write(folder, &Results::of(corpus, &model, &z, samples))
}

/// Does `work`, which writes into `folder` what it makes of `corpus`. If that lies in a file that was changed meanwhile, however that was
/// done, what was made goes.
pub(super) fn unless_changed<T>(
    folder: &Folder,
    kind: FolderKind,
    corpus: &Corpus,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let done = caught(work);
    match corpus.check_content() {
        Ok(()) => done,
        Err(changed @ Error::Input { .. }) => {
            folder.remove_results(kind)?;
            Err(changed)
        }
        Err(unknown) => Err(unknown),
    }
}

impl<'a> Results<'a> {
    /// Of a state, or of `samples` that ended with it.
    pub fn of(corpus: &'a Corpus, model: &'a Model, z: &'a [u16], samples: Option<&'a Samples>) -> Self {
        let (docs, phi) = match samples {
            Some(samples) => (DocTopics::of_samples(samples), samples.phi()),
            None => (DocTopics::of_state(model, &corpus.doc_start, z), PhiRows::of_model(model)),
        };
        Self { corpus, model, z, docs, phi }
    }
}

/// Writes everything but the logs and run.json.
pub(super) fn write(folder: &Folder, results: &Results<'_>) -> Result<()> {
    let Results { corpus, model, z, .. } = results;
    let alpha_psi = model.psi.iter().map(|psi| model.alpha * psi);
    // Packing state.gz takes one thread about as long as all other files take.
    let (state, others) = rayon::join(
        || mallet::write_state(&folder.file(name::STATE), corpus, z, alpha_psi, model.beta),
        || write_others(folder, results),
    );
    state.and(others)?;
    corpus.check_unchanged()?;
    model_file::write_model(folder, model)
}

/// Everything but state.gz and the model.
fn write_others(folder: &Folder, results: &Results<'_>) -> Result<()> {
    let Results { corpus, model, docs, phi, .. } = results;
    mallet::write_topic_keys(folder, model)?;
    mallet::write_word_topic_counts(folder, model)?;
    doc_topics::write_doc_topics(folder, corpus, docs)?;
    topics_csv::write_topics(folder, results)?;
    doc_topics_csv::write_doc_topics(&folder.file(name::DOC_TOPICS_CSV), corpus, docs, &[])?;
    doc_topics_wide::write_wide(folder, corpus, docs)?;
    topic_docs::write_topic_docs(folder, corpus, docs)?;
    topics_by_group::write_topics_by_group(folder, corpus, docs)?;
    matrices::write_phi(&folder.file(name::PHI), phi)?;
    matrices::write_theta(&folder.file(name::THETA), docs)?;
    ldavis::write_ldavis(folder, results)
}
