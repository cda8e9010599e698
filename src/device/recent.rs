//! The times of the last steps of one kind, and what such a step takes when no other program is in its way.

/// The last few times, in seconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent(Vec<f64>);

impl Recent {
    const MOST: usize = 5;

    pub(super) fn push(&mut self, seconds: f64) {
        if self.0.len() == Self::MOST {
            self.0.remove(0);
        }
        self.0.push(seconds);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The lower quartile: other programs make steps longer, and never shorter.
    pub(super) fn typical(&self) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 4).copied()
    }
}
