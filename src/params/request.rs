//! What is asked for beside a preset, or beside a run that goes on: what is left out stays as that has it.

use std::str::FromStr;

use super::{Algorithm, Anneal, GammaPrior, Init, InitRequest, PhiLaw, PsiLaw, Settings, Size};
use crate::error::{Error, Result};

/// Where settings start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// `Small` for small corpora, else `Default`.
    #[default]
    Auto,
    /// What measurements say is best for all but small corpora.
    Default,
    /// The same for small corpora.
    Small,
    /// The settings of the paper's experiments.
    Paper,
}

impl Preset {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Default => "default",
            Self::Small => "small",
            Self::Paper => "paper",
        }
    }

    /// Its settings for a corpus of this size, if that is known; which preset `auto` is, a [`SettingsRequest`] finds out.
    pub fn settings(self, size: Option<Size>) -> Settings {
        let settings = match self {
            Self::Auto | Self::Default => Settings::default(),
            Self::Small => Settings::small(),
            Self::Paper => return Settings::paper(),
        };
        match size {
            Some(size) => settings.starting_with(size.start()),
            None => settings,
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
/// let settings = request.settings(None, None);
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
    /// So many topics and no others, which is LDA: short for a uniform Ψ, that K*, and a start with as many.
    pub topics: Option<u32>,
    /// How tokens get their first topics.
    pub init: Option<InitRequest>,
    /// A larger α at the beginning.
    pub anneal: Option<Annealing>,
    /// The sampler.
    pub sampler: Option<SamplerKind>,
    /// The law of Φ.
    pub phi: Option<PhiLaw>,
}

impl SettingsRequest {
    /// Checks that nothing is asked for that a given number of topics leaves no room for.
    ///
    /// # Errors
    /// [`Error::Setting`] says what LDA lacks.
    pub fn check(&self) -> Result<()> {
        let Some(topics) = self.topics else { return Ok(()) };
        let refused = [
            ("max_topics", self.max_topics.is_some(), "so many can be represented, and no more"),
            ("psi", self.psi.is_some(), "every topic has the same share of Ψ"),
            ("gamma", self.gamma.is_some(), "a uniform Ψ has no γ"),
            ("discount", self.discount.is_some(), "a uniform Ψ has no sticks"),
            ("preset", self.preset.is_some(), "a preset is for topics whose number is learned"),
        ];
        let Some((setting, _, why)) = refused.into_iter().find(|&(_, is_given, _)| is_given) else {
            return Ok(());
        };
        let problem = format!("{topics} topics and no others are LDA, where {why}");
        Err(Error::setting(
            "topics",
            problem,
            format!("leave out `{setting}`, or `topics` to learn their number"),
        ))
    }

    /// The same with what a given number of topics is short for.
    fn in_full(&self, run: Option<&Settings>) -> Self {
        let Some(topics) = self.topics else { return self.clone() };
        let start = || InitRequest::Of(run.map_or(Init::Documents(topics), |run| run.init.clone()));
        Self {
            psi: Some(PsiLaw::Uniform),
            max_topics: Some(MaxTopics::Fixed(topics)),
            init: Some(self.init.clone().unwrap_or_else(start)),
            topics: None,
            ..self.clone()
        }
    }

    /// The preset, or what the run that goes on has, with what is asked for beside it, for a corpus of this size.
    pub fn settings(&self, run: Option<&Settings>, size: Option<Size>) -> Settings {
        if self.topics.is_some() {
            return self.in_full(run).settings(run, size);
        }
        let run = run.filter(|_| self.preset.is_none());
        let mut settings = run.cloned().unwrap_or_else(|| self.preset_of(size).settings(size));
        self.set_sampler(&mut settings);
        self.set_priors(&mut settings);
        // Settings that are taken over whole have the K* that the run began with.
        self.set_topics(&mut settings, run.is_some(), size);
        settings.anneal = self.anneal.map_or(settings.anneal, |Annealing(anneal)| anneal);
        settings.seed = self.seed.unwrap_or(settings.seed);
        settings
    }

    /// The preset for a corpus of this size: `auto` leaves a choice to whoever has named what it would choose.
    pub(crate) fn preset_of(&self, size: Option<Size>) -> Preset {
        let Self { beta, psi, discount, max_topics, topics, sampler, phi, .. } = self;
        let names_a_law =
            topics.is_some() || psi.is_some() || discount.is_some() || sampler.is_some() || phi.is_some();
        let is_left_open = !names_a_law && beta.is_none() && max_topics.is_none();
        match self.preset.unwrap_or_default() {
            Preset::Auto if is_left_open && size.is_some_and(Size::is_small) => Preset::Small,
            Preset::Auto => Preset::Default,
            preset => preset,
        }
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

    fn set_topics(&self, settings: &mut Settings, has_k_star: bool, size: Option<Size>) {
        if let (Some(InitRequest::Auto), Some(size)) = (&self.init, size) {
            settings.init = size.start();
        }
        match self.max_topics {
            Some(MaxTopics::Fixed(max_topics)) => {
                (settings.max_topics, settings.grow) = (max_topics, false);
                // Where nobody has said how many topics to start with, as many as there is room for.
                settings.init = settings.init.clone().at_most(max_topics.saturating_sub(1).max(1));
            }
            Some(MaxTopics::Auto) => settings.grow = true,
            None => {}
        }
        if let Some(InitRequest::Of(init)) = &self.init {
            settings.init = init.clone();
        }
        let is_asked_for = self.max_topics.is_some() || self.init.is_some();
        if settings.grow && (is_asked_for || !has_k_star) {
            settings.max_topics = settings.first_k_star();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Option<Size> = Some(Size { docs: 64, tokens: 3000, words: 500 });
    const LARGE: Option<Size> = Some(Size { docs: 2000, tokens: 350_000, words: 7000 });

    #[test]
    fn auto_is_small_for_small_corpora_unless_a_law_is_named() {
        let auto = SettingsRequest::default();
        let sizes = [SMALL, LARGE, None];
        assert_eq!(sizes.map(|size| auto.preset_of(size)), [Preset::Small, Preset::Default, Preset::Default]);
        for named in [
            SettingsRequest { phi: Some(PhiLaw::Ppu), ..auto.clone() },
            SettingsRequest { psi: Some(PsiLaw::Dp), ..auto.clone() },
            SettingsRequest { topics: Some(5), ..auto.clone() },
            SettingsRequest { sampler: Some(SamplerKind::Direct), ..auto.clone() },
            SettingsRequest { discount: Some(0.1), ..auto.clone() },
            SettingsRequest { beta: Some(Concentration::Fixed(0.01)), ..auto.clone() },
            SettingsRequest { max_topics: Some(MaxTopics::Fixed(9)), ..auto.clone() },
            SettingsRequest { preset: Some(Preset::Default), ..auto.clone() },
        ] {
            assert_eq!(named.preset_of(SMALL), Preset::Default, "{named:?}");
        }
        let other = SettingsRequest { seed: Some(7), alpha: Some(Concentration::Fixed(2.0)), ..auto };
        assert_eq!(other.preset_of(SMALL), Preset::Small);
    }

    #[test]
    fn an_automatic_start_goes_by_the_corpus() {
        let of = |request: SettingsRequest| request.settings(None, LARGE).init;
        let auto = SettingsRequest { init: Some(InitRequest::Auto), ..SettingsRequest::default() };
        let start = LARGE.expect("a size").start();
        assert_eq!(of(SettingsRequest::default()), start);
        assert_eq!(of(auto.clone()), start);
        assert_eq!(of(SettingsRequest { preset: Some(Preset::Paper), ..auto.clone() }), start);
        assert_eq!(
            of(SettingsRequest { preset: Some(Preset::Paper), ..SettingsRequest::default() }),
            Init::ONE
        );
        let few = SettingsRequest { max_topics: Some(MaxTopics::Fixed(10)), ..auto };
        assert_eq!(of(few), Init::Documents(9));
        let run = Settings { init: Init::Documents(3), ..Settings::default() };
        assert_eq!(SettingsRequest::default().settings(Some(&run), LARGE).init, Init::Documents(3));
    }
}
