//! Topics of new documents under a trained model: z by the same kernels as in training, with Ψ as it was learned
//! and Φ fixed at its mean, φ_kv = (n_kv + β) / (n_k + Vβ), over the topics with tokens.
//!
//! A document's result depends on its words, the model and the seed, and not on what else is in its file: its tokens
//! are put into an order, and its random numbers are addressed, by a digest of its words.

pub mod warm_start;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::corpus::{Corpus, MAX_DOC_TOKENS, shuffle_by};
use crate::device::{Place, ZStep};
use crate::error::{Error, Result};
use crate::model::alias::{TableBuilder, WordTables};
use crate::model::phi::Phi;
use crate::model::psi::Psi;
use crate::model::trained::Model;
use crate::params::{Algorithm, Params, PhiLaw, Settings};
use crate::rng::{Step, key, scale_bits, token_bits, token_block};
use crate::watch::{Part, Watch, go_on};

/// Tokens that are sampled at once: what memory is needed for does not grow with the number of documents.
pub(crate) const CHUNK_TOKENS: usize = 1 << 22;

/// How long to sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InferSettings {
    /// Iterations before the first sample.
    pub burn_in: u32,
    /// Samples that the shares are a mean of.
    pub samples: u32,
    /// Iterations from one sample to the next.
    pub thin: u32,
    /// The seed of every random draw.
    pub seed: u64,
}

impl InferSettings {
    /// Enough to know a document's topics.
    pub const SHORT: Self = Self { burn_in: 50, samples: 20, thin: 5, seed: 1 };

    /// What scores are made with: with a small α, a document's topics move slowly from one set to another, and on AP 150
    /// iterations give 0.06 nats a word less than 4,000, these 0.01.
    pub const SCORE: Self = Self { burn_in: 200, samples: 100, thin: 5, seed: 1 };

    /// All iterations.
    ///
    /// # Errors
    /// [`Error::Setting`] when there is no sample, or there are more than can be counted.
    pub fn iterations(self) -> Result<u32> {
        let Self { burn_in, samples, thin, .. } = self;
        for (setting, value) in [("samples", samples), ("thin", thin)] {
            if value == 0 {
                return Err(Error::setting(setting, "0 cannot be used", "give a number from 1 on"));
            }
        }
        let iterations = samples.checked_mul(thin).and_then(|sampling| sampling.checked_add(burn_in));
        iterations.ok_or_else(|| {
            let problem = format!("{samples} samples, {thin} apart, after {burn_in} are too many iterations");
            Error::setting("samples", problem, "lower `samples`, `thin` or `burn_in`")
        })
    }
}

impl Default for InferSettings {
    fn default() -> Self {
        Self::SHORT
    }
}

/// What is known of a new document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InferredDoc {
    /// The topics with their mean numbers of tokens, ascending; none for a document without known words.
    pub m: Vec<(u16, f64)>,
    /// N_d: tokens of words that the model knows.
    pub tokens: u32,
    /// Tokens of other words.
    pub unknown: u32,
}

/// What came out.
#[derive(Debug)]
pub struct Inference {
    /// Every document of the corpus.
    pub docs: Vec<InferredDoc>,
    /// The topic of each token of the corpus in the last sample; none for an unknown word.
    pub z: Vec<Option<u16>>,
    /// Why the device was left for the CPU.
    pub device_error: Option<Error>,
}

/// Samples the topics of `corpus`, whose words are found in the model by their names, at `place`. A device that fails is left
/// for the CPU, with the same result, if that is in reserve.
///
/// # Errors
/// When the device fails, the settings or the model's parameters cannot be used, or `watch` stops it.
pub fn infer(
    model: &Model,
    corpus: &Corpus,
    settings: InferSettings,
    place: &Place,
    watch: &dyn Watch,
) -> Result<Inference> {
    let inference = infer_part(model, corpus, settings, place, watch)?;
    corpus.check_content()?;
    Ok(inference)
}

/// The same of a part of a corpus. Who has all of its parts sees at the end whether it has changed meanwhile, which takes a look at
/// every byte of its file.
pub(crate) fn infer_part(
    model: &Model,
    corpus: &Corpus,
    settings: InferSettings,
    place: &Place,
    watch: &dyn Watch,
) -> Result<Inference> {
    let known = known_words(model, corpus);
    let sampling = FixedModel::new(model, &known, settings)?;
    let total = corpus.num_docs().max(1) as f64;
    let mut inference = Inference {
        docs: Vec::with_capacity(corpus.num_docs()),
        z: vec![None; corpus.num_tokens()],
        device_error: None,
    };
    let cpu = Place::cpu();
    for docs in chunks(corpus) {
        let watch = Part { whole: watch, done: docs.start as f64 / total, share: docs.len() as f64 / total };
        let chunk = Chunk::new(corpus, docs, &known, model.vocab.len(), settings.seed, &sampling.active);
        let from = if inference.device_error.is_some() { &cpu } else { place };
        let (docs, z, error) = match sampling.run(&chunk, from, &watch) {
            Err(error) if from.cpu_in_reserve() && !matches!(error, Error::Interrupted) => {
                inference.device_error = Some(error);
                sampling.run(&chunk, &cpu, &watch)?
            }
            other => other?,
        };
        let error = match error {
            Some(error) if !from.cpu_in_reserve() => return Err(error),
            error => error,
        };
        inference.device_error = inference.device_error.or(error);
        inference.docs.extend(docs);
        chunk.origin.iter().zip(z).for_each(|(&i, k)| inference.z[i] = Some(k));
    }
    Ok(inference)
}

/// The model's number of each word of the corpus.
pub(crate) fn known_words(model: &Model, corpus: &Corpus) -> Vec<Option<u32>> {
    let numbers: HashMap<&str, u32> = model.vocab.iter().map(String::as_str).zip(0..).collect();
    corpus.vocab.iter().map(|word| numbers.get(word.as_str()).copied()).collect()
}

/// Runs of documents of about [`CHUNK_TOKENS`] tokens.
fn chunks(corpus: &Corpus) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut start = 0;
    for d in 1..=corpus.num_docs() {
        if d == corpus.num_docs() || corpus.doc_start[d + 1] - corpus.doc_start[start] > CHUNK_TOKENS {
            chunks.push(start..d);
            start = d;
        }
    }
    chunks
}

/// Some documents in the model's words.
struct Chunk {
    corpus: Arc<Corpus>,
    z: Vec<u16>,
    /// The place of each token in the corpus that it is from.
    origin: Vec<usize>,
    unknown: Vec<u32>,
}

impl Chunk {
    fn new(
        corpus: &Corpus,
        docs: Range<usize>,
        known: &[Option<u32>],
        vocab_size: usize,
        seed: u64,
        active: &[u16],
    ) -> Self {
        let ordered: Vec<OrderedDoc> =
            docs.into_par_iter().map(|d| OrderedDoc::new(corpus, d, known)).collect();
        let mut doc_start = vec![0];
        doc_start.extend(ordered.iter().scan(0, |end, doc| {
            *end += doc.tokens.len();
            Some(*end)
        }));
        let first_z = |doc: &OrderedDoc| -> Vec<u16> {
            let indices = (doc.stream_index..).take(doc.tokens.len());
            let bits = |i| token_bits(token_block(key(seed), i, 0, Step::Init), i);
            indices.map(|i| active[scale_bits(bits(i), active.len() as u64) as usize]).collect()
        };
        let tokens = || ordered.iter().flat_map(|doc| &doc.tokens);
        let mut new = Corpus::from_checked(
            tokens().map(|&(v, _)| v).collect(),
            doc_start,
            vec![String::new(); vocab_size],
        );
        new.stream_index = Some(ordered.iter().map(|doc| doc.stream_index).collect());
        Self {
            corpus: Arc::new(new),
            z: ordered.iter().flat_map(first_z).collect(),
            origin: tokens().map(|&(_, i)| i).collect(),
            unknown: ordered.iter().map(|doc| doc.unknown).collect(),
        }
    }
}

/// A document's known tokens, as (word, place), in an order that depends on its words alone.
pub(crate) struct OrderedDoc {
    pub(crate) tokens: Vec<(u32, usize)>,
    /// Begins the document's random numbers; known by its words alone.
    pub(crate) stream_index: u64,
    pub(crate) unknown: u32,
}

impl OrderedDoc {
    pub(crate) fn new(corpus: &Corpus, d: usize, known: &[Option<u32>]) -> Self {
        let range = corpus.doc(d);
        let length = range.len();
        let mut tokens: Vec<(u32, usize)> =
            range.filter_map(|i| Some((known[corpus.w[i] as usize]?, i))).collect();
        tokens.sort_unstable();
        let mut hasher = Sha256::new();
        tokens.iter().for_each(|(v, _)| hasher.update(v.to_le_bytes()));
        let digest = hasher.finalize();
        let digest = u64::from_le_bytes(digest[..8].try_into().expect("SHA-256 has more than 8 bytes"));
        shuffle_by(digest, &mut tokens);
        // The rest of the bits count the document's own tokens.
        let stream_index = digest & !(2 * MAX_DOC_TOKENS as u64 - 1);
        Self { unknown: (length - tokens.len()) as u32, tokens, stream_index }
    }
}

/// What came of a chunk.
type Sampled = (Vec<InferredDoc>, Vec<u16>, Option<Error>);

/// What is the same for all documents.
struct FixedModel {
    params: Params,
    active: Vec<u16>,
    tables: TableBuilder,
    settings: InferSettings,
    iterations: u32,
}

impl FixedModel {
    fn new(model: &Model, known: &[Option<u32>], settings: InferSettings) -> Result<Self> {
        let params = Settings {
            alpha: model.alpha,
            beta: model.beta,
            gamma: model.gamma,
            max_topics: model.psi.len() as u32,
            seed: settings.seed,
            sampler: Algorithm::Ppu { phi: PhiLaw::Dirichlet },
            ..Settings::paper()
        }
        .check()?;
        let psi = Psi {
            ln_psi: model.psi.iter().map(|psi| libm::log(psi.max(f64::MIN_POSITIVE))).collect(),
            psi: model.psi.clone(),
        };
        let active = model.active_topics();
        let mut tables = TableBuilder::default();
        tables.build(&mean_phi(model, known, &active), &psi, model.alpha);
        Ok(Self { params, active, tables, settings, iterations: settings.iterations()? })
    }

    fn tables(&self) -> &WordTables {
        self.tables.tables()
    }

    /// The documents of a chunk, the last z of its tokens, and why a GPU was left that was not needed.
    fn run(&self, chunk: &Chunk, place: &Place, watch: &dyn Watch) -> Result<Sampled> {
        let corpus = &chunk.corpus;
        let InferSettings { burn_in, samples, thin, .. } = self.settings;
        let mut is_active = vec![false; self.params.k_star()];
        self.active.iter().for_each(|&k| is_active[usize::from(k)] = true);
        let mut device = place.open(Arc::clone(corpus), &self.params, chunk.z.clone())?;
        let mut sums: Vec<Vec<(u16, u32)>> = vec![Vec::new(); corpus.num_docs()];
        for iteration in 1..=self.iterations {
            go_on(watch)?;
            let step =
                ZStep { tables: self.tables(), iteration, is_active: &is_active, docs: 0..corpus.num_docs() };
            device.submit_z(&step)?;
            device.collect_z(&step, None)?;
            if iteration > burn_in && (iteration - burn_in).is_multiple_of(thin) {
                let z = device.z()?;
                sums.par_iter_mut().enumerate().for_each(|(d, sums)| add_topics(&z[corpus.doc(d)], sums));
            }
            watch.share_done(f64::from(iteration) / f64::from(self.iterations));
        }
        let z = device.z()?.into_owned();
        let docs =
            sums.into_iter().zip(&chunk.unknown).enumerate().map(|(d, (sums, &unknown))| InferredDoc {
                m: sums.into_iter().map(|(k, sum)| (k, f64::from(sum) / f64::from(samples))).collect(),
                tokens: corpus.doc(d).len() as u32,
                unknown,
            });
        Ok((docs.collect(), z, device.take_error()))
    }
}

/// Adds the topics of a document's tokens to its sums, which are kept in the order of topics.
fn add_topics(z: &[u16], sums: &mut Vec<(u16, u32)>) {
    for &k in z {
        match sums.binary_search_by_key(&k, |&(topic, _)| topic) {
            Ok(at) => sums[at].1 += 1,
            Err(at) => sums.insert(at, (k, 1)),
        }
    }
}

/// φ_kv = (n_kv + β) / (n_k + Vβ) of the topics with tokens, for the words that occur.
fn mean_phi(model: &Model, known: &[Option<u32>], active: &[u16]) -> Phi<f64> {
    let mut occurs = vec![false; model.vocab.len()];
    known.iter().flatten().for_each(|&v| occurs[v as usize] = true);
    let mut phi = Phi::new(&model.n);
    let vocab_beta = model.vocab.len() as f64 * model.beta;
    for (sum, &tokens) in phi.row_sum.iter_mut().zip(&model.n.topic_tokens) {
        *sum = tokens as f64 + vocab_beta;
    }
    for (block, n) in phi.blocks.iter_mut().zip(&model.n.blocks) {
        for column in n.columns() {
            if occurs[column.word as usize] {
                let mut counts = column.iter().peekable();
                for &k in active {
                    let n_kv = counts.next_if(|&(topic, _)| topic == k).map_or(0, |(_, count)| count);
                    block.push(k, f64::from(n_kv) + model.beta);
                }
            }
            block.end_column();
        }
    }
    phi
}
