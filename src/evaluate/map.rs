//! A map of the topics: the Jensen-Shannon divergences between them, and the plane that shows these best, by principal
//! coordinates as in LDAvis.
//!
//! With f(x) = x ln x and s_v = φ_iv + φ_jv, the divergence of topics i and j is ln 2 + ½ Σ_v [f(φ_iv) + f(φ_jv) − f(s_v)].
//! Few words have tokens in both topics; for all others one of the two is the same floor b for every word. Σ_v f(φ_v + b) then
//! comes from a power series over words of about the same φ_v, whose powers are summed once for all b.

use nalgebra::{DMatrix, SymmetricEigen};
use rayon::prelude::*;

use crate::estimate::{PhiRow, PhiRows};

/// Eigenvalues up to this count as 0, as NumPy has it.
const NO_EXTENT: f64 = 1e-8;

/// x and y of each of `topics`. The axis that shows more is x, and on either axis the topic farthest out is on the
/// positive side; with two topics y is 0, with one x too.
pub fn topic_map(phi: &PhiRows, topics: &[u16]) -> Vec<[f64; 2]> {
    principal_coordinates(&js_divergences(phi, topics))
}

/// The Jensen-Shannon divergence of every two of `topics`, in natural units.
pub fn js_divergences(phi: &PhiRows, topics: &[u16]) -> DMatrix<f64> {
    let rows: Vec<Row<'_>> =
        topics.par_iter().map(|&k| Row::new(&phi.rows[usize::from(k)], phi.vocab_size)).collect();
    // A topic is compared with those that have fewer words, which are the ones that are walked.
    let mut by_words: Vec<usize> = (0..rows.len()).collect();
    by_words.sort_by_key(|&i| (std::cmp::Reverse(rows[i].words.len()), i));
    let compare = |phi_of_word: &mut Vec<f64>, at: usize| -> Vec<f64> {
        let row = &rows[by_words[at]];
        row.words.iter().zip(row.phi).for_each(|(&v, &phi)| phi_of_word[v as usize] = phi);
        let found = by_words[at + 1..].iter().map(|&j| row.divergence(phi_of_word, &rows[j])).collect();
        row.words.iter().for_each(|&v| phi_of_word[v as usize] = NO_TOKENS);
        found
    };
    let found: Vec<Vec<f64>> = (0..rows.len())
        .into_par_iter()
        .with_max_len(1)
        .map_init(|| vec![NO_TOKENS; phi.vocab_size], compare)
        .collect();
    let mut divergences = DMatrix::zeros(rows.len(), rows.len());
    for (at, found) in found.into_iter().enumerate() {
        for (&j, divergence) in by_words[at + 1..].iter().zip(found) {
            let i = by_words[at];
            (divergences[(i, j)], divergences[(j, i)]) = (divergence, divergence);
        }
    }
    divergences
}

/// In place of φ_kv, for a word without tokens in the topic.
const NO_TOKENS: f64 = 0.0;

/// φ_k, and its words in groups of about the same φ_kv.
struct Row<'a> {
    words: &'a [u32],
    phi: &'a [f64],
    groups: Vec<Group>,
    floor: f64,
    /// Σ_v f(φ_kv).
    sum: f64,
    vocab_size: f64,
}

impl<'a> Row<'a> {
    fn new(row: &'a PhiRow, vocab_size: usize) -> Self {
        let mut values = row.phi.clone();
        values.sort_by(f64::total_cmp);
        let groups = values.chunk_by(|&a, &b| Group::key(a) == Group::key(b)).map(Group::new).collect();
        let missing = (vocab_size - row.words.len()) as f64;
        Self {
            words: &row.words,
            phi: &row.phi,
            groups,
            floor: row.floor,
            sum: row.phi.iter().map(|&phi| f(phi)).sum::<f64>() + missing * f(row.floor),
            vocab_size: vocab_size as f64,
        }
    }

    /// Σ_v f(φ_kv + b) over the words with tokens.
    fn sum_with(&self, b: f64) -> f64 {
        self.groups.iter().map(|group| group.sum_with(b)).sum()
    }

    /// The divergence from `other`, given φ_kv of every word with tokens in `self`.
    fn divergence(&self, phi_of_word: &[f64], other: &Self) -> f64 {
        let (a, b) = (self.floor, other.floor);
        let neither = f(a + b);
        let missing = self.vocab_size - self.words.len() as f64 - other.words.len() as f64;
        let mut sum = self.sum_with(b) + other.sum_with(a) + missing * neither;
        for (&v, &q) in other.words.iter().zip(other.phi) {
            let p = phi_of_word[v as usize];
            if p != NO_TOKENS {
                sum += f(p + q) - f(p + b) - f(a + q) + neither;
            }
        }
        // Rounding can leave less than nothing.
        (std::f64::consts::LN_2 + (self.sum + other.sum - sum) / 2.0).max(0.0)
    }
}

/// The terms of the power series: the rest is below 1e-16 of a group's sum.
const TERMS: usize = 12;

/// Words whose φ differ by an eighth at most.
struct Group {
    centre: f64,
    words: f64,
    /// Σ_v t_v, with t_v = φ_v / centre − 1.
    first: f64,
    /// (−1)^n Σ_v t_v^n / n(n − 1), from n = 2.
    higher: [f64; TERMS - 2],
}

impl Group {
    /// Bits of a number below its first three binary digits.
    const LOW_BITS: u32 = f64::MANTISSA_DIGITS - 1 - 3;

    fn key(phi: f64) -> u64 {
        phi.to_bits() >> Self::LOW_BITS
    }

    /// Words with these φ, which have one key.
    fn new(values: &[f64]) -> Self {
        let centre = f64::from_bits(Self::key(values[0]) << Self::LOW_BITS | 1 << (Self::LOW_BITS - 1));
        let mut group = Self { centre, words: values.len() as f64, first: 0.0, higher: [0.0; TERMS - 2] };
        for phi in values {
            let t = (phi - centre) / centre;
            group.first += t;
            let mut power = -t;
            for (n, sum) in (2..).zip(&mut group.higher) {
                power *= -t;
                *sum += power / f64::from(n * (n - 1));
            }
        }
        group
    }

    /// Σ_v f(φ_v + b). With x = centre + b and u_v = t_v·centre / x, f(φ_v + b) = x [(1 + u_v) ln x + (1 + u_v) ln (1 + u_v)],
    /// and (1 + u) ln (1 + u) = u + Σ_n (−u)^n / n(n − 1).
    fn sum_with(&self, b: f64) -> f64 {
        let x = self.centre + b;
        let (ln_x, r) = (libm::log(x), self.centre / x);
        let higher = self.higher.iter().rev().fold(0.0, |sum, coefficient| sum * r + coefficient);
        x * (self.words * ln_x + r * self.first * (ln_x + 1.0) + r * r * higher)
    }
}

/// x ln x.
fn f(x: f64) -> f64 {
    x * libm::log(x)
}

/// Points in the plane whose distances are close to `distances` (classical multidimensional scaling): −½ of the squared
/// distances, centred by rows and columns, times the two largest eigenvectors.
pub fn principal_coordinates(distances: &DMatrix<f64>) -> Vec<[f64; 2]> {
    let n = distances.nrows();
    if n == 0 {
        return Vec::new();
    }
    let squares = distances.map(|distance| distance * distance);
    let means: Vec<f64> = squares.column_iter().map(|column| column.sum() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    let centred = DMatrix::from_fn(n, n, |i, j| -0.5 * (squares[(i, j)] - means[i] - means[j] + mean));
    let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(centred);
    let mut largest: Vec<usize> = (0..n).collect();
    largest.sort_by(|&a, &b| eigenvalues[b].total_cmp(&eigenvalues[a]));
    let mut points = vec![[0.0; 2]; n];
    for (axis, &at) in largest.iter().take(2).enumerate().filter(|&(_, &at)| eigenvalues[at] > NO_EXTENT) {
        let vector = eigenvectors.column(at);
        // A column and its negative are eigenvectors alike.
        let scale = eigenvalues[at].sqrt() * vector[vector.iamax()].signum();
        points.iter_mut().zip(vector.iter()).for_each(|(point, value)| point[axis] = scale * value);
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Topics over six words; the last two have the same words.
    fn phi() -> PhiRows {
        let row = |words: &[u32], counts: &[f64]| {
            let total = counts.iter().sum::<f64>() + 0.6;
            let phi = counts.iter().map(|count| (count + 0.1) / total).collect();
            PhiRow { words: words.to_vec(), phi, sd: Vec::new(), floor: 0.1 / total }
        };
        let rows = vec![
            row(&[0, 1, 4], &[1.0, 1.0, 5.0]),
            PhiRow::default(),
            row(&[1, 2, 3, 4, 5], &[2.0, 1.0, 1.0, 7.0, 2.0]),
            row(&[2], &[9.0]),
            row(&[2], &[9.0]),
        ];
        PhiRows { vocab_size: 6, rows }
    }

    fn dense(phi: &PhiRows, k: usize) -> Vec<f64> {
        let mut dense = vec![phi.rows[k].floor; phi.vocab_size];
        phi.rows[k].words.iter().zip(&phi.rows[k].phi).for_each(|(&v, &value)| dense[v as usize] = value);
        dense
    }

    fn dense_divergence(phi: &PhiRows, i: usize, j: usize) -> f64 {
        let (p, q) = (dense(phi, i), dense(phi, j));
        let m: Vec<f64> = p.iter().zip(&q).map(|(p, q)| (p + q) / 2.0).collect();
        let entropy = |p: &[f64]| -> f64 { p.iter().zip(&m).map(|(p, m)| p * (p / m).ln()).sum() };
        (entropy(&p) + entropy(&q)) / 2.0
    }

    #[test]
    fn divergences_are_those_of_dense_rows() {
        let phi = phi();
        let topics = [0, 2, 3, 4];
        let found = js_divergences(&phi, &topics);
        for (i, &a) in topics.iter().enumerate() {
            for (j, &b) in topics.iter().enumerate() {
                let expected = dense_divergence(&phi, usize::from(a), usize::from(b));
                approx::assert_abs_diff_eq!(found[(i, j)], expected, epsilon = 1e-14);
            }
        }
        assert!(found[(0, 2)] > 0.1 && found[(2, 3)] < 1e-14);
    }

    /// Topics of 1, 10, … 10⁴ tokens, whose floors are above and below the other topics' φ.
    #[test]
    fn divergences_of_very_different_topics() {
        const V: usize = 400;
        let topic = |size: u64| {
            let count = |v: u64| (v * v * size) % (size + 7) / (v % 13 + 1);
            let counts: Vec<u64> = (0..V as u64).map(count).collect();
            let total = counts.iter().sum::<u64>() as f64 + V as f64 * 0.01;
            let words: Vec<u32> = (0..V as u32).filter(|&v| counts[v as usize] > 0).collect();
            let phi = words.iter().map(|&v| (counts[v as usize] as f64 + 0.01) / total).collect();
            PhiRow { words, phi, sd: Vec::new(), floor: 0.01 / total }
        };
        let phi = PhiRows { vocab_size: V, rows: (0..5).map(|power| topic(10u64.pow(power))).collect() };
        let found = js_divergences(&phi, &[0, 1, 2, 3, 4]);
        for i in 0..5 {
            for j in 0..5 {
                let expected = dense_divergence(&phi, i, j);
                approx::assert_abs_diff_eq!(found[(i, j)], expected, epsilon = 1e-14);
            }
        }
    }

    #[test]
    fn distances_in_a_plane_come_back() {
        let points = [[0.0, 0.0], [3.0, 0.0], [0.0, 4.0], [-7.0, 1.0], [2.0, 2.5]];
        let distance = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let distances = DMatrix::from_fn(5, 5, |i, j| distance(points[i], points[j]));
        let found = principal_coordinates(&distances);
        for i in 0..5 {
            for j in 0..5 {
                approx::assert_relative_eq!(distance(found[i], found[j]), distances[(i, j)], epsilon = 1e-12);
            }
        }
        // The fourth point is farthest from the middle on the wider axis.
        assert!(found[3][0] > 0.0);
    }

    #[test]
    fn few_topics_have_a_map() {
        let phi = phi();
        assert_eq!(topic_map(&phi, &[0]), [[0.0; 2]]);
        let [[left, 0.0], [right, 0.0]] = topic_map(&phi, &[0, 2])[..] else { panic!("not on a line") };
        approx::assert_relative_eq!(
            (left - right).abs(),
            js_divergences(&phi, &[0, 2])[(0, 1)],
            epsilon = 1e-12
        );
        assert_eq!(topic_map(&phi, &[3, 4]), [[0.0; 2]; 2]);
        assert!(topic_map(&phi, &[]).is_empty());
    }
}
