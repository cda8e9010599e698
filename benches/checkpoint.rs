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
use hdp_gpu::corpus::{LoadNotes, Loaded, Preparation};
use hdp_gpu::device::Place;
use hdp_gpu::params::{Preset, SettingsRequest};
use hdp_gpu::run::{Event, Every, FrontEnd, Mode, Observer, Opening, RunRequest};
use hdp_gpu::{Corpus, Sampler, Settings};

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
    /// Of all iterations, without opening and results.
    seconds: f64,
    last: Option<Instant>,
}

impl Notes {
    fn look(&mut self) {
        let names = std::fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().file_name());
        self.seen.extend(names.filter(|name| name.to_string_lossy().starts_with("iteration-")));
    }
}

impl Observer for Notes {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Training => self.last = Some(Instant::now()),
            Event::Iteration(_) => self.look(),
            Event::Ending => self.seconds = self.last.map_or(0.0, |last| last.elapsed().as_secs_f64()),
            _ => {}
        }
    }
}

/// The seconds of a run, and the checkpoints that it wrote.
fn measure(corpus: &Arc<Corpus>, every: Every) -> (f64, usize) {
    let room = tempfile::tempdir().unwrap();
    let request = RunRequest {
        model: SettingsRequest { preset: Some(Preset::Paper), ..SettingsRequest::default() },
        iterations: Some(ITERATIONS),
        trace_every: Some(ITERATIONS),
        ..RunRequest::default()
    };
    let loaded = Loaded {
        source: "zipf".into(),
        format: "memory".into(),
        corpus: Corpus::clone(corpus),
        preparation: Preparation::default(),
        notes: LoadNotes::default(),
        kept_text: None,
    };
    let mut notes =
        Notes { folder: room.path().join("checkpoint"), seen: BTreeSet::new(), seconds: 0.0, last: None };
    let asked = Opening::new(room.path(), Mode::Force, &mut ()).unwrap().ask(&request, &[], &mut ()).unwrap();
    let run = asked.on(loaded, Place::cpu(), every, FrontEnd::default(), &mut ()).unwrap();
    run.train(&mut notes).unwrap();
    notes.look();
    (notes.seconds, notes.seen.len())
}
