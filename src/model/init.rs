//! The state before the first iteration.

mod sequential;

use std::ops::Range;

use rayon::prelude::*;

use self::sequential::{Sequential, sequential_over_ranks};
use crate::corpus::{Corpus, Portion};
use crate::params::{Init, Params};
use crate::rng::{Step, Stream, fill_token_bits, key, scale_bits};

/// The first topics of the tokens of a corpus.
///
/// # Panics
/// When they are to be those of a model, which is not known here.
pub fn init_z(corpus: &Corpus, params: &Params) -> Vec<u16> {
    match params.init() {
        Init::Random(topics) => random(0..corpus.num_tokens(), *topics, params.seed()),
        Init::Documents(topics) => documents(corpus, 0, *topics, params.seed()),
        Init::Sequential => {
            Sequential::new(corpus.vocab_size(), params).draw(&corpus.w, corpus.doc_lengths())
        }
        Init::Run(_) => panic!("the topics of another run's model are made by `warm_start`"),
    }
}

/// The same of a rank's tokens, by their places in the whole corpus; all ranks make it.
///
/// # Panics
/// As [`init_z`].
pub(crate) fn init_z_of(portion: &Portion, params: &Params) -> Vec<u16> {
    match params.init() {
        Init::Random(topics) => random(portion.tokens(), *topics, params.seed()),
        Init::Documents(topics) => documents(&portion.corpus, portion.docs().start, *topics, params.seed()),
        Init::Sequential if portion.ranks.are_several() => sequential_over_ranks(portion, params),
        Init::Sequential | Init::Run(_) => init_z(&portion.corpus, params),
    }
}

/// Puts each of these tokens into a uniform topic of 0..topics.
fn random(tokens: Range<usize>, topics: u32, seed: u64) -> Vec<u16> {
    const BATCH: usize = 1 << 10;
    let key = key(seed);
    let mut z = vec![0; tokens.len()];
    if topics > 1 {
        z.par_chunks_mut(BATCH).enumerate().for_each(|(batch, z)| {
            let mut bits = [0; BATCH];
            let bits = &mut bits[..z.len()];
            fill_token_bits(key, (tokens.start + batch * BATCH) as u64, 0, Step::Init, bits);
            z.iter_mut().zip(bits).for_each(|(z, bits)| *z = scale_bits(*bits, topics.into()) as u16);
        });
    }
    z
}

/// Puts all tokens of a document into one uniform topic of 0..topics.
fn documents(corpus: &Corpus, first_doc: usize, topics: u32, seed: u64) -> Vec<u16> {
    let mut z = Vec::with_capacity(corpus.num_tokens());
    for (d, length) in (first_doc as u32..).zip(corpus.doc_lengths()) {
        let topic = Stream::new(seed, Step::InitDocument, 0, d).below(topics.into()) as u16;
        z.extend(std::iter::repeat_n(topic, length));
    }
    z
}
