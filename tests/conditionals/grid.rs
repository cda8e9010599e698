//! Laws that are known by their densities alone, and chains that must leave them as they are.

use hdp_gpu::rng::{Step, Stream};

use crate::common::chi_square_p_value;

/// Pearson's p-value of numbers that should be uniform between 0 and 1.
pub(crate) fn quantiles_p_value(quantiles: &[f64]) -> f64 {
    const CELLS: usize = 50;
    let mut observed = [0; CELLS];
    for quantile in quantiles {
        observed[((quantile * CELLS as f64) as usize).min(CELLS - 1)] += 1;
    }
    chi_square_p_value(&observed, &[quantiles.len() as f64 / CELLS as f64; CELLS])
}

/// A law on an interval: its distribution function at equal steps.
pub(crate) struct Grid {
    from: f64,
    step: f64,
    /// At the end of each step.
    cumulative: Vec<f64>,
}

impl Grid {
    const STEPS: u32 = 100_000;

    /// From a density that need not be normalised, by the midpoint rule.
    pub(crate) fn new(from: f64, to: f64, ln_density: impl Fn(f64) -> f64) -> Self {
        let step = (to - from) / f64::from(Self::STEPS);
        let ln: Vec<f64> = (0..Self::STEPS).map(|i| ln_density(from + step * (f64::from(i) + 0.5))).collect();
        let largest = ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut total = 0.0;
        let mut cumulative: Vec<f64> = ln
            .iter()
            .map(|ln| {
                total += (ln - largest).exp();
                total
            })
            .collect();
        cumulative.iter_mut().for_each(|sum| *sum /= total);
        Self { from, step, cumulative }
    }

    /// The distribution function before step `i`.
    fn before(&self, i: usize) -> f64 {
        if i == 0 { 0.0 } else { self.cumulative[i - 1] }
    }

    fn quantile(&self, u: f64) -> f64 {
        let i = self.cumulative.partition_point(|&sum| sum < u);
        let within = (u - self.before(i)) / (self.cumulative[i] - self.before(i));
        self.from + self.step * (i as f64 + within)
    }

    fn cdf(&self, x: f64) -> f64 {
        let at = (x - self.from) / self.step;
        assert!(at >= 0.0 && at < f64::from(Self::STEPS), "{x} is off the grid");
        let (i, within) = (at as usize, at.fract());
        self.before(i) + within * (self.cumulative[i] - self.before(i))
    }

    /// The p-value, against this law, of where chains of three steps end that start with draws of it: such draws they
    /// must stay.
    pub(crate) fn p_value(&self, mut step: impl FnMut(f64, &mut Stream) -> f64) -> f64 {
        const CHAINS: u32 = 50_000;
        let ends: Vec<f64> = (0..CHAINS)
            .map(|chain| {
                let stream = &mut Stream::new(1, Step::SynthTopic, 0, chain);
                let start = self.quantile(stream.uniform());
                self.cdf((0..3).fold(start, |x, _| step(x, stream)))
            })
            .collect();
        quantiles_p_value(&ends)
    }
}
