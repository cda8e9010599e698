//! R-hat by ranks: the larger of those of the values and of their distances from the median (Vehtari et al. 2021), as ArviZ has it.

use super::normal_quantile::normal_quantile;
use super::{mean, variance};

/// R-hat of halves of chains, all of one length and finite, of which at least one varies.
///
/// Ranks take from single values that lie far off the weight that they would have in means and variances. Halves whose means agree
/// may still have other spreads, which distances from the median show.
pub(super) fn r_hat(halves: &[&[f64]]) -> f64 {
    let values = halves.concat();
    let median = median(&values);
    let distances: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
    let [bulk, folded] = [values, distances].map(|values| classic(&normal_scores(&values), halves[0].len()));
    // Distances that are all the same have none, which `max` leaves out.
    bulk.max(folded)
}

/// The square root of the variance of the law that all halves are from, if they are from one, over that within halves. Infinite
/// where they differ and do not vary.
fn classic(values: &[f64], length: usize) -> f64 {
    let halves = values.chunks_exact(length);
    let within = mean(halves.clone().map(variance));
    let means: Vec<f64> = halves.map(|half| mean(half.iter().copied())).collect();
    let n = length as f64;
    ((n - 1.0) / n + variance(&means) / within).sqrt()
}

/// Φ^−1((r − 3/8) / (S + 1/4)) of the rank r of each of S values; those that are tied have the mean of their ranks.
fn normal_scores(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut scores = vec![0.0; values.len()];
    let mut before = 0;
    for tied in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = before as f64 + (tied.len() + 1) as f64 / 2.0;
        let score = normal_quantile((rank - 0.375) / (values.len() as f64 + 0.25));
        for &place in tied {
            scores[place] = score;
        }
        before += tied.len();
    }
    scores
}

/// The median of an even number of values: each chain has two halves.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    (sorted[middle - 1] + sorted[middle]) / 2.0
}

#[cfg(test)]
mod tests {
    use crate::evaluate::convergence::convergence;

    /// Whole numbers below 1000, by Knuth's linear congruential generator.
    fn numbers(seed: u64, count: usize) -> impl Iterator<Item = u32> {
        let next = |x: &u64| Some(x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407));
        let states = std::iter::successors(next(&seed), next);
        states.map(|x| ((x >> 33) % 1000) as u32).take(count)
    }

    fn found(traces: &[Vec<f64>]) -> f64 {
        let traces: Vec<&[f64]> = traces.iter().map(Vec::as_slice).collect();
        convergence(&traces).r_hat.expect("a number")
    }

    /// The value of a chain at a row, from a number.
    type Value = fn(usize, usize, f64) -> f64;

    /// `arviz.rhat(x, method="rank")` of ArviZ 0.23.4 with SciPy 1.17.1, where x has as many last values of each trace as are
    /// looked at: two times a quarter of the shortest, rounded down. That is even, so nothing is left out between halves.
    #[test]
    fn r_hat_is_that_of_arviz() {
        let cases: [(&str, &[usize], Value, f64); 9] = [
            ("alike", &[400; 4], |_, _, x| x, 0.9988041419275432),
            ("an odd length", &[103; 3], |_, _, x| x, 1.0013830527706105),
            ("several lengths", &[90, 95, 100], |_, _, x| x, 1.0007628691395305),
            ("ties", &[200; 4], |_, _, x| x % 4.0, 1.0033441821644613),
            ("one elsewhere", &[203; 4], |m, _, x| if m == 3 { x + 300.0 } else { x }, 1.1108391199271308),
            // Without distances from the median 0.9956, and by the values themselves 0.9972.
            (
                "one wider",
                &[202; 4],
                |m, _, x| (x - 500.0) * if m == 1 { 4.0 } else { 1.0 },
                1.26252513764878,
            ),
            // By the values themselves 1.0001: the one that is far off widens its half.
            (
                "one value far off",
                &[161; 2],
                |m, t, x| x.powi(3) + if (m, t) == (0, 150) { 1e12 } else { 0.0 },
                1.0231599105570688,
            ),
            ("all move", &[120; 2], |_, t, x| x - 10.0 * t as f64, 1.1575343800911788),
            (
                "distances that are all the same",
                &[160; 2],
                |m, t, _| (t / (1 + m) % 2) as f64,
                0.9874208829065749,
            ),
        ];
        for (what, lengths, value, expected) in cases {
            let chain = |(m, &length): (usize, &usize)| {
                let numbers = numbers(1 + m as u64, length).enumerate();
                numbers.map(|(t, number)| value(m, t, f64::from(number))).collect()
            };
            let traces: Vec<Vec<f64>> = lengths.iter().enumerate().map(chain).collect();
            let found = found(&traces);
            assert!((found - expected).abs() < 1e-10, "{what}: {found}, expected {expected}");
        }
    }

    /// Their scores have a mean that rounding would take for a variance within halves.
    #[test]
    fn distances_that_differ_between_chains_alone_do_not_agree() {
        let traces = [0.1, 0.5, 0.9].map(|by| (0..100).map(|t| if t % 2 == 0 { by } else { -by }).collect());
        assert_eq!(found(&traces), f64::INFINITY);
    }

    #[test]
    fn no_number_comes_of_values_that_are_none() {
        let trace: Vec<f64> = (0..100).map(|t| if t == 90 { f64::NAN } else { f64::from(t) }).collect();
        assert_eq!(convergence(&[&trace]).r_hat, None);
    }
}
