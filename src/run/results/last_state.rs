//! The last state of a run, read back and compared with its model.

use crate::corpus::VocabSource;
use crate::corpus::state::{Most, SavedState, read_state_of};
use crate::error::Result;
use crate::model::trained::Model;
use crate::run::folder::{Folder, name};
use crate::run::record::damaged;

/// Documents, and bytes of their names, that a state may have in any case: all of a small run whose other files
/// were left behind.
const SPARE_NAMES: u64 = 1 << 20;

/// Reads state.gz, which must have the tokens that `model` has counted.
///
/// # Errors
/// [`crate::Error::Read`] or [`crate::Error::Input`] when the file is missing, damaged or another run's.
pub fn read_last_state(run: &Folder, model: &Model) -> Result<SavedState> {
    let path = run.plain_file(name::STATE)?;
    let vocab = VocabSource::File(run.plain_file(name::VOCAB)?);
    // A packed file can be far longer than it looks. One token too many tells as much as all of them, and documents with
    // their names are in other files too, which are not packed.
    let tokens: u64 = model.n.topic_tokens.iter().sum();
    let state = read_state_of(&path, &vocab, Most { tokens: tokens + 1, names: run.bytes() + SPARE_NAMES })?;
    let mut tokens = vec![0u64; usize::from(u16::MAX) + 1];
    state.z.iter().for_each(|&k| tokens[usize::from(k)] += 1);
    let n_k = model.n.topic_tokens.iter().chain(std::iter::repeat(&0));
    if tokens.iter().zip(n_k).all(|(tokens, n_k)| tokens == n_k) {
        return Ok(state);
    }
    let problem = format!("does not have the tokens that {} has counted", name::MODEL);
    Err(damaged(&path, problem))
}
