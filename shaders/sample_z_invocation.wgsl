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
    while (position < tokens && trips < params.budget) {
        m_add(slot, z_at(doc.first + position));
        position += 1u;
        trips += 1u;
    }
    while (position >= tokens && position < 2u * tokens) {
        let word = words[w[doc.first + position - tokens]];
        trips += TOKEN_TRIPS + 2u * word.entries;
        if (trips > params.budget) {
            break;
        }
        sample_token(slot, doc, position - tokens, word);
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
        atomicAdd(&results[RESULT_DONE], 1u);
    }
}

fn sample_token(slot: u32, doc: Doc, token: u32, word: Word) {
    let place = doc.first + token;
    let old = z_at(place);
    m_remove(slot, old);
    let end = word.start + word.entries;
    var document = vec2<u32>(0u, 0u);
    for (var e = word.start; e < end; e += 1u) {
        document = add64(document, mul_wide(entries[e].weight, m_load(slot, topic_of(entries[e]))));
    }
    let total = add64(word.mass, document);
    var chosen = word.start;
    if (all(total == vec2<u32>(0u, 0u))) {
        atomicAdd(&results[RESULT_STUCK], 1u);
        // A word without mass lists the topics of all its tokens.
        while (topic_of(entries[chosen]) != old) {
            chosen += 1u;
        }
    } else {
        let i = token_index(doc, token);
        let u = scale_bits(token_bits(i), total);
        if (less64(u, document)) {
            var cumulative = vec2<u32>(0u, 0u);
            loop {
                cumulative =
                    add64(cumulative, mul_wide(entries[chosen].weight, m_load(slot, topic_of(entries[chosen]))));
                if (less64(u, cumulative)) {
                    break;
                }
                chosen += 1u;
            }
        } else {
            chosen = draw_alias(word, i);
        }
    }
    let k = topic_of(entries[chosen]);
    set_z(place, k);
    m_add(slot, k);
    atomicAdd(&entry_count[chosen], 1u);
}
