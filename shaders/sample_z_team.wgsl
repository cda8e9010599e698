// Step 3, z | Φ, Ψ: a team of lanes per document, several documents per workgroup; twin of src/model/z.rs.
//
// B runs over the shorter of the word's entries of active topics and the document's topics. The teams of a workgroup go on in
// step, a token at a time: their documents are of about the same length. Each lane of a team fetches two tokens that share a block
// of random bits, and they are shared with the team one after the other.
//
// How lanes tell each other what they know is in exchange_memory or exchange_subgroup, and where m is in team_slots or own_slots.
//
// A token that draws from the alias table, or is stuck, ends the inner loop and is dealt with behind it: software GPUs run through
// what no lane has entered.
//
// A document that draws a topic without tokens, whose entries are not among those of active topics, or that has more topics than
// slots, is left to a workgroup (sample_z_whole).

// Tokens that a team fetches at once.
const BATCH = 2u * TEAM;

// Two tokens that share a block of random bits.
struct Pair {
    words: vec2<u32>,
    // The topics of both.
    topics: u32,
    random: vec4<u32>,
}

struct Token {
    word: Word,
    topic: u32,
    random: vec2<u32>,
}

// The lanes' sums before a lane, and of all lanes of its team.
struct Scan {
    before: vec2<u32>,
    all: vec2<u32>,
}

@compute @workgroup_size(LANES)
fn sample_z(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    if (!can_exchange(index)) {
        atomicStore(&results[params.k_star + RESULT_APART], 1u);
        return;
    }
    let lane = index % TEAM;
    let d = document_of(group.x, index / TEAM);
    // Steps go from pair to pair of places, and a document may begin in the middle of one. Those to come end here, for now.
    var ends = 0u;
    var begins = 0u;
    var places = 0u;
    if (d < params.doc_end) {
        let done = atomicLoad(&state[params.progress_at + d]);
        let odd = docs[d].first & 1u;
        if (done < odd + docs[d].tokens) {
            places = odd + docs[d].tokens;
            ends = places - done;
            begins = odd - min(done, odd);
        }
    }
    let most_places = largest(index, places);
    let steps = min(largest(index, ends), params.budget);
    if (steps == 0u) {
        return;
    }
    var topics = count_document(index, d, places, most_places);
    var is_left = topics == SLOTS;
    if (is_left) {
        ends = begins;
    }

    for (var batch = 0u; batch < steps; batch += BATCH) {
        var pair = Pair(vec2<u32>(0u, 0u), 0u, vec4<u32>(0u, 0u, 0u, 0u));
        if (batch + 2u * lane < ends) {
            pair = fetch(d, batch + 2u * lane);
        }
        share(index, pair);
        var token = shared_token(index, pair, 0u);
        let batch_ends = min(batch + BATCH, steps);
        var s = batch;
        while (s < batch_ends) {
            var at = 0u;
            var draws = false;
            var stops = false;
            loop {
                at = s - batch;
                let samples = s >= begins && s < ends;
                share_next(index, pair, at + 1u);
                let walk = choose_walk(token.word, topics, lane, samples);
                var sum = vec2<u32>(0u, 0u);
                var last = Part(0u, 0u, 0u, 0u);
                for (var j = walk.begin; j < walk.end; j += 1u) {
                    last = part_of(index, token, walk, j);
                    sum = sum_add(sum, last.weight, last.count);
                }
                let scanned = scan(index, sum);

                let document = sum_value(scanned.all);
                let u = scale_bits(token.random, add64(token.word.mass, document));
                draws = samples && !less64(u, document);
                var upto = scanned.before;
                let chooses = samples && !less64(u, sum_value(upto)) && less64(u, sum_value(sum_join(upto, sum)));
                if (chooses) {
                    // With a single part in the lane that is the last one.
                    for (var j = walk.begin; j + 1u < walk.end; j += 1u) {
                        let part = part_of(index, token, walk, j);
                        upto = sum_add(upto, part.weight, part.count);
                        if (less64(u, sum_value(upto))) {
                            last = part;
                            break;
                        }
                    }
                    count_entry(last.entry);
                }
                tell(index, chooses, last.slot);
                let moves = samples && !draws;
                move_token(index, moves, chooses, token.topic, last.slot);
                s += 1u;
                if (s < batch_ends) {
                    token = shared_token(index, pair, at + 1u);
                }
                stops = any_lane(index, draws);
                if (moves && lane == at >> 1u) {
                    pair.topics = with_topic(pair.topics, at, topic_in(told(index)));
                }
                if (stops || s == batch_ends) {
                    break;
                }
            }
            if (stops) {
                let drawing = shared_token(index, pair, at);
                var chosen = NO_ENTRY;
                if (draws && lane == 0u) {
                    chosen = draw_or_stick(drawing.word, d, s - 1u);
                }
                chosen = from_first(index, chosen);
                let is_drawn = draws && chosen != NO_ENTRY;
                let k = topic_of(select(0u, chosen, is_drawn));
                if (draw_token(index, is_drawn, drawing.topic, k, topics)) {
                    topics += 1u;
                    if (topics == SLOTS || !is_active(k)) {
                        is_left = true;
                        ends = s;
                    }
                }
                if (is_drawn && lane == at >> 1u) {
                    pair.topics = with_topic(pair.topics, at, k);
                }
            }
        }
        if (batch + 2u * lane < ends) {
            z[pair_at(d, batch + 2u * lane)] = pair.topics;
        }
    }

    // All lanes have read how far the document was before one of them changes it.
    storageBarrier();
    if (is_left) {
        if (lane == 0u) {
            let item = atomicAdd(&state[0], 1u);
            atomicStore(&state[1u + 2u * item], d);
            atomicStore(&state[2u + 2u * item], token_of_doc(d, ends));
            atomicStore(&state[params.progress_at + d], OVER);
            atomicAdd(&results[params.k_star + RESULT_LEFT], 1u);
            if (topics == SLOTS) {
                atomicAdd(&results[params.k_star + RESULT_FULL], 1u);
            }
        }
    } else if (ends > steps) {
        if (lane == 0u) {
            atomicAdd(&state[params.progress_at + d], steps);
        }
    } else if (ends > 0u) {
        for (var j = lane; j < topics; j += TEAM) {
            let listed = load_slot(first_slot(index) + j);
            if ((listed & 0xffffu) > 0u) {
                record(listed >> 16u, listed & 0xffffu);
            }
        }
        if (lane == 0u) {
            atomicStore(&state[params.progress_at + d], OVER);
            atomicAdd(&results[params.k_star + RESULT_DONE], 1u);
        }
    }
}

// The document of a team. With a stride, which has no factor in common with their number, workgroups come in another order than
// documents.
fn document_of(group: u32, team: u32) -> u32 {
    let groups = (params.doc_end - params.doc_begin + TEAMS - 1u) / TEAMS;
    return params.doc_begin + group * params.stride % groups * TEAMS + team;
}

// The tokens of steps s and s + 1 of this dispatch, and where their pair is. How far the document was is read again rather than
// kept: it would take a register.
fn fetch(d: u32, s: u32) -> Pair {
    let pair = pair_at(d, s);
    let index = add64(docs[d].index, vec2<u32>(token_of_doc(d, s + 1u), 0u));
    return Pair(w[pair], z[pair], pair_bits(half64(index)));
}

fn pair_at(d: u32, s: u32) -> u32 {
    return (docs[d].first + atomicLoad(&state[params.progress_at + d]) + s) >> 1u;
}

// The token of document d that step s of this dispatch samples.
fn token_of_doc(d: u32, s: u32) -> u32 {
    return atomicLoad(&state[params.progress_at + d]) + s - (docs[d].first & 1u);
}

// What a token draws that has not chosen one of its document's topics: nothing, if its word has no mass.
fn draw_or_stick(word: Word, d: u32, s: u32) -> u32 {
    if (all(word.mass == vec2<u32>(0u, 0u))) {
        atomicAdd(&results[params.k_star + RESULT_STUCK], 1u);
        return NO_ENTRY;
    }
    let chosen = draw_alias(word, add64(docs[d].index, vec2<u32>(token_of_doc(d, s), 0u)));
    count_entry(chosen);
    return chosen;
}

// Which side of φ_kv·m_dk is walked, and a lane's part of it.
struct Walk {
    by_topics: bool,
    begin: u32,
    end: u32,
}

// Lanes have neighbouring parts, so that their sums are in the order of topics.
fn choose_walk(word: Word, topics: u32, lane: u32, samples: bool) -> Walk {
    let column = active_entries(word);
    let by_topics = word.blocks != NO_BLOCKS && 2u * topics < column;
    let length = select(0u, select(column, topics, by_topics), samples);
    let share = (length + TEAM - 1u) / TEAM;
    let begin = min(lane * share, length);
    return Walk(by_topics, begin, min(begin + share, length));
}

// One φ_kv·m_dk, without the token itself: its factors, and where the topic is among the slots and the entries.
struct Part {
    weight: u32,
    count: u32,
    slot: u32,
    entry: u32,
}

fn part_of(index: u32, token: Token, walk: Walk, j: u32) -> Part {
    let word = token.word;
    if (walk.by_topics) {
        let slot = first_slot(index) + j;
        let listed = load_slot(slot);
        let k = listed >> 16u;
        let block = entries[word.blocks + (k >> 4u)];
        let bit = k & 15u;
        let has = ((block >> bit) & 1u) == 1u;
        // What is not there is read where something is anyway.
        let entry = word.start + select(0u, (block >> 16u) + countOneBits(block & ((1u << bit) - 1u)), has);
        let count = (listed & 0xffffu) - select(0u, 1u, k == token.topic);
        return Part(entries[entry], select(0u, count, has), slot, entry);
    }
    let entry = word.start + j;
    // Loaded together, whatever the count is.
    let weight = entries[entry];
    let k = topic_of(entry);
    let slot = find_slot(index, k);
    let listed = load_slot(slot);
    let count = (listed & 0xffffu) - select(0u, 1u, k == token.topic);
    return Part(weight, select(0u, count, (listed >> 16u) == k), slot, entry);
}
