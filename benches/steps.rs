//! Criterion benchmarks of every step and of the whole iteration, from a mature state of at least 200 topics.
//!
//! `cargo bench --bench steps` measures synthetic corpora of 1 and 10 million tokens, and the file in `HDP_GPU_BENCH_CORPUS` or
//! else the sample; a filter picks some (`-- '10M/z'`), and `-- 100M` measures 100 million tokens, only when asked for by name.
//! `HDP_GPU_BENCH_INIT_TOPICS` sets the starting topics of a file (250), `RAYON_NUM_THREADS` the threads.

mod mature;
mod zipf;

use std::cell::LazyCell;
use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput};
use hdp_gpu::Settings;
use mature::{STEPS, Timed, default_corpora, describe, find_corpus, mature, synthetic_tokens, timed_step};

/// Never measured without being asked for.
const LARGE: &str = "100M";
/// Iterations are measured until they make this many tokens; criterion wants at least 10.
const MEASURED_TOKENS: usize = 100_000_000;
const MEASURED: (usize, usize) = (10, 100);

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut corpora = default_corpora();
    if std::env::args().any(|arg| arg.contains(LARGE)) {
        corpora.push(LARGE.to_owned());
    }
    for name in corpora {
        bench(&mut criterion, &name);
    }
    criterion.final_summary();
}

/// The benchmarks of one corpus. All of them read the same iterations, which are made, with the corpus, when the first one of them
/// passes the filter.
fn bench(criterion: &mut Criterion, name: &str) {
    let num_tokens = synthetic_tokens(name).unwrap_or_else(|| find_corpus(name).corpus.num_tokens());
    let measured = (MEASURED_TOKENS / num_tokens).clamp(MEASURED.0, MEASURED.1);
    let iterations = LazyCell::new(|| make_iterations(name, measured));
    let short_name = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
    let mut group = criterion.benchmark_group(short_name);
    // An iteration a sample. Criterion may ask for any number of runs, as reading what is measured takes no time.
    group.sampling_mode(SamplingMode::Flat).sample_size(measured);
    group.warm_up_time(Duration::from_nanos(1)).measurement_time(Duration::from_millis(measured as u64));
    group.throughput(Throughput::Elements(num_tokens as u64));
    for (step, seconds) in STEPS {
        let mut at = 0;
        group.bench_function(step, |bencher| {
            let timed = &iterations[at % measured];
            at += 1;
            bencher.iter_custom(|runs| Duration::from_secs_f64(seconds(timed) * runs as f64));
        });
    }
}

fn make_iterations(name: &str, measured: usize) -> Vec<Timed> {
    // As the program does: each step finds its threads awake.
    rayon::scope(|_| {
        let mut chain = mature(find_corpus(name), Settings::paper().max_topics);
        println!("{name}: {}", describe(&*chain));
        (0..measured).map(|_| timed_step(&mut *chain)).collect()
    })
}
