//! Whether chains have settled, from their traces: R-hat by ranks, the effective sample size (Gelman et al. 2013) and drift.
//!
//! R-hat is that of Vehtari et al. (2021). The effective size and the drift are of the values themselves: the drift is a change of
//! means, and what its error depends on is how many independent values a mean is worth, not their ranks.

mod normal_quantile;
mod r_hat;

/// What traces say; nothing where they are too short or do not vary.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Convergence {
    /// R-hat by ranks: near 1 when all halves of all chains look alike, in where they lie and in how far they spread. Infinite
    /// where all lie as far from the median within each half, and not between halves.
    pub r_hat: Option<f64>,
    /// The independent values that the mean of all is worth.
    pub effective_size: Option<f64>,
    /// By how many standard deviations of a half the mean of the last halves, over all chains, is above that of those before.
    pub drift: Option<f64>,
}

/// The fewest values of a half.
const SHORTEST: usize = 4;

/// The last values of each trace that are looked at, two times a quarter of the shortest; none where it is too short.
pub(crate) fn looked_at(traces: &[&[f64]]) -> Option<usize> {
    let length = traces.iter().map(|trace| trace.len() / 4).min().unwrap_or(0);
    (length >= SHORTEST).then_some(2 * length)
}

/// Looks at the second half of each trace, cut in two.
pub fn convergence(traces: &[&[f64]]) -> Convergence {
    let Some(length) = looked_at(traces).map(|values| values / 2) else { return Convergence::default() };
    let halves: Vec<&[f64]> = traces
        .iter()
        .flat_map(|trace| {
            let (before, last) = trace.split_at(trace.len() - length);
            [&before[before.len() - length..], last]
        })
        .collect();
    let n = length as f64;
    let within = mean(halves.iter().map(|half| variance(half)));
    let means: Vec<f64> = halves.iter().map(|half| mean(half.iter().copied())).collect();
    // An estimate of the variance of the law that all halves are from, if they are from one.
    let pooled = (n - 1.0) / n * within + variance(&means);
    if within <= 0.0 || !pooled.is_finite() {
        return Convergence::default();
    }
    let effective_size = effective_size(&halves, within, pooled);
    let [before, last] = [0, 1].map(|half| mean(means.iter().skip(half).step_by(2).copied()));
    Convergence {
        r_hat: Some(r_hat::r_hat(&halves)),
        effective_size: Some(effective_size),
        drift: Some((last - before) / within.sqrt()),
    }
}

/// m·n / (1 + 2 Σ_t ρ_t), over lags in pairs while the sums of pairs are positive and fall (Geyer 1992).
fn effective_size(halves: &[&[f64]], within: f64, pooled: f64) -> f64 {
    let n = halves[0].len();
    let correlation = |lag: usize| {
        let autocovariance = mean(halves.iter().map(|half| autocovariance(half, lag)));
        1.0 - (within * (n as f64 - 1.0) / n as f64 - autocovariance) / pooled
    };
    let (mut sum, mut before) = (0.0, f64::INFINITY);
    for lag in (0..n - 1).step_by(2) {
        let pair = correlation(lag) + correlation(lag + 1);
        if pair <= 0.0 {
            break;
        }
        before = pair.min(before);
        sum += before;
    }
    let total = (halves.len() * n) as f64;
    // The lag 0 is in the first pair with 1.
    total / (2.0 * sum - 1.0).max(1.0 / libm::log(total))
}

fn autocovariance(values: &[f64], lag: usize) -> f64 {
    let mean = mean(values.iter().copied());
    let products = values.iter().zip(&values[lag..]).map(|(a, b)| (a - mean) * (b - mean));
    products.sum::<f64>() / values.len() as f64
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// The sample variance; none of values that are all the same, where rounding would leave one.
fn variance(values: &[f64]) -> f64 {
    if values.iter().all(|value| *value == values[0]) {
        return 0.0;
    }
    let mean = mean(values.iter().copied());
    values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (values.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Step, Stream};

    /// x_t = ρ·x_{t−1} + uniform noise.
    fn autoregressive(rho: f64, length: usize, seed: u64) -> Vec<f64> {
        let mut random = Stream::new(seed, Step::Init, 0, 0);
        let mut x = 0.0;
        (0..length)
            .map(|_| {
                x = rho * x + random.uniform() - 0.5;
                x
            })
            .collect()
    }

    #[test]
    fn independent_values_count_one_by_one_and_dependent_ones_less() {
        for (rho, expected) in [(0.0, 20_000.0), (0.5, 20_000.0 / 3.0), (0.9, 20_000.0 / 19.0)] {
            let traces = [1, 2].map(|seed| autoregressive(rho, 20_000, seed));
            let found = convergence(&[&traces[0], &traces[1]]);
            let (r_hat, size) = (found.r_hat.expect("a number"), found.effective_size.expect("a number"));
            assert!((r_hat - 1.0).abs() < 0.01, "{r_hat}");
            assert!((size / expected - 1.0).abs() < 0.2, "{rho}: {size}, expected {expected}");
        }
    }

    #[test]
    fn what_moves_or_disagrees_is_seen() {
        let noise = autoregressive(0.0, 400, 3);
        let rising: Vec<f64> = noise.iter().zip(0..).map(|(x, t)| x + 0.02 * f64::from(t)).collect();
        assert!(convergence(&[&rising]).r_hat.expect("a number") > 1.5);
        // 100 values on, by 2, where the noise and the rise within 100 values vary by √(1/12 + 2²/12).
        let drift = convergence(&[&rising, &rising]).drift.expect("a number");
        assert!((drift - 2.0 / (5.0f64 / 12.0).sqrt()).abs() < 0.2, "{drift}");
        assert!(convergence(&[&noise]).drift.expect("a number").abs() < 0.5);
        let other: Vec<f64> = noise.iter().map(|x| x + 1.0).collect();
        assert!(convergence(&[&noise, &other]).r_hat.expect("a number") > 1.5);
        assert!(convergence(&[&noise]).r_hat.expect("a number") < 1.05);
        assert_eq!(convergence(&[&[1.0; 100]]), Convergence::default());
        assert_eq!(convergence(&[&noise[..10]]), Convergence::default());
    }
}
