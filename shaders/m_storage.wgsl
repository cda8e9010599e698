// m_d as K* counts in storage, which outlive a dispatch: for any K* and any document.

fn m_load(slot: u32, k: u32) -> u32 {
    return atomicLoad(&state[params.m_at + slot * params.m_stride + k]);
}

// Adds a token and returns the count before.
fn m_add(slot: u32, k: u32) -> u32 {
    return atomicAdd(&state[params.m_at + slot * params.m_stride + k], 1u);
}

// Removes a token and returns the count before.
fn m_remove(slot: u32, k: u32) -> u32 {
    return atomicSub(&state[params.m_at + slot * params.m_stride + k], 1u);
}

// Reads a count and clears it.
fn m_take(slot: u32, k: u32) -> u32 {
    return atomicExchange(&state[params.m_at + slot * params.m_stride + k], 0u);
}
