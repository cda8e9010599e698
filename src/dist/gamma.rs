//! Gamma variates on the logarithmic scale, where no shape is too small.

use crate::rng::Stream;

/// ln of a draw of Gamma(`shape`, 1); finite for shapes from 1e-9 to 1e12.
pub fn ln_gamma_variate(shape: f64, stream: &mut Stream) -> f64 {
    debug_assert!((1e-9..=1e12).contains(&shape), "a shape of {shape}");
    if shape >= 1.0 { ln_from_one(shape, stream) } else { ln_below_one(shape, stream) }
}

/// Ahrens and Dieter (1974), "Computer methods for sampling from gamma, beta, Poisson and binomial distributions",
/// GS, for shapes below 1, where a power that underflows becomes a product of its logarithm.
fn ln_below_one(shape: f64, stream: &mut Stream) -> f64 {
    /// Where e^−x is 1 but for a chance of 2^−57.
    const LN_SURE: f64 = -40.0;
    let b = 1.0 + shape / std::f64::consts::E;
    loop {
        let p = b * stream.uniform();
        let (ln_x, ln_accept) = if p <= 1.0 {
            let ln_x = libm::log(p) / shape;
            if ln_x < LN_SURE {
                return ln_x;
            }
            (ln_x, -libm::exp(ln_x))
        } else {
            let ln_x = libm::log(-libm::log((b - p) / shape));
            (ln_x, (shape - 1.0) * ln_x)
        };
        if libm::log(stream.uniform()) <= ln_accept {
            return ln_x;
        }
    }
}

/// Marsaglia and Tsang (2000), "A simple method for generating gamma variables", for shapes from 1: ln of
/// d·v with v = (1 + x/√(9d))³, in logarithms that keep all digits when d is large and v close to 1.
fn ln_from_one(shape: f64, stream: &mut Stream) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(stream);
        let t = c * x;
        if t <= -1.0 {
            continue;
        }
        let square = x * x;
        let u = stream.uniform();
        let ln_root = libm::log1p(t);
        // 1 − v + ln v, where v − 1 = 3t + 3t² + t³.
        let gap = 3.0 * (ln_root - t) - t * t * (3.0 + t);
        if u < 1.0 - 0.0331 * square * square || libm::log(u) < 0.5 * square + d * gap {
            return libm::log(d) + 3.0 * ln_root;
        }
    }
}

/// A standard normal draw by Marsaglia's polar method; its twin is dropped, so that a draw leaves no state.
fn normal(stream: &mut Stream) -> f64 {
    loop {
        let x = 2.0 * stream.uniform() - 1.0;
        let y = 2.0 * stream.uniform() - 1.0;
        let square = x * x + y * y;
        if square < 1.0 {
            return x * (-2.0 * libm::log(square) / square).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Step;

    #[test]
    fn known_draws() {
        for (shape, expected) in [
            (1e-9, [-239482873.8281508, -1833889140.5269449, -1449844649.7125099]),
            (0.5, [-0.1412705013954491, -2.561994053164167, -3.324582211306208]),
            (2.5, [1.0579901695507394, 1.0510353812859958, 0.7233145408639718]),
            (1e12, [27.631021555686505, 27.6310215444429, 27.631021043120583]),
        ] {
            let mut stream = Stream::new(1, Step::Psi, 2, 3);
            assert_eq!(
                expected.map(|_: f64| ln_gamma_variate(shape, &mut stream)),
                expected,
                "shape {shape}"
            );
        }
    }
}
