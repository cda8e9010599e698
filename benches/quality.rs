//! How good topics are, and how soon: held-out score, likelihood, topics and CPU time after 300, 1,000 and 3,000 iterations, for the paper's
//! settings, each change to them alone, and the defaults.
//!
//! `cargo bench --bench quality -- FILE…` prints a row for each corpus, setting and seed, and means over seeds at the end.
//! `HDP_GPU_BENCH_SEEDS` sets the number of seeds (3), `HDP_GPU_BENCH_SETTINGS` names the settings to try, separated by semicolons,
//! `HDP_GPU_BENCH_ITERATIONS` the iterations. A tenth of the documents is held out. The last column is the score of ten states, ten iterations apart, together;
//! it is made for the paper's settings and the defaults.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use hdp_gpu::corpus::holdout::{Split, hold_out};
use hdp_gpu::corpus::{ReadOptions, read};
use hdp_gpu::device::Place;
use hdp_gpu::evaluate::completion::complete;
use hdp_gpu::infer::InferSettings;
use hdp_gpu::params::{Anneal, GammaPrior, Init, PsiLaw};
use hdp_gpu::{Chain, Model, Sampler, Settings};

/// States that predict together, and the iterations from one to the next.
const STATES: usize = 10;
const APART: u32 = 10;

const VAGUE: Option<GammaPrior> = Some(GammaPrior::VAGUE);

/// A change to the paper's settings.
type Change = fn(&mut Settings);

/// What is tried: by name, and whether states are scored together too.
const TRIED: [(&str, Change, bool); 13] = [
    ("paper", |_| {}, true),
    ("random:100", |s| s.init = Init::Random(100), false),
    ("documents:100", |s| s.init = Init::Documents(100), false),
    ("sequential", |s| s.init = Init::Sequential, false),
    ("alpha", |s| s.learn.alpha = VAGUE, false),
    ("gamma", |s| s.learn.gamma = VAGUE, false),
    ("dp", |s| s.psi = PsiLaw::Dp, false),
    ("discount:0.2", |s| s.discount = 0.2, false),
    ("anneal:10:200", |s| s.anneal = Some(Anneal { factor: 10.0, iterations: 200 }), false),
    ("default, one", |s| *s = Settings { init: Init::ONE, ..Settings::default() }, false),
    ("default, random:100", |s| *s = Settings { init: Init::Random(100), ..Settings::default() }, false),
    ("default, sticks", |s| *s = Settings { psi: PsiLaw::Sticks, ..Settings::default() }, false),
    ("default", |s| *s = Settings::default(), true),
];

/// What came out of a chain after some iterations.
#[derive(Clone, Copy)]
struct Row {
    iterations: u32,
    figures: [f64; 7],
}

fn main() {
    let files = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let seeds: u64 = setting("HDP_GPU_BENCH_SEEDS", "3").parse().expect("a number");
    let wanted = setting("HDP_GPU_BENCH_SETTINGS", "");
    let tried =
        TRIED.into_iter().filter(|(name, ..)| wanted.is_empty() || wanted.split(';').any(|w| w == *name));
    for file in files {
        let loaded =
            read(Path::new(&file), &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let split = hold_out(&loaded.corpus, 0.1, 1);
        println!("{file}: {} tokens, {} held out", split.train.num_tokens(), split.held_out.num_tokens());
        println!(
            "| settings | seed | iterations | held out | log_likelihood | log_likelihood_lda | topics | α | CPU s | ten states |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        for (name, change, together) in tried.clone() {
            let runs: Vec<Vec<Row>> =
                (1..=seeds).map(|seed| run(name, change, together, seed, &split)).collect();
            for at in 0..runs[0].len() {
                let mean = |q: usize| runs.iter().map(|rows| rows[at].figures[q]).sum::<f64>() / seeds as f64;
                print(name, "mean", &Row { figures: std::array::from_fn(mean), ..runs[0][at] });
            }
        }
    }
}

fn setting(name: &str, otherwise: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| otherwise.to_owned())
}

/// Trains, and prints a row at each mark.
fn run(name: &str, change: Change, together: bool, seed: u64, split: &Split) -> Vec<Row> {
    let mut settings = Settings::paper();
    change(&mut settings);
    settings.seed = seed;
    let marks: Vec<u32> = setting("HDP_GPU_BENCH_ITERATIONS", "300,1000,3000")
        .split(',')
        .map(|mark| mark.parse().expect("a number"))
        .collect();
    let params = settings.check().expect("good settings");
    let mut seconds = -cpu_seconds();
    let mut chain = Sampler::on_cpu(Arc::clone(&split.train), params).expect("the CPU");
    let mut states = VecDeque::new();
    let mut rows = Vec::new();
    for &mark in &marks {
        while chain.state().iteration() < mark {
            chain.step().expect("the CPU does not fail");
            if (mark - chain.state().iteration()).is_multiple_of(APART) {
                states.truncate(STATES - 1);
                states.push_front(chain.state().model());
            }
        }
        seconds += cpu_seconds();
        let states: Vec<Model> = states.iter().cloned().collect();
        let likelihood = chain.state().log_likelihood();
        let row = Row {
            iterations: mark,
            figures: [
                score(&states[..1], split),
                likelihood.model,
                likelihood.lda,
                chain.state().counts().n.active_topics() as f64,
                chain.state().params().alpha(),
                seconds,
                if together { score(&states, split) } else { f64::NAN },
            ],
        };
        print(name, &seed.to_string(), &row);
        rows.push(row);
        seconds -= cpu_seconds();
    }
    rows
}

fn score(states: &[Model], split: &Split) -> f64 {
    let completion = complete(states, &split.held_out, InferSettings::SCORE, &Place::cpu(), &());
    completion.expect("the CPU does not fail").score.expect("tokens to score").per_word
}

fn print(name: &str, seed: &str, Row { iterations, figures }: &Row) {
    let [held_out, model, lda, topics, alpha, seconds, together] = figures;
    println!(
        "| {name} | {seed} | {iterations} | {held_out:.4} | {model:.0} | {lda:.0} | {topics:.0} | {alpha:.2} | {seconds:.1} | {together:.4} |"
    );
}

/// The time that all threads have worked, where the system tells; in hundredths of a second, which is how Linux counts.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name of the program, which may have spaces in it, user and system time are the 12th and 13th.
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}
