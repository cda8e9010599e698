//! The GPU with the CPU beside it: the same result however the documents are divided, and when the GPU is lost.

use hdp_gpu::Settings;
use hdp_gpu::chain::{self, Start};
use hdp_gpu::device::choice::DeviceRequest;
use hdp_gpu::device::{Fault, ForcedDivision, Hooks, OpenOptions, Place};
use hdp_gpu::params::Init;
use libtest_mimic::Trial;

use crate::agree::{on_cpu, step_both};
use crate::corpora::drawn;
use crate::trial;

const ITERATIONS: u32 = 6;

pub(crate) fn trials() -> Vec<Trial> {
    let divisions = [("measured", None)]
        .into_iter()
        .chain(
            [("none", 0.0), ("some", 0.37), ("all", 1.0)]
                .map(|(name, share)| (name, Some(ForcedDivision::Fixed(share)))),
        )
        .chain([("moving", Some(ForcedDivision::Moving))]);
    let hooks = divisions.map(|(name, division)| (name, Hooks { division, ..Hooks::default() }));
    let mut trials = Vec::new();
    for (name, hooks) in hooks {
        trials.push(trial(format!("hybrid_division_{name}"), move || agrees(hooks)));
    }
    for (name, fault) in [("lost_device", Fault::Lost), ("wrong_count", Fault::Count)] {
        let division = Some(ForcedDivision::Fixed(0.37));
        let hooks = Hooks { division, fault: Some((fault, 4)), ..Hooks::default() };
        trials.push(trial(format!("hybrid_{name}_is_replayed"), move || agrees(hooks)));
    }
    trials
}

/// Chains on the CPU and on both agree, through a fault if there is one.
fn agrees(hooks: Hooks) {
    let corpus = drawn(&[&[50; 40][..], &[0, 700, 1, 0]].concat(), 100);
    let settings = Settings { init: Init::Random(10), ..Settings::paper() };
    let named = std::env::var("HDP_GPU_TEST_DEVICE").unwrap_or_default();
    let request = DeviceRequest::Hybrid(Some(named));
    let place = Place::choose(&request, OpenOptions::default().with_hooks(hooks)).unwrap();
    let params = settings.clone().check().unwrap();
    let start = Start::first(&corpus, &params);
    let mut both = chain::open(corpus.clone(), params, start, &place.with_cpu_in_reserve(true)).unwrap();
    let mut cpu = on_cpu(&corpus, &settings);
    for iteration in 1..=ITERATIONS {
        step_both(&mut *cpu, &mut *both).unwrap();
        let has_failed = hooks.fault.is_some_and(|(_, at)| at == iteration);
        assert_eq!(both.take_device_error().is_some(), has_failed, "iteration {iteration}");
    }
}
