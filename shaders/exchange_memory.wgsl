// How the lanes of a workgroup tell each other what they know: through its memory, with barriers. For all devices.
//
// What is shared before scan() or any_lane() is there for others behind it.

// The token at hand and the next one of each team: word, topic, random bits.
var<workgroup> published: array<vec4<u32>, 2u * TEAMS>;
// What a lane of each team tells the others.
var<workgroup> outcome: array<u32, TEAMS>;
var<workgroup> most: atomic<u32>;
var<workgroup> flag: atomic<u32>;

fn can_exchange(index: u32) -> bool {
    return true;
}

// The largest value of any lane.
fn largest(index: u32, value: u32) -> u32 {
    if (index == 0u) {
        atomicStore(&most, 0u);
        atomicStore(&flag, 0u);
    }
    workgroupBarrier();
    atomicMax(&most, value);
    return workgroupUniformLoad(&most);
}

// Whether it is so in any lane.
fn any_lane(index: u32, is_so: bool) -> bool {
    if (is_so) {
        atomicStore(&flag, 1u);
    }
    let any = workgroupUniformLoad(&flag) != 0u;
    if (any) {
        if (index == 0u) {
            atomicStore(&flag, 0u);
        }
        workgroupBarrier();
    }
    return any;
}

// Shares the first token of a batch.
fn share(index: u32, pair: Pair) {
    share_next(index, pair, 0u);
    workgroupBarrier();
}

// Has the token at a place of the batch shared by the lane that has it.
fn share_next(index: u32, pair: Pair, at: u32) {
    if (at < BATCH && index % TEAM == at >> 1u) {
        let second = (at & 1u) == 1u;
        published[(at & 1u) * TEAMS + index / TEAM] = vec4<u32>(
            select(pair.words.x, pair.words.y, second),
            select(pair.topics & 0xffffu, pair.topics >> 16u, second),
            select(pair.random.xy, pair.random.zw, second),
        );
    }
}

// The token at a place of the batch: the last one that was shared, or the one before.
fn shared_token(index: u32, pair: Pair, at: u32) -> Token {
    let token = published[(at & 1u) * TEAMS + index / TEAM];
    return Token(words[token.x], token.y, token.zw);
}

// What at most one lane of a team tells the others.
fn tell(index: u32, tells: bool, value: u32) {
    if (tells) {
        outcome[index / TEAM] = value;
    }
}

fn told(index: u32) -> u32 {
    return outcome[index / TEAM];
}

// The value of a team's first lane.
fn from_first(index: u32, value: u32) -> u32 {
    workgroupBarrier();
    tell(index, index % TEAM == 0u, value);
    workgroupBarrier();
    return told(index);
}

// What was written to workgroup memory before is there for others behind it: scan() and any_lane() have seen to that.
fn fence() {}
