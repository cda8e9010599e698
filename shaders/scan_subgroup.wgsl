// Sums over the lanes of a team, by operations of the subgroup that its workgroup is: sums over all lanes, without those of
// teams before. They may run over, and come back. For narrow sums.

fn scan(index: u32, sum: vec2<u32>) -> Scan {
    let before = subgroupExclusiveAdd(sum);
    if (TEAMS == 1u) {
        return Scan(before, subgroupAdd(sum));
    }
    let teams_before = subgroupShuffle(before, first_lane(index));
    let upto_team = subgroupShuffle(before + sum, first_lane(index) + TEAM - 1u);
    return Scan(before - teams_before, upto_team - teams_before);
}
