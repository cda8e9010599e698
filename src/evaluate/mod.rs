//! How good a model is: what it says of held-out documents, and the coherence and distinctness of its topics, with a map of
//! them.

pub mod coherence;
pub mod completion;
pub mod convergence;
pub mod evaluation;
pub mod groups;
pub mod left_to_right;
pub mod listing;
pub mod map;
pub mod matching;
pub mod nearness;
mod score;
pub mod spread;
pub mod summary;
pub mod topics;

pub use score::{DocScore, Score};
