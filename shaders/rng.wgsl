// Philox4x32-10 and 64-bit arithmetic on pairs of 32-bit words; twin of src/rng.rs.
// A 64-bit number is a vec2<u32>: x the low half, y the high half.

fn mul_wide(a: u32, b: u32) -> vec2<u32> {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    let low = a_low * b_low;
    let middle = a_high * b_low + (low >> 16u);
    let cross = a_low * b_high + (middle & 0xffffu);
    return vec2<u32>(a * b, a_high * b_high + (middle >> 16u) + (cross >> 16u));
}

fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn sub64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn less64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

// ⌊bits · n / 2^64⌋.
fn scale_bits(bits: vec2<u32>, n: vec2<u32>) -> vec2<u32> {
    let low_high = mul_wide(bits.x, n.y);
    let high_low = mul_wide(bits.y, n.x);
    // The carry of the second 32-bit digit into the third.
    let digit = add64(vec2<u32>(mul_wide(bits.x, n.x).y, 0u), vec2<u32>(low_high.x, 0u));
    let carry = add64(digit, vec2<u32>(high_low.x, 0u)).y;
    let high = add64(mul_wide(bits.y, n.y), vec2<u32>(low_high.y, 0u));
    return add64(add64(high, vec2<u32>(high_low.y, 0u)), vec2<u32>(carry, 0u));
}

// A counter with the key of its round.
struct Philox {
    counter: vec4<u32>,
    key: vec2<u32>,
}

fn philox_round(in: Philox) -> Philox {
    let p0 = mul_wide(PHILOX_MULTIPLIER_0, in.counter.x);
    let p1 = mul_wide(PHILOX_MULTIPLIER_1, in.counter.z);
    return Philox(
        vec4<u32>(p1.y ^ in.counter.y ^ in.key.x, p1.x, p0.y ^ in.counter.w ^ in.key.y, p0.x),
        in.key + vec2<u32>(PHILOX_WEYL_0, PHILOX_WEYL_1),
    );
}

fn philox_two_rounds(in: Philox) -> Philox {
    return philox_round(philox_round(in));
}

// Ten rounds.
fn philox(key: vec2<u32>, counter: vec4<u32>) -> vec4<u32> {
    let four = philox_two_rounds(philox_two_rounds(Philox(counter, key)));
    return philox_two_rounds(philox_two_rounds(philox_two_rounds(four))).counter;
}

// The 64 bits of the choices of two tokens, 2·pair in the low half and 2·pair + 1 in the high half.
fn pair_bits(pair: vec2<u32>) -> vec4<u32> {
    return philox(params.key, vec4<u32>(pair, params.iteration, STEP_Z)).yxwz;
}

fn half64(i: vec2<u32>) -> vec2<u32> {
    return vec2<u32>((i.x >> 1u) | (i.y << 31u), i.y >> 1u);
}

// The block of token i's draw from an alias table.
fn alias_bits(i: vec2<u32>) -> vec4<u32> {
    return philox(params.key, vec4<u32>(i, params.iteration, STEP_Z_ALIAS));
}
