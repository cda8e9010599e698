// The topics of a team's document in slots of workgroup memory, ascending, each with its count: a topic in the high half, its
// tokens in the low half. For documents below 2^16 tokens.
//
// A topic stays listed until the document is done, also without tokens. What the slots take does not depend on K*.

var<workgroup> slots: array<atomic<u32>, TEAMS * SLOTS>;
// The topic that each team has to list.
var<workgroup> missing: array<atomic<u32>, TEAMS>;

// The high half is above every topic's number.
const EMPTY_SLOT = 0xffff0000u;

fn first_slot(index: u32) -> u32 {
    return index / TEAM * SLOTS;
}

fn load_slot(slot: u32) -> u32 {
    return atomicLoad(&slots[slot]);
}

fn topic_in(slot: u32) -> u32 {
    return load_slot(slot) >> 16u;
}

fn clear_slots(index: u32) {
    for (var j = index; j < TEAMS * SLOTS; j += LANES) {
        atomicStore(&slots[j], EMPTY_SLOT);
    }
    if (index < TEAMS) {
        atomicStore(&missing[index], NO_TOPIC);
    }
    workgroupBarrier();
}

// One step of a search: `step` if the topics up to there are below k.
fn skip(at: u32, step: u32, k: u32) -> u32 {
    return select(0u, step, topic_in(at + step - 1u) < k);
}

// The slot of topic k, or of the first one above it. A loop would count as many trips.
fn find_slot(index: u32, k: u32) -> u32 {
    var at = first_slot(index);
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

// Counts a document of so many places, 0 for none, while others have up to `most_places`; for all lanes of the workgroup together.
// Returns its topics; with as many as slots not all of it is counted.
fn count_document(index: u32, d: u32, places: u32, most_places: u32) -> u32 {
    clear_slots(index);
    var topics = 0u;
    for (var base = 0u; base < most_places; base += TEAM) {
        var k = 0u;
        var uncounted = places > 0u && topics < SLOTS && base + index % TEAM < docs[d].tokens;
        if (uncounted) {
            k = z_at(docs[d].first + base + index % TEAM);
        }
        loop {
            if (uncounted) {
                let slot = find_slot(index, k);
                if (topic_in(slot) == k) {
                    atomicAdd(&slots[slot], 1u);
                    uncounted = false;
                } else {
                    atomicMin(&missing[index / TEAM], k);
                }
            }
            if (!any_lane(index, uncounted)) {
                break;
            }
            if (list_missing(index, 0u)) {
                topics += 1u;
                // The last slot stays empty, so that the first topic above any is found.
                uncounted = uncounted && topics < SLOTS;
            }
        }
    }
    // All lanes have read z before any writes to it.
    storageBarrier();
    fence();
    return topics;
}

// Moves a token of the team from a topic to the one in a slot; by the lane that chooses it.
fn move_token(index: u32, moves: bool, chooses: bool, old: u32, slot: u32) {
    fence();
    if (chooses) {
        atomicSub(&slots[find_slot(index, old)], 1u);
        atomicAdd(&slots[slot], 1u);
    }
    fence();
}

// Moves a drawn token of the team from a topic to topic k; for all lanes of the workgroup together. Returns whether k was listed.
fn draw_token(index: u32, is_drawn: bool, old: u32, k: u32, topics: u32) -> bool {
    var misses = false;
    if (is_drawn && index % TEAM == 0u) {
        atomicSub(&slots[find_slot(index, old)], 1u);
        let slot = find_slot(index, k);
        misses = topic_in(slot) != k;
        if (misses) {
            atomicStore(&missing[index / TEAM], k);
        } else {
            atomicAdd(&slots[slot], 1u);
        }
    }
    fence();
    if (!any_lane(index, misses)) {
        return false;
    }
    return list_missing(index, 1u);
}

// Lists what teams miss, with `tokens` tokens each; for all lanes of the workgroup together. Returns whether the lane's team did.
fn list_missing(index: u32, tokens: u32) -> bool {
    fence();
    let k = atomicLoad(&missing[index / TEAM]);
    let at = find_slot(index, k & 0xffffu);
    // From the last slots downwards, each gets what was before it, if that is above k.
    for (var end = SLOTS; end > 0u; end -= TEAM) {
        let j = first_slot(index) + end - TEAM + index % TEAM;
        let before = load_slot(max(j, 1u) - 1u);
        workgroupBarrier();
        if (k != NO_TOPIC && j >= at) {
            atomicStore(&slots[j], select(before, (k << 16u) | tokens, j == at));
        }
        workgroupBarrier();
    }
    if (index % TEAM == 0u) {
        atomicStore(&missing[index / TEAM], NO_TOPIC);
    }
    workgroupBarrier();
    return k != NO_TOPIC;
}
