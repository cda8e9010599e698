//! A corpus for measuring: topics over a power-law vocabulary, documents with a few topics each.

use hdp_gpu::corpus::Corpus;
use hdp_gpu::dist::discrete::{Discrete, polya_urn};
use hdp_gpu::rng::{Step, Stream};

/// Tokens in the mean document.
const DOC_TOKENS: u64 = 230;
const TOPICS: u32 = 300;
/// The urn's concentration: some seven topics in a document.
const CONCENTRATION: f64 = 1.5;
/// Tokens from a background that all topics share, in hundredths.
const BACKGROUND: u64 = 30;

/// About `num_tokens` tokens, over a vocabulary that grows with their square root (Heaps' law) and whose
/// frequencies fall with the rank (Zipf's law).
pub(crate) fn zipf_corpus(num_tokens: usize) -> Corpus {
    let vocab_size = (27.0 * (num_tokens as f64).sqrt()) as u64;
    let zipf = Discrete::new((0..vocab_size).map(|rank| 1.0 / (rank as f64 + 3.0)));
    let topics = Discrete::new((0..TOPICS).map(|k| 1.0 / (f64::from(k) + 10.0)));
    let mut w = Vec::with_capacity(num_tokens + 2 * DOC_TOKENS as usize);
    let mut doc_start = vec![0];
    let mut z = Vec::new();
    while w.len() < num_tokens {
        let mut stream = Stream::new(0, Step::SynthDocument, 0, doc_start.len() as u32);
        z.clear();
        for _ in 0..DOC_TOKENS / 2 + stream.below(DOC_TOKENS) {
            z.push(polya_urn(&z, CONCENTRATION, &topics, &mut stream));
            let rank = zipf.sample(&mut stream) as u64;
            let k = if stream.below(100) < BACKGROUND { 0 } else { u64::from(z[z.len() - 1]) + 1 };
            // Each topic has the ranks' words in an order of its own: a shift that spreads its head.
            w.push(((rank * (2 * k + 1) + k * 7919) % vocab_size) as u32);
        }
        doc_start.push(w.len());
    }
    let vocab = (0..vocab_size).map(|v| format!("w{v}")).collect();
    Corpus::new(w, doc_start, vocab)
}
