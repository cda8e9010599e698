//! A GPU's memory: the buffers that docs/GPU.md lists.

use super::memory::phi_cells;
use super::{Bytes, Workload};
use crate::device::STATE_BYTES;

/// d and its list, at most.
const RESULTS: f64 = 5e6;

/// Through which results come back.
const STAGING: f64 = 17e6;

/// Memory of the GPU when the corpus is kept there.
pub(super) fn device(run: &Workload) -> Bytes {
    let (least_cells, most_cells) = phi_cells(run);
    let corpus = 6.0 * run.tokens;
    let words = 16.0 * run.words;
    // A document begins at an even place. Buffers for Φ grow by a quarter more than they must.
    let docs = (16.0 + 6.0) * run.docs;
    let least = corpus + words + 16.0 * least_cells;
    let most = corpus + docs + words + 1.25 * 16.0 * most_cells + 4.0 * run.k_star() + RESULTS + STAGING;
    Bytes::new(least, most + STATE_BYTES as f64)
}
