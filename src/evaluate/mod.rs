//! How good a model is: coherence and distinctness of its topics.

pub mod coherence;
pub mod summary;
pub mod topics;
