//! How near topics are: the cosine of φ_k and φ_j, of one model or of two.
//!
//! φ_kv is in proportion to n_kv + β, so the inner product of two rows is Σ_v n_kv n_jv + β_j n_k + β_k n_j + V β_k β_j up to a factor that the
//! cosine does not have, and only words that both topics have are walked.

use crate::model::trained::Model;

/// The cosines of topic `k` with all other topics that have tokens, falling.
pub fn nearest(model: &Model, k: u16) -> Vec<(u16, f64)> {
    let mut products = vec![0.0; model.psi.len()];
    let mut squares = vec![0.0; model.psi.len()];
    for column in model.n.columns() {
        let own = column.topic.binary_search(&k).map_or(0.0, |at| f64::from(column.count[at]));
        for (j, n_jv) in column.iter() {
            products[usize::from(j)] += own * f64::from(n_jv);
            squares[usize::from(j)] += f64::from(n_jv) * f64::from(n_jv);
        }
    }
    let n = |k: u16| model.n.topic_tokens[usize::from(k)] as f64;
    let (vocab, beta) = (model.vocab.len() as f64, model.beta);
    let square = |k: u16| smoothed(squares[usize::from(k)], (n(k), beta), (n(k), beta), vocab);
    let cosine = |j: u16| {
        let product = smoothed(products[usize::from(j)], (n(k), beta), (n(j), beta), vocab);
        product / (square(k) * square(j)).sqrt()
    };
    let others = model.active_topics().into_iter().filter(|&j| j != k);
    let mut nearest: Vec<(u16, f64)> = others.map(|j| (j, cosine(j))).collect();
    nearest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    nearest
}

/// Σ_v (n_kv + β_k)(n_jv + β_j), given Σ_v n_kv n_jv.
pub(super) fn smoothed(product: f64, k: (f64, f64), j: (f64, f64), vocab: f64) -> f64 {
    let ((n_k, beta_k), (n_j, beta_j)) = (k, j);
    product + beta_j * n_k + beta_k * n_j + vocab * beta_k * beta_j
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::topics::tests::model;

    #[test]
    fn cosines_are_those_of_dense_rows() {
        let model = model();
        let rows = [[6.0, 4.0, 2.0, 0.0], [6.0, 0.0, 0.0, 4.0]].map(|row| row.map(|n| n + model.beta));
        let dot = |a: [f64; 4], b: [f64; 4]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let expected = dot(rows[0], rows[1]) / (dot(rows[0], rows[0]) * dot(rows[1], rows[1])).sqrt();
        let [(topic, cosine)] = nearest(&model, 0)[..] else { panic!("one other topic") };
        assert_eq!(topic, 2);
        approx::assert_relative_eq!(cosine, expected, max_relative = 1e-12);
        assert_eq!(nearest(&model, 2).len(), 1);
    }
}
