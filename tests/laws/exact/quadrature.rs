//! Integrals over (0, 1) by the double exponential rule, which does not mind singular ends.

use hdp_gpu::params::GammaPrior;
use statrs::function::gamma::ln_gamma;

/// Half the range of t, and the step in it: enough for ten digits.
const RANGE: f64 = 4.5;
const STEP: f64 = 0.125;

/// A point of (0, 1) and its weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) x: f64,
    /// 1 − x, exact near 1 too.
    pub(crate) y: f64,
    pub(crate) weight: f64,
}

/// The rule x = 1/(1 + e^(−π sinh t)), with dx = x(1 − x)·π cosh t dt, in equal steps of t.
pub(crate) fn nodes() -> impl Iterator<Item = Node> + Clone {
    let last = (RANGE / STEP) as i32;
    (-last..=last).map(|i| {
        let t = STEP * f64::from(i);
        let odds = (std::f64::consts::PI * t.sinh()).exp();
        let (x, y) = (1.0 / (1.0 + 1.0 / odds), 1.0 / (1.0 + odds));
        Node { x, y, weight: STEP * std::f64::consts::PI * t.cosh() * x * y }
    })
}

/// The mean of `f` under Beta(a, b).
pub(crate) fn beta_mean(a: f64, b: f64, f: impl Fn(f64) -> f64) -> f64 {
    let density = |node: Node| node.weight * node.x.powf(a - 1.0) * node.y.powf(b - 1.0);
    let total: f64 = nodes().map(|node| density(node) * f(node.x)).sum();
    total / nodes().map(density).sum::<f64>()
}

/// A gamma law as points with weights, in equal steps of the logarithm, which is as good as exact for a density that falls off at
/// both ends. Points that weigh next to nothing are left out.
pub(crate) fn gamma_nodes(prior: GammaPrior) -> Vec<(f64, f64)> {
    const STEP: f64 = 0.3;
    let GammaPrior { shape, rate } = prior;
    let at = |i: i32| {
        let c = (STEP * f64::from(i)).exp();
        let ln_density = shape * (rate * c).ln() - ln_gamma(shape) - rate * c;
        (c, STEP * ln_density.exp())
    };
    (-100..=100).map(at).filter(|&(_, weight)| weight > 1e-10).collect()
}

#[test]
fn concentrations_know_their_moments() {
    for (shape, rate) in [(4.0, 4.0), (4.0, 8.0), (3.0, 2.0)] {
        let nodes = gamma_nodes(GammaPrior { shape, rate });
        let moment = |power: i32| -> f64 { nodes.iter().map(|(c, weight)| weight * c.powi(power)).sum() };
        approx::assert_relative_eq!(moment(0), 1.0, max_relative = 1e-8);
        approx::assert_relative_eq!(moment(1), shape / rate, max_relative = 1e-8);
        approx::assert_relative_eq!(moment(2), shape * (shape + 1.0) / (rate * rate), max_relative = 1e-8);
    }
}

#[test]
fn the_rule_knows_its_moments() {
    for (a, b) in [(1.0, 1.0), (1.0, 0.7), (4.0, 1.3), (0.5, 0.5), (7.0, 2.5)] {
        let rising = |c: f64| c * (c + 1.0) * (c + 2.0);
        approx::assert_relative_eq!(
            beta_mean(a, b, |x| x * x * x),
            rising(a) / rising(a + b),
            max_relative = 1e-10
        );
    }
    // E ln x = ψ(a) − ψ(a + b), which for b = 1 is −1/a.
    for a in [1.0, 2.5] {
        approx::assert_relative_eq!(beta_mean(a, 1.0, f64::ln), -1.0 / a, max_relative = 1e-10);
    }
}
