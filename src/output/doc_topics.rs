//! doc-topics.txt: each document's shares of the topics, in MALLET's layout, small ones with an exponent.

use std::io::Write;

use super::file::write_whole;
use super::folder::{RunFolder, name};
use super::mallet::field;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::model::counts::TopicWordCounts;
use crate::model::psi::Psi;

/// The layout is dense, a column for each topic number, while the largest active number is below this.
const DENSE_BELOW: usize = 100;

/// Writes doc-topics.txt: (αΨ_k + m_dk) / (α + N_d), renormalised over the topics that have tokens.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_doc_topics(
    folder: &RunFolder,
    corpus: &Corpus,
    z: &[u16],
    n: &TopicWordCounts,
    psi: &Psi,
    alpha: f64,
) -> Result<()> {
    let mut shares = Shares::new(n, psi, alpha);
    let dense_columns = shares.active.last().map_or(0, |&k| k + 1);
    write_whole(&folder.file(name::DOC_TOPICS), |out| {
        for d in 0..corpus.num_docs() {
            write!(out, "{d}\t{}", field(&corpus.doc_name(d)))?;
            let shares = shares.of(&z[corpus.doc(d)]);
            if dense_columns <= DENSE_BELOW {
                let mut pairs = shares.iter().peekable();
                for column in 0..dense_columns {
                    let share = pairs.next_if(|&&(k, _)| k == column).map_or(0.0, |&(_, share)| share);
                    write!(out, "\t{share:?}")?;
                }
            } else {
                shares.sort_by(|a, b| b.1.total_cmp(&a.1));
                for (k, share) in shares {
                    write!(out, "\t{k}\t{share:?}")?;
                }
            }
            writeln!(out)?;
        }
        Ok(())
    })
}

/// The shares of a document, over the active topics.
struct Shares {
    active: Vec<usize>,
    /// αΨ_k by topic.
    alpha_psi: Vec<f64>,
    /// Σ αΨ_k over active topics.
    prior: f64,
    m: Vec<u32>,
    pairs: Vec<(usize, f64)>,
}

impl Shares {
    fn new(n: &TopicWordCounts, psi: &Psi, alpha: f64) -> Self {
        let active: Vec<usize> = (0..n.topic_tokens.len()).filter(|&k| n.topic_tokens[k] > 0).collect();
        let alpha_psi: Vec<f64> = psi.psi.iter().map(|psi| alpha * psi).collect();
        let prior = active.iter().map(|&k| alpha_psi[k]).sum();
        Self { active, prior, m: vec![0; alpha_psi.len()], alpha_psi, pairs: Vec::new() }
    }

    /// (k, share) of every active topic, by number, for a document whose tokens have the topics `z`.
    fn of(&mut self, z: &[u16]) -> &mut [(usize, f64)] {
        for &k in z {
            self.m[usize::from(k)] += 1;
        }
        let total = self.prior + z.len() as f64;
        self.pairs.clear();
        for &k in &self.active {
            let tokens = f64::from(std::mem::take(&mut self.m[k]));
            self.pairs.push((k, (self.alpha_psi[k] + tokens) / total));
        }
        &mut self.pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::counts::Counts;

    #[test]
    fn shares_sum_to_one_and_an_empty_document_gets_psi() {
        let mut n = Counts::new(&[], 4).n;
        n.topic_tokens = vec![3, 0, 2, 0];
        let psi = Psi { psi: vec![0.5, 0.2, 0.25, 0.05], ln_psi: Vec::new() };
        let mut shares = Shares::new(&n, &psi, 0.4);
        let full = shares.of(&[0, 2, 2]).to_vec();
        assert_eq!(full.iter().map(|&(k, _)| k).collect::<Vec<_>>(), [0, 2]);
        approx::assert_relative_eq!(full[0].1, 1.2 / 3.3);
        approx::assert_relative_eq!(full[1].1, 2.1 / 3.3);
        let empty = shares.of(&[]).to_vec();
        approx::assert_relative_eq!(empty[0].1, 2.0 / 3.0);
        approx::assert_relative_eq!(empty[1].1, 1.0 / 3.0);
    }
}
