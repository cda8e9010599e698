//! The model's conditionals, one file each, and the counts they are made of.
//!
//! Everything that depends on words is kept by word, never by topic: n is counted word by word, so the urn,
//! the alias tables and the likelihood run over words in parallel and nothing is ever transposed. Only an exact Φ
//! is drawn by topic.

pub mod alias;
mod cells;
pub mod collapsed;
pub mod counts;
pub mod dirichlet;
pub mod histogram;
pub mod init;
pub mod l;
pub mod learn;
pub mod lengths;
pub mod likelihood;
pub(crate) mod over_ranks;
pub(crate) mod per_thread;
pub mod phi;
pub mod psi;
pub(crate) mod recount;
mod topic_set;
pub mod trained;
pub mod z;
pub mod z_counts;
