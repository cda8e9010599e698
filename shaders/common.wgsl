// What the kernels of the z step share: buffers, tokens, tables and the record of a finished document.

struct Params {
    key: vec2<u32>,
    iteration: u32,
    k_star: u32,
    // What a dispatch may do: token steps of a team, or loop trips where a workgroup has a document.
    budget: u32,
    // The documents of this dispatch.
    doc_begin: u32,
    doc_end: u32,
    // Where d starts in results, and up to which p it is dense.
    d_at: u32,
    d_dense: u32,
    // Where the topics of entries start.
    topics_at: u32,
    // Where the tokens of each entry are counted in results.
    counts_at: u32,
    // Where the list of other (topic, p) starts in results, and how many fit.
    list_at: u32,
    list_capacity: u32,
    // Where the documents start that a workgroup samples from the first token on, and how many there are.
    whole_begin: u32,
    whole_docs: u32,
    // Where in state it says how far each document is, and how far each slot; where slots start, and how many there are.
    progress_at: u32,
    heads_at: u32,
    slots_at: u32,
    num_slots: u32,
    // Workgroup g has the teams of place g·stride among the workgroups.
    stride: u32,
}

struct Doc {
    // The place of its first token in w and z, as odd as its index: tokens that share random bits share a word of z, and
    // no two documents do.
    first: u32,
    tokens: u32,
    // The index of that token in the whole corpus.
    index: vec2<u32>,
}

struct Word {
    // A_v.
    mass: vec2<u32>,
    // Its entries: first those of active topics, ascending, and then the others.
    start: u32,
    // The number of those of active topics, and in the high half of all.
    sizes: u32,
    // Where its blocks of topics start among the entries, or NO_BLOCKS.
    blocks: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> docs: array<Doc>;
// Words and topics of two tokens at a time.
@group(0) @binding(2) var<storage, read> w: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> z: array<u32>;
@group(0) @binding(4) var<storage, read> words: array<Word>;
// φ_kv of every entry; from topics_at on their topics, two in a word; after them blocks: which of 16 topics in a row a word has,
// and in the high half how many of its entries come before them.
@group(0) @binding(5) var<storage, read> entries: array<u32>;
// The cells of the alias tables, by ascending topic: (threshold, the cell's own entry and in the high half the other).
@group(0) @binding(6) var<storage, read> cells: array<vec2<u32>>;
// The row of each topic in d; single numbers; d; the tokens that chose each entry; the list.
@group(0) @binding(7) var<storage, read_write> results: array<atomic<u32>>;
// Documents that are left to a workgroup, (document, token) each, after their number; how far each document is; how far each
// slot is; slots.
@group(0) @binding(8) var<storage, read_write> state: array<atomic<u32>>;

// What a token chooses that has nothing to draw from.
const NO_ENTRY = 0xffffffffu;
const NO_TOPIC = 0xffffffffu;
// How far a document is that its team is done with.
const OVER = 0xffffffffu;

fn active_entries(word: Word) -> u32 {
    return word.sizes & 0xffffu;
}

fn all_entries(word: Word) -> u32 {
    return word.sizes >> 16u;
}

fn topic_of(e: u32) -> u32 {
    return (entries[params.topics_at + (e >> 1u)] >> ((e & 1u) * 16u)) & 0xffffu;
}

// Whether topic k had tokens before the sweep.
fn is_active(k: u32) -> bool {
    return atomicLoad(&results[k]) != NO_ROW;
}

fn z_at(place: u32) -> u32 {
    return (z[place >> 1u] >> ((place & 1u) * 16u)) & 0xffffu;
}

// The word of two topics with one of them replaced.
fn with_topic(pair: u32, place: u32, k: u32) -> u32 {
    let shift = (place & 1u) * 16u;
    return (pair & (0xffff0000u >> shift)) | (k << shift);
}

// The entry that the alias table of a word gives to token i.
fn draw_alias(word: Word, i: vec2<u32>) -> u32 {
    let bits = alias_bits(i);
    let cell = cells[word.start + scale_bits(bits.yx, vec2<u32>(all_entries(word), 0u)).x];
    return word.start + select(cell.y >> 16u, cell.y & 0xffffu, bits.z < cell.x);
}

fn count_entry(e: u32) {
    atomicAdd(&results[params.counts_at + e], 1u);
}

// Counts a document with p > 0 tokens in topic k.
fn record(k: u32, p: u32) {
    let row = atomicLoad(&results[k]);
    if (row != NO_ROW && p <= params.d_dense) {
        atomicAdd(&results[params.d_at + row * params.d_dense + p - 1u], 1u);
        return;
    }
    let at = atomicAdd(&results[params.k_star + RESULT_LIST_LENGTH], 1u);
    if (at < params.list_capacity) {
        atomicStore(&results[params.list_at + 2u * at], k);
        atomicStore(&results[params.list_at + 2u * at + 1u], p);
    }
}
