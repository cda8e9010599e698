// How the lanes of a workgroup tell each other what they know: by operations of the subgroup that they are. For devices whose
// subgroups have as many lanes as a workgroup, in the same order.

// The words of the lane's two tokens, and what was told last.
var<private> pair_words: array<Word, 2>;
var<private> heard: u32;

// Whether this workgroup is one subgroup: its lanes are the first ones, and in this order.
fn can_exchange(index: u32) -> bool {
    let low = select((1u << (LANES & 31u)) - 1u, 0xffffffffu, LANES >= 32u);
    let first_ones = vec4<u32>(low, select(0u, 0xffffffffu, LANES == 64u), 0u, 0u);
    return subgroupAll(all(subgroupBallot(true) == first_ones) && subgroupExclusiveAdd(1u) == index);
}

// The largest value of any lane.
fn largest(index: u32, value: u32) -> u32 {
    return subgroupMax(value);
}

// Whether it is so in any lane.
fn any_lane(index: u32, is_so: bool) -> bool {
    return subgroupAny(is_so);
}

// Gets the tokens of a batch ready.
fn share(index: u32, pair: Pair) {
    pair_words[0] = words[pair.words.x];
    pair_words[1] = words[pair.words.y];
}

// Tokens are asked for.
fn share_next(index: u32, pair: Pair, at: u32) {}

// The token at a place of the batch.
fn shared_token(index: u32, pair: Pair, at: u32) -> Token {
    let from_lane = first_lane(index) + (at >> 1u);
    let second = (at & 1u) == 1u;
    let mass = subgroupShuffle(select(pair_words[0].mass, pair_words[1].mass, second), from_lane);
    let start = subgroupShuffle(select(pair_words[0].start, pair_words[1].start, second), from_lane);
    let sizes = subgroupShuffle(select(pair_words[0].sizes, pair_words[1].sizes, second), from_lane);
    let blocks = subgroupShuffle(select(pair_words[0].blocks, pair_words[1].blocks, second), from_lane);
    let topic = subgroupShuffle(select(pair.topics & 0xffffu, pair.topics >> 16u, second), from_lane);
    let random = subgroupShuffle(select(pair.random.xy, pair.random.zw, second), from_lane);
    return Token(Word(mass, start, sizes, blocks), topic, random);
}

// What at most one lane of a team tells the others.
fn tell(index: u32, tells: bool, value: u32) {
    let lanes = subgroupBallot(tells);
    // The lanes of a team share a word of the ballot, or there is a single team.
    let first = first_lane(index);
    let of_team = lanes[first >> 5u] >> (first & 31u);
    let lane = select(firstTrailingBit(of_team), 32u + firstTrailingBit(lanes.y), TEAM > 32u && of_team == 0u);
    heard = subgroupShuffle(value, min(first + lane, LANES - 1u));
}

fn told(index: u32) -> u32 {
    return heard;
}

// The value of a team's first lane.
fn from_first(index: u32, value: u32) -> u32 {
    return subgroupShuffle(value, first_lane(index));
}

// What was written to workgroup memory before is there for others behind it.
fn fence() {
    workgroupBarrier();
}

// Of a single team it is plainly the same for all lanes.
fn first_lane(index: u32) -> u32 {
    if (TEAMS == 1u) {
        return 0u;
    }
    return index - index % TEAM;
}
