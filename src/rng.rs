//! Philox4x32-10 (Salmon et al., 2011) and the streams cut from it: every draw has an address, so that
//! neither threads nor batches can change a result.
//!
//! A draw is addressed by (seed, step, iteration, item, position). The seed is Philox's key; the rest is
//! its counter. Two layouts of the counter exist:
//! - token draws: `(⌊i/2⌋ low, ⌊i/2⌋ high, iteration, step)`, where `i` is the token's index in the corpus;
//! - host draws: `(block, item, iteration, step)`, where `item` is a word, topic or document.

#[cfg(target_arch = "aarch64")]
mod neon;

use std::convert::Infallible;

use rand::TryRng;
use rand::rand_core::utils::fill_bytes_via_next_word;

pub(crate) const MULTIPLIER: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
pub(crate) const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
pub(crate) const ROUNDS: usize = 10;

/// What a stream of random numbers is for: the last word of the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Step {
    /// The topic a token starts in (by token).
    Init = 0,
    /// The choice of a token's topic (by token).
    Z = 1,
    /// The cell of the alias table, when the choice falls on the prior (by token).
    ZAlias = 2,
    /// Φ, Poisson Pólya urn (by word).
    Phi = 3,
    /// l, the binomial draws (by topic).
    L = 4,
    /// Ψ, the sticks (by topic).
    Psi = 5,
    /// The scan order of a bag of words (by document; the seed is fixed).
    BagOrder = 6,
    /// Documents drawn from a model (by document).
    SynthDocument = 7,
    /// Topics drawn from a model (by topic).
    SynthTopic = 8,
    /// Φ, Dirichlet (by topic).
    PhiRow = 9,
    /// The choice of a token's topic in direct assignment (by token).
    DirectZ = 10,
    /// The scan order of a new document (by a digest of it; the seed is fixed).
    BagOrderByDigest = 11,
    /// The documents that are held out (by document).
    HoldOut = 12,
    /// A particle of the left-to-right estimate (by a digest of the document).
    LeftToRight = 13,
    /// α, when it is learned.
    Alpha = 14,
    /// β, when it is learned.
    Beta = 15,
    /// γ, when it is learned.
    Gamma = 16,
    /// The topic a document starts in (by document).
    InitDocument = 17,
    /// The topics that tokens start in, one after the other.
    InitSequential = 18,
    /// The seed of the finish of a state (by iteration).
    Finish = 24,
}

/// One block of Philox4x32-10: 128 random bits for a key and a counter.
#[inline(always)]
pub fn philox(key: [u32; 2], counter: [u32; 4]) -> [u32; 4] {
    let [mut k0, mut k1] = key;
    let [mut c0, mut c1, mut c2, mut c3] = counter;
    for _ in 0..ROUNDS {
        let p0 = u64::from(MULTIPLIER[0]) * u64::from(c0);
        let p1 = u64::from(MULTIPLIER[1]) * u64::from(c2);
        (c0, c1, c2, c3) = ((p1 >> 32) as u32 ^ c1 ^ k0, p1 as u32, (p0 >> 32) as u32 ^ c3 ^ k1, p0 as u32);
        k0 = k0.wrapping_add(WEYL[0]);
        k1 = k1.wrapping_add(WEYL[1]);
    }
    [c0, c1, c2, c3]
}

/// Philox's key for a seed: its low and its high half.
#[inline]
pub fn key(seed: u64) -> [u32; 2] {
    [seed as u32, (seed >> 32) as u32]
}

/// The block that token `i` shares with its neighbour `i ^ 1`.
#[inline(always)]
pub fn token_block(key: [u32; 2], i: u64, iteration: u32, step: Step) -> [u32; 4] {
    let pair = i / 2;
    philox(key, [pair as u32, (pair >> 32) as u32, iteration, step as u32])
}

/// The 64 bits of token `i`: words 2(i mod 2) and 2(i mod 2)+1 of its block, high half first.
#[inline(always)]
pub fn token_bits(block: [u32; 4], i: u64) -> u64 {
    let at = 2 * (i % 2) as usize;
    join(block[at], block[at + 1])
}

/// Fills `blocks` with those of `counter` and the counters that follow, of which the first two words are one number.
pub fn fill_blocks(key: [u32; 2], counter: [u32; 4], blocks: &mut [[u32; 4]]) {
    fill_from_blocks(key, counter, blocks, |block| block);
}

/// Fills `out` with what becomes of these blocks.
#[inline]
fn fill_from_blocks<T>(key: [u32; 2], counter: [u32; 4], out: &mut [T], from: impl Fn([u32; 4]) -> T) {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "instructions that not every x86-64 has")]
    if out.len() >= AVX512_BLOCKS && is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has just been asked for them.
        return unsafe { fill_avx512(key, counter, out, from) };
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just been asked for them.
        return unsafe { fill_avx2(key, counter, out, from) };
    }
    #[cfg(target_arch = "aarch64")]
    neon::fill(key, counter, out, from);
    #[cfg(not(target_arch = "aarch64"))]
    fill_plainly(key, counter, out, from);
}

/// Blocks that [`fill_avx512`] computes at once; of fewer it would make one after the other.
#[cfg(target_arch = "x86_64")]
const AVX512_BLOCKS: usize = 16;

/// The same in instructions that compute [`AVX512_BLOCKS`] blocks at once.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn fill_avx512<T>(key: [u32; 2], counter: [u32; 4], out: &mut [T], from: impl Fn([u32; 4]) -> T) {
    fill_plainly(key, counter, out, from);
}

/// The same in instructions that compute eight blocks at once: a third of the time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn fill_avx2<T>(key: [u32; 2], counter: [u32; 4], out: &mut [T], from: impl Fn([u32; 4]) -> T) {
    fill_plainly(key, counter, out, from);
}

/// The definition.
#[inline(always)]
fn fill_plainly<T>(
    key: [u32; 2],
    [low, high, c2, c3]: [u32; 4],
    out: &mut [T],
    from: impl Fn([u32; 4]) -> T,
) {
    for (first, out) in (join(high, low)..).zip(out) {
        *out = from(philox(key, [first as u32, (first >> 32) as u32, c2, c3]));
    }
}

/// Fills `bits` with the 64 random bits of the tokens `first`, `first + 1`, ….
pub fn fill_token_bits(key: [u32; 2], first: u64, iteration: u32, step: Step, bits: &mut [u64]) {
    let single = |i: u64| token_bits(token_block(key, i, iteration, step), i);
    let (odd_start, bits) = bits.split_at_mut(((first % 2) as usize).min(bits.len()));
    odd_start.iter_mut().for_each(|out| *out = single(first));
    let pair = first.div_ceil(2);
    let (pairs, odd_end) = bits.as_chunks_mut();
    let last = 2 * (pair + pairs.len() as u64);
    let counter = [pair as u32, (pair >> 32) as u32, iteration, step as u32];
    fill_from_blocks(key, counter, pairs, |block| [0, 1].map(|i| token_bits(block, i)));
    odd_end.iter_mut().for_each(|out| *out = single(last));
}

/// ⌊bits · n / 2^64⌋: a uniform integer below `n`, with a bias below n/2^64.
#[inline]
pub fn scale_bits(bits: u64, n: u64) -> u64 {
    ((u128::from(bits) * u128::from(n)) >> 64) as u64
}

/// The midpoint of the one of 2^52 equal intervals of (0, 1) that the high bits choose.
#[inline]
pub fn unit(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
}

#[inline]
fn join(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The random numbers of one item (a word, a topic, a document) in one step of one iteration, in order.
///
/// It is a generator of the `rand` crate, so that every distribution made for that works on it:
/// ```
/// use hdp_gpu::rng::{Step, Stream};
/// use rand::RngExt;
/// use rand::distr::weighted::WeightedIndex;
///
/// let mut stream = Stream::new(1, Step::SynthDocument, 0, 7);
/// let word = stream.sample(WeightedIndex::new([0.5, 0.0, 1.5])?);
/// assert!(word == 0 || word == 2);
/// assert!((1..=6).contains(&stream.random_range(1..=6)));
/// # Ok::<(), rand::distr::weighted::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stream {
    key: [u32; 2],
    counter: [u32; 4],
    words: [u32; WORDS],
    used: usize,
}

/// Words that a stream makes at once: eight blocks, which take little more time than one.
const WORDS: usize = 4 * 8;

impl Stream {
    /// The stream of `item` in `step` of `iteration`.
    pub fn new(seed: u64, step: Step, iteration: u32, item: u32) -> Self {
        Self { key: key(seed), counter: [0, item, iteration, step as u32], words: [0; _], used: WORDS }
    }

    /// 32 random bits.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        if self.used == WORDS {
            self.refill();
        }
        self.used += 1;
        self.words[self.used - 1]
    }

    /// How many words have been taken.
    pub fn position(&self) -> u32 {
        4 * self.counter[0] - (WORDS - self.used) as u32
    }

    /// The same stream after `position` words.
    pub fn skip_to(mut self, position: u32) -> Self {
        let (refills, used) = (position / WORDS as u32, position as usize % WORDS);
        (self.counter[0], self.used) = (refills * (WORDS / 4) as u32, WORDS);
        if used > 0 {
            self.refill();
            self.used = used;
        }
        self
    }

    fn refill(&mut self) {
        let (blocks, _) = self.words.as_chunks_mut();
        // A block number that wraps would repeat the stream: 2^32 blocks are out of any draw's reach.
        let after =
            self.counter[0].checked_add(blocks.len() as u32).expect("a stream has fewer than 2^32 blocks");
        fill_blocks(self.key, self.counter, blocks);
        self.counter[0] = after;
        self.used = 0;
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let high = self.next_u32();
        join(high, self.next_u32())
    }

    /// A uniform integer below `n`.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        scale_bits(self.next_u64(), n)
    }

    /// A uniform number strictly between 0 and 1: the midpoints of 2^52 equal intervals.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        unit(self.next_u64())
    }

    /// Fisher and Yates's shuffle.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.next_u32())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        fill_bytes_via_next_word(bytes, || self.try_next_u32())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generator_of_rand_takes_the_same_words_in_the_same_order() {
        use rand::Rng;
        let mut ours = Stream::new(3, Step::Psi, 9, 4);
        let mut theirs = ours.clone();
        for _ in 0..100 {
            assert_eq!(Rng::next_u32(&mut theirs), ours.next_u32());
            assert_eq!(Rng::next_u64(&mut theirs), ours.next_u64());
            // Five bytes take two words, of which the second is cut.
            let mut bytes = [0; 5];
            theirs.fill_bytes(&mut bytes);
            let words = [ours.next_u32(), ours.next_u32()].map(u32::to_le_bytes);
            assert_eq!(bytes, words.concat()[..5]);
        }
        assert_eq!(theirs.position(), ours.position());
    }

    /// The known answers published with Random123.
    #[test]
    fn philox_known_answers() {
        let all = u32::MAX;
        let cases = [
            ([0, 0], [0; 4], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([all, all], [all; 4], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0xa409_3822, 0x299f_31d0],
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (key, counter, expected) in cases {
            assert_eq!(philox(key, counter), expected);
        }
    }

    /// Whatever instructions this machine has: any number of blocks, and counters whose low half passes its end.
    #[test]
    fn many_blocks_are_those_made_one_by_one() {
        let key = key(0x0123_4567_89ab_cdef);
        for first in [0, 5, u64::from(u32::MAX) - 9, (1 << 40) - 3, u64::MAX - 99] {
            for count in 0..40 {
                let counter = [first as u32, (first >> 32) as u32, 7, Step::Z as u32];
                let mut blocks = vec![[0; 4]; count];
                fill_blocks(key, counter, &mut blocks);
                for (n, block) in (first..).zip(&blocks) {
                    assert_eq!(
                        *block,
                        philox(key, [n as u32, (n >> 32) as u32, 7, Step::Z as u32]),
                        "{n} of {count}"
                    );
                }
                let mut plain = vec![[0; 4]; count];
                fill_plainly(key, counter, &mut plain, |block| block);
                assert_eq!(blocks, plain);
            }
        }
    }

    #[test]
    fn token_bits_do_not_depend_on_where_a_batch_starts() {
        let key = key(0x0123_4567_89ab_cdef);
        let first = (1u64 << 33) - 5;
        let mut whole = [0; 11];
        fill_token_bits(key, first, 7, Step::Z, &mut whole);
        for cut in 0..=whole.len() {
            let mut parts = [0; 11];
            let (left, right) = parts.split_at_mut(cut);
            fill_token_bits(key, first, 7, Step::Z, left);
            fill_token_bits(key, first + cut as u64, 7, Step::Z, right);
            assert_eq!(parts, whole, "cut at {cut}");
        }
        for (offset, &bits) in whole.iter().enumerate() {
            let i = first + offset as u64;
            assert_eq!(bits, token_bits(token_block(key, i, 7, Step::Z), i));
        }
    }

    #[test]
    fn a_stream_is_the_blocks_of_its_item_in_order() {
        let mut stream = Stream::new(3, Step::Psi, 9, 4);
        for block in 0..3 {
            let expected = philox(key(3), [block, 4, 9, Step::Psi as u32]);
            let drawn: Vec<u32> = (0..4).map(|_| stream.next_u32()).collect();
            assert_eq!(drawn, expected);
        }
    }

    #[test]
    fn a_stream_goes_on_where_it_was_left() {
        let new = || Stream::new(3, Step::Phi, 9, 4);
        let mut stream = new();
        for position in 0..100 {
            assert_eq!(stream.position(), position);
            let mut again = new().skip_to(position);
            assert_eq!((again.position(), again.next_u32()), (position, stream.next_u32()));
        }
    }

    #[test]
    fn uniform_stays_inside_the_open_interval() {
        let half_step = 0.5f64.powi(53);
        assert_eq!(unit(0), half_step);
        assert_eq!(unit(u64::MAX), 1.0 - half_step);
        assert_eq!(unit(1 << 63), 0.5 + half_step);
    }
}
