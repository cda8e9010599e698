// Sums of φ_kv·m_dk for documents below 2^16 tokens: the low and the high halves of the weights apart, neither of
// which overflows 32 bits, because Σ_k m_dk is the document's length.

fn sum_add(sum: vec2<u32>, weight: u32, count: u32) -> vec2<u32> {
    return sum + vec2<u32>(weight & 0xffffu, weight >> 16u) * count;
}

fn sum_join(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return a + b;
}

fn sum_cut(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return a - b;
}

// The sum as a 64-bit number.
fn sum_value(sum: vec2<u32>) -> vec2<u32> {
    return add64(vec2<u32>(sum.x, 0u), vec2<u32>(sum.y << 16u, sum.y >> 16u));
}
