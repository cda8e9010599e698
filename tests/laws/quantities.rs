//! What the laws look at in a state: quantities that are written here by their definitions, token by token and
//! without the sampler's counts, and that do not depend on how topics are numbered.

use std::collections::BTreeSet;

use hdp_gpu::{Corpus, Params};

/// The number of topics with tokens.
pub(crate) fn active_topics(z: &[u16]) -> usize {
    z.iter().collect::<BTreeSet<_>>().len()
}

/// The largest topic's share of the tokens.
pub(crate) fn largest_share(z: &[u16], params: &Params) -> f64 {
    let mut tokens = vec![0u32; params.k_star()];
    z.iter().for_each(|&k| tokens[usize::from(k)] += 1);
    f64::from(tokens.into_iter().max().expect("K* is at least 1")) / z.len() as f64
}

/// The number of pairs of a document and a topic that have tokens.
pub(crate) fn doc_topics(corpus: &Corpus, z: &[u16]) -> usize {
    (0..corpus.num_docs()).map(|d| active_topics(&z[corpus.doc(d)])).sum()
}

/// Σ_k Ψ_k².
pub(crate) fn psi_squares(psi: &[f64]) -> f64 {
    psi.iter().map(|psi| psi * psi).sum()
}

/// log p(w | z) + log p(z | Ψ).
pub(crate) fn log_likelihood(corpus: &Corpus, z: &[u16], psi: &[f64], params: &Params) -> f64 {
    ln_words(corpus, z, params) + ln_topics(corpus, z, psi, params)
}

/// log p(w | z): word v of topic k has the weight β + n_kv out of Vβ + n_k, counted over the tokens before.
pub(crate) fn ln_words(corpus: &Corpus, z: &[u16], params: &Params) -> f64 {
    let vocab_size = corpus.vocab_size();
    let mut n_kv = vec![0.0; params.k_star() * vocab_size];
    let mut n_k = vec![0.0; params.k_star()];
    let mut sum = 0.0;
    for (&k, &v) in z.iter().zip(&corpus.w) {
        let k = usize::from(k);
        let n_kv = &mut n_kv[k * vocab_size + v as usize];
        sum += ((params.beta() + *n_kv) / (params.beta() * vocab_size as f64 + n_k[k])).ln();
        *n_kv += 1.0;
        n_k[k] += 1.0;
    }
    sum
}

/// log p(z | Ψ): topic k has the weight αΨ_k + m_dk out of α + i, counted over the document's i tokens before.
fn ln_topics(corpus: &Corpus, z: &[u16], psi: &[f64], params: &Params) -> f64 {
    let mut sum = 0.0;
    for d in 0..corpus.num_docs() {
        let mut m = vec![0.0; params.k_star()];
        for (i, &k) in z[corpus.doc(d)].iter().enumerate() {
            let k = usize::from(k);
            sum += ((params.alpha() * psi[k] + m[k]) / (params.alpha() + i as f64)).ln();
            m[k] += 1.0;
        }
    }
    sum
}
