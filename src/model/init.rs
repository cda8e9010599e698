//! The state before the first iteration.

use rayon::prelude::*;

use crate::params::Params;
use crate::rng::{Step, fill_token_bits, key, scale_bits};

/// Puts each of `num_tokens` tokens into a uniform topic of 0..init_topics.
pub fn init_z(num_tokens: usize, params: &Params) -> Vec<u16> {
    const BATCH: usize = 1 << 10;
    let key = key(params.seed);
    let topics = u64::from(params.init_topics);
    let mut z = vec![0; num_tokens];
    if topics > 1 {
        z.par_chunks_mut(BATCH).enumerate().for_each(|(batch, z)| {
            let mut bits = [0; BATCH];
            let bits = &mut bits[..z.len()];
            fill_token_bits(key, (batch * BATCH) as u64, 0, Step::Init, bits);
            z.iter_mut().zip(bits).for_each(|(z, bits)| *z = scale_bits(*bits, topics) as u16);
        });
    }
    z
}
