// The topics of a slot's document, ascending, beside its row of m: while they are few, walking them and looking each
// one up in the word's column is shorter than walking the column.
//
// A slot has its number of topics and then the topics. One more than LIST_CAPACITY says that there are too many to
// keep; the document is then sampled by columns alone.

fn list_place(slot: u32, j: u32) -> u32 {
    return params.m_at + slot * params.m_stride + K_STAR + 1u + j;
}

fn list_length(slot: u32) -> u32 {
    return atomicLoad(&state[params.m_at + slot * params.m_stride + K_STAR]);
}

fn set_list_length(slot: u32, length: u32) {
    atomicStore(&state[params.m_at + slot * params.m_stride + K_STAR], length);
}

fn listed(slot: u32, j: u32) -> u32 {
    return atomicLoad(&state[list_place(slot, j)]);
}

fn list_insert(slot: u32, k: u32) {
    let length = list_length(slot);
    if (length < LIST_CAPACITY) {
        var j = length;
        while (j > 0u && listed(slot, j - 1u) > k) {
            atomicStore(&state[list_place(slot, j)], listed(slot, j - 1u));
            j -= 1u;
        }
        atomicStore(&state[list_place(slot, j)], k);
    }
    set_list_length(slot, min(length, LIST_CAPACITY) + 1u);
}

fn list_remove(slot: u32, k: u32) {
    let length = list_length(slot);
    if (length > LIST_CAPACITY) {
        return;
    }
    var j = length - 1u;
    var moved = listed(slot, j);
    while (moved != k) {
        j -= 1u;
        let next = listed(slot, j);
        atomicStore(&state[list_place(slot, j)], moved);
        moved = next;
    }
    set_list_length(slot, length - 1u);
}
