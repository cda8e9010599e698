// Step 3, z | Φ, Ψ: a team of lanes per document, several documents per workgroup; twin of src/model/z.rs.
//
// B runs over the shorter of the word's entries of active topics and the document's topics. The teams of a workgroup go on in
// step, a token at a time: their documents are of about the same length. Each lane of a team fetches two tokens that share a block
// of random bits, and they are published one after the other.
//
// A document that draws a topic without tokens, whose entries are not among those of active topics, or that has more topics than
// slots, is left to a workgroup (sample_z_whole).

// Tokens that a team fetches at once.
const BATCH = 2u * TEAM;

// The token at hand and the next one of each team: word, topic, random bits.
var<workgroup> published: array<vec4<u32>, TWICE_TEAMS>;
// The topic that each team's token has come to.
var<workgroup> outcome: array<u32, TEAMS>;
var<workgroup> longest: atomic<u32>;
var<workgroup> farthest: atomic<u32>;

// The lanes' sums before a lane, and of all lanes of its team.
struct Scan {
    before: vec2<u32>,
    all: vec2<u32>,
}

@compute @workgroup_size(LANES)
fn sample_z(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let team = index / TEAM;
    let lane = index % TEAM;
    let first_slot = team * SLOTS;
    let d = params.doc_begin + group.x * TEAMS + team;
    // Steps go from pair to pair of places, and a document may begin in the middle of one. Those to come end here, for now.
    var ends = 0u;
    var begins = 0u;
    var places = 0u;
    if (d < params.doc_end) {
        let done = atomicLoad(&state[params.progress_at + d]);
        let odd = docs[d].first & 1u;
        places = odd + docs[d].tokens;
        if (done < places) {
            ends = places - done;
            begins = odd - min(done, odd);
        }
    }
    if (index == 0u) {
        atomicStore(&longest, 0u);
        atomicStore(&farthest, 0u);
    }
    clear_slots(index);
    workgroupBarrier();
    if (ends > 0u) {
        atomicMax(&longest, places);
        atomicMax(&farthest, ends);
    }
    let most_places = workgroupUniformLoad(&longest);
    let steps = min(workgroupUniformLoad(&farthest), params.budget);
    if (steps == 0u) {
        return;
    }

    // m_d.
    var topics = 0u;
    var is_left = false;
    for (var base = 0u; base < most_places; base += TEAM) {
        var uncounted = ends > 0u && !is_left && base + lane < docs[d].tokens;
        var k = 0u;
        if (uncounted) {
            k = z_at(docs[d].first + base + lane);
        }
        loop {
            if (uncounted) {
                let slot = find_slot(first_slot, k);
                if ((atomicLoad(&slots[slot]) >> 16u) == k) {
                    atomicAdd(&slots[slot], 1u);
                    uncounted = false;
                } else {
                    atomicMin(&missing[team], k);
                    atomicStore(&any_missing, 1u);
                }
            }
            if (workgroupUniformLoad(&any_missing) == 0u) {
                break;
            }
            if (list_missing(index, 0u) != NO_TOPIC) {
                topics += 1u;
                // The last slot stays empty, so that the first topic above any is found.
                if (topics == SLOTS) {
                    is_left = true;
                    ends = begins;
                    uncounted = false;
                }
            }
        }
    }

    // All lanes have read z before any writes to it.
    storageBarrier();

    var pair_words = vec2<u32>(0u, 0u);
    var pair_topics = 0u;
    var pair_random = vec4<u32>(0u, 0u, 0u, 0u);
    var word = Word(vec2<u32>(0u, 0u), 0u, 0u, NO_BLOCKS);
    for (var s = 0u; s < steps; s += 1u) {
        let in_batch = s % BATCH;
        let parity = (s & 1u) * TEAMS;
        if (in_batch == 0u) {
            if (s + 2u * lane < ends) {
                let step = atomicLoad(&state[params.progress_at + d]) + s + 2u * lane;
                let doc = docs[d];
                let pair = (doc.first + step) >> 1u;
                pair_words = w[pair];
                pair_topics = z[pair];
                pair_random = pair_bits(half64(add64(doc.index, vec2<u32>(step + 1u - (doc.first & 1u), 0u))));
            }
            if (lane == 0u) {
                published[parity + team] = vec4<u32>(pair_words.x, pair_topics & 0xffffu, pair_random.xy);
            }
            workgroupBarrier();
            word = words[published[parity + team].x];
        }
        let samples = s >= begins && s < ends;
        let next = in_batch + 1u;
        if (next < BATCH && lane == next >> 1u) {
            let second = (next & 1u) == 1u;
            published[TEAMS - parity + team] = vec4<u32>(
                select(pair_words.x, pair_words.y, second),
                select(pair_topics & 0xffffu, pair_topics >> 16u, second),
                select(pair_random.xy, pair_random.zw, second),
            );
        }

        let old = published[parity + team].y;
        let walk = choose_walk(word, topics, lane, samples);
        var sum = vec2<u32>(0u, 0u);
        var last = Part(0u, 0u, 0u, 0u);
        for (var j = walk.begin; j < walk.end; j += 1u) {
            last = part_of(first_slot, word, walk, j, old);
            sum = sum_add(sum, last.weight, last.count);
        }
        let scanned = scan(index, sum);

        if (samples) {
            let document = sum_value(scanned.all);
            let total = add64(word.mass, document);
            var chosen = NO_ENTRY;
            var slot = 0u;
            if (all(total == vec2<u32>(0u, 0u))) {
                if (lane == 0u) {
                    atomicAdd(&results[params.k_star + RESULT_STUCK], 1u);
                    outcome[team] = old;
                }
            } else {
                let u = scale_bits(published[parity + team].zw, total);
                if (less64(u, document)) {
                    var upto = scanned.before;
                    if (!less64(u, sum_value(upto)) && less64(u, sum_value(sum_join(upto, sum)))) {
                        // With a single part in the lane that is the last one.
                        for (var j = walk.begin; j + 1u < walk.end; j += 1u) {
                            let part = part_of(first_slot, word, walk, j, old);
                            upto = sum_add(upto, part.weight, part.count);
                            if (less64(u, sum_value(upto))) {
                                last = part;
                                break;
                            }
                        }
                        chosen = last.entry;
                        slot = last.slot;
                    }
                } else if (lane == 0u) {
                    chosen = draw_alias(word, token_index(d, s));
                    slot = find_slot(first_slot, topic_of(chosen));
                }
            }
            if (chosen != NO_ENTRY) {
                let k = topic_of(chosen);
                outcome[team] = k;
                count_entry(chosen);
                atomicSub(&slots[find_slot(first_slot, old)], 1u);
                if ((atomicLoad(&slots[slot]) >> 16u) == k) {
                    atomicAdd(&slots[slot], 1u);
                } else {
                    atomicStore(&missing[team], select(k | NEW, k, is_active(k)));
                    atomicStore(&any_missing, 1u);
                }
            }
        }
        if (next < BATCH) {
            word = words[published[TEAMS - parity + team].x];
        }
        let lists = workgroupUniformLoad(&any_missing) != 0u;
        if (samples && lane == in_batch >> 1u) {
            pair_topics = with_topic(pair_topics, s, outcome[team]);
        }
        if (lists) {
            let k = list_missing(index, 1u);
            if (k != NO_TOPIC) {
                topics += 1u;
                if (topics == SLOTS || k >= NEW) {
                    is_left = true;
                    ends = s + 1u;
                }
            }
        }
        if ((next == BATCH || s + 1u == steps) && s - in_batch + 2u * lane < ends) {
            let step = atomicLoad(&state[params.progress_at + d]) + s - in_batch + 2u * lane;
            z[(docs[d].first + step) >> 1u] = pair_topics;
        }
    }

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
            let listed = atomicLoad(&slots[first_slot + j]);
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

// The token of document d that step s of this dispatch samples.
fn token_of_doc(d: u32, s: u32) -> u32 {
    return atomicLoad(&state[params.progress_at + d]) + s - (docs[d].first & 1u);
}

// The same token in the whole corpus.
fn token_index(d: u32, s: u32) -> vec2<u32> {
    return add64(docs[d].index, vec2<u32>(token_of_doc(d, s), 0u));
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

fn part_of(first_slot: u32, word: Word, walk: Walk, j: u32, old: u32) -> Part {
    if (walk.by_topics) {
        let slot = first_slot + j;
        let listed = atomicLoad(&slots[slot]);
        let k = listed >> 16u;
        let block = entries[word.blocks + (k >> 4u)];
        let bit = k & 15u;
        let has = ((block >> bit) & 1u) == 1u;
        // What is not there is read where something is anyway.
        let entry = word.start + select(0u, (block >> 16u) + countOneBits(block & ((1u << bit) - 1u)), has);
        let count = (listed & 0xffffu) - select(0u, 1u, k == old);
        return Part(entries[entry], select(0u, count, has), slot, entry);
    }
    let entry = word.start + j;
    // Loaded together, whatever the count is.
    let weight = entries[entry];
    let k = topic_of(entry);
    let slot = find_slot(first_slot, k);
    let listed = atomicLoad(&slots[slot]);
    let count = (listed & 0xffffu) - select(0u, 1u, k == old);
    return Part(weight, select(0u, count, (listed >> 16u) == k), slot, entry);
}
