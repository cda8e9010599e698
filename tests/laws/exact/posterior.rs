//! The exact posterior of a tiny corpus, by enumeration of all z.
//!
//! With θ integrated out, p(z | Ψ) = Π_d 1/(α)_{N_d} · Π_k c_k(Ψ_k), where c_k(x) = Π_d αx(αx + 1)⋯(αx + m_dk − 1) is a
//! polynomial: its coefficients are the sums of Π_d α^{l_dk}·|s(m_dk, l_dk)| over the l_dk that add up to l_k. So
//! p(z) = Π_d 1/(α)_{N_d} · Σ_l Π_k [x^{l_k}] c_k · E Π_k Ψ_k^{l_k}, and these moments are known under both laws of Ψ.

use std::collections::BTreeMap;

use statrs::function::gamma::ln_gamma;

use super::case::{Case, ln_topic, partition};
use super::quadrature::{beta_mean, nodes};

/// What runs are compared with.
pub(crate) struct Posterior {
    /// The probability of each partition of the tokens.
    pub(crate) partitions: BTreeMap<Vec<u16>, f64>,
    /// The mean of log p(w | z) + log p(z | Ψ).
    pub(crate) model: f64,
    /// The mean of log_likelihood_lda.
    pub(crate) lda: f64,
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
    /// Under the truncated GEM(γ): all z below K*.
    pub(crate) fn truncated(case: &Case) -> Self {
        let grid = Grid::new(case);
        let k_star = case.settings.max_topics as u16;
        let term = |z: Vec<u16>| {
            let (_, ln_topics) = grid.integrate(case, &z);
            Term { prior: truncated_prior(case, &z), ln_topics, z }
        };
        Self::of(case, strings(case.corpus.num_tokens(), |_| k_star).map(term))
    }

    /// Under GEM(γ) itself: all partitions of the tokens.
    pub(crate) fn infinite(case: &Case) -> Self {
        let all = strings(case.corpus.num_tokens(), |z| z.iter().max().map_or(0, |&k| k + 1) + 1);
        Self::of(case, all.map(|z| infinite_term(case, z)))
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
        Self { partitions, model: model / evidence, lda: lda / evidence }
    }
}

/// All strings of a length whose next symbol is below `bound` of those before it, in order.
fn strings(length: usize, bound: impl Fn(&[u16]) -> u16) -> impl Iterator<Item = Vec<u16>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        all = all.iter().flat_map(|z| (0..bound(z)).map(move |k| [z.as_slice(), &[k]].concat())).collect();
    }
    all.into_iter()
}

/// p(z) under the truncated GEM.
fn truncated_prior(case: &Case, z: &[u16]) -> f64 {
    let (gamma, k_star) = (case.settings.gamma, case.settings.max_topics as usize);
    let mut total = 0.0;
    over_l(case, z, |l, ways| total += ways * stick_moment(l, gamma, k_star));
    total
}

/// E Π_k Ψ_k^{l_k} = Π_{k<K*} B(1 + l_k, γ + Σ_{i>k} l_i) / B(1, γ). Topics past the end of `l` have no draws.
fn stick_moment(l: &[usize], gamma: f64, k_star: usize) -> f64 {
    let stick = |k: usize| {
        let after = l[k + 1..].iter().sum::<usize>() as f64;
        beta(1.0 + l[k] as f64, gamma + after) / beta(1.0, gamma)
    };
    (0..l.len().min(k_star - 1)).map(stick).product()
}

/// The sum over l_1, …, l_K of Γ(γ)/Γ(γ + Σ_k l_k) · Π_k γ·Γ(l_k)·[x^{l_k}] c_k. Given l, (Ψ_1, …, Ψ_K, rest) ~
/// Dir(l_1, …, l_K, γ), so that Ψ_k ~ Beta(l_k, γ + Σ_{i≠k} l_i).
fn infinite_term(case: &Case, z: Vec<u16>) -> Term {
    let (alpha, gamma) = (case.settings.alpha, case.settings.gamma);
    let m = case.m(&z);
    let (mut prior, mut ln_topics) = (0.0, 0.0);
    over_l(case, &z, |l, ways| {
        let draws = l.iter().sum::<usize>() as f64;
        let tables: f64 = l.iter().map(|&l| gamma * ln_gamma(l as f64).exp()).product();
        let weight = ways * tables * (ln_gamma(gamma) - ln_gamma(gamma + draws)).exp();
        let mean = |(m, &l): (&Vec<u32>, &usize)| {
            let l = l as f64;
            beta_mean(l, gamma + draws - l, |psi| ln_topic(m, alpha * psi))
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

/// The truncated GEM as points Ψ with weights: the sticks' Beta(1, γ) by quadrature.
struct Grid(Vec<(Vec<f64>, f64)>);

impl Grid {
    fn new(case: &Case) -> Self {
        let gamma = case.settings.gamma;
        // The last Ψ so far is what is left to break.
        let mut grid = vec![(vec![1.0], 1.0)];
        for _ in 1..case.settings.max_topics {
            grid = grid
                .iter()
                .flat_map(|(psi, weight)| {
                    let (left, broken) = psi.split_last().expect("something is left");
                    nodes().map(move |stick| {
                        let psi = [broken, &[left * stick.x, left * stick.y]].concat();
                        (psi, weight * stick.weight * gamma * stick.y.powf(gamma - 1.0))
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
        for max_topics in [1, 2, 3] {
            let case = Case::new(&[&[0, 1, 0], &[1], &[0, 0]], (1.3, 0.5, 0.7), max_topics);
            let grid = Grid::new(&case);
            let mut total = 0.0;
            for z in strings(6, |_| max_topics as u16) {
                let prior = truncated_prior(&case, &z);
                assert_relative_eq!(prior, grid.integrate(&case, &z).0, max_relative = 1e-9);
                total += prior;
            }
            assert_relative_eq!(total, 1.0, max_relative = 1e-10);
        }
    }

    /// The infinite law adds up to 1 too, and a truncation at 12 is near it: the sticks leave (γ/(1 + γ))^11 < 1e-8.
    #[test]
    fn truncation_vanishes() {
        let case = Case::new(&[&[0, 1], &[1, 0]], (0.8, 0.5, 0.2), 12);
        let mut truncated = BTreeMap::<Vec<u16>, f64>::new();
        for z in strings(4, |_| 12) {
            *truncated.entry(partition(&z)).or_default() += truncated_prior(&case, &z);
        }
        assert_eq!(truncated.len(), 15);
        let priors = truncated.iter().map(|(z, prior)| (infinite_term(&case, z.clone()).prior, prior));
        priors
            .clone()
            .for_each(|(infinite, &prior)| assert_relative_eq!(infinite, prior, max_relative = 1e-6));
        assert_relative_eq!(priors.map(|(infinite, _)| infinite).sum::<f64>(), 1.0, max_relative = 1e-10);
    }
}
