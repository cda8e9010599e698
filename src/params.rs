//! What the user typed becomes checked parameters; only checked ones can run.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The most topics that can be represented: a topic number fits in 16 bits.
pub const MAX_TOPICS: u32 = 65_535;

/// The largest concentration: A_v, which reaches α·2^31, and B, below 2^56, then add up within 64 bits.
pub const MAX_CONCENTRATION: f64 = 1e9;

/// The smallest concentration: the logarithm of a gamma variate of this shape is still finite.
pub const MIN_CONCENTRATION: f64 = 1e-9;

/// The most points of ϕ(β) that a word may have on average, β·K*: they are drawn and sorted one by one, and
/// with this many an iteration takes some 20 ms a word.
pub const MAX_PRIOR_POINTS: f64 = 1e6;

/// The sampler of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "sampler", rename_all = "lowercase")]
pub enum Algorithm {
    /// The paper's: parallel, on any device.
    Ppu {
        /// The law of Φ.
        phi: PhiLaw,
    },
    /// Direct assignment (Teh et al. 2006): fully collapsed, a token after the other, on the CPU.
    Direct,
}

/// The law that Φ is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PhiLaw {
    /// The paper's Poisson Pólya urn: sparse, and close to the exact law on all but small corpora.
    Ppu,
    /// The exact one: dense, and slower.
    Dirichlet,
}

/// The model's priors and truncation, how it is sampled, start and seed as given; [`Settings::check`] turns them into [`Params`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// α, the concentration of θ_d.
    pub alpha: f64,
    /// β, the concentration of φ_k, a word.
    pub beta: f64,
    /// γ, the concentration of Ψ.
    pub gamma: f64,
    /// K*, the number of represented topics, the flag topic included.
    pub max_topics: u32,
    /// The number of topics that tokens are spread over at the start.
    pub init_topics: u32,
    /// The seed of every random draw.
    pub seed: u64,
    /// The sampler.
    #[serde(flatten)]
    pub sampler: Algorithm,
}

impl Settings {
    /// The settings of the paper's experiments.
    pub fn paper() -> Self {
        Self {
            alpha: 0.1,
            beta: 0.01,
            gamma: 1.0,
            max_topics: 1000,
            init_topics: 1,
            seed: 1,
            sampler: Algorithm::Ppu { phi: PhiLaw::Ppu },
        }
    }

    /// Checks every value.
    ///
    /// # Errors
    /// [`Error::Flag`] names the first value that cannot be used.
    pub fn check(self) -> Result<Params> {
        self.check_priors()?;
        let points = self.beta * f64::from(self.max_topics);
        let urn = self.sampler == Algorithm::Ppu { phi: PhiLaw::Ppu };
        if urn && points > MAX_PRIOR_POINTS {
            return Err(Error::flag(
                "--beta",
                format!(
                    "{} with --max-topics {} makes {points:e} prior points a word in every iteration",
                    self.beta, self.max_topics
                ),
                format!("lower --beta or --max-topics until their product is at most {MAX_PRIOR_POINTS:e}"),
            ));
        }
        // The last topic stands for all that are not represented, so the start leaves it empty.
        let most = (self.max_topics - 1).max(1);
        if !(1..=most).contains(&self.init_topics) {
            return Err(Error::flag(
                "--init-topics",
                format!("{} starting topics do not fit --max-topics {}", self.init_topics, self.max_topics),
                format!("give a number from 1 to {most}, or raise --max-topics"),
            ));
        }
        Ok(Params(self))
    }

    /// Checks what the model itself asks for, however it is sampled: concentrations and truncation.
    pub(crate) fn check_priors(&self) -> Result<()> {
        for (flag, value) in [("--alpha", self.alpha), ("--beta", self.beta), ("--gamma", self.gamma)] {
            if !(MIN_CONCENTRATION..=MAX_CONCENTRATION).contains(&value) {
                return Err(Error::flag(
                    flag,
                    format!("{value} is not a usable concentration"),
                    format!("give a number from {MIN_CONCENTRATION:e} to {MAX_CONCENTRATION:e}"),
                ));
            }
        }
        if !(1..=MAX_TOPICS).contains(&self.max_topics) {
            return Err(Error::flag(
                "--max-topics",
                format!("{} topics cannot be represented", self.max_topics),
                format!("give a number from 1 to {MAX_TOPICS}"),
            ));
        }
        Ok(())
    }
}

/// Checked parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Params(Settings);

impl Deref for Params {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.0
    }
}

impl Params {
    /// K* as an index bound.
    pub fn k_star(&self) -> usize {
        self.max_topics as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut Settings)) -> &'static str {
        let mut settings = Settings::paper();
        change(&mut settings);
        match settings.check() {
            Err(Error::Flag { flag, .. }) => flag,
            other => panic!("not refused: {other:?}"),
        }
    }

    #[test]
    fn unusable_values_are_refused_by_name() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, -0.0, 2e9, 1e-10] {
            assert_eq!(refused(|s| s.alpha = bad), "--alpha");
            assert_eq!(refused(|s| s.beta = bad), "--beta");
            assert_eq!(refused(|s| s.gamma = bad), "--gamma");
        }
        assert_eq!(refused(|s| s.max_topics = 0), "--max-topics");
        assert_eq!(refused(|s| s.max_topics = 65_536), "--max-topics");
        assert_eq!(refused(|s| s.beta = 1001.0), "--beta");
        assert_eq!(refused(|s| (s.beta, s.max_topics) = (16.0, 65_535)), "--beta");
        assert_eq!(refused(|s| s.init_topics = 0), "--init-topics");
        assert_eq!(refused(|s| s.init_topics = 1000), "--init-topics");
        assert_eq!(refused(|s| (s.max_topics, s.init_topics) = (1, 2)), "--init-topics");
    }

    #[test]
    fn the_extremes_pass() {
        for (max_topics, init_topics, beta) in [(1, 1, 1e6), (2, 1, 0.01), (65_535, 65_534, 15.0)] {
            assert!(Settings { max_topics, init_topics, beta, ..Settings::paper() }.check().is_ok());
        }
    }
}
