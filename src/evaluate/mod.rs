//! How good a model is: coherence and distinctness of its topics, and a map of them.

pub mod coherence;
pub mod map;
pub mod summary;
pub mod topics;
