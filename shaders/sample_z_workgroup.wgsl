// Step 3, z | Φ, Ψ: a workgroup a document, its lanes sharing the word's column; twin of src/model/z.rs.
//
// How far a document is: a position p in three runs over its L tokens, counting them into m up to L, sampling
// up to 2L, and counting m into d up to 3L. Where m lives in workgroup memory it is lost between dispatches, so
// the first and the last run are made at once and only the second can be cut.

// The lanes' prefix sums of φ_kv·m_dk: two halves, written in turn.
var<workgroup> sums: array<vec2<u32>, SUMS>;
var<workgroup> document_sum: vec2<u32>;
// The random bits of the token at hand.
var<workgroup> bits: vec2<u32>;
var<workgroup> chosen: u32;
var<workgroup> start_position: u32;

@compute @workgroup_size(LANES)
fn sample_z(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let slot = group.x;
    let doc = docs[params.doc_begin + slot];
    let tokens = doc.tokens;
    if (lane == 0u) {
        start_position = atomicLoad(&state[slot]);
    }
    var position = workgroupUniformLoad(&start_position);
    if (position == 3u * tokens) {
        return;
    }
    let run_trips = (tokens + LANES - 1u) / LANES;
    var trips = 0u;

    var counted = position;
    if (!M_IN_STORAGE) {
        counted = 0u;
    }
    while (counted < tokens && (!M_IN_STORAGE || trips < params.budget)) {
        if (counted + lane < tokens) {
            m_add(slot, z_at(doc.first + counted + lane));
        }
        counted += LANES;
        trips += 1u;
    }
    position = max(position, min(counted, tokens));
    barrier();

    // Each lane draws the random bits of one of the next LANES tokens.
    var drawn = 0u;
    var own_bits = vec2<u32>(0u, 0u);
    while (position >= tokens && position < 2u * tokens) {
        let token = position - tokens;
        let word = words[w[doc.first + token]];
        let share = (word.entries + LANES - 1u) / LANES;
        trips += TOKEN_TRIPS + 2u * share;
        // Workgroup memory is counted into d in the same dispatch: its trips are kept in hand.
        if (trips + select(run_trips, 0u, M_IN_STORAGE) > params.budget) {
            break;
        }
        if (drawn % LANES == 0u) {
            own_bits = token_bits(token_index(doc, token + lane));
        }
        if (drawn % LANES == lane) {
            bits = own_bits;
        }
        sample_token(slot, lane, doc, token, word, share);
        drawn += 1u;
        position += 1u;
    }
    // The last token is in m before any lane takes it from there.
    barrier();

    if (M_IN_STORAGE || position == 2u * tokens) {
        while (position >= 2u * tokens && position < 3u * tokens && (!M_IN_STORAGE || trips < params.budget)) {
            let token = position - 2u * tokens + lane;
            if (token < tokens) {
                let k = z_at(doc.first + token);
                let p = m_take(slot, k);
                if (p > 0u) {
                    record(k, p);
                }
            }
            position = min(position + LANES, 3u * tokens);
            trips += 1u;
        }
    }
    if (lane == 0u) {
        atomicStore(&state[slot], position);
        if (position == 3u * tokens) {
            atomicAdd(&results[RESULT_DONE], 1u);
        }
    }
}

fn barrier() {
    workgroupBarrier();
    storageBarrier();
}

fn sample_token(slot: u32, lane: u32, doc: Doc, token: u32, word: Word, share: u32) {
    let place = doc.first + token;
    let old = z_at(place);
    if (lane == 0u) {
        m_remove(slot, old);
    }
    barrier();

    // Each lane has `share` neighbouring entries, so the lanes' sums are in the order of topics.
    let begin = word.start + min(lane * share, word.entries);
    let end = word.start + min((lane + 1u) * share, word.entries);
    var sum = vec2<u32>(0u, 0u);
    for (var e = begin; e < end; e += 1u) {
        let count = m_load(slot, topic_of(e));
        if (count > 0u) {
            sum = sum_add(sum, entries[e].weight, count);
        }
    }
    var upto = sum;
    var half = 0u;
    // Only the first lanes have entries.
    let part = max(share, 1u);
    let lanes = (word.entries + part - 1u) / part;
    for (var step = 1u; step < lanes; step *= 2u) {
        sums[half + lane] = upto;
        workgroupBarrier();
        if (lane >= step) {
            upto = sum_join(upto, sums[half + lane - step]);
        }
        half = LANES - half;
    }
    if (lane + 1u == max(lanes, 1u)) {
        document_sum = sum_value(upto);
    }
    let document = workgroupUniformLoad(&document_sum);
    let total = add64(word.mass, document);
    if (all(total == vec2<u32>(0u, 0u))) {
        if (lane == 0u) {
            chosen = NO_ENTRY;
            atomicAdd(&results[RESULT_STUCK], 1u);
        }
    } else {
        let u = scale_bits(bits, total);
        if (less64(u, document)) {
            var cumulative = sum_cut(upto, sum);
            if (!less64(u, sum_value(cumulative)) && less64(u, sum_value(upto))) {
                var e = begin;
                loop {
                    cumulative = sum_add(cumulative, entries[e].weight, m_load(slot, topic_of(e)));
                    if (less64(u, sum_value(cumulative))) {
                        break;
                    }
                    e += 1u;
                }
                chosen = e;
            }
        } else if (lane == 0u) {
            chosen = draw_alias(word, token_index(doc, token));
        }
    }
    let e = workgroupUniformLoad(&chosen);
    if (lane == 0u) {
        if (e == NO_ENTRY) {
            m_add(slot, old);
        } else {
            let k = topic_of(e);
            set_z(place, k);
            m_add(slot, k);
            atomicAdd(&entry_count[e], 1u);
        }
    }
    // The next token's barrier comes after this token is in m and the next one out of it.
}
