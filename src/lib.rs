//! Hierarchical Dirichlet process topic models, by the sparse parallel Gibbs sampler of Terenin, Magnusson
//! and Jonsson (2020), "Sparse Parallel Training of Hierarchical Dirichlet Process Topic Models".
//!
//! # Notation
//! | paper | code | meaning |
//! |---|---|---|
//! | N, D, V | `num_tokens`, `num_docs`, `vocab_size` | corpus sizes |
//! | w_i, d(i) | `w[i]`, `doc_start[d]..doc_start[d + 1]` | word type of token i, tokens of a document |
//! | z_i | `z[i]` | topic of token i, always below K* |
//! | K* | `k_star`, `max_topics` | represented topics; the last one is the flag topic, for all others |
//! | Φ, φ_kv | `phi` | topic-word probabilities |
//! | Ψ | `psi` | global topic distribution |
//! | m_dk | `m` | tokens of document d in topic k |
//! | n_kv, n_k | `n` | tokens of word v in topic k; row sums |
//! | d_kp | `d` | documents with exactly p tokens in topic k |
//! | D_kj | `docs_at_least` | documents with at least j tokens in topic k |
//! | l_k | `l` | global draws ("tables") of topic k |
//! | α, β, γ | `alpha`, `beta`, `gamma` | concentrations of θ_d, φ_k, Ψ |
//!
//! The model: Ψ ~ GEM(γ) truncated at K*, θ_d ~ DP(α, Ψ), φ_k ~ Dir(β), z_i ~ θ_d(i), w_i ~ φ_z(i).

// The command line names the library as every other front end does.
#[cfg(feature = "cli")]
extern crate self as hdp_gpu;

pub mod chain;
#[cfg(feature = "cli")]
pub mod cli;
pub mod corpus;
pub mod device;
pub mod dist;
pub mod error;
pub mod estimate;
pub mod evaluate;
mod files;
mod heap;
pub mod infer;
pub mod machine;
pub mod model;
pub mod params;
pub mod ranks;
pub mod report;
pub mod rng;
pub mod run;
pub mod selftest;
pub mod synth;
pub mod watch;

pub use chain::{Chain, Sampler};
pub use corpus::Corpus;
pub use error::{Error, Result};
pub use files::temporary::remove_for_good as remove_temporary_files;
pub use model::trained::Model;
pub use params::{Params, Settings};
pub use run::RunRecord;
