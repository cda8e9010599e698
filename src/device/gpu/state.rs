//! What the device keeps between dispatches of an iteration: how far documents are, and m of those that have a workgroup each.

use super::layout::HEAD_LENGTH;
use crate::heap::Heap;

/// The most that the slots of documents with a workgroup each take, in bytes.
const SLOT_BYTES: usize = 64 << 20;

/// Documents that have a workgroup each at a time, at most.
const MOST_SLOTS: usize = 256;

/// Where things are in the state: how many documents teams have left and which, how far each document is, the heads of slots, slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateLayout {
    docs: usize,
    k_star: usize,
}

impl StateLayout {
    /// For batches of up to `docs` documents.
    pub(super) fn new(docs: usize, k_star: usize) -> Self {
        Self { docs, k_star }
    }

    /// What it takes.
    pub(super) fn bytes(docs: f64, k_star: f64) -> Heap {
        let slots = Heap::bytes((8.0 * k_star * MOST_SLOTS as f64).min(SLOT_BYTES as f64).max(8.0 * k_star));
        Heap::exact::<[u32; 3]>(docs) + Heap::exact::<u32>((1 + MOST_SLOTS * HEAD_LENGTH) as f64) + slots
    }

    pub(super) fn num_slots(self) -> usize {
        (SLOT_BYTES / (8 * self.k_star)).clamp(1, MOST_SLOTS)
    }

    pub(super) fn progress_at(self) -> usize {
        1 + 2 * self.docs
    }

    pub(super) fn heads_at(self) -> usize {
        self.progress_at() + self.docs
    }

    /// Where slots start; what is before them is cleared for each batch.
    pub(super) fn slots_at(self) -> usize {
        self.heads_at() + HEAD_LENGTH * self.num_slots()
    }

    pub(super) fn len(self) -> usize {
        self.slots_at() + 2 * self.k_star * self.num_slots()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_what_it_says() {
        for (docs, k_star) in [(0, 1), (3, 1000), (100_000, 65_535)] {
            let layout = StateLayout::new(docs, k_star);
            assert!(layout.num_slots() >= 1);
            let bytes = StateLayout::bytes(docs as f64, k_star as f64);
            assert!((4 * layout.len()) as f64 <= bytes.most, "{docs} {k_star}");
        }
    }
}
