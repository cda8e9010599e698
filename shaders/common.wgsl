// What the mappings of the z step share: buffers, tokens, tables and the record of a finished document.

struct Params {
    key: vec2<u32>,
    iteration: u32,
    // Loop trips that an invocation may make in one dispatch.
    budget: u32,
    // The documents of this dispatch; document doc_begin has slot 0.
    doc_begin: u32,
    doc_end: u32,
    // Where slot 0's row of m starts in state, and how long a row is.
    m_at: u32,
    m_stride: u32,
    // Where d starts in results, and up to which p it is dense.
    d_at: u32,
    d_dense: u32,
    // Where the list of other (topic, p) starts in results, and how many fit.
    list_at: u32,
    list_capacity: u32,
}

struct Doc {
    // Its first token in w and z: an even number, so that no two documents share a word of z.
    first: u32,
    tokens: u32,
    // The index of that token in the whole corpus.
    index: vec2<u32>,
}

struct Word {
    start: u32,
    entries: u32,
    // A_v.
    mass: vec2<u32>,
}

struct Entry {
    weight: u32,
    threshold: u32,
    // The topic in the low half; in the high half the alias, a cell of the same column.
    topic_alias: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> docs: array<Doc>;
@group(0) @binding(2) var<storage, read> w: array<u32>;
@group(0) @binding(3) var<storage, read_write> z: array<u32>;
@group(0) @binding(4) var<storage, read> words: array<Word>;
@group(0) @binding(5) var<storage, read> entries: array<Entry>;
// The tokens that chose each entry: n, in the order of the tables.
@group(0) @binding(6) var<storage, read_write> entry_count: array<atomic<u32>>;
// Documents done, stuck tokens, length of the list; the row of each topic in d; d; the list.
@group(0) @binding(7) var<storage, read_write> results: array<atomic<u32>>;
// How far each slot is; then, in some mappings, each slot's m.
@group(0) @binding(8) var<storage, read_write> state: array<atomic<u32>>;

// What a token chooses that has nothing to draw from.
const NO_ENTRY = 0xffffffffu;

fn topic_of(e: u32) -> u32 {
    return entries[e].topic_alias & 0xffffu;
}

fn z_at(token: u32) -> u32 {
    return (z[token >> 1u] >> ((token & 1u) * 16u)) & 0xffffu;
}

fn set_z(token: u32, k: u32) {
    let shift = (token & 1u) * 16u;
    let other = z[token >> 1u] & (0xffff0000u >> shift);
    z[token >> 1u] = other | (k << shift);
}

// The entry that the alias table of a word gives to token i.
fn draw_alias(word: Word, i: vec2<u32>) -> u32 {
    let bits = alias_bits(i);
    let cell = word.start + scale_bits(bits.yx, vec2<u32>(word.entries, 0u)).x;
    let entry = entries[cell];
    return select(word.start + (entry.topic_alias >> 16u), cell, bits.z < entry.threshold);
}

fn token_index(doc: Doc, token: u32) -> vec2<u32> {
    return add64(doc.index, vec2<u32>(token, 0u));
}

// Counts a document with p > 0 tokens in topic k.
fn record(k: u32, p: u32) {
    let row = atomicLoad(&results[RESULT_ROWS + k]);
    if (row != NO_ROW && p <= params.d_dense) {
        atomicAdd(&results[params.d_at + row * params.d_dense + p - 1u], 1u);
        return;
    }
    let at = atomicAdd(&results[RESULT_LIST_LENGTH], 1u);
    if (at < params.list_capacity) {
        atomicStore(&results[params.list_at + 2u * at], k);
        atomicStore(&results[params.list_at + 2u * at + 1u], p);
    }
}
