//! What the user typed becomes checked parameters; only checked ones can run.

mod init;
mod learn;

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

pub use self::init::Init;
pub use self::learn::{Concentrations, GammaPrior, Learn};
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

/// The share of Ψ above which the flag topic, which stands for all topics that are not represented, asks for more of them.
const MOST_FLAG_TOPIC_PSI: f64 = 1e-6;

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

/// The law of Ψ given l.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PsiLaw {
    /// The paper's sticks, in the order of topics' numbers.
    Sticks,
    /// A Dirichlet law over the topics with tokens and the rest, which fresh sticks break over the empty ones: the
    /// posterior of a Dirichlet process, in which numbers of topics mean nothing.
    Dp,
    /// Ψ = 1/K*: LDA.
    Uniform,
}

impl PsiLaw {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sticks => "sticks",
            Self::Dp => "dp",
            Self::Uniform => "uniform",
        }
    }
}

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

/// The model's priors and truncation, how it is sampled, start and seed as given; [`Settings::check`] turns them into [`Params`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// α, the concentration of θ_d; where it starts, if it is learned.
    pub alpha: f64,
    /// β, the concentration of φ_k, a word; where it starts, if it is learned.
    pub beta: f64,
    /// γ, the concentration of Ψ; where it starts, if it is learned.
    pub gamma: f64,
    /// Which of them are learned.
    pub learn: Learn,
    /// The law of Ψ.
    pub psi: PsiLaw,
    /// δ, the discount of Pitman-Yor sticks.
    pub discount: f64,
    /// K*, the number of represented topics, the flag topic included; where it starts, if it grows.
    pub max_topics: u32,
    /// Whether K* doubles when it is too small.
    pub grow: bool,
    /// How tokens get their first topics.
    pub init: Init,
    /// A larger α at the beginning.
    pub anneal: Option<Anneal>,
    /// The seed of every random draw.
    pub seed: u64,
    /// The sampler.
    #[serde(flatten)]
    pub sampler: Algorithm,
}

/// What measurements say is best for a corpus that nobody knows: docs/QUALITY.md.
impl Default for Settings {
    fn default() -> Self {
        let init = Init::Documents(100);
        Self {
            alpha: 1.0,
            learn: Learn { alpha: Some(GammaPrior::VAGUE), beta: None, gamma: Some(GammaPrior::VAGUE) },
            psi: PsiLaw::Dp,
            max_topics: init.first_k_star(),
            grow: true,
            init,
            ..Self::paper()
        }
    }
}

impl Settings {
    /// The settings of the paper's experiments.
    pub fn paper() -> Self {
        Self {
            alpha: 0.1,
            beta: 0.01,
            gamma: 1.0,
            learn: Learn::default(),
            psi: PsiLaw::Sticks,
            discount: 0.0,
            max_topics: 1000,
            grow: false,
            init: Init::ONE,
            anneal: None,
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
        if self.has_urn() && points > MAX_PRIOR_POINTS {
            return Err(Error::flag(
                "--beta",
                format!(
                    "{} with --max-topics {} makes {points:e} prior points a word in every iteration",
                    self.beta, self.max_topics
                ),
                format!("lower --beta or --max-topics until their product is at most {MAX_PRIOR_POINTS:e}"),
            ));
        }
        self.check_learning()?;
        self.check_start()?;
        Ok(Params(self))
    }

    /// Whether Φ is drawn from the Poisson Pólya urn.
    fn has_urn(&self) -> bool {
        self.sampler == Algorithm::Ppu { phi: PhiLaw::Ppu }
    }

    /// Checks what is learned, and the law of Ψ.
    fn check_learning(&self) -> Result<()> {
        let Learn { alpha, beta, gamma } = self.learn;
        for (flag, prior) in [("--alpha", alpha), ("--beta", beta), ("--gamma", gamma)] {
            prior.map_or(Ok(()), |prior| prior.check(flag))?;
        }
        if !(0.0..1.0).contains(&self.discount) {
            let problem = format!("{} is not a discount", self.discount);
            return Err(Error::flag("--discount", problem, "give a number from 0 to below 1"));
        }
        let uniform = self.psi == PsiLaw::Uniform;
        let refused = [
            (
                "--beta",
                self.has_urn() && beta == Some(GammaPrior::VAGUE),
                "learned under the Poisson Pólya urn, β runs to zero",
                "give a prior that holds it, for example learn:1000,100000, or --phi dirichlet, or a number",
            ),
            (
                "--gamma",
                gamma.is_some() && self.discount > 0.0,
                "γ can be learned without a discount only",
                "leave out --discount, or give a number",
            ),
            (
                "--gamma",
                gamma.is_some() && uniform,
                "a uniform Ψ has no γ",
                "leave out --psi uniform, or give a number",
            ),
            (
                "--discount",
                self.discount > 0.0 && uniform,
                "a uniform Ψ has no sticks",
                "leave out --psi uniform or --discount",
            ),
            (
                "--max-topics",
                self.grow && uniform,
                "a uniform Ψ has no topics to come",
                "give the number of topics",
            ),
        ];
        match refused.into_iter().find(|&(_, refused, ..)| refused) {
            Some((flag, _, problem, remedy)) => Err(Error::flag(flag, problem, remedy)),
            None => Ok(()),
        }
    }

    /// Checks the start.
    fn check_start(&self) -> Result<()> {
        // The last topic stands for all that are not represented, so the start leaves it empty.
        let most = if self.psi == PsiLaw::Uniform { self.max_topics } else { (self.max_topics - 1).max(1) };
        if let Some(topics) = self.init.topics().filter(|topics| !(1..=most).contains(topics)) {
            return Err(Error::flag(
                "--init",
                format!("{topics} starting topics do not fit --max-topics {}", self.max_topics),
                format!("give a number from 1 to {most}, or raise --max-topics"),
            ));
        }
        match self.anneal {
            Some(Anneal { factor, .. }) if !(1.0..=1e6).contains(&factor) => Err(Error::flag(
                "--anneal",
                format!("{factor} is not a factor for α at the start"),
                "give a number from 1 to 1e6, for example --anneal 10:200",
            )),
            _ => Ok(()),
        }
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

/// Checked parameters. Those of a chain have the concentrations and the K* that it has at the time.
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

    /// α, β and γ.
    pub fn concentrations(&self) -> Concentrations {
        let Settings { alpha, beta, gamma, .. } = self.0;
        Concentrations { alpha, beta, gamma }
    }

    /// Has α, β and γ be others, as they are learned; each within what can be sampled.
    pub fn set_concentrations(&mut self, Concentrations { alpha, beta, gamma }: Concentrations) {
        let usable = |value: f64| value.clamp(MIN_CONCENTRATION, MAX_CONCENTRATION);
        (self.0.alpha, self.0.beta, self.0.gamma) = (usable(alpha), usable(beta), usable(gamma));
    }

    /// Has K* be another, as it grows.
    pub(crate) fn set_max_topics(&mut self, max_topics: u32) {
        self.0.max_topics = max_topics;
    }

    /// The K* to go on with, if it grows and the flag topic has been drawn or has more than a trace of Ψ.
    pub(crate) fn larger_k_star(&self, flag_topic_draws: u64, flag_topic_psi: f64) -> Option<u32> {
        let larger = (2 * self.max_topics).min(MAX_TOPICS);
        let too_small = flag_topic_draws > 0 || flag_topic_psi > MOST_FLAG_TOPIC_PSI;
        let possible =
            larger > self.max_topics && !(self.has_urn() && self.beta * f64::from(larger) > MAX_PRIOR_POINTS);
        (self.grow && too_small && possible).then_some(larger)
    }

    /// The largest β that can be sampled.
    pub(crate) fn most_beta(&self) -> f64 {
        if self.has_urn() { MAX_PRIOR_POINTS / f64::from(self.max_topics) } else { MAX_CONCENTRATION }
    }

    /// α as z is drawn with it: more than α in the first iterations, if it is annealed.
    pub fn alpha_of_z(&self, iteration: u32) -> f64 {
        match self.anneal {
            Some(Anneal { factor, iterations }) if iteration <= iterations => {
                let left = 1.0 - f64::from(iteration - 1) / f64::from(iterations);
                (self.alpha * libm::pow(factor, left)).min(MAX_CONCENTRATION)
            }
            _ => self.alpha,
        }
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
        assert_eq!(refused(|s| s.init = Init::Random(0)), "--init");
        assert_eq!(refused(|s| s.init = Init::Random(1000)), "--init");
        assert_eq!(refused(|s| (s.max_topics, s.init) = (1, Init::Documents(2))), "--init");
    }

    #[test]
    fn what_cannot_be_learned_is_refused_by_name() {
        let prior = |shape, rate| Some(GammaPrior { shape, rate });
        for (shape, rate) in [(0.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0), (1.0, f64::INFINITY)] {
            assert_eq!(refused(|s| s.learn.alpha = prior(shape, rate)), "--alpha");
            assert_eq!(refused(|s| s.learn.gamma = prior(shape, rate)), "--gamma");
        }
        assert_eq!(refused(|s| s.learn.beta = Some(GammaPrior::VAGUE)), "--beta");
        let learn = Learn { beta: prior(10.0, 1000.0), ..Learn::default() };
        assert!(Settings { learn, ..Settings::paper() }.check().is_ok());
        for bad in [-0.1, 1.0, f64::NAN] {
            assert_eq!(refused(|s| s.discount = bad), "--discount");
        }
        let vague = Some(GammaPrior::VAGUE);
        assert_eq!(refused(|s| (s.discount, s.learn.gamma) = (0.5, vague)), "--gamma");
        assert_eq!(refused(|s| (s.psi, s.learn.gamma) = (PsiLaw::Uniform, vague)), "--gamma");
        assert_eq!(refused(|s| (s.psi, s.discount) = (PsiLaw::Uniform, 0.5)), "--discount");
        assert_eq!(refused(|s| (s.psi, s.grow) = (PsiLaw::Uniform, true)), "--max-topics");
        assert_eq!(refused(|s| s.anneal = Some(Anneal { factor: 0.5, iterations: 10 })), "--anneal");
    }

    #[test]
    fn annealing_ends_at_alpha() {
        let anneal = Some(Anneal { factor: 100.0, iterations: 2 });
        let params = Settings { anneal, alpha: 0.5, ..Settings::paper() }.check().unwrap();
        assert_eq!([1, 2, 3, 1000].map(|iteration| params.alpha_of_z(iteration)), [50.0, 5.0, 0.5, 0.5]);
    }

    #[test]
    fn the_extremes_pass() {
        for (max_topics, topics, beta) in [(1, 1, 1e6), (2, 1, 0.01), (65_535, 65_534, 15.0)] {
            let init = Init::Random(topics);
            assert!(Settings { max_topics, init, beta, ..Settings::paper() }.check().is_ok());
        }
    }
}
