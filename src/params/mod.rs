//! What the user typed becomes checked parameters; only checked ones can run.

mod anneal;
mod check;
mod init;
mod learn;
mod request;
mod size;

use serde::{Deserialize, Serialize};

pub use self::anneal::Anneal;
pub use self::init::{Init, InitRequest};
pub use self::learn::{Concentrations, GammaPrior, Learn};
pub use self::request::{Annealing, Concentration, MaxTopics, Preset, SamplerKind, SettingsRequest};
pub use self::size::Size;

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

/// What measurements say is best for a corpus whose size nobody knows: docs/QUALITY.md.
impl Default for Settings {
    fn default() -> Self {
        Self {
            alpha: 1.0,
            learn: Learn { alpha: Some(GammaPrior::VAGUE), beta: None, gamma: Some(GammaPrior::VAGUE) },
            psi: PsiLaw::Dp,
            grow: true,
            ..Self::paper()
        }
        .starting_with(Init::Documents(100))
    }
}

impl Settings {
    /// The same with this start, and room for the topics of it.
    fn starting_with(self, init: Init) -> Self {
        let settings = Self { init, ..self };
        Self { max_topics: settings.first_k_star(), ..settings }
    }

    /// Where a K* that grows begins: with room for twice the topics. A dense Φ takes time by its room, and so has less.
    fn first_k_star(&self) -> u32 {
        let is_dense = self.sampler == Algorithm::Ppu { phi: PhiLaw::Dirichlet };
        let twice = self.init.topics().map_or(0, |topics| topics.saturating_mul(2));
        twice.clamp(if is_dense { 64 } else { 256 }, MAX_TOPICS)
    }

    /// The defaults for corpora of few documents. The urn's error is large there, and with a small β topics of a few tokens are cheap: so Φ
    /// is exact, and β is learned. The priors of β and γ have means of 0.1 and 0.5, and hold them where there is little to learn from.
    pub fn small() -> Self {
        Self {
            learn: Learn {
                beta: Some(GammaPrior { shape: 2.0, rate: 20.0 }),
                gamma: Some(GammaPrior { shape: 2.0, rate: 4.0 }),
                ..Self::default().learn
            },
            sampler: Algorithm::Ppu { phi: PhiLaw::Dirichlet },
            ..Self::default()
        }
        .starting_with(Init::Documents(20))
    }

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

    /// Whether Φ is drawn from the Poisson Pólya urn.
    fn has_urn(&self) -> bool {
        self.sampler == Algorithm::Ppu { phi: PhiLaw::Ppu }
    }
}

/// Checked parameters. Those of a chain have the concentrations and the K* that it has at the time.
#[derive(Clone, Debug, PartialEq)]
pub struct Params(Settings);

impl Params {
    /// As they were given, but for the concentrations and the K* of a chain.
    pub fn settings(&self) -> &Settings {
        &self.0
    }

    /// α.
    pub fn alpha(&self) -> f64 {
        self.0.alpha
    }

    /// β.
    pub fn beta(&self) -> f64 {
        self.0.beta
    }

    /// γ.
    pub fn gamma(&self) -> f64 {
        self.0.gamma
    }

    /// Which of them are learned.
    pub fn learn(&self) -> &Learn {
        &self.0.learn
    }

    /// The law of Ψ.
    pub fn psi(&self) -> PsiLaw {
        self.0.psi
    }

    /// δ.
    pub fn discount(&self) -> f64 {
        self.0.discount
    }

    /// K*.
    pub fn max_topics(&self) -> u32 {
        self.0.max_topics
    }

    /// Whether K* grows.
    pub fn grows(&self) -> bool {
        self.0.grow
    }

    /// How tokens get their first topics.
    pub fn init(&self) -> &Init {
        &self.0.init
    }

    /// A larger α at the beginning.
    pub fn anneal(&self) -> Option<Anneal> {
        self.0.anneal
    }

    /// The seed of every random draw.
    pub fn seed(&self) -> u64 {
        self.0.seed
    }

    /// The sampler.
    pub fn sampler(&self) -> Algorithm {
        self.0.sampler
    }

    /// K* as an index bound.
    pub fn k_star(&self) -> usize {
        self.0.max_topics as usize
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

    /// Those of a finish: direct assignment with the same priors, the concentrations and the room for topics that there are now, and a
    /// seed of its own.
    pub(crate) fn of_finish(&self, seed: u64) -> Self {
        Self(Settings { seed, sampler: Algorithm::Direct, grow: false, anneal: None, ..self.0.clone() })
    }

    /// The K* to go on with, if it grows and the flag topic has been drawn or has more than a trace of Ψ.
    pub(crate) fn larger_k_star(&self, flag_topic_draws: u64, flag_topic_psi: f64) -> Option<u32> {
        let larger = (2 * self.0.max_topics).min(MAX_TOPICS);
        let too_small = flag_topic_draws > 0 || flag_topic_psi > MOST_FLAG_TOPIC_PSI;
        let possible = larger > self.0.max_topics
            && !(self.0.has_urn() && self.0.beta * f64::from(larger) > MAX_PRIOR_POINTS);
        (self.0.grow && too_small && possible).then_some(larger)
    }

    /// The largest β that can be sampled.
    pub(crate) fn most_beta(&self) -> f64 {
        if self.0.has_urn() { MAX_PRIOR_POINTS / f64::from(self.0.max_topics) } else { MAX_CONCENTRATION }
    }

    /// α as z is drawn with it: more than α in the first iterations, if it is annealed.
    pub(crate) fn alpha_of_z(&self, iteration: u32) -> f64 {
        let factor = self.0.anneal.map_or(1.0, |anneal| anneal.factor_at(iteration));
        (self.0.alpha * factor).min(MAX_CONCENTRATION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annealing_ends_at_alpha() {
        let anneal = Some(Anneal { factor: 100.0, iterations: 2 });
        let params = Settings { anneal, alpha: 0.5, ..Settings::paper() }.check().unwrap();
        assert_eq!([1, 2, 3, 1000].map(|iteration| params.alpha_of_z(iteration)), [50.0, 5.0, 0.5, 0.5]);
    }
}
