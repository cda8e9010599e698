//! Steps that are wrong on purpose, each made from the program's own.

use hdp_gpu::dist::beta::ln_beta_variate;
use hdp_gpu::dist::gamma::ln_gamma_variate;
use hdp_gpu::model::learn::{self, Given};
use hdp_gpu::model::psi::Psi;
use hdp_gpu::params::{Concentrations, GammaPrior};
use hdp_gpu::rng::{Step, Stream};
use hdp_gpu::{Params, Settings};

/// One step that is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutation {
    /// z is drawn with 2α.
    AlphaDoubled,
    /// l lacks its term j = 1, so that a document's first token of a topic is no global draw.
    NoFirstTable,
    /// The first stick is left out of the products that make the other Ψ_k.
    MissingStick,
    /// α is learned without the s_d, as if all were 0.
    AlphaWithoutS,
    /// β is learned with its prior's density at β for that at ln β, of a shape that is one less.
    BetaWithoutJacobian,
    /// β is learned with 2V in the place of V.
    BetaOfTwiceTheWords,
    /// γ is learned with one topic or stick too many.
    GammaOfOneMore,
    /// Ψ is drawn with 1 + γ in the place of γ.
    PsiOfOneMore,
    /// Ψ is drawn with (k − 1)δ in the place of kδ.
    DiscountFromZero,
    /// Ψ has l_k in the place of l_k − δ, where it has no order.
    TablesWithoutDiscount,
    /// A uniform Ψ leaves out the last topic, as if that were a flag topic.
    UniformWithoutLast,
}

impl Mutation {
    /// Those of the steps that every sampler has.
    pub(crate) const ALL: [Self; 3] = [Self::AlphaDoubled, Self::NoFirstTable, Self::MissingStick];

    /// Those of a sampler that learns α, β and γ.
    pub(crate) const OF_LEARNING: [Self; 4] =
        [Self::AlphaWithoutS, Self::BetaWithoutJacobian, Self::BetaOfTwiceTheWords, Self::GammaOfOneMore];
}

/// The same parameters but for a change.
pub(crate) fn altered(params: &Params, change: impl FnOnce(&mut Settings)) -> Params {
    let mut settings = params.settings().clone();
    change(&mut settings);
    settings.check().expect("good settings")
}

/// The concentrations that are learned.
pub(crate) fn learn(
    mutation: Option<Mutation>,
    given: &Given<'_>,
    params: &Params,
    iteration: u32,
) -> Concentrations {
    let reshape = |prior: &mut Option<GammaPrior>, by: f64| {
        prior.iter_mut().for_each(|prior| prior.shape += by);
    };
    let with = |change: &dyn Fn(&mut Settings)| learn::sample(given, &altered(params, change), iteration);
    match mutation {
        Some(Mutation::AlphaWithoutS) => {
            let alpha = alpha_without_s(given, params, iteration);
            Concentrations { alpha, ..learn::sample(given, params, iteration) }
        }
        Some(Mutation::BetaWithoutJacobian) => with(&|settings| reshape(&mut settings.learn.beta, -1.0)),
        Some(Mutation::BetaOfTwiceTheWords) => {
            learn::sample(&Given { vocab_size: 2 * given.vocab_size, ..*given }, params, iteration)
        }
        Some(Mutation::GammaOfOneMore) => with(&|settings| reshape(&mut settings.learn.gamma, 1.0)),
        _ => learn::sample(given, params, iteration),
    }
}

/// α ~ Gamma(a + Σl, b − Σ_d ln w_d) with w_d ~ Beta(α + 1, N_d).
fn alpha_without_s(given: &Given<'_>, params: &Params, iteration: u32) -> f64 {
    let Some(GammaPrior { shape, rate }) = params.learn().alpha else { return params.alpha() };
    let mut stream = Stream::new(params.seed(), Step::Alpha, iteration, 0);
    let lengths = given.lengths.iter().flat_map(|(length, docs)| (0..docs).map(move |_| length as f64));
    let ln_w: f64 =
        lengths.map(|length| ln_beta_variate(params.alpha() + 1.0, length, &mut stream).ln_x).sum();
    let tables = given.l.iter().sum::<u64>() as f64;
    ln_gamma_variate(shape + tables, &mut stream).exp() / (rate - ln_w)
}

/// Ψ.
pub(crate) fn psi(mutation: Option<Mutation>, l: &[u64], params: &Params, iteration: u32) -> Psi {
    let right = || Psi::sample(l, params, iteration);
    let with = |change: fn(&mut Settings)| Psi::sample(l, &altered(params, change), iteration);
    match mutation {
        Some(Mutation::MissingStick) => without_first_stick(&right()),
        Some(Mutation::PsiOfOneMore) => with(|settings| settings.gamma += 1.0),
        Some(Mutation::DiscountFromZero) => with(|settings| settings.gamma -= settings.discount),
        Some(Mutation::TablesWithoutDiscount) => {
            let mut stream = Stream::new(params.seed(), Step::SynthTopic, iteration, 1);
            without_discount(&right(), l, params, &mut stream)
        }
        Some(Mutation::UniformWithoutLast) => {
            let last = params.k_star() - 1;
            of_weights((0..=last).map(|k| if k < last { 1.0 } else { 1e-300 }))
        }
        _ => right(),
    }
}

/// Ψ whose products lack 1 − ς_1, normalised so that it still is a distribution.
fn without_first_stick(psi: &Psi) -> Psi {
    let first = psi.psi[0];
    of_weights(psi.psi.iter().enumerate().map(|(k, psi)| if k == 0 { first } else { psi / (1.0 - first) }))
}

/// (Ψ_1, …, rest) ~ Dir(l_1, …, γ + Kδ), from Dir(l_1 − δ, …, γ + Kδ): its gamma variates, which are it times one of all
/// shapes together, have another of shape δ added to each.
fn without_discount(psi: &Psi, l: &[u64], params: &Params, stream: &mut Stream) -> Psi {
    let total = ln_gamma_variate(params.gamma() + l.iter().sum::<u64>() as f64, stream).exp();
    of_weights(psi.psi.iter().zip(l).map(|(psi, &l)| {
        let more = if l > 0 { ln_gamma_variate(params.discount(), stream).exp() } else { 0.0 };
        total * psi + more
    }))
}

/// Ψ in proportion to weights.
fn of_weights(weights: impl Iterator<Item = f64>) -> Psi {
    let weights: Vec<f64> = weights.collect();
    let total: f64 = weights.iter().sum();
    let psi: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
    Psi { ln_psi: psi.iter().map(|psi| psi.ln()).collect(), psi }
}
