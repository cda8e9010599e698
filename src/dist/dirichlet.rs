//! Dirichlet variates.

use super::gamma::ln_gamma_variate;
use crate::rng::Stream;

/// Replaces `out` by a draw of the Dirichlet law with these shapes: gamma variates over their sum. They are
/// logarithms until the largest is divided out, because with small shapes all of them underflow.
pub fn dirichlet_variate(shapes: impl Iterator<Item = f64>, stream: &mut Stream, out: &mut Vec<f64>) {
    out.clear();
    out.extend(shapes.map(|shape| ln_gamma_variate(shape, stream)));
    let largest = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for weight in &mut *out {
        *weight = libm::exp(*weight - largest);
        total += *weight;
    }
    out.iter_mut().for_each(|weight| *weight /= total);
}
