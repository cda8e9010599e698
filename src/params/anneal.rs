//! Annealing of α.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A larger α in z at the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anneal {
    /// What α is multiplied by in the first iteration.
    pub factor: f64,
    /// The iterations after which it is α itself.
    pub iterations: u32,
}

impl fmt::Display for Anneal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.factor, self.iterations)
    }
}

impl Anneal {
    /// What α is multiplied by in iteration `iteration`, from 1 on.
    pub(super) fn factor_at(self, iteration: u32) -> f64 {
        if iteration > self.iterations {
            return 1.0;
        }
        libm::pow(self.factor, 1.0 - f64::from(iteration - 1) / f64::from(self.iterations))
    }

    /// Refuses a factor that would not be one.
    pub(super) fn check(self) -> Result<()> {
        if (1.0..=1e6).contains(&self.factor) {
            return Ok(());
        }
        Err(Error::setting(
            "anneal",
            format!("{} is not a factor for α at the start", self.factor),
            "give a number from 1 to 1e6, for example `anneal` 10:200",
        ))
    }
}
