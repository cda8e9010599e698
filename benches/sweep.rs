//! What an iteration costs, step by step, as a table with the peak of memory; corpora beside each other in one run.
//!
//! `cargo bench --bench sweep -- 1M 10M 100M FILE…` measures these corpora, by default those of `steps.rs`. They take turns, so that
//! a busy machine is as busy for all of them. `HDP_GPU_BENCH_MAX_TOPICS=300,1000,10000` measures each at several K*, from one state.
//! `HDP_GPU_BENCH_INIT_TOPICS` sets the starting topics of a file (250), `RAYON_NUM_THREADS` the threads.

mod mature;
mod zipf;

use std::process::Command;
use std::sync::Arc;

use hdp_gpu::chain::Start;
use hdp_gpu::model::psi::Psi;
use hdp_gpu::{Chain, Settings};
use mature::{STEPS, Seconds, Timed, default_corpora, describe, find_corpus, mature, resume, timed_step};

const ROUNDS: usize = 15;
/// A turn is an iteration, and more of them on a corpus that has fewer tokens than this, so that caches are its own again.
const TURN_TOKENS: usize = 4_000_000;
const LONGEST_TURN: usize = 5;
/// Has this program print the peak of its memory on one corpus with one K*, and nothing else.
const PEAK_ONLY: &str = "--peak-only";

/// One corpus with one K*.
struct Lane {
    name: String,
    state: String,
    chain: Box<dyn Chain>,
    timed: Vec<Timed>,
}

fn main() {
    // As the program does: each step finds its threads awake.
    rayon::scope(|_| run());
}

fn run() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let k_stars = k_stars();
    if let [flag, name] = args.as_slice()
        && flag == PEAK_ONLY
    {
        return print_peak(name, k_stars[0]);
    }
    let names = if args.is_empty() { default_corpora() } else { args };
    let mut lanes: Vec<Lane> = names.iter().flat_map(|name| lanes_of(name, &k_stars)).collect();
    for _ in 0..ROUNDS {
        lanes.iter_mut().for_each(Lane::turn);
    }
    lanes.iter().for_each(Lane::print);
    print_ratios(&lanes);
}

fn k_stars() -> Vec<u32> {
    let list = std::env::var("HDP_GPU_BENCH_MAX_TOPICS");
    list.map_or(vec![Settings::paper().max_topics], |list| {
        list.split(',').map(|k| k.parse().unwrap()).collect()
    })
}

/// The corpus at every K*, from one state: that of the smallest, so that all of its topics are below any K*.
fn lanes_of(name: &str, k_stars: &[u32]) -> Vec<Lane> {
    let smallest = *k_stars.iter().min().expect("a K*");
    let source = find_corpus(name);
    let corpus = Arc::clone(&source.corpus);
    let mut state = mature(source, smallest);
    k_stars
        .iter()
        .map(|&max_topics| {
            let params =
                Settings { max_topics, ..state.state().params().settings().clone() }.check().unwrap();
            let mut start = Start::of(&mut *state).unwrap();
            start.l.resize(params.k_star(), 0);
            start.psi = Psi::sample(&start.l, &params, start.iteration);
            let chain = resume(Arc::clone(&corpus), params, start);
            Lane { name: name.to_owned(), state: describe(&*chain), chain, timed: Vec::new() }
        })
        .collect()
}

impl Lane {
    fn turn(&mut self) {
        let iterations = TURN_TOKENS.div_ceil(self.chain.state().corpus().num_tokens()).min(LONGEST_TURN);
        self.timed.extend((0..iterations).map(|_| timed_step(&mut *self.chain)));
    }

    /// The median of what a step takes a token, in nanoseconds.
    fn cost(&self, seconds: Seconds) -> f64 {
        let mut sorted: Vec<f64> = self.timed.iter().map(seconds).collect();
        sorted.sort_by(f64::total_cmp);
        1e9 * sorted[sorted.len() / 2] / self.chain.state().corpus().num_tokens() as f64
    }

    fn print(&self) {
        let (name, num_tokens) = (&self.name, self.chain.state().corpus().num_tokens() as f64);
        println!("{name}: {}", self.state);
        let measured = format!("median of {}", self.timed.len());
        println!("  {measured:<16} {:>10} {:>10} {:>12}", "ms", "ns/token", "M tokens/s");
        for (step, seconds) in STEPS {
            let cost = self.cost(seconds);
            println!("  {step:<16} {:>10.3} {cost:>10.2} {:>12.2}", cost * num_tokens / 1e6, 1e3 / cost);
        }
        if let Some(peak) = peak_of_its_own(name, self.chain.state().params().max_topics()) {
            println!("  peak memory {:.0} MB, {:.1} bytes a token", peak / 1e6, peak / num_tokens);
        }
        println!();
    }
}

/// What a token costs, as multiples of the first lane's.
fn print_ratios(lanes: &[Lane]) {
    let (first, others) = lanes.split_first().expect("a corpus");
    let label = |lane: &Lane| format!("{}, K* = {}", lane.name, lane.chain.state().params().max_topics());
    if !others.is_empty() {
        println!("cost of a token, as multiples of {}:", label(first));
    }
    for lane in others {
        let ratios =
            STEPS.map(|(step, seconds)| format!("{step} {:.2}", lane.cost(seconds) / first.cost(seconds)));
        println!("  {}: {}", label(lane), ratios.join(", "));
    }
}

/// The peak of a process that makes the corpus and its state and goes on for a turn.
fn peak_of_its_own(name: &str, max_topics: u32) -> Option<f64> {
    let mut process = Command::new(std::env::current_exe().ok()?);
    process.args([PEAK_ONLY, name]).env("HDP_GPU_BENCH_MAX_TOPICS", max_topics.to_string());
    String::from_utf8(process.output().ok()?.stdout).ok()?.trim().parse().ok()
}

/// The most memory that this process has had, in bytes, where the system tells.
fn print_peak(name: &str, max_topics: u32) {
    timed_step(&mut *mature(find_corpus(name), max_topics));
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
    if let Some(kib) = kib.and_then(|kib| kib.parse::<f64>().ok()) {
        println!("{}", 1024.0 * kib);
    }
}
