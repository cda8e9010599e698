// Step 3, z | Φ, Ψ: an invocation a document, for very many short documents; twin of src/model/z.rs.
//
// How far a document is: a position p in three runs over its L tokens, counting them into m up to L, sampling
// up to 2L, and counting m into d up to 3L. A dispatch goes on where the one before it stopped.

@compute @workgroup_size(LANES)
fn sample_z(@builtin(global_invocation_id) id: vec3<u32>) {
    let slot = id.x;
    let d = params.doc_begin + slot;
    if (d >= params.doc_end) {
        return;
    }
    let doc = docs[d];
    let tokens = doc.tokens;
    var position = atomicLoad(&state[slot]);
    if (position == 3u * tokens) {
        return;
    }
    var trips = 0u;
    while (position < tokens && trips + LIST_CAPACITY < params.budget) {
        add_token(slot, z_at(doc.first + position));
        position += 1u;
        trips += 2u + list_trips(slot);
    }
    while (position >= tokens && position < 2u * tokens) {
        let word = words[w[doc.first + position - tokens]];
        let walk = choose_walk(slot, word);
        trips += TOKEN_TRIPS + 2u * walk.trips + 2u * list_trips(slot);
        if (trips > params.budget) {
            break;
        }
        sample_token(slot, doc, position - tokens, word, walk);
        position += 1u;
    }
    while (position >= 2u * tokens && position < 3u * tokens && trips < params.budget) {
        let k = z_at(doc.first + position - 2u * tokens);
        let p = m_take(slot, k);
        if (p > 0u) {
            record(k, p);
        }
        position += 1u;
        trips += 1u;
    }
    atomicStore(&state[slot], position);
    if (position == 3u * tokens) {
        set_list_length(slot, 0u);
        atomicAdd(&results[RESULT_DONE], 1u);
    }
}

// The loop trips of a change to the list, at most.
fn list_trips(slot: u32) -> u32 {
    return select(list_length(slot), 0u, list_length(slot) > LIST_CAPACITY);
}

fn add_token(slot: u32, k: u32) {
    if (m_add(slot, k) == 0u) {
        list_insert(slot, k);
    }
}

fn remove_token(slot: u32, k: u32) {
    if (m_remove(slot, k) == 1u) {
        list_remove(slot, k);
    }
}

// Which side of φ_kv·m_dk is walked, and the loop trips of one walk.
struct Walk {
    topics: bool,
    trips: u32,
}

fn choose_walk(slot: u32, word: Word) -> Walk {
    let length = list_length(slot);
    // A look-up halves the column until nothing is left.
    let by_topics = length * (3u + firstLeadingBit(word.entries + 1u));
    let topics = length <= LIST_CAPACITY && by_topics < word.entries;
    return Walk(topics, select(word.entries, by_topics, topics));
}

// The first entry of a word whose topic is not below k.
fn find_entry(word: Word, k: u32) -> u32 {
    var begin = word.start;
    var end = word.start + word.entries;
    while (begin < end) {
        let middle = (begin + end) / 2u;
        if (topic_of(middle) < k) {
            begin = middle + 1u;
        } else {
            end = middle;
        }
    }
    return begin;
}

// The j-th step of a walk: the entry, and its φ_kv·m_dk on top of `sum`.
struct Step {
    entry: u32,
    sum: vec2<u32>,
}

fn step(slot: u32, word: Word, walk: Walk, j: u32, sum: vec2<u32>) -> Step {
    if (!walk.topics) {
        let e = word.start + j;
        return Step(e, sum_add(sum, entries[e].weight, m_load(slot, topic_of(e))));
    }
    let k = listed(slot, j);
    let e = find_entry(word, k);
    if (e == word.start + word.entries || topic_of(e) != k) {
        return Step(e, sum);
    }
    return Step(e, sum_add(sum, entries[e].weight, m_load(slot, k)));
}

fn sample_token(slot: u32, doc: Doc, token: u32, word: Word, walk: Walk) {
    let place = doc.first + token;
    let old = z_at(place);
    remove_token(slot, old);
    let steps = select(word.entries, list_length(slot), walk.topics);
    var sum = vec2<u32>(0u, 0u);
    for (var j = 0u; j < steps; j += 1u) {
        sum = step(slot, word, walk, j, sum).sum;
    }
    let document = sum_value(sum);
    let total = add64(word.mass, document);
    var chosen = word.start;
    if (all(total == vec2<u32>(0u, 0u))) {
        atomicAdd(&results[RESULT_STUCK], 1u);
        add_token(slot, old);
        return;
    } else {
        let i = token_index(doc, token);
        let u = scale_bits(token_bits(i), total);
        if (less64(u, document)) {
            var next = Step(0u, vec2<u32>(0u, 0u));
            for (var j = 0u; j < steps; j += 1u) {
                next = step(slot, word, walk, j, next.sum);
                if (less64(u, sum_value(next.sum))) {
                    break;
                }
            }
            chosen = next.entry;
        } else {
            chosen = draw_alias(word, i);
        }
    }
    let k = topic_of(chosen);
    set_z(place, k);
    add_token(slot, k);
    atomicAdd(&entry_count[chosen], 1u);
}
