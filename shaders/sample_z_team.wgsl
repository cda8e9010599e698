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
    var doc = Doc(0u, 0u, vec2<u32>(0u, 0u));
    // The steps done, each a place from the first pair of places on, which the document may begin in the middle of.
    var done = OVER;
    if (d < params.doc_end) {
        doc = docs[d];
        done = atomicLoad(&state[params.progress_at + d]);
    }
    let odd = doc.first & 1u;
    let end = odd + doc.tokens;
    let goes_on = done < end;
    if (index == 0u) {
        atomicStore(&longest, 0u);
        atomicStore(&farthest, 0u);
    }
    clear_slots(index);
    workgroupBarrier();
    if (goes_on) {
        atomicMax(&longest, end);
        atomicMax(&farthest, end - done);
    }
    let places = workgroupUniformLoad(&longest);
    let steps = min(workgroupUniformLoad(&farthest), params.budget);
    if (steps == 0u) {
        return;
    }
    let first_place = doc.first - odd;

    // m_d.
    var topics = 0u;
    var left_at = OVER;
    for (var base = 0u; base < places; base += TEAM) {
        let step = base + lane;
        var uncounted = goes_on && left_at == OVER && step >= odd && step < end;
        var k = 0u;
        if (uncounted) {
            k = z_at(first_place + step);
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
                    left_at = max(done, odd);
                    uncounted = false;
                }
            }
        }
    }

    // All lanes have read z before any writes to it.
    storageBarrier();

    var pair = 0u;
    var pair_words = vec2<u32>(0u, 0u);
    var pair_topics = 0u;
    var pair_random = vec4<u32>(0u, 0u, 0u, 0u);
    var token = vec4<u32>(0u, 0u, 0u, 0u);
    var word = Word(vec2<u32>(0u, 0u), 0u, 0u, NO_BLOCKS);
    for (var s = 0u; s < steps; s += 1u) {
        let in_batch = s % BATCH;
        let parity = (s & 1u) * TEAMS;
        if (in_batch == 0u) {
            let step = done + s + 2u * lane;
            pair = (first_place + step) >> 1u;
            if (goes_on && step < end) {
                pair_words = w[pair];
                pair_topics = z[pair];
                pair_random = pair_bits(half64(add64(doc.index, vec2<u32>(step + 1u - odd, 0u))));
            }
            if (lane == 0u) {
                published[parity + team] = vec4<u32>(pair_words.x, pair_topics & 0xffffu, pair_random.xy);
            }
            workgroupBarrier();
            token = published[parity + team];
            word = words[token.x];
        }
        let at = done + s;
        let samples = goes_on && left_at == OVER && at >= odd && at < end;
        let next = in_batch + 1u;
        if (next < BATCH && lane == next >> 1u) {
            let second = (next & 1u) == 1u;
            published[TEAMS - parity + team] = vec4<u32>(
                select(pair_words.x, pair_words.y, second),
                select(pair_topics & 0xffffu, pair_topics >> 16u, second),
                select(pair_random.xy, pair_random.zw, second),
            );
        }

        let old = token.y;
        let walk = choose_walk(word, topics, lane, samples);
        let old_slot = find_slot(first_slot, old);
        var sum = vec2<u32>(0u, 0u);
        var last = Part(0u, 0u, 0u, 0u);
        for (var j = walk.begin; j < walk.end; j += 1u) {
            last = part_of(first_slot, word, walk, j, old);
            sum = sum_add(sum, last.weight, last.count);
        }
        let scanned = scan(index, sum);
        var next_token = token;
        if (next < BATCH) {
            next_token = published[TEAMS - parity + team];
        }
        let next_word = words[next_token.x];

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
                let u = scale_bits(token.zw, total);
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
                    chosen = draw_alias(word, add64(doc.index, vec2<u32>(at - odd, 0u)));
                    slot = find_slot(first_slot, topic_of(chosen));
                }
            }
            if (chosen != NO_ENTRY) {
                let k = topic_of(chosen);
                outcome[team] = k;
                count_entry(chosen);
                atomicSub(&slots[old_slot], 1u);
                if ((atomicLoad(&slots[slot]) >> 16u) == k) {
                    atomicAdd(&slots[slot], 1u);
                } else {
                    atomicStore(&missing[team], select(k | NEW, k, is_active(k)));
                    atomicStore(&any_missing, 1u);
                }
            }
        }
        let lists = workgroupUniformLoad(&any_missing) != 0u;
        if (samples && lane == in_batch >> 1u) {
            pair_topics = with_topic(pair_topics, at, outcome[team]);
        }
        if (lists) {
            let k = list_missing(index, 1u);
            if (k != NO_TOPIC) {
                topics += 1u;
                if (topics == SLOTS || k >= NEW) {
                    left_at = at + 1u;
                }
            }
        }
        if ((next == BATCH || s + 1u == steps) && goes_on && done + s - in_batch + 2u * lane < end) {
            z[pair] = pair_topics;
        }
        token = next_token;
        word = next_word;
    }

    if (!goes_on) {
        return;
    }
    if (left_at != OVER) {
        if (lane == 0u) {
            let item = atomicAdd(&state[0], 1u);
            atomicStore(&state[1u + 2u * item], d);
            atomicStore(&state[2u + 2u * item], left_at - odd);
            atomicStore(&state[params.progress_at + d], OVER);
            if (topics == SLOTS) {
                atomicAdd(&results[params.k_star + RESULT_FULL], 1u);
            }
        }
    } else if (done + steps >= end) {
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
    } else if (lane == 0u) {
        atomicStore(&state[params.progress_at + d], done + steps);
    }
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
        let block = entries[word.blocks + (k >> 5u)];
        let bit = k & 31u;
        let entry = word.start + block.y + countOneBits(block.x & ((1u << bit) - 1u));
        let weight = entries[entry].x;
        let count = (listed & 0xffffu) - select(0u, 1u, k == old);
        return Part(weight, select(0u, count, ((block.x >> bit) & 1u) == 1u), slot, entry);
    }
    let entry = word.start + j;
    let weight_topic = entries[entry];
    let k = weight_topic.y;
    let slot = find_slot(first_slot, k);
    let listed = atomicLoad(&slots[slot]);
    let count = (listed & 0xffffu) - select(0u, 1u, k == old);
    return Part(weight_topic.x, select(0u, count, (listed >> 16u) == k), slot, entry);
}
