//! The run folder: what is written into it, and what is read back from it.

pub mod doc_topics;
pub mod dropped_documents;
pub mod evaluation;
mod file;
pub mod folder;
pub mod heldout;
pub mod inference;
pub mod logs;
pub mod mallet;
pub mod model_file;
pub mod prepared;
pub mod results;
pub mod run_json;
pub mod synthetic;
mod tensors;

pub use folder::Folder;
