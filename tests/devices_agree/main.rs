//! The GPU against the CPU: the same z, counts, stuck tokens and likelihoods, bit for bit.
//!
//! `HDP_GPU_TEST_DEVICE` names the GPU by a part of its name; without it the first one is taken. Without any
//! GPU these tests fail; `HDP_GPU_SKIP_GPU_TESTS=1` shows them as ignored instead.

mod agree;
mod altered;
mod bytes;
mod cases;
mod corpora;
mod cuts;
mod faults;
#[path = "../common/gpu.rs"]
mod gpu;
mod hybrid;
mod infer;
mod subgroups;
mod touches;

use libtest_mimic::{Arguments, Trial};

/// A named test; it fails by panicking.
fn trial(name: impl Into<String>, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, || {
        test();
        Ok(())
    })
}

fn main() {
    let arguments = Arguments::from_args();
    if !gpu::left_out() && !arguments.list {
        eprintln!("devices are compared on {}", gpu::place().name());
    }
    let trials = [
        cases::trials(),
        cuts::trials(),
        faults::trials(),
        altered::trials(),
        bytes::trials(),
        infer::trials(),
        hybrid::trials(),
        subgroups::trials(),
        touches::trials(),
    ];
    let trials = trials.into_iter().flatten().map(|trial| trial.with_ignored_flag(gpu::left_out())).collect();
    libtest_mimic::run(&arguments, trials).exit();
}
