//! Means of draws with their standard errors, and how long a chain remembers.

/// A mean and its standard error.
pub(crate) struct Estimate {
    pub(crate) mean: f64,
    pub(crate) error: f64,
}

impl Estimate {
    /// From independent draws.
    pub(crate) fn of_draws(draws: &[f64]) -> Self {
        let count = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / count;
        let squares: f64 = draws.iter().map(|draw| (draw - mean) * (draw - mean)).sum();
        Self { mean, error: (squares / (count - 1.0) / count).sqrt() }
    }

    /// From a chain, cut into batches so long that their means are as good as independent.
    pub(crate) fn of_batches(chain: &[f64], batch: usize) -> Self {
        let batches = chain.chunks_exact(batch);
        assert!(batches.remainder().is_empty(), "{} draws are no whole batches", chain.len());
        let means: Vec<f64> = batches.map(|draws| draws.iter().sum::<f64>() / batch as f64).collect();
        Self::of_draws(&means)
    }

    /// The standard errors from `self` to `other`, which knows nothing of it.
    pub(crate) fn z_score(&self, other: &Self) -> f64 {
        (other.mean - self.mean) / self.error.hypot(other.error)
    }
}

/// The correlation of draws that are `lag` apart.
pub(crate) fn autocorrelation(chain: &[f64], lag: usize) -> f64 {
    let mean = chain.iter().sum::<f64>() / chain.len() as f64;
    let product = |(a, b): (&f64, &f64)| (a - mean) * (b - mean);
    let sum = |lag: usize| chain.iter().zip(&chain[lag..]).map(product).sum::<f64>();
    sum(lag) / sum(0)
}

#[test]
fn estimates_of_few_draws() {
    let draws = [1.0, 3.0, 1.0, 5.0, 3.0, 5.0];
    let of_draws = Estimate::of_draws(&draws);
    // Squares 4 + 0 + 4 + 4 + 0 + 4, over 5·6.
    assert!((of_draws.mean - 3.0).abs() < 1e-12 && (of_draws.error - (16.0f64 / 30.0).sqrt()).abs() < 1e-12);
    // Means 2, 3 and 4: a variance of 1, over 3.
    let of_batches = Estimate::of_batches(&draws, 2);
    assert!(
        (of_batches.mean - 3.0).abs() < 1e-12 && (of_batches.error - (1.0f64 / 3.0).sqrt()).abs() < 1e-12
    );
    let apart = Estimate { mean: 5.0, error: 0.0 };
    assert!((of_batches.z_score(&apart) - 2.0 * 3f64.sqrt()).abs() < 1e-12);
    // (−2·0 + 0·−2 + −2·2 + 2·0 + 0·2) / 16.
    assert!((autocorrelation(&draws, 1) + 0.25).abs() < 1e-12);
}
