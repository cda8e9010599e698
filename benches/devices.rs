//! What the z step costs on each device of this machine, in time and in CPU time a token.
//!
//! `cargo bench --bench devices` measures the sample; `cargo bench --bench devices -- FILE…` corpora of your own.

use std::path::Path;
use std::sync::Arc;

use hdp_gpu::chain::{self, Start};
use hdp_gpu::corpus::sample::sample;
use hdp_gpu::corpus::{Corpus, ReadOptions, read};
use hdp_gpu::device::choice::DeviceRequest;
use hdp_gpu::device::list::Devices;
use hdp_gpu::device::{OpenOptions, Place, TEAMS};
use hdp_gpu::params::Init;
use hdp_gpu::{Chain, Params, Settings};

const INIT_TOPICS: u32 = 200;
const BURN_IN: usize = 3;
const MEASURED: usize = 5;

fn main() {
    let files: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    if files.is_empty() {
        measure_all("sample", sample().corpus);
    }
    for file in files {
        let loaded =
            read(Path::new(&file), &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        measure_all(&file, loaded.corpus);
    }
}

fn measure_all(name: &str, corpus: Corpus) {
    println!("{name}: {} tokens, {INIT_TOPICS} starting topics", corpus.num_tokens());
    println!(
        "  {:<44} {:>10} {:>14} {:>12}",
        "z step and its counts", "ns/token", "CPU ns/token", "bytes a step"
    );
    let corpus = Arc::new(corpus);
    let params = Settings { init: Init::Random(INIT_TOPICS), ..Settings::paper() }.check().unwrap();
    measure(&corpus, "cpu", chain(&corpus, &params, &Place::cpu()));
    for (number, gpu) in (1..).zip(Devices::find(&DeviceRequest::Auto).gpus()) {
        for team in TEAMS {
            let request = DeviceRequest::Named(u32::to_string(&number));
            let mut options = OpenOptions::default();
            options.team = Some(team);
            let place = Place::choose(&request, options).unwrap();
            measure(&corpus, &format!("{}, teams of {team}", gpu.name), chain(&corpus, &params, &place));
        }
    }
}

/// A chain at its first state.
fn chain(corpus: &Arc<Corpus>, params: &Params, place: &Place) -> Box<dyn Chain> {
    let start = Start::first(corpus, params);
    chain::open(Arc::clone(corpus), params.clone(), start, place).unwrap()
}

fn measure(corpus: &Corpus, device: &str, mut sampler: Box<dyn Chain>) {
    for _ in 0..BURN_IN {
        sampler.step().unwrap();
    }
    let cpu_before = cpu_seconds();
    let (mut seconds, mut other, mut bytes) = (0.0, 0.0, 0);
    for _ in 0..MEASURED {
        let progress = sampler.step().unwrap();
        seconds += progress.z.z_seconds + progress.z.count_seconds;
        other += progress.seconds - progress.z.z_seconds - progress.z.count_seconds;
        bytes = progress.z.bytes_up + progress.z.bytes_down;
    }
    let tokens = (MEASURED * corpus.num_tokens()) as f64;
    // The other steps run on all threads; what they took is not the device's.
    let cpu = cpu_before
        .zip(cpu_seconds())
        .map_or(f64::NAN, |(before, after)| after - before - other * rayon::current_num_threads() as f64);
    println!("  {device:<44} {:>10.1} {:>14.1} {bytes:>12}", 1e9 * seconds / tokens, 1e9 * cpu / tokens);
}

/// The CPU time of this process, where the system tells.
fn cpu_seconds() -> Option<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / TICKS_PER_SECOND)
}
