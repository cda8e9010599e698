// Sums over the lanes of a team, in steps that double their reach: for large teams.

// Two halves, written in turn.
var<workgroup> sums: array<vec2<u32>, 2u * LANES>;

fn scan(index: u32, sum: vec2<u32>) -> Scan {
    let lane = index % TEAM;
    var upto = sum;
    var half = 0u;
    for (var step = 1u; step < TEAM; step *= 2u) {
        sums[half + index] = upto;
        workgroupBarrier();
        if (lane >= step) {
            upto = sum_join(upto, sums[half + index - step]);
        }
        half = LANES - half;
    }
    sums[half + index] = upto;
    workgroupBarrier();
    return Scan(sum_cut(upto, sum), sums[half + index - lane + TEAM - 1u]);
}
