//! A device that fails in the middle: the CPU takes over and nothing in the trace tells.

use hdp_gpu::device::{Fault, Hooks, OpenOptions};
use hdp_gpu::params::Init;
use hdp_gpu::{Error, Settings};
use libtest_mimic::Trial;

use crate::agree::{on_cpu, on_gpu, on_gpu_with_reserve, step_both};
use crate::cases::growing;
use crate::corpora::drawn;
use crate::trial;

const ITERATIONS: u32 = 20;
const FAILS_AT: u32 = 7;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (name, fault) in [("lost_device", Fault::Lost), ("wrong_count", Fault::Count)] {
        let hooks = Hooks { fault: Some((fault, FAILS_AT)), ..Hooks::default() };
        let options = OpenOptions::default().with_hooks(hooks);
        trials.push(trial(format!("{name}_is_replayed"), move || {
            is_replayed(&settings(), options);
        }));
        trials.push(trial(format!("{name}_after_growth_is_replayed"), move || {
            let settings = growing(10);
            assert!(is_replayed(&settings, options) > settings.max_topics as usize);
        }));
        trials.push(trial(format!("{name}_ends_the_run"), move || ends_the_run(options)));
        let streamed = options.with_hooks(Hooks { stream: true, binding_bytes: Some(4096), ..hooks });
        trials.push(trial(format!("{name}_while_streaming_is_replayed"), move || {
            is_replayed(&settings(), streamed);
        }));
    }
    trials
}

fn settings() -> Settings {
    Settings { init: Init::Random(10), ..Settings::paper() }
}

/// Returns the K* that there was before the fault.
fn is_replayed(settings: &Settings, options: OpenOptions) -> usize {
    let corpus = drawn(&[50; 40], 100);
    let mut cpu = on_cpu(&corpus, settings);
    let mut gpu = on_gpu_with_reserve(&corpus, settings, options);
    let mut k_star = 0;
    let device = gpu.device_name();
    for iteration in 1..=ITERATIONS {
        if iteration == FAILS_AT {
            k_star = gpu.state().params().k_star();
        }
        step_both(&mut *cpu, &mut *gpu).unwrap();
        let error = gpu.take_device_error();
        assert_eq!(error.is_some(), iteration == FAILS_AT, "iteration {iteration}: {error:?}");
        assert_eq!(gpu.device_name() == device, iteration < FAILS_AT);
        if let Some(error) = error {
            assert!(matches!(&error, Error::Device { name, .. } if *name == device), "{error}");
            assert_eq!(error.to_string().lines().count(), 1, "{error}");
        }
    }
    k_star
}

fn ends_the_run(options: OpenOptions) {
    let corpus = drawn(&[50; 40], 100);
    let (mut cpu, mut gpu) = (on_cpu(&corpus, &settings()), on_gpu(&corpus, &settings(), options));
    for _ in 1..FAILS_AT {
        step_both(&mut *cpu, &mut *gpu).unwrap();
    }
    let error = gpu.step().expect_err("the fault comes now");
    assert!(matches!(error, Error::Device { .. }), "{error}");
}
