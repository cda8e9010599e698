// The topics of a team's document in slots, ascending, each with its count: a topic in the high half, its tokens in the low half.
// For documents below 2^16 tokens.
//
// Each lane has them all, in memory of its own, and makes every change that another one tells it of: lanes share no memory, and
// there are no barriers, which software GPUs pay dearly for. For small teams.
//
// A topic stays listed until the document is done, also without tokens. What the slots take does not depend on K*.

var<private> slots: array<u32, SLOTS>;

// The high half is above every topic's number.
const EMPTY_SLOT = 0xffff0000u;

fn first_slot(index: u32) -> u32 {
    return 0u;
}

fn load_slot(slot: u32) -> u32 {
    return slots[slot];
}

fn topic_in(slot: u32) -> u32 {
    return slots[slot] >> 16u;
}

// One step of a search: `step` if the topics up to there are below k.
fn skip(at: u32, step: u32, k: u32) -> u32 {
    return select(0u, step, topic_in(at + step - 1u) < k);
}

// The slot of topic k, or of the first one above it. A loop would count as many trips.
fn find_slot(index: u32, k: u32) -> u32 {
    var at = 0u;
    if (SLOTS > 32u) { at += skip(at, 32u, k); }
    at += skip(at, 16u, k);
    at += skip(at, 8u, k);
    at += skip(at, 4u, k);
    at += skip(at, 2u, k);
    at += skip(at, 1u, k);
    return at;
}

// Counts a document of so many places, 0 for none, while others have up to `most_places`. Returns its topics; with as many as
// slots not all of it is counted.
fn count_document(index: u32, d: u32, places: u32, most_places: u32) -> u32 {
    for (var j = 0u; j < SLOTS; j += 1u) {
        slots[j] = EMPTY_SLOT;
    }
    var topics = 0u;
    for (var base = 0u; base < most_places; base += BATCH) {
        // A lane counts the pairs that it is to sample: no other reads what it writes.
        let place = base + 2u * (index % TEAM);
        var pair = vec2<u32>(NO_TOPIC, NO_TOPIC);
        if (place < places) {
            let both = z[(docs[d].first + place) >> 1u];
            let begins = docs[d].first & 1u;
            pair.x = select(NO_TOPIC, both & 0xffffu, place >= begins);
            pair.y = select(NO_TOPIC, both >> 16u, place + 1u < places);
        }
        for (var lane = 0u; lane < TEAM; lane += 1u) {
            let of_lane = subgroupShuffle(pair, first_lane(index) + lane);
            topics += count_topic(of_lane.x, topics);
            topics += count_topic(of_lane.y, topics);
        }
    }
    return topics;
}

// Counts a token in topic k, if there is one and there is room; returns how many topics that lists.
fn count_topic(k: u32, topics: u32) -> u32 {
    if (k == NO_TOPIC || topics == SLOTS) {
        return 0u;
    }
    return add_token(k, topics);
}

// Adds a token to topic k, which is listed if it is not; returns how many topics that lists.
fn add_token(k: u32, topics: u32) -> u32 {
    let slot = find_slot(0u, k);
    if (topic_in(slot) == k) {
        slots[slot] += 1u;
        return 0u;
    }
    for (var j = topics; j > slot; j -= 1u) {
        slots[j] = slots[j - 1u];
    }
    slots[slot] = (k << 16u) | 1u;
    return 1u;
}

// Moves a token of the team from a topic to the one in the slot that was told.
fn move_token(index: u32, moves: bool, chooses: bool, old: u32, slot: u32) {
    if (moves) {
        slots[find_slot(index, old)] -= 1u;
        slots[told(index)] += 1u;
    }
}

// Moves a drawn token of the team from a topic to topic k. Returns whether k was listed.
fn draw_token(index: u32, is_drawn: bool, old: u32, k: u32, topics: u32) -> bool {
    if (!is_drawn) {
        return false;
    }
    slots[find_slot(index, old)] -= 1u;
    return add_token(k, topics) > 0u;
}
