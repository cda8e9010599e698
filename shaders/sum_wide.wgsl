// Sums of φ_kv·m_dk for documents of any length: 64-bit numbers.

fn sum_add(sum: vec2<u32>, weight: u32, count: u32) -> vec2<u32> {
    return add64(sum, mul_wide(weight, count));
}

fn sum_join(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return add64(a, b);
}

fn sum_cut(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return sub64(a, b);
}

// The sum as a 64-bit number.
fn sum_value(sum: vec2<u32>) -> vec2<u32> {
    return sum;
}
