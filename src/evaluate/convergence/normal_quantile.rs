//! The quantile function of the standard normal law, with the same bits everywhere (Wichura 1988, algorithm AS 241).

/// Numerator and denominator, from the highest power on, of p within 0.425 of the middle.
const MIDDLE: [[f64; 8]; 2] = [
    [
        2509.0809287301227,
        33430.57558358813,
        67265.7709270087,
        45921.95393154987,
        13731.69376550946,
        1971.5909503065513,
        133.14166789178438,
        3.3871328727963665,
    ],
    [
        5226.495278852854,
        28729.085735721943,
        39307.89580009271,
        21213.794301586597,
        5394.196021424751,
        687.1870074920579,
        42.31333070160091,
        1.0,
    ],
];

/// The same of p farther out.
const TAILS: [[f64; 8]; 2] = [
    [
        0.0007745450142783414,
        0.022723844989269184,
        0.2417807251774506,
        1.2704582524523684,
        3.6478483247632045,
        5.769497221460691,
        4.630337846156546,
        1.4234371107496835,
    ],
    [
        1.0507500716444169e-9,
        0.0005475938084995345,
        0.015198666563616457,
        0.14810397642748008,
        0.6897673349851,
        1.6763848301838038,
        2.053191626637759,
        1.0,
    ],
];

/// The smallest p that [`TAILS`] are for: ranks come closer to 0 or 1 only when there are more than 3·10^10 of them.
const SMALLEST: f64 = 2e-11;

/// The value below which the share `p` of a standard normal law lies, for p from [`SMALLEST`] to 1 − [`SMALLEST`].
pub(super) fn normal_quantile(p: f64) -> f64 {
    let tail = p.min(1.0 - p);
    debug_assert!(tail >= SMALLEST, "{p}");
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(&MIDDLE, 0.180625 - q * q);
    }
    ratio(&TAILS, (-libm::log(tail)).sqrt() - 1.6).copysign(q)
}

fn ratio(coefficients: &[[f64; 8]; 2], x: f64) -> f64 {
    let [numerator, denominator] =
        coefficients.map(|terms| terms.iter().fold(0.0, |sum, term| sum * x + term));
    numerator / denominator
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ContinuousCDF, Normal};

    #[test]
    fn quantiles_are_those_of_statrs() {
        let law = Normal::standard();
        let middle = (1..100_000).map(|i| f64::from(i) / 100_000.0);
        let tails = (5..=98).map(|i| libm::exp(-0.25 * f64::from(i)));
        for p in middle.chain(tails.flat_map(|p| [p, 1.0 - p])) {
            let (found, expected) = (normal_quantile(p), law.inverse_cdf(p));
            assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{p}: {found}, expected {expected}");
        }
        assert_eq!(normal_quantile(0.5), 0.0);
    }
}
