//! The exact posterior of a tiny corpus, by enumeration of all z.
//!
//! With θ integrated out, p(z | Ψ) = Π_d 1/(α)_{N_d} · Π_k c_k(Ψ_k), where c_k(x) = Π_d αx(αx + 1)⋯(αx + m_dk − 1) is a
//! polynomial: its coefficients are the sums of Π_d α^{l_dk}·|s(m_dk, l_dk)| over the l_dk that add up to l_k. So
//! p(z) = Π_d 1/(α)_{N_d} · Σ_l Π_k [x^{l_k}] c_k · E Π_k Ψ_k^{l_k}, and these moments are known under both laws of Ψ.

use std::collections::BTreeMap;

use hdp_gpu::chain::Start;
use statrs::function::gamma::ln_gamma;

use super::case::{Case, ln_topic, partition};
use super::quadrature::{beta_mean, nodes};

/// What runs are compared with.
pub(crate) struct Posterior {
    /// The probability of each partition of the tokens.
    pub(crate) partitions: BTreeMap<Vec<u16>, f64>,
    pub(crate) means: Vec<Mean>,
}

/// Something about a state that has a mean.
pub(crate) struct Mean {
    pub(crate) name: &'static str,
    pub(crate) of: fn(&Case, &Start) -> f64,
    pub(crate) mean: f64,
}

/// One z of an enumeration.
struct Term {
    z: Vec<u16>,
    /// p(z).
    prior: f64,
    /// The mean of ln p(z | Ψ) given z.
    ln_topics: f64,
}

impl Posterior {
    /// Under sticks that end at K*: all z below it.
    pub(crate) fn truncated(case: &Case) -> Self {
        let grid = Grid::new(case);
        let term = |z: Vec<u16>| {
            let (_, ln_topics) = grid.integrate(case, &z);
            Term { prior: truncated_prior(case, &z), ln_topics, z }
        };
        Self::of(case, labelled(case).map(term))
    }

    /// Under the process itself, without an end: all partitions of the tokens.
    pub(crate) fn infinite(case: &Case) -> Self {
        Self::of(case, unlabelled(case).map(|z| infinite_term(case, z)))
    }

    /// Under a uniform Ψ, which is LDA: all z below K*.
    pub(crate) fn uniform(case: &Case) -> Self {
        let k_star = case.settings.max_topics as usize;
        let term = |z: Vec<u16>| {
            let ln_topics = case.ln_topics(&case.m(&z), &vec![1.0 / k_star as f64; k_star]);
            Term { prior: ln_topics.exp(), ln_topics, z }
        };
        Self::of(case, labelled(case).map(term))
    }

    fn of(case: &Case, terms: impl Iterator<Item = Term>) -> Self {
        let (mut evidence, mut model, mut lda) = (0.0, 0.0, 0.0);
        let mut partitions = BTreeMap::new();
        for Term { z, prior, ln_topics } in terms {
            let ln_words = case.ln_words(&z);
            let joint = prior * ln_words.exp();
            evidence += joint;
            model += joint * (ln_words + ln_topics);
            lda += joint * case.lda(&z);
            *partitions.entry(partition(&z)).or_default() += joint;
        }
        partitions.values_mut().for_each(|probability| *probability /= evidence);
        let model = Mean {
            name: "log_likelihood",
            of: |case, Start { z, psi, .. }| case.model(z, &psi.psi),
            mean: model / evidence,
        };
        let lda = Mean {
            name: "log_likelihood_lda",
            of: |case, Start { z, .. }| case.lda(z),
            mean: lda / evidence,
        };
        Self { partitions, means: vec![model, lda] }
    }
}

/// All z below K*.
pub(super) fn labelled(case: &Case) -> impl Iterator<Item = Vec<u16>> {
    let k_star = case.settings.max_topics as u16;
    strings(case.corpus.num_tokens(), move |_| k_star)
}

/// All partitions of the tokens.
pub(super) fn unlabelled(case: &Case) -> impl Iterator<Item = Vec<u16>> {
    strings(case.corpus.num_tokens(), |z| z.iter().max().map_or(0, |&k| k + 1) + 1)
}

/// All strings of a length whose next symbol is below `bound` of those before it, in order.
fn strings(length: usize, bound: impl Fn(&[u16]) -> u16) -> impl Iterator<Item = Vec<u16>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        all = all.iter().flat_map(|z| (0..bound(z)).map(move |k| [z.as_slice(), &[k]].concat())).collect();
    }
    all.into_iter()
}

/// p(z) under sticks that end at K*.
pub(super) fn truncated_prior(case: &Case, z: &[u16]) -> f64 {
    let mut total = 0.0;
    over_l(case, z, |l, ways| total += ways * stick_moment(l, case));
    total
}

/// E Π_k Ψ_k^{l_k} = Π_{k<K*} B(1 − δ + l_k, γ + kδ + Σ_{i>k} l_i) / B(1 − δ, γ + kδ), k from 1. Topics past the end of `l` have
/// no draws.
fn stick_moment(l: &[usize], case: &Case) -> f64 {
    let stick = |k: usize| {
        let (a, b) = stick_shapes(case, k);
        let after = l[k + 1..].iter().sum::<usize>() as f64;
        beta(a + l[k] as f64, b + after) / beta(a, b)
    };
    (0..l.len().min(case.settings.max_topics as usize - 1)).map(stick).product()
}

/// The shapes of the stick of topic `k`, which is numbered from 0 here.
fn stick_shapes(case: &Case, k: usize) -> (f64, f64) {
    let (gamma, discount) = (case.settings.gamma, case.settings.discount);
    (1.0 - discount, gamma + (k + 1) as f64 * discount)
}

/// p(z) under the process itself.
pub(super) fn infinite_prior(case: &Case, z: &[u16]) -> f64 {
    let mut total = 0.0;
    over_l(case, z, |l, ways| total += ways * tables_moment(l, case));
    total
}

/// The probability that Σ_k l_k draws make these K groups: Γ(γ)/Γ(γ + Σ_k l_k) · Π_{k<K} (γ + kδ) · Π_k Γ(l_k − δ)/Γ(1 − δ), k from 0
/// in the first product.
fn tables_moment(l: &[usize], case: &Case) -> f64 {
    let (gamma, discount) = (case.settings.gamma, case.settings.discount);
    let draws = l.iter().sum::<usize>() as f64;
    let group = |(k, &l): (usize, &usize)| {
        let later = ln_gamma(l as f64 - discount) - ln_gamma(1.0 - discount);
        (gamma + k as f64 * discount) * later.exp()
    };
    l.iter().enumerate().map(group).product::<f64>() * (ln_gamma(gamma) - ln_gamma(gamma + draws)).exp()
}

/// Given l, (Ψ_1, …, Ψ_K, rest) ~ Dir(l_1 − δ, …, l_K − δ, γ + Kδ), so that Ψ_k ~ Beta(l_k − δ, γ + δ + Σ_{i≠k} l_i).
fn infinite_term(case: &Case, z: Vec<u16>) -> Term {
    let (alpha, gamma, discount) = (case.settings.alpha, case.settings.gamma, case.settings.discount);
    let m = case.m(&z);
    let (mut prior, mut ln_topics) = (0.0, 0.0);
    over_l(case, &z, |l, ways| {
        let draws = l.iter().sum::<usize>() as f64;
        let weight = ways * tables_moment(l, case);
        let mean = |(m, &l): (&Vec<u32>, &usize)| {
            let l = l as f64;
            beta_mean(l - discount, gamma + discount + draws - l, |psi| ln_topic(m, alpha * psi))
        };
        prior += weight;
        ln_topics += weight * m.iter().zip(l).map(mean).sum::<f64>();
    });
    Term { z, prior, ln_topics: ln_topics / prior - case.ln_lengths(alpha) }
}

/// Visits every l that z allows, with Π_d 1/(α)_{N_d} · Π_k [x^{l_k}] c_k.
fn over_l(case: &Case, z: &[u16], mut visit: impl FnMut(&[usize], f64)) {
    let alpha = case.settings.alpha;
    let c: Vec<Vec<f64>> = case.m(z).iter().map(|m| polynomial(m, alpha)).collect();
    let start = (-case.ln_lengths(alpha)).exp();
    extend(&c, &mut Vec::new(), start, &mut visit);
}

fn extend(c: &[Vec<f64>], l: &mut Vec<usize>, ways: f64, visit: &mut impl FnMut(&[usize], f64)) {
    let Some(c_k) = c.get(l.len()) else { return visit(l, ways) };
    for (l_k, &coefficient) in c_k.iter().enumerate().filter(|(_, coefficient)| **coefficient > 0.0) {
        l.push(l_k);
        extend(c, l, ways * coefficient, visit);
        l.pop();
    }
}

/// The coefficients of Π_d αx(αx + 1)⋯(αx + m_d − 1).
fn polynomial(m: &[u32], alpha: f64) -> Vec<f64> {
    let mut c = vec![1.0];
    for j in m.iter().flat_map(|&m| 0..m) {
        let mut next = vec![0.0; c.len() + 1];
        for (power, coefficient) in c.iter().enumerate() {
            next[power] += coefficient * f64::from(j);
            next[power + 1] += coefficient * alpha;
        }
        c = next;
    }
    c
}

/// B(a, b).
fn beta(a: f64, b: f64) -> f64 {
    (ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)).exp()
}

/// Sticks that end at K* as points Ψ with weights: their beta laws by quadrature.
struct Grid(Vec<(Vec<f64>, f64)>);

impl Grid {
    fn new(case: &Case) -> Self {
        // The last Ψ so far is what is left to break.
        let mut grid = vec![(vec![1.0], 1.0)];
        for k in 1..case.settings.max_topics as usize {
            let (a, b) = stick_shapes(case, k - 1);
            grid = grid
                .iter()
                .flat_map(|(psi, weight)| {
                    let (left, broken) = psi.split_last().expect("something is left");
                    nodes().map(move |stick| {
                        let psi = [broken, &[left * stick.x, left * stick.y]].concat();
                        let density = stick.x.powf(a - 1.0) * stick.y.powf(b - 1.0) / beta(a, b);
                        (psi, weight * stick.weight * density)
                    })
                })
                .collect();
        }
        Self(grid)
    }

    /// p(z) and the mean of ln p(z | Ψ) given z.
    fn integrate(&self, case: &Case, z: &[u16]) -> (f64, f64) {
        let m = case.m(z);
        let (mut prior, mut ln_topics) = (0.0, 0.0);
        for (psi, weight) in &self.0 {
            let ln = case.ln_topics(&m, psi);
            prior += weight * ln.exp();
            ln_topics += weight * ln.exp() * ln;
        }
        (prior, ln_topics / prior)
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    /// The closed form of p(z) is the integral of p(z | Ψ) over the sticks, and adds up to 1.
    #[test]
    fn the_prior_of_z_is_an_integral_over_sticks() {
        for (max_topics, discount) in [(1, 0.0), (2, 0.0), (3, 0.0), (2, 0.3), (3, 0.3)] {
            let case = Case::new(&[&[0, 1, 0], &[1], &[0, 0]], (1.3, 0.5, 0.7), max_topics)
                .with(|settings| settings.discount = discount);
            let grid = Grid::new(&case);
            let mut total = 0.0;
            for z in labelled(&case) {
                let prior = truncated_prior(&case, &z);
                assert_relative_eq!(prior, grid.integrate(&case, &z).0, max_relative = 1e-9);
                total += prior;
            }
            assert_relative_eq!(total, 1.0, max_relative = 1e-10);
        }
    }

    /// The infinite law adds up to 1 too, and a truncation at 12 is near it: the sticks leave (γ/(1 + γ))^11 < 1e-8, and with a
    /// discount the product of (γ + kδ)/(1 + γ + (k − 1)δ) for k up to 11, which is below 7e-06.
    #[test]
    fn truncation_vanishes() {
        for (discount, left) in [(0.0, 1e-6), (0.05, 1e-4)] {
            let case = Case::new(&[&[0, 1], &[1, 0]], (0.8, 0.5, 0.2), 12)
                .with(|settings| settings.discount = discount);
            let mut truncated = BTreeMap::<Vec<u16>, f64>::new();
            for z in labelled(&case) {
                *truncated.entry(partition(&z)).or_default() += truncated_prior(&case, &z);
            }
            assert_eq!(truncated.len(), 15);
            let mut total = 0.0;
            for (z, prior) in truncated {
                let infinite = infinite_prior(&case, &z);
                assert_relative_eq!(infinite, prior, max_relative = left);
                assert_relative_eq!(infinite, infinite_term(&case, z).prior, max_relative = 1e-12);
                total += infinite;
            }
            assert_relative_eq!(total, 1.0, max_relative = 1e-10);
        }
    }
}
