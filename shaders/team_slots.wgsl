// The topics of a team's document in slots of workgroup memory, ascending, each with its count: a topic in the high half, its
// tokens in the low half. For documents below 2^16 tokens.
//
// A topic stays listed until the document is done, also without tokens. What the slots take does not depend on K*.

var<workgroup> slots: array<atomic<u32>, ALL_SLOTS>;
// The topic that each team has to list, and whether any has one. A topic that had no tokens before has NEW added.
var<workgroup> missing: array<atomic<u32>, TEAMS>;
var<workgroup> any_missing: atomic<u32>;

// The high half is above every topic's number.
const EMPTY_SLOT = 0xffff0000u;
const NEW = 0x10000u;

fn clear_slots(index: u32) {
    for (var j = index; j < ALL_SLOTS; j += LANES) {
        atomicStore(&slots[j], EMPTY_SLOT);
    }
    if (index < TEAMS) {
        atomicStore(&missing[index], NO_TOPIC);
    }
    if (index == 0u) {
        atomicStore(&any_missing, 0u);
    }
}

// One step of a search: `step` if the topics up to there are below k.
fn skip(at: u32, step: u32, k: u32) -> u32 {
    return select(0u, step, (atomicLoad(&slots[at + step - 1u]) >> 16u) < k);
}

// The slot of topic k, or of the first one above it. A loop would count as many trips.
fn find_slot(first: u32, k: u32) -> u32 {
    var at = first;
    if (SLOTS > 256u) { at += skip(at, 256u, k); }
    if (SLOTS > 128u) { at += skip(at, 128u, k); }
    if (SLOTS > 64u) { at += skip(at, 64u, k); }
    if (SLOTS > 32u) { at += skip(at, 32u, k); }
    at += skip(at, 16u, k);
    at += skip(at, 8u, k);
    at += skip(at, 4u, k);
    at += skip(at, 2u, k);
    at += skip(at, 1u, k);
    return at;
}

// Lists what teams miss, with `tokens` tokens each; for all lanes of the workgroup together. Returns what the lane's team missed.
fn list_missing(index: u32, tokens: u32) -> u32 {
    let first = index / TEAM * SLOTS;
    let k = atomicLoad(&missing[index / TEAM]);
    let at = find_slot(first, k & 0xffffu);
    // From the last slots downwards, each gets what was before it, if that is above k.
    for (var end = SLOTS; end > 0u; end -= TEAM) {
        let j = first + end - TEAM + index % TEAM;
        let before = atomicLoad(&slots[max(j, 1u) - 1u]);
        workgroupBarrier();
        if (k != NO_TOPIC && j >= at) {
            atomicStore(&slots[j], select(before, (k << 16u) | tokens, j == at));
        }
        workgroupBarrier();
    }
    if (index % TEAM == 0u) {
        atomicStore(&missing[index / TEAM], NO_TOPIC);
    }
    if (index == 0u) {
        atomicStore(&any_missing, 0u);
    }
    workgroupBarrier();
    return k;
}
