//! The GPU against the CPU: the same trace and the same z, bit for bit.
#![cfg(feature = "gpu")]

use std::sync::Arc;

use hdp_gpu::corpus::Corpus;
use hdp_gpu::corpus::sample::sample;
use hdp_gpu::device::gpu::adapter::GpuAdapter;
use hdp_gpu::device::gpu::{Gpu, GpuOptions, Kernel};
use hdp_gpu::{Sampler, Settings};

fn adapter() -> GpuAdapter {
    GpuAdapter::all().into_iter().next().expect("no GPU")
}

fn agree(corpus: Corpus, settings: Settings, options: GpuOptions, iterations: u32) {
    let corpus = Arc::new(corpus);
    let params = settings.check().unwrap();
    let mut cpu = Sampler::on_cpu(Arc::clone(&corpus), params.clone()).unwrap();
    let mut gpu = Sampler::new(corpus, params, |corpus, params, z| {
        Ok(Box::new(Gpu::new(&adapter(), corpus, params, z, options)?))
    })
    .unwrap();
    for iteration in 1..=iterations {
        let a = cpu.step().unwrap();
        let b = gpu.step().unwrap();
        let (za, zb) = (cpu.z().unwrap(), gpu.z().unwrap());
        if let Some(i) = (0..za.len()).find(|&i| za[i] != zb[i]) {
            panic!(
                "iteration {iteration}: token {i} is in topic {} on the CPU and {} on the GPU",
                za[i], zb[i]
            );
        }
        assert_eq!(cpu.counts(), gpu.counts());
        assert_eq!(a.z.stuck_tokens, b.z.stuck_tokens);
        assert_eq!(cpu.log_likelihood(), gpu.log_likelihood());
    }
}

#[test]
fn sample_workgroup() {
    let settings = Settings { init_topics: 50, ..Settings::paper() };
    agree(sample().corpus, settings, GpuOptions { kernel: Some(Kernel::Workgroup), ..Default::default() }, 5);
}

#[test]
fn sample_invocation() {
    let settings = Settings { init_topics: 50, ..Settings::paper() };
    agree(
        sample().corpus,
        settings,
        GpuOptions { kernel: Some(Kernel::Invocation), ..Default::default() },
        5,
    );
}
