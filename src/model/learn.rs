//! The concentrations given the rest of the state: α | l, β | z and γ | l, each under a gamma prior.
//!
//! α and, where Ψ has no order, γ have the likelihood of Chinese restaurants, c^T·Π_j Γ(c) / Γ(c + N_j) with T tables for the
//! customers N_j of all restaurants: documents with their l for α, all of l with its topics for γ. Escobar and West's (1995)
//! auxiliary variables w_j ~ Beta(c + 1, N_j) and s_j ~ Bernoulli(N_j / (N_j + c)) make that a gamma law. γ given sticks is gamma by itself.

use super::counts::TopicWordCounts;
use super::lengths::Lengths;
use super::likelihood::WordLikelihood;
use super::psi::Psi;
use crate::dist::beta::ln_beta_variate;
use crate::dist::binomial::binomial;
use crate::dist::gamma::ln_gamma_variate;
use crate::dist::slice::slice_sample;
use crate::params::{Concentrations, GammaPrior, MIN_CONCENTRATION, Params, PsiLaw};
use crate::rng::{Step, Stream};

/// What concentrations depend on, beside themselves.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// n of z.
    pub n: &'a TopicWordCounts,
    /// The global draws of z.
    pub l: &'a [u64],
    /// Ψ as it was when z and l were drawn.
    pub psi: &'a Psi,
    /// Of documents.
    pub lengths: &'a Lengths,
    /// V.
    pub vocab_size: usize,
}

/// Draws the concentrations that are learned; the others stay as they are.
///
/// Ψ must be drawn next: γ depends only on what Ψ has of the topics in use.
pub fn sample(given: &Given<'_>, params: &Params, iteration: u32) -> Concentrations {
    let stream = |step| Stream::new(params.seed(), step, iteration, 0);
    let Concentrations { mut alpha, mut beta, mut gamma } = params.concentrations();
    if let Some(prior) = params.learn().alpha {
        alpha = escobar_west(alpha, given.lengths, given.l.iter().sum(), prior, &mut stream(Step::Alpha));
    }
    if let Some(prior) = params.learn().beta {
        beta = sample_beta(given, params, prior, &mut stream(Step::Beta));
    }
    if let Some(prior) = params.learn().gamma {
        let stream = &mut stream(Step::Gamma);
        gamma = match params.psi() {
            PsiLaw::Sticks => given_sticks(given, prior, stream),
            PsiLaw::Dp | PsiLaw::Uniform => {
                let all = Lengths::count(std::iter::once(given.l.iter().sum()));
                let topics = given.l.iter().filter(|&&l| l > 0).count() as u64;
                escobar_west(gamma, &all, topics, prior, stream)
            }
        };
    }
    Concentrations { alpha, beta, gamma }
}

/// A concentration of restaurants with these numbers of customers and `tables` in all: Gamma(a + T − Σs, b − Σ ln w).
pub fn escobar_west(
    concentration: f64,
    customers: &Lengths,
    tables: u64,
    prior: GammaPrior,
    stream: &mut Stream,
) -> f64 {
    let rate = prior.rate + minus_ln_w(concentration, customers, stream);
    let s: u64 = customers
        .iter()
        .map(|(length, docs)| binomial(docs, length as f64 / (length as f64 + concentration), stream))
        .sum();
    libm::exp(ln_gamma_variate(prior.shape + (tables - s) as f64, stream) - libm::log(rate))
}

/// −Σ_j ln w_j with w_j ~ Beta(c + 1, N_j). Such a variate is a product over i < N_j of Beta(c + 1 + i, 1), whose logarithms are
/// exponential, so all restaurants with more than i customers together add Gamma(#{j : N_j > i}, rate c + 1 + i). The last few,
/// when they are fewer than the steps that are left, are drawn one by one.
fn minus_ln_w(concentration: f64, customers: &Lengths, stream: &mut Stream) -> f64 {
    let (mut sum, mut i, mut left) = (0.0, 0, customers.docs());
    for (length, docs) in customers.iter() {
        if 2 * left < customers.longest() - i {
            let a = concentration + 1.0 + i as f64;
            sum -= (0..docs).map(|_| ln_beta_variate(a, (length - i) as f64, stream).ln_x).sum::<f64>();
        } else {
            for i in i..length {
                sum += libm::exp(ln_gamma_variate(left as f64, stream)) / (concentration + 1.0 + i as f64);
            }
            i = length;
        }
        left -= docs;
    }
    sum
}

/// γ given the sticks up to the last topic in use, ς_k ~ Beta(1, γ): Gamma(a + K, b − Σ ln(1 − ς_k)). Those after it say nothing that γ
/// did not tell them.
fn given_sticks(given: &Given<'_>, prior: GammaPrior, stream: &mut Stream) -> f64 {
    let last = given.l.iter().rposition(|&l| l > 0).map_or(0, |k| k + 1);
    let sticks = last.min(given.l.len() - 1);
    let rate = prior.rate - given.psi.ln_left(sticks);
    libm::exp(ln_gamma_variate(prior.shape + sticks as f64, stream) - libm::log(rate))
}

/// β with Φ integrated out, by a slice of ln β.
fn sample_beta(given: &Given<'_>, params: &Params, prior: GammaPrior, stream: &mut Stream) -> f64 {
    let words = WordLikelihood::new(given.n, given.vocab_size);
    let (least, most) = (libm::log(MIN_CONCENTRATION), libm::log(params.most_beta()));
    let ln_density = |ln_beta: f64| {
        let beta = libm::exp(ln_beta);
        prior.shape * ln_beta - prior.rate * beta + words.given(beta)
    };
    libm::exp(slice_sample(libm::log(params.beta()), least..=most, ln_density, stream))
}
