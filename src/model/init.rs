//! The state before the first iteration.

mod sequential;

use rayon::prelude::*;

use crate::corpus::Corpus;
use crate::params::{Init, Params};
use crate::rng::{Step, Stream, fill_token_bits, key, scale_bits};

/// The first topics of a corpus's tokens.
///
/// # Panics
/// When they are to be those of a model, which is not known here.
pub fn init_z(corpus: &Corpus, params: &Params) -> Vec<u16> {
    match params.init() {
        Init::Random(topics) => random(corpus.num_tokens(), *topics, params.seed()),
        Init::Documents(topics) => documents(corpus, *topics, params.seed()),
        Init::Sequential => sequential::sequential(corpus, params),
        Init::Run(_) => panic!("the topics of another run's model are made by `warm_start`"),
    }
}

/// Puts each of `num_tokens` tokens into a uniform topic of 0..topics.
fn random(num_tokens: usize, topics: u32, seed: u64) -> Vec<u16> {
    const BATCH: usize = 1 << 10;
    let key = key(seed);
    let mut z = vec![0; num_tokens];
    if topics > 1 {
        z.par_chunks_mut(BATCH).enumerate().for_each(|(batch, z)| {
            let mut bits = [0; BATCH];
            let bits = &mut bits[..z.len()];
            fill_token_bits(key, (batch * BATCH) as u64, 0, Step::Init, bits);
            z.iter_mut().zip(bits).for_each(|(z, bits)| *z = scale_bits(*bits, topics.into()) as u16);
        });
    }
    z
}

/// Puts all tokens of a document into one uniform topic of 0..topics.
fn documents(corpus: &Corpus, topics: u32, seed: u64) -> Vec<u16> {
    let mut z = Vec::with_capacity(corpus.num_tokens());
    for (d, length) in (0..).zip(corpus.doc_lengths()) {
        let topic = Stream::new(seed, Step::InitDocument, 0, d).below(topics.into()) as u16;
        z.extend(std::iter::repeat_n(topic, length));
    }
    z
}
