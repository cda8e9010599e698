//! Step 4, l | z, Ψ: l_k = Σ_j Binomial(D_kj, αΨ_k / (αΨ_k + j − 1)).

use rayon::prelude::*;

use super::histogram::DocTopicHistogram;
use super::psi::Psi;
use crate::dist::binomial::binomial;
use crate::params::Params;
use crate::rng::{Step, Stream};

/// Draws l given the histogram of z and Ψ, in parallel over topics.
pub fn sample(d: &DocTopicHistogram, psi: &Psi, params: &Params, iteration: u32) -> Vec<u64> {
    (0..params.max_topics() as u16)
        .into_par_iter()
        .with_min_len(8)
        .map(|k| {
            let mut stream = Stream::new(params.seed(), Step::L, iteration, u32::from(k));
            sample_topic(d, k, params.alpha() * psi.psi[usize::from(k)], &mut stream)
        })
        .collect()
}

/// l_k for the topic's histogram and αΨ_k. The first token of a topic in a document is always a global draw,
/// so the term j = 1 is D_k1 itself, even where Ψ_k has underflowed.
fn sample_topic(d: &DocTopicHistogram, k: u16, alpha_psi: f64, stream: &mut Stream) -> u64 {
    let mut l = d.docs(k);
    let mut j = 2;
    for (last, docs) in d.docs_at_least(k) {
        while j <= last {
            l += binomial(docs, alpha_psi / (alpha_psi + f64::from(j - 1)), stream);
            j += 1;
        }
    }
    l
}

/// l as the start has it, before any Ψ is known: l_k = D_k1.
pub fn first(d: &DocTopicHistogram, params: &Params) -> Vec<u64> {
    (0..params.max_topics() as u16).map(|k| d.docs(k)).collect()
}
