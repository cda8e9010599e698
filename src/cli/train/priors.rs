//! Flags whose values are more than numbers: concentrations, K*, the start and annealing.

use std::str::FromStr;

use clap::ValueEnum;
use hdp_gpu::params::{Anneal, GammaPrior, PsiLaw};

/// `--alpha`, `--beta` or `--gamma`.
#[derive(Clone, Copy, Debug)]
pub(super) enum ConcentrationArg {
    Fixed(f64),
    Learned(GammaPrior),
}

impl ConcentrationArg {
    /// Sets a concentration and its prior; one that is learned starts where it is.
    pub(super) fn set(self, value: &mut f64, learn: &mut Option<GammaPrior>) {
        match self {
            Self::Fixed(fixed) => (*value, *learn) = (fixed, None),
            Self::Learned(prior) => *learn = Some(prior),
        }
    }
}

impl FromStr for ConcentrationArg {
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

/// `--max-topics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MaxTopicsArg {
    Fixed(u32),
    Auto,
}

impl FromStr for MaxTopicsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => text.parse().map(Self::Fixed).map_err(|_| "give a number of topics, or auto".to_owned()),
        }
    }
}

/// `--anneal`.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnnealArg(pub(super) Option<Anneal>);

impl FromStr for AnnealArg {
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

/// `--psi`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum PsiArg {
    /// Sticks in the order of topics' numbers
    Sticks,
    /// The posterior of a Dirichlet process, which knows no order of topics
    Dp,
    /// The same share for every topic: LDA with K* topics
    Uniform,
}

impl From<PsiArg> for PsiLaw {
    fn from(psi: PsiArg) -> Self {
        match psi {
            PsiArg::Sticks => Self::Sticks,
            PsiArg::Dp => Self::Dp,
            PsiArg::Uniform => Self::Uniform,
        }
    }
}
