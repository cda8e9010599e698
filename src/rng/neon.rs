//! Four blocks of Philox at once, by the vector instructions that every 64-bit ARM has.

use std::arch::aarch64::{
    uint32x4_t, vaddq_u32, vcltq_u32, vdupq_n_u32, veorq_u32, vget_low_u32, vld1q_u32, vmull_high_n_u32,
    vmull_n_u32, vreinterpretq_u32_u64, vst4q_u32, vsubq_u32, vuzp1q_u32, vuzp2q_u32,
};

use super::{MULTIPLIER, ROUNDS, WEYL, fill_plainly, join};

/// Blocks that are made at once.
const LANES: usize = 4;

/// [`fill_plainly`], some blocks at a time; those that are left over are made one by one.
#[inline]
pub(super) fn fill<T>(
    key: [u32; 2],
    [low, high, c2, c3]: [u32; 4],
    out: &mut [T],
    from: impl Fn([u32; 4]) -> T,
) {
    let mut first = join(high, low);
    let (together, rest) = out.as_chunks_mut::<LANES>();
    for out in together {
        *out = philox_of_four(key, first, [c2, c3]).map(&from);
        first += LANES as u64;
    }
    fill_plainly(key, [first as u32, (first >> 32) as u32, c2, c3], rest, from);
}

/// The blocks of `first` and the three numbers that follow it.
#[inline]
#[expect(unsafe_code, reason = "instructions that every 64-bit ARM has, and that read and write by address")]
fn philox_of_four([mut k0, mut k1]: [u32; 2], first: u64, [c2, c3]: [u32; 2]) -> [[u32; 4]; LANES] {
    let mut blocks = [[0; 4]; LANES];
    let (low, high) = (first as u32, (first >> 32) as u32);
    // SAFETY: the target has these instructions, the array that is read has four numbers, and `blocks` has room for sixteen.
    unsafe {
        let mut c0 = vaddq_u32(vdupq_n_u32(low), vld1q_u32([0, 1, 2, 3].as_ptr()));
        // A low half that has passed its end is below the first one; the comparison gives −1 there.
        let mut c1 = vsubq_u32(vdupq_n_u32(high), vcltq_u32(c0, vdupq_n_u32(low)));
        let (mut c2, mut c3) = (vdupq_n_u32(c2), vdupq_n_u32(c3));
        for _ in 0..ROUNDS {
            let (low0, high0) = product(c0, MULTIPLIER[0]);
            let (low1, high1) = product(c2, MULTIPLIER[1]);
            (c0, c1, c2, c3) = (
                veorq_u32(veorq_u32(high1, c1), vdupq_n_u32(k0)),
                low1,
                veorq_u32(veorq_u32(high0, c3), vdupq_n_u32(k1)),
                low0,
            );
            k0 = k0.wrapping_add(WEYL[0]);
            k1 = k1.wrapping_add(WEYL[1]);
        }
        vst4q_u32(blocks.as_mut_ptr().cast(), std::arch::aarch64::uint32x4x4_t(c0, c1, c2, c3));
    }
    blocks
}

/// The low and the high halves of four products.
#[inline(always)]
#[expect(unsafe_code, reason = "instructions that every 64-bit ARM has")]
fn product(factor: uint32x4_t, multiplier: u32) -> (uint32x4_t, uint32x4_t) {
    // SAFETY: the target has these instructions.
    unsafe {
        let first = vreinterpretq_u32_u64(vmull_n_u32(vget_low_u32(factor), multiplier));
        let last = vreinterpretq_u32_u64(vmull_high_n_u32(factor, multiplier));
        (vuzp1q_u32(first, last), vuzp2q_u32(first, last))
    }
}
