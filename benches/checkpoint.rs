//! What checkpoints cost: `cargo bench --bench checkpoint`, on a synthetic corpus of 14 million tokens.
//!
//! Runs without checkpoints on their way and runs with as many as can be written take turns; the difference is what one
//! costs, and so what one in ten minutes does.

mod zipf;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use hdp_gpu::chain::Start;
use hdp_gpu::checkpoint::{CorpusId, Recipe, Run};
use hdp_gpu::output::Folder;
use hdp_gpu::output::folder::FolderKind;
use hdp_gpu::train::{Every, Journal, Plan, Report, Sampling, Until, Watcher, train};
use hdp_gpu::{Chain, Corpus, Sampler, Settings};

const ITERATIONS: u32 = 12;
const REPEATS: usize = 4;
const TEN_MINUTES: f64 = 600.0;

fn main() {
    let corpus = Arc::new(zipf::zipf_corpus(14_000_000).0);
    println!("{} tokens, {} threads", corpus.num_tokens(), rayon::current_num_threads());
    for _ in 0..REPEATS {
        let (without, first_and_last) = measure(&corpus, Every::Iterations(ITERATIONS));
        let (with, checkpoints) = measure(&corpus, Every::Iterations(1));
        let cost = (with - without) / (checkpoints - first_and_last) as f64;
        println!(
            "{ITERATIONS} iterations: {without:.2} s; with {checkpoints} checkpoints {with:.2} s: {cost:.3} s for one, \
             {:.3} % of ten minutes",
            100.0 * cost / TEN_MINUTES
        );
    }
    let mut chain = sampler(&corpus);
    let start = Instant::now();
    let copy = Start::of(&mut chain).unwrap();
    let waited = start.elapsed();
    println!("the sampler waits {:.1} ms for a copy of {} topics", 1e3 * waited.as_secs_f64(), copy.z.len());
}

fn sampler(corpus: &Arc<Corpus>) -> Sampler {
    let params = Settings::paper().check().unwrap();
    Sampler::on_cpu(Arc::clone(corpus), params).unwrap()
}

/// Notes which checkpoints there are.
struct Notes {
    folder: PathBuf,
    seen: BTreeSet<OsString>,
}

impl Notes {
    fn look(&mut self) {
        let names = std::fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().file_name());
        self.seen.extend(names.filter(|name| name.to_string_lossy().starts_with("iteration-")));
    }
}

impl Watcher for Notes {
    fn iteration(&mut self, _: &Report) {
        self.look();
    }
}

/// The seconds of a run, and the checkpoints that it wrote.
fn measure(corpus: &Arc<Corpus>, every: Every) -> (f64, usize) {
    let room = tempfile::tempdir().unwrap();
    let folder = Folder::create(FolderKind::Run, room.path(), true).unwrap();
    let mut chain = sampler(corpus);
    let settings = chain.state().params().settings().clone();
    let run = Run {
        recipe: Recipe { settings, holdout: None, corpus: CorpusId::of(corpus) },
        plan: Plan { iterations: ITERATIONS, trace_every: ITERATIONS, sampling: Sampling::LAST },
        chains: 1,
        until: Until::Iterations,
        end: None,
        preset: String::new(),
        no_text: true,
        command: Vec::new(),
    };
    let mut notes = Notes { folder: room.path().join("checkpoint"), seen: BTreeSet::new() };
    let start = Instant::now();
    train(&mut chain, Journal::create(&folder, run, every).unwrap(), &mut notes).unwrap();
    notes.look();
    (start.elapsed().as_secs_f64(), notes.seen.len())
}
