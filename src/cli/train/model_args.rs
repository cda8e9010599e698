//! The flags of `train` that decide what is sampled: priors, laws, room for topics, start and seed.

use clap::{Args, ValueEnum};
use hdp_gpu::params::{
    Annealing, Concentration, Init, InitRequest, MaxTopics, PhiLaw, Preset, PsiLaw, SamplerKind,
    SettingsRequest,
};

const CONCENTRATION: &str = "NUMBER|learn|learn:SHAPE,RATE";

#[derive(Debug, Args)]
pub(super) struct ModelArgs {
    /// Seed of all random draws: the same seed gives the same result [default: 1]
    #[arg(long)]
    seed: Option<u64>,

    /// Settings to start from; flags given beside it still count [default: auto]
    #[arg(long, value_enum)]
    preset: Option<PresetArg>,

    /// Concentration of a document's topics, α in the paper: a number; learn, under an exponential prior of mean 1; or
    /// learn:SHAPE,RATE, under a gamma prior [default: learn; paper: 0.1]
    #[arg(long, value_name = CONCENTRATION, allow_negative_numbers = true)]
    alpha: Option<Concentration>,

    /// Concentration of a topic's words, β in the paper, a word; learned only under a prior of its own, or with --phi dirichlet
    /// [default: 0.01; small: learn:2,20]
    #[arg(long, value_name = CONCENTRATION, allow_negative_numbers = true)]
    beta: Option<Concentration>,

    /// Concentration of the global topic distribution Ψ, γ in the paper [default: learn; small: learn:2,4; paper: 1]
    #[arg(long, value_name = CONCENTRATION, allow_negative_numbers = true)]
    gamma: Option<Concentration>,

    /// How the global topic distribution Ψ is drawn, step 5 in the paper [default: dp; paper: sticks]
    #[arg(long, value_enum)]
    psi: Option<PsiArg>,

    /// Discount of Pitman-Yor sticks, from 0 to below 1: more small topics; γ is then not learned [default: 0]
    #[arg(long, allow_negative_numbers = true)]
    discount: Option<f64>,

    /// Topics that can be represented, K* in the paper; the last one stands for all others. With auto they double
    /// whenever they become too few [default: auto; paper: 1000]
    #[arg(long, value_name = "NUMBER|auto")]
    max_topics: Option<MaxTopics>,

    /// So many topics and no others: LDA with K topics in place of the HDP, which learns their number. Short for --psi uniform
    /// --max-topics K --init documents:K
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    topics: Option<u32>,

    /// How tokens get their first topics: all in one; each in one of K at random; each document whole in one of K; one after
    /// the other by what those before predict; or as the model of another run has them. With auto it is documents:K, with the K that
    /// the corpus bears [default: auto; paper: one]
    #[arg(long, value_name = "auto|one|random:K|documents:K|sequential|run:DIR")]
    init: Option<InitRequest>,

    /// Short for --init random:K
    #[arg(long, value_name = "K", conflicts_with = "init")]
    init_topics: Option<u32>,

    /// A larger α at the beginning: 10:200 draws topics with 10 times α at first, and with α itself from iteration 200 on
    /// [default: none]
    #[arg(long, value_name = "FACTOR:ITERATIONS|none")]
    anneal: Option<Annealing>,

    /// How topics are sampled [default: ppu]
    #[arg(long, value_enum)]
    sampler: Option<SamplerArg>,

    /// How topics' words Φ are drawn, step 1 in the paper [default: ppu; small: dirichlet]
    #[arg(long, value_enum)]
    phi: Option<PhiArg>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PresetArg {
    /// `small` for corpora of fewer than 50,000 tokens and at most 20,000 words, unless a flag names what it would choose; else
    /// `default`
    Auto,
    /// What measurements say is best: learned α and γ, each document in one of several topics at the start, room
    /// for as many as are found
    Default,
    /// The same for small corpora: an exact Φ, and a β that is learned, so that few topics are found there
    Small,
    /// The settings of the paper's experiments
    Paper,
}

/// `--sampler`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SamplerArg {
    /// The paper's sampler: sparse, parallel, on any device
    Ppu,
    /// Direct assignment (Teh et al. 2006): fully collapsed, on one thread of the CPU
    Direct,
}

/// `--phi`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PhiArg {
    /// The Poisson Pólya urn: sparse, an approximation that gets better with the size of the corpus
    Ppu,
    /// The exact Dirichlet law: dense and slower
    Dirichlet,
}

/// `--psi`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PsiArg {
    /// Sticks in the order of topics' numbers
    Sticks,
    /// The posterior of a Dirichlet process, which knows no order of topics
    Dp,
    /// The same share for every topic: LDA with K* topics
    Uniform,
}

impl ModelArgs {
    /// The number of topics that was asked for.
    pub(super) fn topics(&self) -> Option<u32> {
        self.topics
    }

    /// What was typed, for the library to say what it means.
    pub(super) fn request(&self) -> SettingsRequest {
        SettingsRequest {
            preset: self.preset.map(|preset| match preset {
                PresetArg::Auto => Preset::Auto,
                PresetArg::Default => Preset::Default,
                PresetArg::Small => Preset::Small,
                PresetArg::Paper => Preset::Paper,
            }),
            seed: self.seed,
            alpha: self.alpha,
            beta: self.beta,
            gamma: self.gamma,
            psi: self.psi.map(|psi| match psi {
                PsiArg::Sticks => PsiLaw::Sticks,
                PsiArg::Dp => PsiLaw::Dp,
                PsiArg::Uniform => PsiLaw::Uniform,
            }),
            discount: self.discount,
            max_topics: self.max_topics,
            topics: self.topics,
            init: self.init_topics.map(Init::Random).map(InitRequest::Of).or_else(|| self.init.clone()),
            anneal: self.anneal,
            sampler: self.sampler.map(|sampler| match sampler {
                SamplerArg::Ppu => SamplerKind::Ppu,
                SamplerArg::Direct => SamplerKind::Direct,
            }),
            phi: self.phi.map(|phi| match phi {
                PhiArg::Ppu => PhiLaw::Ppu,
                PhiArg::Dirichlet => PhiLaw::Dirichlet,
            }),
        }
    }
}
