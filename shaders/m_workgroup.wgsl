// m_d in workgroup memory, two 16-bit counts a word: for K* up to 2·M_WORDS and documents below 2^16 tokens.

var<workgroup> m: array<atomic<u32>, M_WORDS>;

fn m_load(slot: u32, k: u32) -> u32 {
    return (atomicLoad(&m[k >> 1u]) >> ((k & 1u) * 16u)) & 0xffffu;
}

// Adds a token and returns the count before.
fn m_add(slot: u32, k: u32) -> u32 {
    let shift = (k & 1u) * 16u;
    return (atomicAdd(&m[k >> 1u], 1u << shift) >> shift) & 0xffffu;
}

// Removes a token and returns the count before.
fn m_remove(slot: u32, k: u32) -> u32 {
    let shift = (k & 1u) * 16u;
    return (atomicSub(&m[k >> 1u], 1u << shift) >> shift) & 0xffffu;
}

// Reads a count and clears it.
fn m_take(slot: u32, k: u32) -> u32 {
    let shift = (k & 1u) * 16u;
    return (atomicAnd(&m[k >> 1u], 0xffff0000u >> shift) >> shift) & 0xffffu;
}
