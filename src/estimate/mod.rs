//! What is known of θ and Φ: from the last state of a chain, as a mean over several, or from new documents.

mod docs;
mod phi;
mod samples;
mod samples_file;

pub(crate) use docs::CHUNK_DOCS;
pub use docs::{DocTopic, DocTopics, Shares};
pub use phi::{PhiRow, PhiRows};
pub use samples::Samples;

/// A mean over samples, and their standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moments {
    pub(crate) mean: f64,
    pub(crate) sd: f64,
}

impl Moments {
    /// Of `count` numbers with the given sum and sum of squares.
    pub(crate) fn of(count: u32, sum: f64, squares: f64) -> Self {
        let mean = sum / f64::from(count);
        // Rounding can leave less than nothing.
        let variance = (squares / f64::from(count) - mean * mean).max(0.0);
        Self { mean, sd: variance.sqrt() }
    }
}
