//! What crosses between host and device in an iteration grows with Φ and n, not with the number of tokens.

use std::sync::Arc;

use hdp_gpu::device::OpenOptions;
use hdp_gpu::model::counts::ColumnBlock;
use hdp_gpu::model::phi::PoissonPolyaUrn;
use hdp_gpu::params::Init;
use hdp_gpu::{Corpus, Settings};
use libtest_mimic::Trial;

use crate::agree::{KERNELS, on_gpu};
use crate::cases::with;
use crate::corpora::{corpus, drawn};
use crate::trial;

/// Up for every run of documents: its parameters. Down for every submission: how many documents are done.
const RUN_BYTES: u64 = 48;
const SUBMISSION_BYTES: u64 = 4;

/// Runs and submissions depend on the device's speed: some 20 on two busy cores. A single byte more for each of
/// the 24,000 tokens of the larger corpus would look like 500 or more.
const MOST_RUNS: u64 = 400;

const K_STAR: u64 = 100;

pub(crate) fn trials() -> Vec<Trial> {
    let name = |kernel| format!("bytes_follow_nonzeros_{}", format!("{kernel:?}").to_lowercase());
    KERNELS.map(|kernel| trial(name(kernel), move || bytes_follow_nonzeros(with(kernel)))).into()
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

        let report = sampler.step().unwrap().z;
        // d comes as 256 numbers for each topic that had tokens, and a list for topics born in this iteration.
        let newborn = (0..K_STAR as u16).filter(|&k| !had_tokens[usize::from(k)]);
        let listed: u64 = newborn.map(|k| sampler.state().counts().d.docs(k)).sum();
        let down = 16 * corpus.vocab_size() as u64 + 12 * entries + 4 * (4 + K_STAR);
        let up = 4 * entries + 4 * 4 + 4 * 256 * active + 2 * 4 * listed;
        check_rest("down", report.bytes_down, down, RUN_BYTES);
        check_rest("up", report.bytes_up, up, SUBMISSION_BYTES);
    }
}

fn check_rest(way: &str, bytes: u64, accounted: u64, unit: u64) {
    let rest = bytes.checked_sub(accounted).unwrap_or_else(|| panic!("{bytes} {way}, not {accounted}"));
    assert!(rest.is_multiple_of(unit) && rest / unit <= MOST_RUNS, "{bytes} {way}, not {accounted}");
}
