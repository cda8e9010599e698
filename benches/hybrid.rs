//! What a GPU and the CPU gain together, and what it costs to find out: the z step with a stand-in for the GPU that sleeps and
//! needs no core. Checks the figures that it prints.
//!
//! `cargo bench --bench hybrid` measures a synthetic corpus of 1 million tokens, `cargo bench --bench hybrid -- 10M` another. Devices
//! take turns, step by step, so that a busy machine is as busy for all of them.
//!
//! What `auto` loses is measured, beside the right choice from the start: the sum of the differences between the two, round by round.
//! All rounds count in which `auto` did something else than the right choice, and all of the first ones, with the trials and the
//! settling of both. In the other rounds both do the same, and the differences are chance: as many of the largest as of the smallest
//! are left out, and the mean of the rest stands for them. The figure is the median of several runs.

#[path = "../tests/common/z_steps.rs"]
mod z_steps;

use hdp_gpu::device::choice::CpuPart;
use hdp_gpu::device::{Hooks, Place, StandIn, Work};
use z_steps::{Lane, ZSteps};

/// Rounds that tell what both gain.
const GAIN_ROUNDS: usize = 120;
/// Rounds that tell what `auto` loses, and runs of so many.
const ROUNDS: usize = 300;
const RUNS: usize = 3;
/// Rounds at the start that count as they are.
const FIRST_ROUNDS: usize = 60;
/// The part of the other rounds that is left out at each end.
const TRIMMED: f64 = 0.1;
/// Steps that tell the CPU's time.
const WARM_UP: usize = 60;
/// What trials give the stand-in; with more it only sleeps.
const TRIAL: f64 = 0.03;

struct Bench(ZSteps);

/// What a step takes when the division rests and nothing else runs: the first decile of the second half.
fn undisturbed(lane: &Lane) -> f64 {
    let mut last = lane.seconds[lane.seconds.len() / 2..].to_vec();
    last.sort_by(f64::total_cmp);
    last[last.len() / 10]
}

impl Bench {
    fn step(&self, lane: &mut Lane) {
        self.0.step(lane, lane.seconds.len() as u32).unwrap();
    }

    fn place(cpu: CpuPart, stand_in: StandIn) -> Place {
        Place::with_stand_in(cpu, Hooks { stand_in: Some(stand_in), ..Hooks::default() })
    }

    /// The CPU's time now.
    fn cpu_seconds(&self) -> f64 {
        let mut cpu = self.0.open(&Place::cpu());
        (0..WARM_UP).for_each(|_| self.step(&mut cpu));
        undisturbed(&cpu)
    }

    /// Prints what the CPU, a stand-in and both take; returns the gain of both over the better one.
    fn gain(&self, name: &str, stand_in: StandIn) -> f64 {
        let at = |cpu| Self::place(cpu, stand_in);
        let mut lanes =
            [Place::cpu(), at(CpuPart::None), at(CpuPart::Shares)].map(|place| self.0.open(&place));
        for _ in 0..GAIN_ROUNDS {
            lanes.iter_mut().for_each(|lane| self.step(lane));
        }
        let [cpu, gpu, both] = lanes.each_ref().map(undisturbed);
        let (gain, most) = (cpu.min(gpu) / both, 1.0 + cpu.min(gpu) / cpu.max(gpu));
        let [cpu, gpu, both] = [cpu, gpu, both].map(|seconds| 1e3 * seconds);
        println!("  {name:<34} {cpu:>8.2} {gpu:>8.2} {both:>8.2} {gain:>8.2} of {most:.2}");
        gain
    }

    /// Has `auto` and the right choice make their steps beside a stand-in; returns the part of the time that `auto` lost, and the rounds
    /// in which it did something else.
    fn lost_once(&self, right: CpuPart, stand_in: StandIn) -> (f64, usize) {
        let right = if right == CpuPart::None { Place::cpu() } else { Self::place(right, stand_in) };
        let mut lanes = [right, Self::place(CpuPart::Measured, stand_in)].map(|place| self.0.open(&place));
        let (mut as_it_is, mut by_chance, mut others) = (0.0, Vec::new(), 0);
        for round in 0..ROUNDS {
            // Each goes first as often as the other.
            let first = round % 2;
            self.step(&mut lanes[first]);
            self.step(&mut lanes[1 - first]);
            let [right, auto] = &lanes;
            let difference = auto.seconds[round] - right.seconds[round];
            let is_same = (right.device.gpu_share() > 0.0) == (auto.device.gpu_share() > 0.0);
            others += usize::from(!is_same);
            if round < FIRST_ROUNDS || !is_same {
                as_it_is += difference;
            } else {
                by_chance.push(difference);
            }
        }
        assert!(others < ROUNDS / 3, "auto came to something else");
        by_chance.sort_by(f64::total_cmp);
        let cut = (TRIMMED * by_chance.len() as f64) as usize;
        let kept = &by_chance[cut..by_chance.len() - cut];
        let mean = kept.iter().sum::<f64>() / kept.len().max(1) as f64;
        let lost = as_it_is + mean * by_chance.len() as f64;
        (lost / lanes[0].seconds.iter().sum::<f64>(), others)
    }

    /// Prints what `auto` loses beside a stand-in against the right choice; returns it, as a part of the time.
    fn lost(&self, name: &str, right: CpuPart, stand_in: StandIn) -> f64 {
        let mut runs: Vec<(f64, usize)> = (0..RUNS).map(|_| self.lost_once(right, stand_in)).collect();
        runs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all: Vec<String> =
            runs.iter().map(|(lost, others)| format!("{:>6.2} % ({others})", 100.0 * lost)).collect();
        println!("  {name:<34} {}", all.join("  "));
        runs[RUNS / 2].0
    }
}

fn main() {
    // As the program does: each step finds its threads awake.
    rayon::scope(|_| run());
}

fn run() {
    let millions = std::env::args().find_map(|arg| arg.strip_suffix('M')?.parse().ok());
    let millions: usize = millions.unwrap_or(1);
    println!("{millions}M tokens, {} threads", rayon::current_num_threads());
    let bench = Bench(ZSteps::new(1_000_000 * millions));
    let cpu = bench.cpu_seconds();
    let plain = StandIn { samples: TRIAL, ..StandIn::PLAIN };
    let takes = |fixed: f64, all: f64| StandIn { fixed: fixed * cpu, all: all * cpu, ..plain };
    println!(
        "  milliseconds of a z step, first deciles; the gain of both over the better one, and the most that it can be"
    );
    println!("  {:<34} {:>8} {:>8} {:>8} {:>16}", "GPU", "CPU", "GPU", "both", "gain");
    let as_fast = bench.gain("as fast as the CPU", takes(0.0, 1.0));
    let slower = bench.gain("4 times slower", takes(0.0, 4.0));
    bench.gain("twice as fast, with a fixed cost", takes(0.2, 0.5));
    bench.gain("4 times as fast", takes(0.0, 0.25));
    println!(
        "  what auto loses in {ROUNDS} steps against the right choice from the start, in {RUNS} runs (steps of another kind)"
    );
    let slow_first = StandIn { cold: (20, 2.0 * cpu), ..takes(0.0, 1.0) };
    let fails = StandIn { fails: Some((Work::Wait, 0)), ..takes(0.0, 1.0) };
    let lost = [
        bench.lost("as fast as the CPU", CpuPart::Shares, takes(0.0, 1.0)),
        bench.lost("4 times as fast", CpuPart::Shares, takes(0.0, 0.25)),
        bench.lost("4 times slower", CpuPart::Shares, takes(0.0, 4.0)),
        bench.lost("twice as fast, with a fixed cost", CpuPart::Shares, takes(0.2, 0.5)),
        bench.lost("slow for 20 steps, then as fast", CpuPart::Shares, slow_first),
        bench.lost("a fixed cost of three steps", CpuPart::None, takes(3.0, 0.0)),
        bench.lost("fails when it is tried", CpuPart::None, fails),
    ];
    assert!(as_fast >= 1.6 && slower >= 1.15, "both together gain too little: {as_fast:.2}, {slower:.2}");
    assert!(lost.iter().all(|&lost| lost <= 0.03), "auto loses too much: {lost:.3?}");
}
