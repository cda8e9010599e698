//! What a run will take of memory, of a GPU's memory and of the disk, told and checked before it starts.
//!
//! Every amount is a range. What is certain, the corpus's and the sampler's own arrays, makes its lower end, and only that is ever a reason
//! to refuse a run. The upper end adds what depends on the topics that will be found. Structures say themselves what they take for
//! given sizes, and are only added up here; constants of files and reports are from measurements, which docs/MEMORY.md compares
//! with the sum.

mod bounds;
mod check;
mod disk;
mod memory;
mod size;
mod workload;

pub use check::Machine;
pub use size::size;
pub use workload::{HeldOut, Workload};

use crate::device::device_bytes;
use crate::heap::Heap;

/// A number of bytes that is known by its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// It is at least this.
    pub least: u64,
    /// No run that was measured has taken more.
    pub most: u64,
}

impl From<Heap> for Bytes {
    fn from(Heap { least, most }: Heap) -> Self {
        let (least, most) = (least as u64, most as u64);
        Self { least, most: most.max(least) }
    }
}

impl Bytes {
    /// The middle; measured runs came to 0.4 to 1.5 times that.
    pub fn likely(self) -> u64 {
        self.least + (self.most - self.least) / 2
    }
}

/// What a run needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Memory of the host beyond the corpus, which is there already.
    pub memory: Bytes,
    /// Memory of the GPU, if there is one and the corpus is kept there. A corpus that does not fit is sent in parts.
    pub device: Option<Bytes>,
    /// Files in the run's folder.
    pub disk: Bytes,
}

impl Needs {
    /// The needs of a run.
    pub fn of(workload: &Workload) -> Self {
        Self {
            memory: memory::memory(workload).into(),
            device: workload.gpu.then(|| workload.range(device_bytes).into()),
            disk: disk::disk(workload).into(),
        }
    }
}

impl Needs {
    /// Memory that another rank than the first takes at least, its documents included: it has a chain, and makes no results.
    pub(in crate::run) fn least_of_rank(workload: &Workload) -> u64 {
        (memory::chain_least(workload) + workload.corpus_bytes) as u64
    }
}

#[cfg(test)]
mod structure_tests;
#[cfg(test)]
mod tests;
