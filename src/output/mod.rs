//! The run folder: what is written into it, and what is read back from it.

pub(crate) mod checkpoints;
pub mod doc_topics;
pub mod doc_topics_csv;
pub mod dropped_documents;
pub mod evaluation;
pub mod folder;
pub mod heldout;
pub mod inference;
pub mod last_state;
pub mod ldavis;
mod log;
pub mod logs;
pub mod mallet;
pub mod matrices;
pub mod model_file;
pub mod out;
#[cfg(feature = "parquet")]
mod parquet;
pub mod results;
mod run_file;
pub mod run_json;
pub mod synthetic;
mod table;
mod tensors;
pub mod topic_docs;
pub mod topics_csv;

pub use folder::Folder;
