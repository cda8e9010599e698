//! What a GPU and the CPU gain together, and what it costs to find out: the z step with a stand-in for the GPU that sleeps and
//! needs no core. Checks the figures that it prints.
//!
//! `cargo bench --bench hybrid` measures a synthetic corpus of 1 million tokens, `cargo bench --bench hybrid -- 10M` another. All
//! devices take turns, step by step, so that a busy machine is as busy for all of them.

mod zipf;

use std::sync::Arc;
use std::time::Instant;

use hdp_gpu::chain::{self, Start};
use hdp_gpu::device::choice::CpuPart;
use hdp_gpu::device::{Device, Hooks, Place, StandIn, ZStep};
use hdp_gpu::model::alias::TableBuilder;
use hdp_gpu::model::phi::PoissonPolyaUrn;
use hdp_gpu::model::z_counts::ZCounts;
use hdp_gpu::{Corpus, Params, Settings};
use zipf::zipf_corpus;

/// Iterations from the true topics.
const SETTLING: usize = 5;
const ROUNDS: usize = 300;
/// Steps that tell the CPU's time.
const WARM_UP: usize = 60;
/// What trials give the stand-in; with more it only sleeps.
const TRIAL: f64 = 0.03;

/// A chain's state, with which all devices make the same z step again and again.
struct Bench {
    corpus: Arc<Corpus>,
    params: Params,
    z: Vec<u16>,
    tables: TableBuilder,
    is_active: Vec<bool>,
}

/// A device, and the seconds of its steps.
struct Lane {
    device: Box<dyn Device>,
    counts: ZCounts,
    seconds: Vec<f64>,
}

impl Lane {
    fn sum(&self) -> f64 {
        self.seconds.iter().sum()
    }

    /// What a step takes when the division rests and nothing else runs: the first decile of the second half.
    fn undisturbed(&self) -> f64 {
        let mut last = self.seconds[self.seconds.len() / 2..].to_vec();
        last.sort_by(f64::total_cmp);
        last[last.len() / 10]
    }
}

impl Bench {
    /// A synthetic corpus of so many million tokens.
    fn new(millions: usize) -> Self {
        let (corpus, truth) = zipf_corpus(1_000_000 * millions);
        let (corpus, params) = (Arc::new(corpus), Settings::paper().check().unwrap());
        let start = Start::with_z(&corpus, &params, truth);
        let mut chain = chain::open(Arc::clone(&corpus), params, start, &Place::cpu()).unwrap();
        (0..SETTLING).for_each(|_| assert!(chain.step().is_ok()));
        println!("{millions}M tokens, {} threads", rayon::current_num_threads());
        let z = chain.z().unwrap();
        let state = chain.state();
        let (params, n) = (state.params().clone(), &state.counts().n);
        let mut tables = TableBuilder::default();
        tables.build(PoissonPolyaUrn::new(n, &params).sample(n, &params, 1), state.psi(), params.alpha());
        let is_active = n.topic_tokens.iter().map(|&tokens| tokens > 0).collect();
        Self { corpus, params, z, tables, is_active }
    }

    fn lane(&self, place: &Place) -> Lane {
        let device = place.open(Arc::clone(&self.corpus), &self.params, self.z.clone()).unwrap();
        Lane { device, counts: ZCounts::default(), seconds: Vec::new() }
    }

    fn step(&self, lane: &mut Lane) {
        let tables = self.tables.tables();
        let docs = 0..self.corpus.num_docs();
        let step = ZStep { tables, iteration: lane.seconds.len() as u32, is_active: &self.is_active, docs };
        lane.counts.resize(tables, self.is_active.len());
        let begin = Instant::now();
        lane.device.submit_z(&step).unwrap();
        lane.device.collect_z(&step, Some(&mut lane.counts)).unwrap();
        lane.seconds.push(begin.elapsed().as_secs_f64());
    }

    /// All devices beside a stand-in: the CPU, the stand-in, both, and what is measured.
    fn lanes(&self, stand_in: StandIn) -> [Lane; 4] {
        let at = |cpu| Place::with_stand_in(cpu, Hooks { stand_in: Some(stand_in), ..Hooks::default() });
        let alone = Place::cpu();
        [alone, at(CpuPart::None), at(CpuPart::Shares), at(CpuPart::Measured)].map(|place| self.lane(&place))
    }

    /// The CPU's time now.
    fn cpu_seconds(&self) -> f64 {
        let mut cpu = self.lane(&Place::cpu());
        (0..WARM_UP).for_each(|_| self.step(&mut cpu));
        cpu.undisturbed()
    }

    /// What `auto` lost against the best device by the modes that it was in, each at what it takes undisturbed: other programs weigh
    /// on few steps, and not on the same ones.
    fn lost(lanes: &[Lane; 4], shares: &[f64]) -> f64 {
        let [cpu, gpu, both, _] = lanes.each_ref().map(Lane::undisturbed);
        let seconds = |&share: &f64| match share {
            0.0 => cpu,
            1.0 => gpu,
            _ => both,
        };
        let taken: f64 = shares.iter().map(seconds).sum();
        taken / (cpu.min(gpu).min(both) * shares.len() as f64) - 1.0
    }

    /// Has all devices make their steps, beside a stand-in with these multiples of the CPU's time, fixed and for all tokens. Prints the
    /// times, and returns the gain of both over the better one, as a part of the most that there can be, and what `auto` lost.
    fn compare(&self, name: &str, [fixed, all]: [f64; 2]) -> [f64; 2] {
        let cpu = self.cpu_seconds();
        let stand_in = StandIn { fixed: fixed * cpu, all: all * cpu, samples: TRIAL, ..StandIn::PLAIN };
        let mut lanes = self.lanes(stand_in);
        let mut shares = Vec::new();
        for _ in 0..ROUNDS {
            lanes.iter_mut().for_each(|lane| self.step(lane));
            shares.push(lanes[3].device.gpu_share());
        }
        assert!(lanes[3].device.take_error().is_none());
        let [cpu, gpu, both, auto] = lanes.each_ref().map(Lane::undisturbed);
        let gain = cpu.min(gpu) / both;
        let most = 1.0 + cpu.min(gpu) / cpu.max(gpu);
        let lost = Self::lost(&lanes, &shares);
        let right = lanes[..3].iter().map(Lane::sum).fold(f64::INFINITY, f64::min);
        let measured = lanes[3].sum() / right - 1.0;
        let [cpu, gpu, both, auto] = [cpu, gpu, both, auto].map(|seconds| 1e3 * seconds);
        println!(
            "  {name:<34} {cpu:>8.2} {gpu:>8.2} {both:>8.2} {auto:>8.2} {gain:>6.2} of {most:.2} {:>8.2} % {:>8.2} %  {}",
            100.0 * lost,
            100.0 * measured,
            lanes[3].device.name()
        );
        [gain / most, lost]
    }
}

fn main() {
    // As the program does: each step finds its threads awake.
    rayon::scope(|_| run());
}

fn run() {
    let millions = std::env::args().find_map(|arg| arg.strip_suffix('M')?.parse().ok());
    let bench = Bench::new(millions.unwrap_or(1));
    println!(
        "  milliseconds of a z step, first deciles of the second half of {ROUNDS} steps; the gain of both over the better one;"
    );
    println!(
        "  and the most that it can be; what auto lost against the best of them from the start, by its choices and as measured"
    );
    println!(
        "  {:<34} {:>8} {:>8} {:>8} {:>8} {:>14} {:>10} {:>10}",
        "GPU", "CPU", "GPU", "both", "auto", "gain", "lost", "measured"
    );
    let as_fast = bench.compare("as fast as the CPU", [0.0, 1.0]);
    let slower = bench.compare("4 times slower", [0.0, 4.0]);
    let fixed = bench.compare("twice as fast, with a fixed cost", [0.2, 0.5]);
    let useless = bench.compare("a fixed cost of three steps", [3.0, 0.0]);
    // 1.6 times where 2 is the most, 1.15 where 1.25 is.
    assert!(as_fast[0] >= 0.8 && slower[0] >= 0.92, "both together gain too little");
    let lost = [as_fast, slower, fixed, useless].map(|[_, lost]| lost);
    assert!(lost.iter().all(|&lost| lost <= 0.03), "auto loses too much: {lost:?}");
}
