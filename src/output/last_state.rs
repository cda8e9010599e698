//! The last state of a run, read back and compared with its model.

use super::folder::{Folder, name};
use super::run_json::damaged;
use crate::corpus::VocabSource;
use crate::corpus::state::{State, read_state};
use crate::error::Result;
use crate::model::trained::Model;

/// Reads state.gz, which must have the tokens that `model` has counted.
///
/// # Errors
/// [`crate::Error::Read`] or [`crate::Error::Input`] when the file is missing, damaged or another run's.
pub fn read_last_state(run: &Folder, model: &Model) -> Result<State> {
    let path = run.file(name::STATE);
    let state = read_state(&path, &VocabSource::File(run.file(name::VOCAB)))?;
    let mut tokens = vec![0u64; usize::from(u16::MAX) + 1];
    state.z.iter().for_each(|&k| tokens[usize::from(k)] += 1);
    let n_k = model.n.topic_tokens.iter().chain(std::iter::repeat(&0));
    if tokens.iter().zip(n_k).all(|(tokens, n_k)| tokens == n_k) {
        return Ok(state);
    }
    let problem = format!("does not have the tokens that {} has counted", name::MODEL);
    Err(damaged(&path, problem))
}
