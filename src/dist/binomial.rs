//! Binomial variates: inversion for small means, rejection above.

use super::pmf;
use crate::rng::Stream;

/// From this mean on, rejection; its constants are not valid below.
const REJECTION_MEAN: f64 = 10.0;

/// A draw of Binomial(n, p), for `p` from 0 to 1 and `n` up to 2^40. Where the outcome is certain, no random
/// bits are taken.
pub fn binomial(n: u64, p: f64, stream: &mut Stream) -> u64 {
    debug_assert!((0.0..=1.0).contains(&p), "a probability of {p}");
    debug_assert!(n <= 1 << 40, "{n} trials");
    if p > 0.5 {
        return n - binomial(n, 1.0 - p, stream);
    }
    if n == 0 || p == 0.0 {
        return 0;
    }
    if n as f64 * p < REJECTION_MEAN { invert(n as f64, p, stream) } else { reject(n as f64, p, stream) }
}

/// Walks up the cumulative probabilities from 0.
fn invert(n: f64, p: f64, stream: &mut Stream) -> u64 {
    // Below a mean of 10, larger values have a probability of about 1e-70: whoever walks further follows the
    // rounding of the sum, and draws again.
    const FARTHEST: u32 = 110;
    /// More than the rounding of the probability of 0 and of its bound.
    const ROUNDING: f64 = 1e-9;
    let mut left = stream.uniform();
    // (1 − p)^n ≥ 1 − np: where the mean is small, most draws are seen to be 0 without a logarithm.
    if left < 1.0 - n * p - ROUNDING {
        return 0;
    }
    let odds = p / (1.0 - p);
    let none = libm::exp(n * libm::log1p(-p));
    loop {
        let mut mass = none;
        for k in 1..=FARTHEST {
            if left <= mass {
                return u64::from(k - 1);
            }
            left -= mass;
            // Becomes and stays 0 past n, where `left` is above 0: no value above n is returned.
            mass *= ((n + 1.0) / f64::from(k) - 1.0).max(0.0) * odds;
        }
        left = stream.uniform();
    }
}

/// Hörmann's transformed rejection with squeeze (1993, "The generation of binomial random variates",
/// algorithm BTRS), for p ≤ 1/2.
fn reject(n: f64, p: f64, stream: &mut Stream) -> u64 {
    let deviation = (n * p * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let alpha = (2.83 + 5.1 / b) * deviation;
    let squeeze = 0.92 - 4.2 / b;
    let mode = ((n + 1.0) * p).floor();
    loop {
        let u = stream.uniform() - 0.5;
        let v = stream.uniform();
        let edge = 0.5 - u.abs();
        let k = ((2.0 * a / edge + b) * u + n * p + 0.5).floor();
        if edge >= 0.07 && v <= squeeze {
            return k as u64;
        }
        if !(0.0..=n).contains(&k) {
            continue;
        }
        let hat = a / (edge * edge) + b;
        if libm::log(v * alpha / hat) <= pmf::ln_binomial(k, n, p) - pmf::ln_binomial(mode, n, p) {
            return k as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Step;

    fn stream() -> Stream {
        Stream::new(1, Step::L, 2, 3)
    }

    #[test]
    fn known_draws() {
        let cases = [
            (20, 0.1, [0, 2, 5, 2, 2, 1]),
            (2000, 0.01, [13, 31, 21, 18, 24, 26]),
            (1000, 0.7, [721, 663, 696, 707, 688, 679]),
            (
                1 << 40,
                0.3,
                [329852787998, 329854727537, 329853626986, 329853267747, 329853871084, 329854175125],
            ),
        ];
        for (n, p, expected) in cases {
            let mut stream = stream();
            assert_eq!(expected.map(|_: u64| binomial(n, p, &mut stream)), expected, "n {n}, p {p}");
        }
    }

    #[test]
    fn certain_outcomes_take_no_bits() {
        let mut stream = stream();
        let untouched = stream.clone().next_u64();
        for n in [0, 1, 1000, 1 << 40] {
            assert_eq!(binomial(n, 0.0, &mut stream), 0);
            assert_eq!(binomial(n, 1.0, &mut stream), n);
        }
        assert_eq!(binomial(0, 0.3, &mut stream), 0);
        assert_eq!(stream.next_u64(), untouched);
    }

    #[test]
    fn draws_stay_within_n() {
        let mut stream = stream();
        for n in [1, 2, 5, 19, 20, 21, 30] {
            for p in [1e-300, 1e-9, 0.3, 0.5, 0.7, 1.0 - 1e-16] {
                assert!((0..2000).all(|_| binomial(n, p, &mut stream) <= n), "n {n}, p {p}");
            }
        }
    }
}
