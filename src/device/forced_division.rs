//! A division between a GPU and the CPU that is asked for, and not measured.

/// A division between a GPU and the CPU that does not depend on what they take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ForcedDivision {
    /// The GPU always has this part of the tokens, from 0 to 1.
    Fixed(f64),
    /// The GPU has another part in every iteration.
    Moving,
}

impl ForcedDivision {
    /// The part of the tokens that is the GPU's in an iteration.
    pub(super) fn share(self, iteration: u32) -> f64 {
        match self {
            Self::Fixed(share) => share,
            // Multiples of the golden ratio: far from one to the next, and everywhere in the end.
            Self::Moving => (f64::from(iteration) * 0.618_033_988_749_895).fract(),
        }
    }
}
