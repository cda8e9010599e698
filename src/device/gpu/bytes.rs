//! What a GPU takes, of its own memory and of the host's.

use super::batch::Batch;
use super::context::{GROWTH, STAGING_BYTES};
use super::layout::{Doc, Pair, Word};
use super::results::MOST_RESULTS;
use super::state::StateLayout;
use super::tables::PackedTables;
use crate::heap::{Heap, Sizes};

/// What a driver takes of the host's memory. Mesa's takes some 90 MB.
const DRIVER: f64 = 150e6;

/// Memory of the GPU when the corpus is kept there. A document may begin in the middle of a pair of places and end in one.
pub(crate) fn device_bytes(sizes: &Sizes) -> Heap {
    let Sizes { tokens, docs, words, phi_cells, k_star, .. } = *sizes;
    let places = |places| Heap::exact::<u32>(places) + Heap::exact::<u16>(places);
    let entries = Heap::exact::<Pair>(phi_cells) + Heap::exact::<Pair>(phi_cells);
    // Entries with sets of topics, cells, and counts on the device and on their way from it.
    let most_entries = Heap::exact::<Pair>(4.0 * phi_cells) + Heap::exact::<[u32; 2]>(phi_cells);
    let results = Heap::exact::<[u32; 2]>(k_star + MOST_RESULTS as f64) * GROWTH;
    let other = results + Heap::bytes(STAGING_BYTES as f64) + StateLayout::bytes(docs, k_star);
    places(tokens)
        + (places(2.0 * docs) + Heap::exact::<Doc>(docs)).at_most()
        + Heap::exact::<Word>(words)
        + Heap { least: entries.least, most: GROWTH * most_entries.most }
        + other.at_most()
}

/// Memory of the host: tables on their way to the GPU, twice while they are copied, w and z as they are sent, or z as it is
/// fetched, and what orders the documents.
pub(crate) fn host_bytes(sizes: &Sizes) -> Heap {
    let Sizes { tokens, docs, .. } = *sizes;
    let sent = Heap::exact::<u32>(tokens) + Heap::exact::<[u16; 2]>(tokens);
    let ordered = Heap::exact::<Doc>(docs) + Heap::exact::<[u64; 3]>(docs) + Heap::exact::<u16>(docs);
    PackedTables::bytes(sizes)
        + (PackedTables::bytes(sizes) + Batch::bytes(docs) + sent + ordered + Heap::bytes(DRIVER)).at_most()
}
