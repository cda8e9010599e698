//! The flags of `train` that decide what is sampled: priors, laws, room for topics, start and seed.

use clap::{Args, ValueEnum};
use hdp_gpu::Settings;
use hdp_gpu::params::{Algorithm, Init, PhiLaw, PsiLaw};

use super::priors::{AnnealArg, ConcentrationArg, MaxTopicsArg, PsiArg};

const CONCENTRATION: &str = "NUMBER|learn|learn:SHAPE,RATE";

#[derive(Debug, Args)]
pub(super) struct ModelArgs {
    /// Seed of all random draws: the same seed gives the same result [default: 1]
    #[arg(long)]
    seed: Option<u64>,

    /// Settings to start from; flags given beside it still count [default: default]
    #[arg(long, value_enum)]
    preset: Option<Preset>,

    /// Concentration of a document's topics, α in the paper: a number; learn, under an exponential prior of mean 1; or
    /// learn:SHAPE,RATE, under a gamma prior [default: learn; paper: 0.1]
    #[arg(long, value_name = CONCENTRATION, allow_negative_numbers = true)]
    alpha: Option<ConcentrationArg>,

    /// Concentration of a topic's words, β in the paper, a word; learned only under a prior of its own, or with --phi dirichlet
    /// [default: 0.01]
    #[arg(long, value_name = CONCENTRATION, allow_negative_numbers = true)]
    beta: Option<ConcentrationArg>,

    /// Concentration of the global topic distribution Ψ, γ in the paper [default: learn; paper: 1]
    #[arg(long, value_name = CONCENTRATION, allow_negative_numbers = true)]
    gamma: Option<ConcentrationArg>,

    /// How the global topic distribution Ψ is drawn, step 5 in the paper [default: dp; paper: sticks]
    #[arg(long, value_enum)]
    psi: Option<PsiArg>,

    /// Discount of Pitman-Yor sticks, from 0 to below 1: more small topics; γ is then not learned [default: 0]
    #[arg(long, allow_negative_numbers = true)]
    discount: Option<f64>,

    /// Topics that can be represented, K* in the paper; the last one stands for all others. With auto they double
    /// whenever they become too few [default: auto; paper: 1000]
    #[arg(long, value_name = "NUMBER|auto")]
    max_topics: Option<MaxTopicsArg>,

    /// How tokens get their first topics: all in one; each in one of K at random; each document whole in one of K; one after
    /// the other by what those before predict; or as the model of another run has them [default: documents:100; paper: one]
    #[arg(long, value_name = "one|random:K|documents:K|sequential|run:DIR")]
    init: Option<Init>,

    /// Short for --init random:K
    #[arg(long, value_name = "K", conflicts_with = "init")]
    init_topics: Option<u32>,

    /// A larger α at the beginning: 10:200 draws topics with 10 times α at first, and with α itself from iteration 200 on
    /// [default: none]
    #[arg(long, value_name = "FACTOR:ITERATIONS|none")]
    anneal: Option<AnnealArg>,

    /// How topics are sampled [default: ppu]
    #[arg(long, value_enum)]
    sampler: Option<AlgorithmArg>,

    /// How topics' words Φ are drawn, step 1 in the paper [default: ppu]
    #[arg(long, value_enum)]
    pub(super) phi: Option<PhiArg>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Preset {
    /// What measurements say is best: learned α and γ, each document in one of 100 topics at the start, room
    /// for as many as are found
    Default,
    /// The settings of the paper's experiments
    Paper,
}

/// `--sampler`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AlgorithmArg {
    /// The paper's sampler: sparse, parallel, on any device
    Ppu,
    /// Direct assignment (Teh et al. 2006): fully collapsed, on one thread of the CPU
    Direct,
}

/// `--phi`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum PhiArg {
    /// The Poisson Pólya urn: sparse, an approximation that gets better with the size of the corpus
    Ppu,
    /// The exact Dirichlet law: dense and slower
    Dirichlet,
}

impl ModelArgs {
    /// The preset that the settings start from: what was typed, or that of the run that goes on.
    pub(super) fn preset_name(&self, run: Option<&str>) -> String {
        let name = |preset: Preset| {
            preset.to_possible_value().expect("every preset has a name").get_name().to_owned()
        };
        match (self.preset, run) {
            (None, Some(run)) => run.to_owned(),
            (preset, _) => name(preset.unwrap_or(Preset::Default)),
        }
    }

    /// The preset, or what the run that goes on has, with the flags given beside it.
    pub(super) fn settings(&self, run: Option<&Settings>) -> Settings {
        let mut settings = match (self.preset, run) {
            (None, Some(settings)) => settings.clone(),
            (None | Some(Preset::Default), _) => Settings::default(),
            (Some(Preset::Paper), _) => Settings::paper(),
        };
        self.set_sampler(&mut settings);
        self.set_priors(&mut settings);
        // Settings that are taken over whole have the K* that the run began with.
        self.set_topics(&mut settings, self.preset.is_none() && run.is_some());
        settings.anneal = self.anneal.map_or(settings.anneal, |AnnealArg(anneal)| anneal);
        settings.seed = self.seed.unwrap_or(settings.seed);
        settings
    }

    fn set_sampler(&self, settings: &mut Settings) {
        let before = settings.sampler;
        settings.sampler = match (self.sampler, self.phi) {
            (None, None) => before,
            (Some(AlgorithmArg::Direct), _) => Algorithm::Direct,
            (Some(AlgorithmArg::Ppu), None) if before != Algorithm::Direct => before,
            (_, None | Some(PhiArg::Ppu)) => Algorithm::Ppu { phi: PhiLaw::Ppu },
            (_, Some(PhiArg::Dirichlet)) => Algorithm::Ppu { phi: PhiLaw::Dirichlet },
        };
        // As Teh et al. have it, unless another law is asked for.
        if settings.sampler == Algorithm::Direct && before != Algorithm::Direct {
            settings.psi = PsiLaw::Dp;
        }
    }

    fn set_priors(&self, settings: &mut Settings) {
        settings.psi = self.psi.map_or(settings.psi, PsiLaw::from);
        settings.discount = self.discount.unwrap_or(settings.discount);
        // With these γ is not learned, or there is none; who asks for it is refused.
        if settings.psi == PsiLaw::Uniform || settings.discount > 0.0 {
            settings.learn.gamma = None;
        }
        let learn = &mut settings.learn;
        for (arg, value, learn) in [
            (self.alpha, &mut settings.alpha, &mut learn.alpha),
            (self.beta, &mut settings.beta, &mut learn.beta),
            (self.gamma, &mut settings.gamma, &mut learn.gamma),
        ] {
            if let Some(arg) = arg {
                arg.set(value, learn);
            }
        }
    }

    fn set_topics(&self, settings: &mut Settings, has_k_star: bool) {
        match self.max_topics {
            Some(MaxTopicsArg::Fixed(max_topics)) => {
                (settings.max_topics, settings.grow) = (max_topics, false);
                // Where nobody has said how many topics to start with, as many as there is room for.
                settings.init = settings.init.clone().at_most(max_topics.saturating_sub(1).max(1));
            }
            Some(MaxTopicsArg::Auto) => settings.grow = true,
            None => {}
        }
        let init = self.init_topics.map(Init::Random).or_else(|| self.init.clone());
        if let Some(init) = init {
            settings.init = init;
        }
        let is_given = self.max_topics.is_some() || self.init_topics.is_some() || self.init.is_some();
        if settings.grow && (is_given || !has_k_star) {
            settings.max_topics = settings.init.first_k_star();
        }
    }
}
