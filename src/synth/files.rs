//! A corpus drawn from the model, as files: UCI bag of words with its vocabulary, and the truth.

use std::io::Write;
use std::path::Path;

use super::{SynthSettings, Synthetic};
use crate::corpus::{Corpus, order_with};
use crate::error::{Error, Result};
use crate::files::whole::write_whole;
use crate::run::results::mallet::write_state;
use crate::run::results::tensors::{Tensor, write_tensors};

/// The bag of words, the file to train on.
pub const DOCWORD: &str = "docword.synth.txt";
/// Its vocabulary.
pub const VOCAB: &str = "vocab.synth.txt";
/// The true topic of each token, as MALLET writes it.
pub const TRUE_STATE: &str = "true-state.gz";
/// The true Ψ, and φ_k of the topics in use.
pub const TRUTH: &str = "truth.safetensors";

/// Writes all files into the folder `path`, which is made if it is missing.
///
/// # Errors
/// [`Error::Write`].
pub fn write_synthetic(path: &Path, settings: &SynthSettings, synthetic: &Synthetic) -> Result<()> {
    std::fs::create_dir_all(path).map_err(Error::write(path))?;
    let Synthetic { corpus, z, psi, phi } = synthetic;
    let (corpus, z) = &in_bag_order(corpus, z);
    write_docword(&path.join(DOCWORD), corpus)?;
    write_whole(&path.join(VOCAB), |out| corpus.vocab.iter().try_for_each(|word| writeln!(out, "{word}")))?;
    let alpha_psi = psi.iter().map(|psi| settings.alpha * psi);
    write_state(&path.join(TRUE_STATE), corpus, z, alpha_psi, settings.beta)?;
    let topics: Vec<u32> = phi.iter().map(|&(k, _)| u32::from(k)).collect();
    let rows = phi.iter().flat_map(|(_, row)| row.iter().copied());
    let metadata = [
        ("alpha", settings.alpha.to_string()),
        ("beta", settings.beta.to_string()),
        ("gamma", settings.gamma.to_string()),
        ("seed", settings.seed.to_string()),
    ];
    write_tensors(
        &path.join(TRUTH),
        &metadata,
        &[
            Tensor::f64("psi", &[psi.len()], psi.iter().copied()),
            Tensor::f64("phi", &[topics.len(), corpus.vocab_size()], rows),
            Tensor::u32("phi_topics", &topics),
        ],
    )
}

/// The tokens in the order in which they are read back, so that the true z stands beside that of a run.
fn in_bag_order(corpus: &Corpus, z: &[u16]) -> (Corpus, Vec<u16>) {
    let (mut w, mut z) = (corpus.w.to_vec(), z.to_vec());
    let mut tokens = Vec::new();
    for d in 0..corpus.num_docs() {
        let doc = corpus.doc(d);
        tokens.clear();
        tokens.extend(w[doc.clone()].iter().copied().zip(z[doc.clone()].iter().copied()));
        order_with(&mut tokens, d);
        for (i, &(v, k)) in doc.zip(&tokens) {
            (w[i], z[i]) = (v, k);
        }
    }
    (Corpus { w: w.into(), ..corpus.clone() }, z)
}

/// Writes a corpus as UCI bag of words.
fn write_docword(path: &Path, corpus: &Corpus) -> Result<()> {
    let bags = || {
        (0..corpus.num_docs()).map(|d| {
            let mut words = corpus.w[corpus.doc(d)].to_vec();
            words.sort_unstable();
            words
        })
    };
    let same = |a: &u32, b: &u32| a == b;
    let entries: usize = bags().map(|words| words.chunk_by(same).count()).sum();
    write_whole(path, |out| {
        writeln!(out, "{}\n{}\n{entries}", corpus.num_docs(), corpus.vocab_size())?;
        for (d, words) in bags().enumerate() {
            for group in words.chunk_by(same) {
                writeln!(out, "{} {} {}", d + 1, group[0] + 1, group.len())?;
            }
        }
        Ok(())
    })
}
