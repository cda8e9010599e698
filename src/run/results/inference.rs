//! The results of an inference: topics of new documents, and the words that the model does not know.

use serde::Serialize;

use super::doc_topics_csv::{DocColumn, write_doc_topics};
use super::matrices::write_theta;
use super::{mallet, unless_changed};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::estimate::DocTopics;
use crate::files::cell::defused;
use crate::files::whole::write_whole;
use crate::infer::{InferSettings, Inference, known_words};
use crate::model::trained::Model;
use crate::run::folder::{Folder, FolderKind, name};
use crate::run::record::CorpusRecord;

/// The content of infer.json.
#[derive(Clone, Debug, Serialize)]
pub struct InferInfo {
    /// This program.
    pub program: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The command line.
    pub command: Vec<String>,
    /// The run whose model was used.
    pub run: String,
    /// How long documents were sampled.
    pub settings: InferSettings,
    /// The device that was chosen.
    pub device: String,
    /// The failure after which the CPU took over.
    pub device_error: Option<String>,
    /// The new documents.
    pub corpus: CorpusRecord,
    /// Tokens of words that the model knows.
    pub known_tokens: u64,
    /// Tokens of other words.
    pub unknown_tokens: u64,
    /// Those words.
    pub unknown_words: usize,
    /// Documents that have none of the model's words, whose topics are the prior's.
    pub documents_without_known_words: u64,
    /// Seconds from the loaded corpus to the last result.
    pub wall_seconds: f64,
}

/// The words that a model does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Each with its tokens, the most frequent first, then in byte order.
    pub words: Vec<(String, u64)>,
}

impl Unknown {
    /// The words of `corpus` that `model` lacks.
    pub fn of(model: &Model, corpus: &Corpus) -> Self {
        let known = known_words(model, corpus);
        let words = corpus.vocab.iter().zip(corpus.word_tokens()).zip(known);
        let unknown = words.filter(|&((_, tokens), known)| tokens > 0 && known.is_none());
        let mut words: Vec<(String, u64)> =
            unknown.map(|((word, tokens), _)| (word.clone(), tokens)).collect();
        words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Self { words }
    }

    /// Their tokens.
    pub fn tokens(&self) -> u64 {
        self.words.iter().map(|(_, tokens)| tokens).sum()
    }
}

/// Writes everything but infer.json; the topic of each token if `state`. If the corpus lies in a file that has changed by then, infer.json
/// goes too.
///
/// # Errors
/// [`crate::Error::Write`], and [`crate::Error::Input`] when the corpus has changed.
pub fn write_inference(
    folder: &Folder,
    model: &Model,
    corpus: &Corpus,
    inference: &Inference,
    unknown: &Unknown,
    state: bool,
) -> Result<()> {
    unless_changed(folder, FolderKind::Inference, corpus, || {
        write(folder, model, corpus, inference, unknown, state)
    })
}

fn write(
    folder: &Folder,
    model: &Model,
    corpus: &Corpus,
    inference: &Inference,
    unknown: &Unknown,
    state: bool,
) -> Result<()> {
    let docs = DocTopics::of_new(model, &inference.docs);
    let unknown_tokens: Vec<u64> = inference.docs.iter().map(|doc| u64::from(doc.unknown)).collect();
    let extra = [DocColumn { name: "unknown", values: &unknown_tokens }];
    write_doc_topics(&folder.file(name::DOC_TOPICS_CSV), corpus, &docs, &extra)?;
    write_theta(&folder.file(name::THETA), &docs)?;
    if !unknown.words.is_empty() {
        write_unknown(folder, unknown)?;
    }
    if state {
        let (corpus, z) = known_tokens(model, corpus, &inference.z)?;
        let alpha_psi = model.psi.iter().map(|psi| model.alpha * psi);
        mallet::write_state(&folder.file(name::STATE), &corpus, &z, alpha_psi, model.beta)?;
    }
    Ok(())
}

/// Writes unknown-words.csv.
fn write_unknown(folder: &Folder, unknown: &Unknown) -> Result<()> {
    write_whole(&folder.file(name::UNKNOWN_WORDS), |out| {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(["word", "tokens"])?;
        for (word, tokens) in &unknown.words {
            csv.write_record([defused(word).as_ref(), &tokens.to_string()])?;
        }
        csv.flush()
    })
}

/// The tokens that have a topic, in the model's words.
fn known_tokens(model: &Model, corpus: &Corpus, z: &[Option<u16>]) -> Result<(Corpus, Vec<u16>)> {
    let known = known_words(model, corpus);
    let mut w = Vec::with_capacity(corpus.num_tokens());
    let mut topics = Vec::with_capacity(corpus.num_tokens());
    let mut doc_start = vec![0];
    for d in 0..corpus.num_docs() {
        for i in corpus.doc(d) {
            if let (Some(v), Some(k)) = (known[corpus.w[i] as usize], z[i]) {
                w.push(v);
                topics.push(k);
            }
        }
        doc_start.push(w.len());
    }
    let doc_names = corpus.doc_names.clone();
    Ok((Corpus { doc_names, ..Corpus::new(w, doc_start, model.vocab.clone())? }, topics))
}
