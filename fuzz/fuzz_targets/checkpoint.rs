//! A checkpoint, as it is and with sizes and checksum made right; a chain that can go on from it makes an iteration.

#![no_main]

use std::path::Path;
use std::sync::{Arc, LazyLock};

use hdp_gpu::run::checkpoint::{Checkpoint, Opened, read};
use hdp_gpu::corpus::{self, ReadOptions};
use hdp_gpu::device::Place;
use hdp_gpu::{Corpus, chain};
use hdp_gpu_fuzz::checkpoint::forged;
use libfuzzer_sys::fuzz_target;

/// The corpus that the seeds are of.
static CORPUS: LazyLock<Arc<Corpus>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/formats/gensim.uci");
    Arc::new(corpus::read(&path, &ReadOptions::default()).expect("a fixture").corpus)
});

/// A larger K* only takes longer.
const MOST_TOPICS: u32 = 100;

fuzz_target!(|input: &[u8]| {
    for content in [input.to_vec(), forged(input)] {
        if let Ok(checkpoint) = read(&content) {
            go_on(checkpoint);
        }
    }
});

/// As a run goes on, when corpus and settings are the checkpoint's.
fn go_on(checkpoint: Checkpoint) -> Option<()> {
    let run = Path::new("run");
    let (kept, plan) = (&checkpoint.kept, checkpoint.kept.record.settings.plan);
    let params =
        kept.record.settings.model.clone().check().ok().filter(|params| params.settings().max_topics <= MOST_TOPICS)?;
    kept.check_settings(run, params.settings(), None).ok()?;
    kept.check_plan(run, &plan).ok()?;
    let Opened { start, samples, .. } = checkpoint.open(&CORPUS, &plan).ok()?;
    let mut chain = chain::open(Arc::clone(&CORPUS), params, start, &Place::cpu()).ok()?;
    if chain.state().iteration() < plan.iterations {
        chain.step().expect("the CPU does not fail");
    }
    chain.state().check().expect("a sound state");
    let z = chain.z().expect("the CPU does not fail");
    if let Some(mut samples) = samples {
        samples.add(chain.state(), &z);
        samples.phi();
    }
    Some(())
}
