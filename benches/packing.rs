//! What packing the word tables for a GPU and unpacking its counts costs, with one thread and with two.
//!
//! `cargo bench --bench packing` measures the tables of 10 million synthetic tokens.

mod zipf;

use std::sync::Arc;
use std::time::Instant;

use hdp_gpu::Settings;
use hdp_gpu::chain::{self, Start};
use hdp_gpu::device::{Place, packing};
use hdp_gpu::model::alias::TableBuilder;
use hdp_gpu::model::phi::PoissonPolyaUrn;
use hdp_gpu::model::z_counts::ZCounts;

const TOKENS: usize = 10_000_000;
const SETTLING: usize = 5;
const ROUNDS: usize = 15;

fn main() {
    let (corpus, z) = zipf::zipf_corpus(TOKENS);
    let params = Settings::paper().check().unwrap();
    let start = Start::with_z(&corpus, &params, z);
    let mut chain = chain::open(Arc::new(corpus), params, start, &Place::cpu()).unwrap();
    (0..SETTLING).for_each(|_| _ = chain.step().unwrap());
    let state = chain.state();
    let mut urn = PoissonPolyaUrn::new(&state.counts().n, state.params());
    let phi = urn.sample(&state.counts().n, state.params(), state.iteration() + 1);
    let mut builder = TableBuilder::default();
    let tables = builder.build(phi, state.psi(), state.params().alpha());
    let is_active: Vec<bool> = state.counts().n.topic_tokens.iter().map(|&tokens| tokens > 0).collect();
    let mut counts = ZCounts::default();
    counts.resize(tables, is_active.len());

    let pools = [1, 2].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    let mut fastest = [f64::INFINITY; 2];
    let mut pack_and_unpack = packing(tables, &is_active, &counts);
    pack_and_unpack();
    // In turns, so that a busy machine is as busy for both.
    for _ in 0..ROUNDS {
        for (pool, fastest) in pools.iter().zip(&mut fastest) {
            let start = Instant::now();
            pool.install(&mut pack_and_unpack);
            *fastest = fastest.min(start.elapsed().as_secs_f64());
        }
    }
    let [one, two] = fastest.map(|seconds| 1e3 * seconds);
    let entries = tables.topic.len();
    println!("{entries} entries: one thread {one:.2} ms, two {two:.2} ms, {:.2} times as fast", one / two);
}
