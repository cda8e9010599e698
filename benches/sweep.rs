//! What an iteration costs, step by step, on a state of at least 200 topics.
//!
//! `cargo bench` measures the sample and a synthetic corpus of 14 million tokens;
//! `cargo bench --bench sweep -- FILE…` measures corpora of your own instead.
//! `HDP_GPU_BENCH_INIT_TOPICS` sets the number of starting topics (200), `RAYON_NUM_THREADS` the threads.

mod zipf;

use std::path::Path;
use std::sync::Arc;

use hdp_gpu::chain::Progress;
use hdp_gpu::corpus::sample::sample;
use hdp_gpu::corpus::{Corpus, ReadOptions, read};
use hdp_gpu::{Chain, Sampler, Settings};

/// Tokens sampled before measuring, at most; a large corpus still gets [`LEAST_BURN_IN`] iterations.
const BURN_IN_TOKENS: usize = 100_000_000;
const LEAST_BURN_IN: usize = 20;
const MEASURED: usize = 15;

/// One step's time in an iteration.
type Seconds = fn(&Progress) -> f64;

fn main() {
    // As the program does: each step finds its threads awake.
    rayon::scope(|_| measure_all());
}

fn measure_all() {
    // Cargo's own flags start with dashes.
    let files: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    if files.is_empty() {
        measure("sample", sample().corpus);
        measure("synthetic", zipf::zipf_corpus(14_000_000));
    }
    for file in files {
        let loaded =
            read(Path::new(&file), &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        measure(&file, loaded.corpus);
    }
}

fn measure(name: &str, corpus: Corpus) {
    let init_topics =
        std::env::var("HDP_GPU_BENCH_INIT_TOPICS").map_or(200, |topics| topics.parse().unwrap());
    let params = Settings { init_topics, ..Settings::paper() }.check().unwrap();
    let num_tokens = corpus.num_tokens();
    println!(
        "{name}: {} documents, {num_tokens} tokens, {} words, {} threads",
        corpus.num_docs(),
        corpus.vocab_size(),
        rayon::current_num_threads()
    );
    let mut sampler = Sampler::on_cpu(Arc::new(corpus), params).unwrap();
    for _ in 0..(BURN_IN_TOKENS / num_tokens).clamp(LEAST_BURN_IN, 300) {
        sampler.step().unwrap();
    }
    let steps: Vec<Progress> = (0..MEASURED).map(|_| sampler.step().unwrap()).collect();
    let rows: [(&str, Seconds); 6] = [
        ("Φ", |p| p.phi_seconds),
        ("alias tables", |p| p.alias_seconds),
        ("z", |p| p.z.z_seconds),
        ("counts", |p| p.z.count_seconds),
        ("l and Ψ", |p| p.l_psi_seconds),
        ("whole iteration", |p| p.seconds),
    ];
    println!("  after {} iterations, {} topics", sampler.iteration(), sampler.counts().n.active_topics());
    println!("  {:<16} {:>10} {:>10} {:>12}", "median of 15", "ms", "ns/token", "M tokens/s");
    for (step, seconds) in rows {
        let median = median(steps.iter().map(seconds).collect());
        println!(
            "  {step:<16} {:>10.3} {:>10.2} {:>12.2}",
            1e3 * median,
            1e9 * median / num_tokens as f64,
            num_tokens as f64 / median / 1e6
        );
    }
    if let Some(peak) = peak_memory() {
        println!("  peak memory so far {:.0} MB, {:.1} bytes a token", peak / 1e6, peak / num_tokens as f64);
    }
    println!();
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The most memory that the process has had, in bytes, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| 1024.0 * kib)
}
