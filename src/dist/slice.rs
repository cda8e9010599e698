//! Slice sampling of a density on an interval.

use std::ops::RangeInclusive;

use crate::rng::Stream;

/// The width that a slice is first looked for in, and the most widths that it is widened by.
const WIDTH: f64 = 1.0;
const MOST_STEPS: u64 = 32;

/// The state after `x` of a chain that leaves the density e^`ln_density` on `range` as it is: Neal (2003), "Slice sampling", by
/// stepping out and shrinkage.
pub fn slice_sample(
    x: f64,
    range: RangeInclusive<f64>,
    ln_density: impl Fn(f64) -> f64,
    stream: &mut Stream,
) -> f64 {
    let level = ln_density(x) + libm::log(stream.uniform());
    let inside = |x: f64| range.contains(&x) && ln_density(x) > level;
    let mut left = x - WIDTH * stream.uniform();
    let mut right = left + WIDTH;
    let steps_left = stream.below(MOST_STEPS);
    for _ in 0..steps_left {
        if !inside(left) {
            break;
        }
        left -= WIDTH;
    }
    for _ in 0..MOST_STEPS - 1 - steps_left {
        if !inside(right) {
            break;
        }
        right += WIDTH;
    }
    loop {
        let new = left + (right - left) * stream.uniform();
        if inside(new) {
            return new;
        }
        if new < x {
            left = new;
        } else {
            right = new;
        }
    }
}
