//! What a run will take of memory, of a GPU's memory and of the disk, told and checked before it starts.
//!
//! Every amount is a range. What is certain, the corpus's and the sampler's own arrays, makes its lower end, and only that is ever a reason
//! to refuse a run. The upper end adds what depends on the topics that will be found, with constants from
//! measurements, which docs/MEMORY.md compares with it.

mod check;
mod device;
mod disk;
mod memory;
mod size;
mod workload;

pub use check::Machine;
pub use size::size;
pub use workload::{HeldOut, Workload};

/// A number of bytes that is known by its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// It is at least this.
    pub least: u64,
    /// No run that was measured has taken more.
    pub most: u64,
}

impl Bytes {
    /// From sums, which are kept as floating-point numbers because those do not overflow.
    fn new(least: f64, most: f64) -> Self {
        let (least, most) = (least as u64, most as u64);
        Self { least, most: most.max(least) }
    }

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
            memory: memory::memory(workload),
            device: workload.gpu.then(|| device::device(workload)),
            disk: disk::disk(workload),
        }
    }
}

#[cfg(test)]
mod tests;
