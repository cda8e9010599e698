//! Which concentrations are learned, and under which priors.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A gamma prior, whose mean is shape / rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GammaPrior {
    /// The shape.
    pub shape: f64,
    /// The rate.
    pub rate: f64,
}

impl GammaPrior {
    /// What `learn` means without a prior of one's own: an exponential law of mean 1.
    pub const VAGUE: Self = Self { shape: 1.0, rate: 1.0 };

    pub(super) fn check(self, setting: &'static str) -> Result<()> {
        let usable = |value: f64| (Self::LEAST..=Self::MOST).contains(&value);
        if usable(self.shape) && usable(self.rate) {
            return Ok(());
        }
        let Self { shape, rate } = self;
        Err(Error::setting(
            setting,
            format!("a gamma prior of shape {shape} and rate {rate} cannot be used"),
            format!("give numbers from {:e} to {:e}, for example learn:1,1", Self::LEAST, Self::MOST),
        ))
    }

    const LEAST: f64 = 1e-6;
    const MOST: f64 = 1e9;
}

impl fmt::Display for GammaPrior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "learn:{},{}", self.shape, self.rate)
    }
}

/// The concentrations that are learned, each with its prior; the others stay as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Learn {
    /// Of α.
    pub alpha: Option<GammaPrior>,
    /// Of β.
    pub beta: Option<GammaPrior>,
    /// Of γ.
    pub gamma: Option<GammaPrior>,
}

/// α, β and γ as a chain has them at some time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Concentrations {
    /// α.
    pub alpha: f64,
    /// β.
    pub beta: f64,
    /// γ.
    pub gamma: f64,
}
