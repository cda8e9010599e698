//! The host's memory: what the chain holds, what the last states are summed up in, and what the results are made in.

use super::disk::{SHARE, logs_most};
use super::{Bytes, Workload};
use crate::estimate::CHUNK_DOCS;
use crate::params::{Algorithm, PhiLaw};

/// Lists that grow are up to twice as long as what they hold.
const GROWTH: f64 = 2.0;

/// m_d of the document at hand, a thread each.
const DOC_TOPICS: f64 = 262_144.0;

/// d is dense up to this p.
const DENSE_P: f64 = 256.0;

/// Pages of the program that training and writing touch first, and the threads' stacks.
const PROGRAM: f64 = 4e6;

/// What a GPU's driver takes of the host's memory. Mesa's takes some 90 MB.
const DRIVER: f64 = 150e6;

/// What the report is made in: bytes a topic, bytes a topic once there are so many that passages are left out, bytes a word.
const REPORT_TOPIC: f64 = 70e3;
const REPORT_FURTHER_TOPIC: f64 = 40e3;
const REPORT_WORD: f64 = 300.0;
const REPORT_TOPICS: f64 = 2000.0;

/// Topics in ldavis.json, at most, and bytes a pair of them.
const LDAVIS_TOPICS: f64 = 2000.0;
const LDAVIS_PAIR: f64 = 34.0;

/// Words of a topic that coherence looks at.
const TOP_WORDS: f64 = 10.0;

/// Empty topics within reach of an exact Φ, for γ = 1: Ψ falls by about e from one to the next, to 2^−200.
const REACH: f64 = 140.0;

/// Held-out tokens that are scored at once.
const CHUNK_TOKENS: f64 = 4.2e6;

/// Memory beyond the corpus.
pub(super) fn memory(run: &Workload) -> Bytes {
    // Before there is anything else, z and its topics sorted by word.
    let start = 4.0 * run.tokens;
    let waiting = run.waiting * (2.0 * run.tokens + 16.0 * run.k_star() + sums_least(run));
    let waiting_most = waiting + run.waiting * (sums_most(run) + rows_most(run));
    let least = start.max(chain_least(run) + sums_least(run) + results_least(run)) + waiting;
    let ends = results_most(run).max(scores_most(run));
    let most = chain_most(run) + sums_most(run) + rows_most(run) + ends + waiting_most + PROGRAM;
    Bytes::new(least, most)
}

/// The rows of the logs, which are all kept, and those that a checkpoint has while it is written.
fn rows_most(run: &Workload) -> f64 {
    (GROWTH + 1.0) * logs_most(run)
}

/// Points of ϕ(β), K*·V Poisson(β) variables, that lie in cells of their own; and six standard deviations of them.
fn prior_cells(run: &Workload) -> (f64, f64) {
    let cells = run.words * run.k_star();
    let expected = -cells * libm::expm1(-run.settings.beta);
    (expected, 6.0 * expected.sqrt())
}

/// The nonzeros of Φ, at least and at most.
pub(super) fn phi_cells(run: &Workload) -> (f64, f64) {
    let cells = run.words * run.k_star();
    match run.settings.sampler {
        Algorithm::Direct => (0.0, 0.0),
        Algorithm::Ppu { phi: PhiLaw::Ppu } => {
            let (prior, spread) = prior_cells(run);
            ((prior - spread).max(0.0), (run.word_topics + prior + spread).min(cells))
        }
        Algorithm::Ppu { phi: PhiLaw::Dirichlet } => {
            let rows = run.topics() + REACH * run.settings.gamma.max(1.0);
            (run.words, (run.words * rows).min(cells))
        }
    }
}

/// z, the topics sorted by word, and the z of a checkpoint that is being written. A GPU has z, and is sent it and w by way of
/// the host.
fn tokens(run: &Workload) -> (f64, f64) {
    let (least, most) = match (run.gpu, run.settings.sampler) {
        (true, _) => (0.0, 12.0),
        (false, Algorithm::Direct) => (2.0, 4.0),
        (false, Algorithm::Ppu { .. }) => (4.0, 6.0),
    };
    (least * run.tokens, most * run.tokens)
}

/// Where the tokens of each word begin and go, for each shard.
fn shards(run: &Workload) -> f64 {
    8.0 * run.words * run.shards
}

/// The entries of active topics on the CPU, in chunks of four, with the blocks of their topics. Direct assignment has none.
fn active_columns(run: &Workload, cells: f64) -> f64 {
    match run.settings.sampler {
        Algorithm::Ppu { .. } if !run.gpu => 10.0 * cells + 46.0 * run.words,
        _ => 0.0,
    }
}

/// ϕ(β) of the next iteration, which the host draws while a GPU samples z: 2 bytes a point, and where each word's end.
fn prior_ahead(run: &Workload) -> f64 {
    match run.settings.sampler {
        Algorithm::Ppu { phi: PhiLaw::Ppu } => {
            let points = run.settings.beta * run.words * run.k_star();
            GROWTH * (2.0 * (points + 6.0 * points.sqrt()) + 16.0 * run.words)
        }
        _ => 0.0,
    }
}

fn chain_least(run: &Workload) -> f64 {
    let (cells, _) = phi_cells(run);
    let n = 6.0 * run.used_words + 8.0 * run.words;
    let phi = 6.0 * cells + 8.0 * run.words;
    let tables = 12.0 * cells + 12.0 * run.words;
    match run.settings.sampler {
        Algorithm::Direct => tokens(run).0 + n + 8.0 * run.used_words + 24.0 * run.words,
        Algorithm::Ppu { .. } if run.gpu => tokens(run).0 + n + phi + tables + 16.0 * cells,
        Algorithm::Ppu { .. } => tokens(run).0 + shards(run) + n + phi + tables,
    }
}

fn chain_most(run: &Workload) -> f64 {
    let (_, cells) = phi_cells(run);
    let n = 6.0 * GROWTH * run.word_topics + 8.0 * run.words;
    let phi_cell = match run.settings.sampler {
        Algorithm::Direct => 0.0,
        Algorithm::Ppu { phi: PhiLaw::Ppu } => 6.0 * GROWTH,
        // In its row, and in its column.
        Algorithm::Ppu { phi: PhiLaw::Dirichlet } => 8.0 + 10.0 * GROWTH,
    };
    let tables = (12.0 * 1.5 + phi_cell) * cells + 20.0 * run.words + active_columns(run, cells);
    let direct = match run.settings.sampler {
        Algorithm::Direct => 8.0 * GROWTH * run.word_topics + 24.0 * run.words,
        Algorithm::Ppu { .. } => 0.0,
    };
    let packed = if run.gpu {
        DRIVER + 16.0 * GROWTH * cells + 16.0 * run.words + 40.0 * run.docs + prior_ahead(run)
    } else {
        0.0
    };
    let threads = shards(run) + run.threads * (DOC_TOPICS + 20.0 * run.k_star());
    tokens(run).1 + threads + n + tables + direct + packed + histogram(run)
}

/// d, once a thread and once in all: arrays for small p, lists for large ones.
fn histogram(run: &Workload) -> f64 {
    let row = 4.0 * DENSE_P.min(run.longest_doc) * GROWTH;
    let rows = (run.threads + 1.0) * (24.0 * run.k_star() + row * run.topics());
    rows.min(16.0 * run.tokens + (run.threads + 1.0) * 24.0 * run.k_star()) + 32.0 * run.tokens / DENSE_P
}

/// Sums over samples, at least and at most: every word and document that has tokens has a topic.
fn sums_least(run: &Workload) -> f64 {
    if !run.has_samples() {
        return 0.0;
    }
    40.0 * run.k_star() + 32.0 * run.docs + 24.0 * run.words + 32.0 * run.used_words
}

fn sums_most(run: &Workload) -> f64 {
    if !run.has_samples() {
        return 0.0;
    }
    // Twice: while a checkpoint is written, the next sample is added to a copy.
    2.0 * (sums_least(run) + 32.0 * GROWTH * sums_cells(run))
}

/// Topics of words and of documents that samples have had.
pub(super) fn sums_cells(run: &Workload) -> f64 {
    run.word_topics + run.last_doc_topics()
}

/// z that has come from a GPU, the model and Φ by topic.
fn results_least(run: &Workload) -> f64 {
    let z = if run.gpu { 2.0 * run.tokens } else { 0.0 };
    let vocab = 24.0 * run.words + run.vocab_bytes;
    z + 6.0 * run.used_words + 8.0 * run.words + vocab + 12.0 * run.used_words
}

/// The model, Φ by topic and the file that takes most room; or the report, which needs no Φ. z is lent, or is among what
/// [`tokens`] has for a GPU.
fn results_most(run: &Workload) -> f64 {
    let n = run.last_word_topics();
    let topics = run.topics();
    let model = 6.0 * n + 64.0 * run.words + run.vocab_bytes;
    let phi = if run.has_samples() { 20.0 } else { 12.0 } * GROWTH * n + 80.0 * run.k_star();
    let shown = topics.min(LDAVIS_TOPICS);
    let ldavis = LDAVIS_PAIR * shown * shown + 36.0 * run.words + 32.0 * n;
    let chunk = (CHUNK_DOCS as f64 / run.docs.max(1.0)).min(1.0);
    let theta = 8.0 * run.docs + 80.0 * run.last_doc_topics() * chunk;
    let doc_topics = 2.0 * SHARE * topics * run.docs * chunk;
    // In which documents the top ten words of topics are: a bit a document, or 8 bytes for one that they are in.
    let bits = (TOP_WORDS * topics).min(run.words) * run.docs / 8.0;
    let coherence = GROWTH * bits.min(8.0 * run.tokens);
    let model_file = 16.0 * n + 32.0 * run.k_star();
    let files = phi + [ldavis, coherence, theta, doc_topics, model_file].into_iter().fold(0.0, f64::max);
    let report = REPORT_TOPIC * topics.min(REPORT_TOPICS)
        + REPORT_FURTHER_TOPIC * (topics - REPORT_TOPICS).max(0.0)
        + REPORT_WORD * run.words
        + coherence;
    model + files.max(report)
}

/// Scoring held-out documents: φ_kv of every topic for the words that they have, with tables, and some of the documents at
/// once.
fn scores_most(run: &Workload) -> f64 {
    let words = run.held_out.tokens.min(run.words);
    let cells = words * run.topics();
    let n = 6.0 * run.last_word_topics() + 64.0 * run.words + run.vocab_bytes;
    let observed = 40.0 * run.held_out.tokens + 60.0 * run.held_out.tokens.min(CHUNK_TOKENS);
    2.0 * n + (10.0 * GROWTH + 12.0) * cells + observed
}
