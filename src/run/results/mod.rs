//! The results of a run or of an inference: what is known, and the files it goes into.

pub mod doc_topics;
pub mod doc_topics_csv;
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
mod table;
pub(crate) mod tensors;
pub mod topic_docs;
pub mod topics_csv;

use crate::corpus::Corpus;
use crate::error::Result;
use crate::estimate::{DocTopics, PhiRows};
use crate::model::trained::Model;
use crate::run::folder::{Folder, name};

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

/// Writes the results of a run: everything but the logs and run.json.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_results(folder: &Folder, results: &Results<'_>) -> Result<()> {
    let Results { corpus, model, z, .. } = results;
    let alpha_psi = model.psi.iter().map(|psi| model.alpha * psi);
    // Packing state.gz takes one thread about as long as all other files take.
    let (state, others) = rayon::join(
        || mallet::write_state(&folder.file(name::STATE), corpus, z, alpha_psi, model.beta),
        || write_others(folder, results),
    );
    state.and(others)?;
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
    topic_docs::write_topic_docs(folder, corpus, docs)?;
    matrices::write_phi(&folder.file(name::PHI), phi)?;
    matrices::write_theta(&folder.file(name::THETA), docs)?;
    ldavis::write_ldavis(folder, results)
}
