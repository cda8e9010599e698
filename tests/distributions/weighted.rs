//! rand's draws from a list of weights against cumulative sums written out: the built-in corpus hangs on every one.

use hdp_gpu::rng::Stream;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;

use super::{DRAWS, stream};

/// The first number whose cumulative weight exceeds the uniform: the reference.
fn by_cumulative_sums(cumulative: &[f64], stream: &mut Stream) -> usize {
    let target = stream.uniform() * cumulative[cumulative.len() - 1];
    cumulative.partition_point(|&sum| sum <= target)
}

#[test]
fn weighted_index_draws_as_cumulative_sums_do() {
    let power_law =
        |n: u32, power: f64| (0..n).map(|rank| libm::pow(f64::from(rank) + 3.0, -power)).collect();
    let lists: [Vec<f64>; 6] = [
        vec![1.0],
        vec![0.0, 2.0, 0.0, 1.0, 4.0, 0.5, 0.0],
        vec![1e-300, 1.0, 1e300],
        power_law(60, 0.9),
        power_law(2000, 0.9),
        power_law(50_000, 1.1),
    ];
    for (case, weights) in lists.iter().enumerate() {
        let law = WeightedIndex::new(weights).unwrap();
        let mut total = 0.0;
        let sums = weights.iter().map(|weight| {
            total += weight;
            total
        });
        let cumulative: Vec<f64> = sums.collect();
        let (mut ours, mut theirs) = (stream(case), stream(case));
        for draw in 0..2 * DRAWS {
            let expected = by_cumulative_sums(&cumulative, &mut ours);
            assert_eq!(law.sample(&mut theirs), expected, "draw {draw} from list {case}");
        }
    }
}
