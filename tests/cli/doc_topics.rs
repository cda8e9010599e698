//! doc-topics.txt: dense below 100 topics, sparse above, and the shares are those of the state.

use std::collections::BTreeMap;

use approx::assert_relative_eq;

use super::{Folder, UCI, read, read_state, results::model, train, trained};

/// (αΨ_k + m_dk) / (α + N_d), renormalised over the active topics, for each of `docs` documents.
fn expected(run: &Folder, docs: usize) -> Vec<BTreeMap<usize, f64>> {
    let model = model(run);
    let active: Vec<usize> = (0..model.psi.len()).filter(|&k| model.n.topic_tokens[k] > 0).collect();
    let mut weights: Vec<BTreeMap<usize, f64>> =
        vec![active.iter().map(|&k| (k, model.alpha * model.psi[k])).collect(); docs];
    for token in read_state(run.path("state.gz")).1 {
        *weights[token.doc].get_mut(&usize::from(token.topic)).expect("an active topic") += 1.0;
    }
    for shares in &mut weights {
        let total: f64 = shares.values().sum();
        shares.values_mut().for_each(|share| *share /= total);
    }
    weights
}

/// The rows after document and name, as numbers.
fn rows(run: &Folder) -> Vec<Vec<f64>> {
    let text = read(run.path("doc-topics.txt"));
    let rows = text.lines().enumerate().map(|(d, line)| {
        let mut fields = line.split('\t');
        assert_eq!(fields.next(), Some(d.to_string().as_str()));
        let name = fields.next().expect("a name").trim_start_matches("sample-");
        assert_eq!(name.parse(), Ok(d + 1));
        fields.map(|field| field.parse().expect("a number")).collect()
    });
    rows.collect()
}

fn check_dense(run: &Folder, docs: usize) {
    let expected = expected(run, docs);
    let rows = rows(run);
    assert_eq!(rows.len(), docs);
    for (row, expected) in rows.iter().zip(expected) {
        assert_eq!(row.len(), expected.keys().last().expect("an active topic") + 1);
        assert_relative_eq!(row.iter().sum::<f64>(), 1.0, max_relative = 1e-12);
        for (k, &share) in row.iter().enumerate() {
            assert_relative_eq!(share, expected.get(&k).copied().unwrap_or(0.0), max_relative = 1e-12);
        }
    }
}

#[test]
fn dense_below_100_topics() {
    check_dense(&trained("sample", "--iterations 5 --init-topics 30 --max-topics 90"), 1500);
}

#[test]
fn an_empty_document_gets_psi() {
    let (folder, run) = (Folder::new(), Folder::new());
    let corpus = folder.write("corpus", UCI);
    let flags = "--vocab none --force --iterations 4 --init-topics 5 --max-topics 20";
    train(corpus, run.0.path(), flags).assert().success();
    check_dense(&run, 3);
}

#[test]
fn sparse_above_largest_first() {
    let run = trained("sample", "--iterations 5 --init-topics 150");
    let expected = expected(&run, 1500);
    let rows = rows(&run);
    assert_eq!(rows.len(), 1500);
    for (row, expected) in rows.iter().zip(expected) {
        let pairs: Vec<(usize, f64)> = row.chunks_exact(2).map(|pair| (pair[0] as usize, pair[1])).collect();
        assert_eq!(row.len(), 2 * expected.len());
        assert!(pairs.is_sorted_by(|a, b| a.1 >= b.1));
        assert_relative_eq!(pairs.iter().map(|&(_, share)| share).sum::<f64>(), 1.0, max_relative = 1e-12);
        let found: BTreeMap<usize, f64> = pairs.into_iter().collect();
        assert!(found.keys().eq(expected.keys()));
        for (found, expected) in found.values().zip(expected.values()) {
            assert_relative_eq!(found, expected, max_relative = 1e-12);
        }
    }
}
