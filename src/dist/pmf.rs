//! Logarithms of the Poisson and binomial probabilities, accurate at any count.
//!
//! Differences of ln Γ lose all that matters at large counts: at n = 2^40 they are off by 0.004. Loader's
//! form (2000, "Fast and Accurate Computation of Binomial Probabilities") has no large terms: with
//! ln k! = k ln k − k + s(k), what is left of k ln k is a deviance that is small wherever mass is.

/// ln of e^−mean · mean^k / k!.
pub(super) fn ln_poisson(k: f64, mean: f64) -> f64 {
    -deviance(k, mean) - stirling_rest(k)
}

/// ln of (n over k) · p^k · (1 − p)^(n − k).
pub(super) fn ln_binomial(k: f64, n: f64, p: f64) -> f64 {
    stirling_rest(n)
        - stirling_rest(k)
        - stirling_rest(n - k)
        - deviance(k, n * p)
        - deviance(n - k, n * (1.0 - p))
}

/// x ln(x/mean) + mean − x.
fn deviance(x: f64, mean: f64) -> f64 {
    if x == 0.0 {
        return mean;
    }
    let difference = x - mean;
    let v = difference / (x + mean);
    if v.abs() >= 0.1 {
        return x * libm::log(x / mean) - difference;
    }
    // ln(x/mean) = 2 artanh(v) as a series, whose first term takes up mean − x without cancelling.
    let mut sum = difference * v;
    let mut term = 2.0 * x * v;
    for divisor in (3u32..).step_by(2) {
        term *= v * v;
        let next = sum + term / f64::from(divisor);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// s(k) = ln k! − (k ln k − k).
fn stirling_rest(k: f64) -> f64 {
    if k == 0.0 {
        return 0.0;
    }
    if k < 16.0 {
        return libm::lgamma(k + 1.0) - k * libm::log(k) + k;
    }
    let per_square = 1.0 / (k * k);
    let series = 1.0 / 12.0 - per_square * (1.0 / 360.0 - per_square * (1.0 / 1260.0 - per_square / 1680.0));
    0.5 * libm::log(std::f64::consts::TAU * k) + series / k
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use super::*;

    #[test]
    fn small_counts_agree_with_ln_gamma() {
        let ln_factorial = |k: f64| libm::lgamma(k + 1.0);
        for k in (0..60).map(f64::from) {
            for mean in [0.01, 1.0, 12.3, 40.0] {
                let plain = k * libm::log(mean) - mean - ln_factorial(k);
                assert_abs_diff_eq!(ln_poisson(k, mean), plain, epsilon = 1e-12);
            }
            for p in [0.001, 0.3, 0.5, 0.9] {
                let n = 59.0;
                let plain = ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
                    + k * libm::log(p)
                    + (n - k) * libm::log1p(-p);
                assert_abs_diff_eq!(ln_binomial(k, n, p), plain, epsilon = 1e-12);
            }
        }
    }

    #[test]
    fn large_counts_keep_the_ratio_of_neighbours() {
        let mean = 4_294_967_296.0f64;
        let (n, p) = (1_099_511_627_776.0f64, 0.3);
        for z in [-6.0f64, -1.0, 0.0, 0.5, 6.0] {
            // Steps of a thousand, so that the ratio is well above the rounding of k itself.
            let k = (mean + z * mean.sqrt()).floor();
            let exact: f64 = (1..=1000).map(|j| libm::log(mean / (k + f64::from(j)))).sum();
            assert_abs_diff_eq!(ln_poisson(k + 1000.0, mean) - ln_poisson(k, mean), exact, epsilon = 1e-11);

            let k = (n * p + z * (n * p * (1.0 - p)).sqrt()).floor();
            let ratio = |j: f64| (n - k - j + 1.0) / (k + j) * (p / (1.0 - p));
            let exact: f64 = (1..=1000).map(|j| libm::log(ratio(f64::from(j)))).sum();
            assert_abs_diff_eq!(ln_binomial(k + 1000.0, n, p) - ln_binomial(k, n, p), exact, epsilon = 1e-11);
        }
    }
}
