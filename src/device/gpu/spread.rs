//! The order of workgroups on software, which gives each thread as many of them, next to each other: with the longest documents
//! first, the first thread would have the most work.

/// Multiples of this share of a whole are spread evenly over it.
const GOLDEN_RATIO: f64 = 0.618_033_988_749_895;

/// How far apart neighbouring workgroups are in the order of documents; it has no factor in common with their number.
pub(super) fn stride(workgroups: u32) -> u32 {
    let about = (GOLDEN_RATIO * f64::from(workgroups)).max(1.0) as u32;
    (about..workgroups).find(|&stride| greatest_factor(stride, workgroups) == 1).unwrap_or(1)
}

/// The greatest factor of both.
fn greatest_factor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_factor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workgroup_has_a_place_and_halves_share_the_long_ones() {
        for workgroups in [1, 2, 3, 4, 6, 30, 644, 65_535] {
            let stride = stride(workgroups);
            let mut places: Vec<u32> = (0..workgroups).map(|group| group * stride % workgroups).collect();
            let half: u64 = places[..workgroups as usize / 2].iter().map(|&place| u64::from(place)).sum();
            let all: u64 = places.iter().map(|&place| u64::from(place)).sum();
            if workgroups > 100 {
                assert!((half as f64 / all as f64 - 0.5).abs() < 0.02, "{half} of {all}");
            }
            places.sort_unstable();
            assert!(places.into_iter().eq(0..workgroups), "{workgroups}");
        }
    }
}
