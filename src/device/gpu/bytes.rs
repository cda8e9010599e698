//! What a GPU takes, of its own memory and of the host's.

use super::STATE_BYTES;
use super::batch::Batch;
use super::context::{GROWTH, STAGING_BYTES};
use super::layout::{Doc, Entry, Word};
use super::results::MOST_RESULTS;
use super::tables::PackedTables;
use crate::heap::{Heap, Sizes};

/// What a driver takes of the host's memory. Mesa's takes some 90 MB.
const DRIVER: f64 = 150e6;

/// Memory of the GPU when the corpus is kept there. A document begins at an even place.
pub(crate) fn device_bytes(sizes: &Sizes) -> Heap {
    let Sizes { tokens, docs, words, phi_cells, k_star, .. } = *sizes;
    let places = |places| Heap::exact::<u32>(places) + Heap::exact::<u16>(places);
    let entries = Heap::exact::<Entry>(phi_cells) + Heap::exact::<u32>(phi_cells);
    let results = Heap::exact::<u32>(k_star + MOST_RESULTS as f64) * GROWTH;
    let other = results + Heap::bytes((STAGING_BYTES + STATE_BYTES) as f64);
    places(tokens)
        + (places(docs) + Heap::exact::<Doc>(docs)).at_most()
        + Heap::exact::<Word>(words)
        + Heap { most: GROWTH * entries.most, ..entries }
        + other.at_most()
}

/// Memory of the host: tables on their way to the GPU and counts on their way back, w and z as they are sent, or z as it is
/// fetched.
pub(crate) fn host_bytes(sizes: &Sizes) -> Heap {
    let Sizes { tokens, docs, phi_cells, .. } = *sizes;
    let sent = Heap::exact::<u32>(tokens) + Heap::exact::<[u16; 2]>(tokens);
    PackedTables::bytes(sizes)
        + Heap::grown::<u32>(1.0, phi_cells)
        + (Batch::bytes(docs) + sent + Heap::bytes(DRIVER)).at_most()
}
