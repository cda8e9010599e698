// Step 3, z | Φ, Ψ: a workgroup per document, with m_d, the document's topics and all entries of a word: for documents of 2^16
// tokens and more, and for those that teams leave; twin of src/model/z.rs.
//
// B runs over the shorter of the word's entries and the document's topics, as it costs to walk them. A slot in storage has the m of
// a document and its topics, ascending; it leaves its m as it found it. The slot's head says which document of the work it has, how
// far that is, and how many topics it has. How far: a position in four runs, counting tokens into m, listing topics, sampling, and
// counting m into d. A dispatch goes on where the one before it stopped.

const HEAD_ITEM = 0u;
const HEAD_POSITION = 1u;
const HEAD_TOPICS = 2u;

// What one lane knows and all need.
var<workgroup> shared_item: u32;
var<workgroup> shared_position: u32;
var<workgroup> shared_topics: u32;
var<workgroup> shared_work: u32;
var<workgroup> shared_doc: u32;
var<workgroup> shared_start: u32;
var<workgroup> shared_listed: atomic<u32>;
var<workgroup> token_bits: vec2<u32>;
var<workgroup> missing: u32;

struct Scan {
    before: vec2<u32>,
    all: vec2<u32>,
}

fn barrier() {
    workgroupBarrier();
    storageBarrier();
}

@compute @workgroup_size(LANES)
fn sample_z(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let slot = params.slots_at + group.x * 2u * params.k_star;
    let head = params.heads_at + group.x * HEAD_LENGTH;
    if (lane == 0u) {
        shared_item = atomicLoad(&state[head + HEAD_ITEM]) + group.x;
        shared_position = atomicLoad(&state[head + HEAD_POSITION]);
        shared_topics = atomicLoad(&state[head + HEAD_TOPICS]);
        shared_work = params.whole_docs + atomicLoad(&state[0]);
    }
    var item = workgroupUniformLoad(&shared_item);
    var position = workgroupUniformLoad(&shared_position);
    var topics = workgroupUniformLoad(&shared_topics);
    let work = workgroupUniformLoad(&shared_work);
    var trips = 0u;
    var stopped = false;
    while (item < work && trips < params.budget && !stopped) {
        if (lane == 0u) {
            shared_doc = params.whole_begin + item;
            shared_start = 0u;
            if (item >= params.whole_docs) {
                let left = 1u + 2u * (item - params.whole_docs);
                shared_doc = atomicLoad(&state[left]);
                shared_start = atomicLoad(&state[left + 1u]);
            }
        }
        let doc = docs[workgroupUniformLoad(&shared_doc)];
        let start = workgroupUniformLoad(&shared_start);
        let listing = doc.tokens;
        let sampling = listing + params.k_star;
        let recording = sampling + doc.tokens - start;
        let end = recording + params.k_star;

        while (position < listing && trips < params.budget) {
            if (position + lane < listing) {
                m_add(slot, z_at(doc.first + position + lane));
            }
            position = min(position + LANES, listing);
            trips += 1u;
        }
        barrier();
        while (position >= listing && position < sampling && trips < params.budget) {
            topics = list_topics(slot, lane, position - listing, topics);
            position = min(position + LANES, sampling);
            trips += LIST_TRIPS;
        }
        while (position >= sampling && position < recording && trips < params.budget) {
            let token = position - sampling + start;
            let place = doc.first + token;
            let word = words[w[place >> 1u][place & 1u]];
            let walk = choose_walk(word, topics);
            let token_trips = TOKEN_TRIPS + 2u * ((walk.length + LANES - 1u) / LANES) * walk.steps + topics / LANES;
            // A dispatch samples a token at least.
            if (trips > 0u && trips + token_trips > params.budget) {
                stopped = true;
                break;
            }
            trips += token_trips;
            topics = sample_token(slot, lane, doc, token, word, walk, topics);
            position += 1u;
        }
        while (position >= recording && position < end && trips < params.budget) {
            let j = position - recording + lane;
            if (j < topics) {
                let k = listed(slot, j);
                let p = m_take(slot, k);
                if (p > 0u) {
                    record(k, p);
                }
            }
            position = min(position + LANES, end);
            trips += 1u;
        }
        if (position == end) {
            if (lane == 0u) {
                atomicAdd(&results[params.k_star + RESULT_DONE], 1u);
            }
            item += params.num_slots;
            position = 0u;
            topics = 0u;
        }
        trips += 1u;
        barrier();
    }
    if (lane == 0u) {
        // The first item of a slot is its own number, which a head that was cleared does not have.
        atomicStore(&state[head + HEAD_ITEM], item - group.x);
        atomicStore(&state[head + HEAD_POSITION], position);
        atomicStore(&state[head + HEAD_TOPICS], topics);
    }
}

fn m_load(slot: u32, k: u32) -> u32 {
    return atomicLoad(&state[slot + k]);
}

fn m_add(slot: u32, k: u32) {
    atomicAdd(&state[slot + k], 1u);
}

fn m_remove(slot: u32, k: u32) {
    atomicSub(&state[slot + k], 1u);
}

// Reads a count and clears it.
fn m_take(slot: u32, k: u32) -> u32 {
    return atomicExchange(&state[slot + k], 0u);
}

fn listed(slot: u32, j: u32) -> u32 {
    return atomicLoad(&state[slot + params.k_star + j]);
}

// Lists those of LANES topics from `first` on that have tokens, after the `topics` before them; returns how many there are now.
fn list_topics(slot: u32, lane: u32, first: u32, topics: u32) -> u32 {
    let k = first + lane;
    var has = false;
    if (k < params.k_star) {
        has = m_load(slot, k) > 0u;
    }
    let scanned = scan(lane, vec2<u32>(select(0u, 1u, has), 0u));
    let before = topics + scanned.before.x;
    if (has) {
        atomicStore(&state[slot + params.k_star + before], k);
    }
    if (lane + 1u == LANES) {
        shared_topics = before + select(0u, 1u, has);
    }
    barrier();
    return workgroupUniformLoad(&shared_topics);
}

// Lists topic k, which is not in the list, from its last topic downwards.
fn insert_topic(slot: u32, lane: u32, k: u32, topics: u32) {
    var end = topics + 1u;
    while (end > 0u) {
        // The lane's place is the lane-th from the end, and gets the topic before it if that is above k.
        let place = end - 1u - min(lane, end - 1u);
        let is_there = lane < end;
        let before = listed(slot, max(place, 1u) - 1u);
        let own = listed(slot, place);
        barrier();
        if (is_there) {
            if (place > 0u && before > k) {
                atomicStore(&state[slot + params.k_star + place], before);
            } else if (place == topics || own > k) {
                atomicStore(&state[slot + params.k_star + place], k);
            }
        }
        barrier();
        end -= min(end, LANES);
    }
}

// Which side is walked: its length, and the loop trips of one step.
struct Walk {
    by_topics: bool,
    length: u32,
    steps: u32,
}

fn choose_walk(word: Word, topics: u32) -> Walk {
    let column = all_entries(word);
    // A look-up halves the column until nothing is left.
    let look_up = 2u + firstLeadingBit(column + 1u);
    let by_topics = topics * look_up < column;
    return Walk(by_topics, select(column, topics, by_topics), select(1u, look_up, by_topics));
}

// The entry at a place of the word's column, by ascending topic.
fn entry_at(word: Word, place: u32) -> u32 {
    return word.start + (cells[word.start + place].y & 0xffffu);
}

// The first entry of a word whose topic is not below k, or NO_ENTRY.
fn find_entry(word: Word, k: u32) -> u32 {
    var begin = 0u;
    var end = all_entries(word);
    while (begin < end) {
        let middle = (begin + end) / 2u;
        if (topic_of(entry_at(word, middle)) < k) {
            begin = middle + 1u;
        } else {
            end = middle;
        }
    }
    if (begin == all_entries(word)) {
        return NO_ENTRY;
    }
    return entry_at(word, begin);
}

// The j-th step of a walk: the entry, and its φ_kv·m_dk on top of `sum`.
struct Step {
    entry: u32,
    sum: vec2<u32>,
}

fn step_to(slot: u32, word: Word, walk: Walk, j: u32, sum: vec2<u32>) -> Step {
    if (walk.by_topics) {
        let k = listed(slot, j);
        let e = find_entry(word, k);
        if (e == NO_ENTRY) {
            return Step(e, sum);
        }
        if (topic_of(e) != k) {
            return Step(e, sum);
        }
        return Step(e, sum_add(sum, entries[e].x, m_load(slot, k)));
    }
    let e = entry_at(word, j);
    return Step(e, sum_add(sum, entries[e].x, m_load(slot, topic_of(e))));
}

// Samples a token; returns the topics of its document.
fn sample_token(
    slot: u32,
    lane: u32,
    doc: Doc,
    token: u32,
    word: Word,
    walk: Walk,
    topics: u32,
) -> u32 {
    let place = doc.first + token;
    let i = add64(doc.index, vec2<u32>(token, 0u));
    let old = z_at(place);
    if (lane == 0u) {
        m_remove(slot, old);
        missing = NO_TOPIC;
        let random = pair_bits(half64(i));
        token_bits = select(random.xy, random.zw, (i.x & 1u) == 1u);
    }
    barrier();
    // Lanes have neighbouring parts, so that their sums are in the order of topics.
    let share = (walk.length + LANES - 1u) / LANES;
    let begin = min(lane * share, walk.length);
    let end = min(begin + share, walk.length);
    var sum = vec2<u32>(0u, 0u);
    for (var j = begin; j < end; j += 1u) {
        sum = step_to(slot, word, walk, j, sum).sum;
    }
    let scanned = scan(lane, sum);
    let document = sum_value(scanned.all);
    let total = add64(word.mass, document);
    var chosen = NO_ENTRY;
    if (all(total == vec2<u32>(0u, 0u))) {
        if (lane == 0u) {
            atomicAdd(&results[params.k_star + RESULT_STUCK], 1u);
            m_add(slot, old);
        }
    } else {
        let u = scale_bits(token_bits, total);
        if (less64(u, document)) {
            var next = Step(NO_ENTRY, scanned.before);
            if (!less64(u, sum_value(next.sum)) && less64(u, sum_value(sum_join(next.sum, sum)))) {
                var j = begin;
                loop {
                    next = step_to(slot, word, walk, j, next.sum);
                    if (less64(u, sum_value(next.sum))) {
                        break;
                    }
                    j += 1u;
                }
                chosen = next.entry;
            }
        } else if (lane == 0u) {
            chosen = draw_alias(word, i);
        }
    }
    // Nobody reads m or z of this token any more.
    barrier();
    if (chosen != NO_ENTRY) {
        let k = topic_of(chosen);
        z[place >> 1u] = with_topic(z[place >> 1u], place, k);
        count_entry(chosen);
        m_add(slot, k);
        if (!is_listed(slot, topics, k)) {
            missing = k;
        }
    }
    barrier();
    let k = workgroupUniformLoad(&missing);
    if (k != NO_TOPIC) {
        insert_topic(slot, lane, k, topics);
    }
    return topics + select(0u, 1u, k != NO_TOPIC);
}

fn is_listed(slot: u32, topics: u32, k: u32) -> bool {
    var begin = 0u;
    var end = topics;
    while (begin < end) {
        let middle = (begin + end) / 2u;
        if (listed(slot, middle) < k) {
            begin = middle + 1u;
        } else {
            end = middle;
        }
    }
    if (begin == topics) {
        return false;
    }
    return listed(slot, begin) == k;
}
