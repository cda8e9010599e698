//! A map of the topics: the Jensen-Shannon divergences between them, and the plane that shows these best, by principal
//! coordinates as in LDAvis.
//!
//! With f(x) = x ln x and s_v = φ_iv + φ_jv, the divergence of topics i and j is ln 2 + ½ Σ_v [f(φ_iv) + f(φ_jv) − f(s_v)].
//! Few words have tokens in both topics. All others have a floor in s_v, and as most counts are small, few different sums: the
//! logarithms that a pair needs are one for each common word and one for each different value of φ in either.

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
    let compare = |class_of_word: &mut Vec<u32>, at: usize| -> Vec<f64> {
        let p = &rows[by_words[at]];
        p.words.iter().zip(&p.class).for_each(|(&v, &class)| class_of_word[v as usize] = class);
        let found = by_words[at + 1..].iter().map(|&j| p.divergence(class_of_word, &rows[j])).collect();
        p.words.iter().for_each(|&v| class_of_word[v as usize] = NO_CLASS);
        found
    };
    let found: Vec<Vec<f64>> = (0..rows.len())
        .into_par_iter()
        .with_max_len(1)
        .map_init(|| vec![NO_CLASS; phi.vocab_size], compare)
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

/// A word without tokens in the topic.
const NO_CLASS: u32 = u32::MAX;

/// φ_k, its words put into classes of equal φ_kv.
struct Row<'a> {
    words: &'a [u32],
    /// The class of each word.
    class: Vec<u32>,
    /// φ_kv of each class, and its words.
    classes: Vec<(f64, u32)>,
    floor: f64,
    /// Σ_v f(φ_kv).
    sum: f64,
    vocab_size: f64,
}

impl<'a> Row<'a> {
    fn new(row: &'a PhiRow, vocab_size: usize) -> Self {
        let mut values = row.phi.clone();
        values.sort_by(f64::total_cmp);
        let classes: Vec<(f64, u32)> =
            values.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect();
        let class = |phi: &f64| classes.partition_point(|(value, _)| value < phi) as u32;
        let with_tokens: f64 = classes.iter().map(|&(phi, words)| f64::from(words) * f(phi)).sum();
        Self {
            words: &row.words,
            class: row.phi.iter().map(class).collect(),
            floor: row.floor,
            sum: with_tokens + (vocab_size - row.words.len()) as f64 * f(row.floor),
            vocab_size: vocab_size as f64,
            classes,
        }
    }

    /// The divergence from `other`, given the class of every word in `self`.
    fn divergence(&self, class_of_word: &[u32], other: &Self) -> f64 {
        let neither = f(self.floor + other.floor);
        // What each class adds to that when the word is missing in the other topic.
        let alone = |row: &Self, floor: f64| -> Vec<f64> {
            row.classes.iter().map(|&(phi, _)| f(phi + floor) - neither).collect()
        };
        let (here, there) = (alone(self, other.floor), alone(other, self.floor));
        let total = |row: &Self, alone: &[f64]| -> f64 {
            row.classes.iter().zip(alone).map(|(&(_, words), alone)| f64::from(words) * alone).sum()
        };
        let mut sum = self.vocab_size * neither + total(self, &here) + total(other, &there);
        for (&v, &class) in other.words.iter().zip(&other.class) {
            let own = class_of_word[v as usize];
            if own != NO_CLASS {
                let (own, class) = (own as usize, class as usize);
                let both = f(self.classes[own].0 + other.classes[class].0);
                sum += both - neither - here[own] - there[class];
            }
        }
        // Rounding can leave less than nothing.
        (std::f64::consts::LN_2 + (self.sum + other.sum - sum) / 2.0).max(0.0)
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

    fn dense(row: &PhiRow) -> Vec<f64> {
        let mut phi = vec![row.floor; 6];
        row.words.iter().zip(&row.phi).for_each(|(&v, &value)| phi[v as usize] = value);
        phi
    }

    #[test]
    fn divergences_are_those_of_dense_rows() {
        let phi = phi();
        let topics = [0, 2, 3, 4];
        let found = js_divergences(&phi, &topics);
        let entropy = |p: &[f64], m: &[f64]| -> f64 { p.iter().zip(m).map(|(p, m)| p * (p / m).ln()).sum() };
        for (i, &a) in topics.iter().enumerate() {
            for (j, &b) in topics.iter().enumerate() {
                let (p, q) = (dense(&phi.rows[usize::from(a)]), dense(&phi.rows[usize::from(b)]));
                let m: Vec<f64> = p.iter().zip(&q).map(|(p, q)| (p + q) / 2.0).collect();
                let expected = (entropy(&p, &m) + entropy(&q, &m)) / 2.0;
                approx::assert_abs_diff_eq!(found[(i, j)], expected, epsilon = 1e-14);
            }
        }
        assert!(found[(0, 2)] > 0.1 && found[(2, 3)] < 1e-14);
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
