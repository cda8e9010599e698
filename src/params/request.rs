//! What is asked for beside a preset, or beside a run that goes on: what is left out stays as that has it.

use std::str::FromStr;

use super::{Algorithm, Anneal, GammaPrior, Init, PhiLaw, PsiLaw, Settings};

/// Where settings start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// What measurements say is best.
    #[default]
    Default,
    /// The settings of the paper's experiments.
    Paper,
}

impl Preset {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Paper => "paper",
        }
    }

    /// Its settings.
    pub fn settings(self) -> Settings {
        match self {
            Self::Default => Settings::default(),
            Self::Paper => Settings::paper(),
        }
    }
}

/// A concentration: `0.1`, `learn`, or `learn:SHAPE,RATE`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Concentration {
    /// It stays as it is.
    Fixed(f64),
    /// It is learned under a prior.
    Learned(GammaPrior),
}

impl Concentration {
    /// Sets a concentration and its prior; one that is learned starts where it is.
    fn set(self, value: &mut f64, learn: &mut Option<GammaPrior>) {
        match self {
            Self::Fixed(fixed) => (*value, *learn) = (fixed, None),
            Self::Learned(prior) => *learn = Some(prior),
        }
    }
}

impl FromStr for Concentration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let prior = |text: &str| {
            let (shape, rate) = text.strip_prefix("learn:")?.split_once(',')?;
            Some(GammaPrior { shape: shape.parse().ok()?, rate: rate.parse().ok()? })
        };
        match text {
            "learn" => Some(Self::Learned(GammaPrior::VAGUE)),
            _ if text.starts_with("learn") => prior(text).map(Self::Learned),
            _ => text.parse().map(Self::Fixed).ok(),
        }
        .ok_or_else(|| "give a number, learn, or learn:SHAPE,RATE".to_owned())
    }
}

/// K*: a number, or `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxTopics {
    /// So many.
    Fixed(u32),
    /// As many as are needed.
    Auto,
}

impl FromStr for MaxTopics {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => text.parse().map(Self::Fixed).map_err(|_| "give a number of topics, or auto".to_owned()),
        }
    }
}

/// Annealing that is asked for: `none`, or `FACTOR:ITERATIONS`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Annealing(pub Option<Anneal>);

impl FromStr for Annealing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let anneal = |text: &str| {
            let (factor, iterations) = text.split_once(':')?;
            Some(Anneal { factor: factor.parse().ok()?, iterations: iterations.parse().ok()? })
        };
        match text {
            "none" => Ok(Self(None)),
            _ => anneal(text)
                .map(|anneal| Self(Some(anneal)))
                .ok_or_else(|| "give none, or for example 10:200".to_owned()),
        }
    }
}

/// How topics are sampled, without the law of Φ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplerKind {
    /// The paper's sampler.
    Ppu,
    /// Direct assignment.
    Direct,
}

/// The settings of a model that somebody has named.
///
/// ```
/// use hdp_gpu::params::{Preset, SettingsRequest};
///
/// let request = SettingsRequest { preset: Some(Preset::Paper), seed: Some(7), ..SettingsRequest::default() };
/// let settings = request.settings(None);
/// assert_eq!((settings.alpha, settings.seed), (0.1, 7));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SettingsRequest {
    /// Where the other settings start from.
    pub preset: Option<Preset>,
    /// The seed of all random draws.
    pub seed: Option<u64>,
    /// α.
    pub alpha: Option<Concentration>,
    /// β.
    pub beta: Option<Concentration>,
    /// γ.
    pub gamma: Option<Concentration>,
    /// The law of Ψ.
    pub psi: Option<PsiLaw>,
    /// The discount of Pitman-Yor sticks.
    pub discount: Option<f64>,
    /// K*.
    pub max_topics: Option<MaxTopics>,
    /// How tokens get their first topics.
    pub init: Option<Init>,
    /// A larger α at the beginning.
    pub anneal: Option<Annealing>,
    /// The sampler.
    pub sampler: Option<SamplerKind>,
    /// The law of Φ.
    pub phi: Option<PhiLaw>,
}

impl SettingsRequest {
    /// The preset, or what the run that goes on has, with what is asked for beside it.
    pub fn settings(&self, run: Option<&Settings>) -> Settings {
        let run = run.filter(|_| self.preset.is_none());
        let mut settings = run.cloned().unwrap_or_else(|| self.preset.unwrap_or_default().settings());
        self.set_sampler(&mut settings);
        self.set_priors(&mut settings);
        // Settings that are taken over whole have the K* that the run began with.
        self.set_topics(&mut settings, run.is_some());
        settings.anneal = self.anneal.map_or(settings.anneal, |Annealing(anneal)| anneal);
        settings.seed = self.seed.unwrap_or(settings.seed);
        settings
    }

    fn set_sampler(&self, settings: &mut Settings) {
        let before = settings.sampler;
        settings.sampler = match (self.sampler, self.phi) {
            (None, None) => before,
            (Some(SamplerKind::Direct), _) => Algorithm::Direct,
            (Some(SamplerKind::Ppu), None) if before != Algorithm::Direct => before,
            (_, phi) => Algorithm::Ppu { phi: phi.unwrap_or(PhiLaw::Ppu) },
        };
        // As Teh et al. have it, unless another law is asked for.
        if settings.sampler == Algorithm::Direct && before != Algorithm::Direct {
            settings.psi = PsiLaw::Dp;
        }
    }

    fn set_priors(&self, settings: &mut Settings) {
        settings.psi = self.psi.unwrap_or(settings.psi);
        settings.discount = self.discount.unwrap_or(settings.discount);
        // With these γ is not learned, or there is none; who asks for it is refused.
        if settings.psi == PsiLaw::Uniform || settings.discount > 0.0 {
            settings.learn.gamma = None;
        }
        let learn = &mut settings.learn;
        for (asked, value, learn) in [
            (self.alpha, &mut settings.alpha, &mut learn.alpha),
            (self.beta, &mut settings.beta, &mut learn.beta),
            (self.gamma, &mut settings.gamma, &mut learn.gamma),
        ] {
            if let Some(asked) = asked {
                asked.set(value, learn);
            }
        }
    }

    fn set_topics(&self, settings: &mut Settings, has_k_star: bool) {
        match self.max_topics {
            Some(MaxTopics::Fixed(max_topics)) => {
                (settings.max_topics, settings.grow) = (max_topics, false);
                // Where nobody has said how many topics to start with, as many as there is room for.
                settings.init = settings.init.clone().at_most(max_topics.saturating_sub(1).max(1));
            }
            Some(MaxTopics::Auto) => settings.grow = true,
            None => {}
        }
        settings.init = self.init.clone().unwrap_or_else(|| settings.init.clone());
        let is_asked_for = self.max_topics.is_some() || self.init.is_some();
        if settings.grow && (is_asked_for || !has_k_star) {
            settings.max_topics = settings.init.first_k_star();
        }
    }
}
