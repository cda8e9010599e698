//! What is measured: corpora by name, chains in a mature state of at least 200 topics, and timed iterations of them.
//!
//! A corpus is `sample`, a synthetic one of so many million tokens such as `10M`, or a file. A synthetic one starts from its true
//! topics, so that it is mature at once and has about as many topics a document at every size; any other from random ones.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use hdp_gpu::chain::{self, Progress, Start};
use hdp_gpu::corpus::sample::sample;
use hdp_gpu::corpus::{Corpus, ReadOptions, read};
use hdp_gpu::device::Place;
use hdp_gpu::model::counts::ColumnBlock;
use hdp_gpu::params::Init;
use hdp_gpu::{Chain, Params, Settings};

use crate::zipf::zipf_corpus;

/// Random topics to start from; the sample, which has few, is left with 200 of them only from very many.
const INIT_TOPICS: u32 = 250;
const SAMPLE_INIT_TOPICS: u32 = 800;
/// Iterations from the true topics.
const SETTLING: usize = 5;
/// Iterations from random topics: as many as take this number of tokens, within these bounds.
const BURN_IN_TOKENS: usize = 120_000_000;
const BURN_IN: (usize, usize) = (20, 300);

/// The corpora that are measured when none is named.
pub(crate) fn default_corpora() -> Vec<String> {
    let own = std::env::var("HDP_GPU_BENCH_CORPUS").unwrap_or("sample".to_owned());
    vec!["1M".to_owned(), "10M".to_owned(), own]
}

/// The tokens of a synthetic corpus, by its name.
pub(crate) fn synthetic_tokens(name: &str) -> Option<usize> {
    let millions: usize = name.strip_suffix('M')?.parse().ok()?;
    Some(1_000_000 * millions)
}

/// A corpus, and where a chain on it starts: from the true topics, or from so many random ones.
pub(crate) struct Source {
    pub(crate) corpus: Arc<Corpus>,
    truth: Option<Vec<u16>>,
    init_topics: u32,
}

/// The corpus of this name.
pub(crate) fn find_corpus(name: &str) -> Source {
    if let Some(num_tokens) = synthetic_tokens(name) {
        let (corpus, z) = zipf_corpus(num_tokens);
        return Source { corpus: Arc::new(corpus), truth: Some(z), init_topics: 1 };
    }
    let (corpus, init_topics) = match name {
        "sample" => (sample().corpus, SAMPLE_INIT_TOPICS),
        file => {
            let loaded = read(Path::new(file), &ReadOptions::default());
            (loaded.unwrap_or_else(|error| panic!("{error}")).corpus, INIT_TOPICS)
        }
    };
    let init_topics = std::env::var("HDP_GPU_BENCH_INIT_TOPICS").map_or(init_topics, |k| k.parse().unwrap());
    Source { corpus: Arc::new(corpus), truth: None, init_topics }
}

/// A chain in its mature state.
pub(crate) fn mature(source: Source, max_topics: u32) -> Box<dyn Chain> {
    let Source { corpus, truth, init_topics } = source;
    // The last topic stands for all the others.
    let init = Init::Random(init_topics.min(max_topics - 1));
    let params = Settings { init, max_topics, ..Settings::paper() }.check().unwrap();
    let iterations = match truth {
        Some(_) => SETTLING,
        None => (BURN_IN_TOKENS / corpus.num_tokens()).clamp(BURN_IN.0, BURN_IN.1),
    };
    let start = match truth {
        Some(z) => Start::with_z(&corpus, &params, z),
        None => Start::first(&corpus, &params),
    };
    let mut chain = resume(corpus, params, start);
    for _ in 0..iterations {
        chain.step().unwrap();
    }
    chain
}

/// A chain on the CPU.
pub(crate) fn resume(corpus: Arc<Corpus>, params: Params, start: Start) -> Box<dyn Chain> {
    chain::open(corpus, params, start, &Place::cpu()).unwrap()
}

/// The corpus and the state in a line.
pub(crate) fn describe(chain: &dyn Chain) -> String {
    let (corpus, counts, k_star) =
        (chain.state().corpus(), chain.state().counts(), chain.state().params().k_star());
    let topics_of_docs: u64 = (0..k_star as u16).map(|k| counts.d.docs(k)).sum();
    format!(
        "{} documents, {} tokens, {} words; K* = {k_star}, {} topics, {:.2} a document, {} active entries; {} threads",
        corpus.num_docs(),
        corpus.num_tokens(),
        corpus.vocab_size(),
        counts.n.active_topics(),
        topics_of_docs as f64 / corpus.num_docs() as f64,
        counts.n.blocks.iter().map(ColumnBlock::nonzeros).sum::<usize>(),
        rayon::current_num_threads()
    )
}

/// What an iteration took, and the log-likelihood after it.
pub(crate) struct Timed {
    progress: Progress,
    log_likelihood_seconds: f64,
}

/// What a step took in an iteration.
pub(crate) type Seconds = fn(&Timed) -> f64;

/// The steps, and the whole iteration, which has no log-likelihood in it.
pub(crate) const STEPS: [(&str, Seconds); 7] = [
    ("phi", |timed| timed.progress.phi_seconds),
    ("alias tables", |timed| timed.progress.alias_seconds),
    ("z", |timed| timed.progress.z.z_seconds),
    ("counts", |timed| timed.progress.z.count_seconds),
    ("l and psi", |timed| timed.progress.l_psi_seconds),
    ("log-likelihood", |timed| timed.log_likelihood_seconds),
    ("iteration", |timed| timed.progress.seconds),
];

/// Makes an iteration.
pub(crate) fn timed_step(chain: &mut dyn Chain) -> Timed {
    let progress = chain.step().unwrap();
    let start = Instant::now();
    std::hint::black_box(chain.state().log_likelihood());
    Timed { progress, log_likelihood_seconds: start.elapsed().as_secs_f64() }
}
