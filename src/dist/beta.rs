//! Beta variates as the logarithms of x and 1 − x.

use super::gamma::ln_gamma_variate;
use crate::rng::Stream;

/// A draw of a beta law: both logarithms are accurate also where x or 1 − x underflows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LnBeta {
    /// ln x.
    pub ln_x: f64,
    /// ln(1 − x).
    pub ln_1mx: f64,
}

/// A draw of Beta(`a`, `b`), for shapes from 1e-9 to 1e12: x = X/(X + Y) with gamma variates X and Y.
pub fn ln_beta_variate(a: f64, b: f64, stream: &mut Stream) -> LnBeta {
    let log_odds = ln_gamma_variate(a, stream) - ln_gamma_variate(b, stream);
    // ln(1 + e^t) = max(t, 0) + ln(1 + e^−|t|), for the log odds and for their negative.
    let tail = libm::log1p(libm::exp(-log_odds.abs()));
    LnBeta { ln_x: -((-log_odds).max(0.0) + tail), ln_1mx: -(log_odds.max(0.0) + tail) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Step;

    #[test]
    fn known_draws() {
        let cases = [
            (
                1.0,
                0.01,
                [(-8.882006349092684e-20, -43.86767438818434), (-5.482488437417838e-9, -19.021706747378087)],
            ),
            (
                3.0,
                7.0,
                [(-1.1849002655278849, -0.36496157550412944), (-1.329104630199014, -0.307495974137189)],
            ),
            (1e-9, 1e6, [(-239482887.6430556, 0.0), (-1831138742.5988083, 0.0)]),
        ];
        for (a, b, expected) in cases {
            let mut stream = Stream::new(1, Step::Psi, 2, 3);
            let drawn = expected.map(|_: (f64, f64)| {
                let LnBeta { ln_x, ln_1mx } = ln_beta_variate(a, b, &mut stream);
                (ln_x, ln_1mx)
            });
            assert_eq!(drawn, expected, "a {a}, b {b}");
        }
    }
}
