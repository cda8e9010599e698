// Sums over the lanes of a team: each lane adds up what all of them have written. For teams of up to 16 lanes.

var<workgroup> sums: array<vec2<u32>, LANES>;

fn scan(index: u32, sum: vec2<u32>) -> Scan {
    sums[index] = sum;
    workgroupBarrier();
    let first = index - index % TEAM;
    var before = vec2<u32>(0u, 0u);
    var all = vec2<u32>(0u, 0u);
    // Four at a time, for fewer trips.
    for (var i = first; i < first + TEAM; i += 4u) {
        let one = sum_join(all, sums[i]);
        let two = sum_join(one, sums[i + 1u]);
        let three = sum_join(two, sums[i + 2u]);
        before = select(before, all, i == index);
        before = select(before, one, i + 1u == index);
        before = select(before, two, i + 2u == index);
        before = select(before, three, i + 3u == index);
        all = sum_join(three, sums[i + 3u]);
    }
    return Scan(before, all);
}
