//! Draws of the model, forwards.

use std::sync::Arc;

use hdp_gpu::chain::Start;
use hdp_gpu::dist::beta::ln_beta_variate;
use hdp_gpu::dist::urn::polya_urn;
use hdp_gpu::model::psi::Psi;
use hdp_gpu::params::{Concentrations, GammaPrior, PsiLaw};
use hdp_gpu::rng::{Step, Stream};
use hdp_gpu::{Corpus, Params};
use rand::distr::weighted::WeightedIndex;

use super::{DOC_TOKENS, DOCS, VOCAB_SIZE};

/// (α, β, γ, Ψ, z, l, w) as the model says.
pub(super) fn draw_prior(params: &Params, draw: u32) -> (Start, Arc<Corpus>) {
    let mut stream = Stream::new(params.seed(), Step::SynthDocument, 0, draw);
    let params = &with(params, draw_concentrations(params, &mut stream));
    let psi = draw_psi(params, &mut stream);
    let base = WeightedIndex::new(&psi).unwrap();
    let mut z = Vec::new();
    let mut l = vec![0; params.k_star()];
    for d in 0..DOCS {
        for _ in 0..DOC_TOKENS {
            z.push(polya_urn(&z[d * DOC_TOKENS..], params.alpha(), &base, &mut stream));
        }
        draw_l(&z[d * DOC_TOKENS..], &psi, params, &mut l, &mut stream);
    }
    let corpus = draw_words(&z, params, &mut stream);
    let psi = Psi { ln_psi: psi.iter().map(|psi| psi.ln()).collect(), psi };
    (Start { iteration: 0, z, l, psi, concentrations: params.concentrations() }, corpus)
}

/// The parameters with these concentrations.
pub(super) fn with(params: &Params, concentrations: Concentrations) -> Params {
    let mut params = params.clone();
    params.set_concentrations(concentrations);
    params
}

/// Those that are learned by their priors.
fn draw_concentrations(params: &Params, stream: &mut Stream) -> Concentrations {
    let mut draw = |prior: Option<GammaPrior>, fixed: f64| {
        prior.map_or(fixed, |GammaPrior { shape, rate }| {
            // A sum of exponential variates.
            assert!(shape.fract() == 0.0, "a shape of {shape}");
            (0..shape as u32).map(|_| -stream.uniform().ln()).sum::<f64>() / rate
        })
    };
    Concentrations {
        alpha: draw(params.learn().alpha, params.alpha()),
        beta: draw(params.learn().beta, params.beta()),
        gamma: draw(params.learn().gamma, params.gamma()),
    }
}

/// Ψ_k = ς_k·Π_{i<k} (1 − ς_i) with ς_k ~ Beta(1 − δ, γ + kδ), k from 1, and ς_K* = 1, or Ψ_k = 1/K*.
fn draw_psi(params: &Params, stream: &mut Stream) -> Vec<f64> {
    if params.psi() == PsiLaw::Uniform {
        return vec![1.0 / params.k_star() as f64; params.k_star()];
    }
    let mut left = 1.0;
    let mut psi = Vec::new();
    for k in 1..params.k_star() {
        let rest = left * draw_rest(k, params, stream);
        psi.push(left - rest);
        left = rest;
    }
    psi.push(left);
    psi
}

/// 1 − ς_k. Without a discount its distribution function is x^γ.
fn draw_rest(k: usize, params: &Params, stream: &mut Stream) -> f64 {
    let discount = params.discount();
    if discount == 0.0 {
        return stream.uniform().powf(1.0 / params.gamma());
    }
    ln_beta_variate(1.0 - discount, params.gamma() + k as f64 * discount, stream).ln_1mx.exp()
}

/// Adds to l the global draws of a document: its j-th token of topic k is one with probability αΨ_k/(αΨ_k + j − 1).
fn draw_l(z: &[u16], psi: &[f64], params: &Params, l: &mut [u64], stream: &mut Stream) {
    for (i, &k) in z.iter().enumerate() {
        let before = z[..i].iter().filter(|&&other| other == k).count() as f64;
        let k = usize::from(k);
        let alpha_psi = params.alpha() * psi[k];
        if stream.uniform() * (alpha_psi + before) < alpha_psi {
            l[k] += 1;
        }
    }
}

/// w given z with Φ integrated out: a Pólya urn of words for each topic.
pub(super) fn draw_words(z: &[u16], params: &Params, stream: &mut Stream) -> Arc<Corpus> {
    let words = WeightedIndex::new([1.0; VOCAB_SIZE]).unwrap();
    let mut drawn = vec![Vec::new(); params.k_star()];
    let urns = z.iter().map(|&k| {
        let drawn = &mut drawn[usize::from(k)];
        let v = polya_urn(drawn, params.beta() * VOCAB_SIZE as f64, &words, stream);
        drawn.push(v);
        u32::from(v)
    });
    let w = urns.collect();
    let doc_start = (0..=DOCS).map(|d| d * DOC_TOKENS).collect();
    let vocab = (0..VOCAB_SIZE).map(|v| format!("w{v}")).collect();
    Arc::new(Corpus::new(w, doc_start, vocab).expect("a corpus"))
}
