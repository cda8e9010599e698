//! What crosses between host and device in an iteration grows with Φ and n, not with the number of tokens.

use std::sync::Arc;

use hdp_gpu::corpus::sample::sample;
use hdp_gpu::device::{Hooks, OpenOptions};
use hdp_gpu::model::counts::ColumnBlock;
use hdp_gpu::model::phi::PoissonPolyaUrn;
use hdp_gpu::params::Init;
use hdp_gpu::{Corpus, Settings};
use libtest_mimic::Trial;

use crate::agree::{WAYS, Way, on_gpu};
use crate::corpora::{corpus, drawn};
use crate::trial;

/// Down for every dispatch: its parameters.
const DISPATCH_BYTES: u64 = 256;

/// Dispatches depend on the device's speed: some 10 on two busy cores. A single byte more for each of the 24,000 tokens of
/// the larger corpus would look like 94.
const MOST_DISPATCHES: u64 = 50;

const K_STAR: u64 = 100;

pub(crate) fn trials() -> Vec<Trial> {
    let bytes = |way: Way| move || bytes_follow_nonzeros(way.options());
    let mut trials: Vec<Trial> = WAYS.map(|way| trial(way.named("bytes_follow_nonzeros"), bytes(way))).into();
    let way = WAYS[1];
    // A machine that is busy would make submissions shorter, and so more.
    let options = way.options().with_hooks(Hooks { keep_pace: true, ..way.options().hooks });
    trials.push(trial(way.named("one_submission"), move || one_submission(options)));
    trials
}

/// Tables go down, dispatches run and counts come up in one submission that is waited for once.
fn one_submission(options: OpenOptions) {
    let corpus = Arc::new(sample().corpus);
    let settings = Settings { init: Init::Random(30), ..Settings::paper() };
    let mut sampler = on_gpu(&corpus, &settings, options);
    for iteration in 1..=4 {
        let z = sampler.step().unwrap().z;
        assert_eq!((z.submits, z.waits), (1, 1), "iteration {iteration}");
    }
}

fn bytes_follow_nonzeros(options: OpenOptions) {
    let once = drawn(&[120; 50], 200);
    let docs: Vec<Vec<u32>> = (0..once.num_docs()).map(|d| once.w[once.doc(d)].to_vec()).collect();
    let four_times = corpus(&[&docs[..]; 4].concat(), 200);
    for corpus in [once, four_times] {
        check_bytes(&corpus, options);
    }
}

/// Every byte of some iterations is accounted for: none is left that could grow with N.
fn check_bytes(corpus: &Arc<Corpus>, options: OpenOptions) {
    let settings =
        Settings { max_topics: K_STAR as u32, init: Init::Random(5), beta: 0.1, ..Settings::paper() };
    let mut sampler = on_gpu(corpus, &settings, options);
    for iteration in 1..=4 {
        let n = &sampler.state().counts().n;
        let had_tokens: Vec<bool> = n.topic_tokens.iter().map(|&tokens| tokens > 0).collect();
        // The nonzeros of the Φ that this iteration draws. Words are common enough that all have mass.
        let mut urn = PoissonPolyaUrn::new(n, sampler.state().params());
        let phi = urn.sample(n, sampler.state().params(), iteration);
        let entries = phi.blocks.iter().map(ColumnBlock::nonzeros).sum::<usize>() as u64;
        let active = had_tokens.iter().filter(|&&had| had).count() as u64;

        // Sets of topics, for words with so many entries of active topics: up to the last of those.
        let last = had_tokens.iter().rposition(|&had| had).expect("topics with tokens") as u64;
        let is_long = |topics: &[u16]| topics.iter().filter(|&&k| had_tokens[usize::from(k)]).count() >= 8;
        let long =
            phi.blocks.iter().flat_map(ColumnBlock::columns).filter(|column| is_long(column.topic)).count();
        let blocks = long as u64 * (last / 16 + 1);

        let report = sampler.step().unwrap().z;
        let down =
            24 * corpus.vocab_size() as u64 + 12 * entries + 4 * (entries.div_ceil(2) + blocks) + 4 * K_STAR;
        // d comes as 256 numbers for each topic that had tokens, and a list for topics born in this iteration.
        let up = 4 * (8 + 256 * active + entries + 2 * 1024);
        let docs = if iteration == 1 { 16 * corpus.num_docs() as u64 } else { 0 };
        let rest = report.bytes_down.checked_sub(down + docs).expect("tables go down");
        assert!(rest.is_multiple_of(DISPATCH_BYTES) && rest / DISPATCH_BYTES <= MOST_DISPATCHES, "{rest}");
        assert_eq!(report.bytes_up, up);
    }
}
