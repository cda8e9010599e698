//! Two chains side by side, one on the CPU and one on the GPU.

use std::sync::Arc;

use hdp_gpu::chain::Start;
use hdp_gpu::device::Device;
use hdp_gpu::device::gpu::{Gpu, GpuOptions, Kernel};
use hdp_gpu::{Chain, Corpus, Params, Result, Sampler, Settings};

use crate::gpu::adapter;

pub(crate) const KERNELS: [Kernel; 2] = [Kernel::Workgroup, Kernel::Invocation];

/// A chain on the CPU.
pub(crate) fn on_cpu(corpus: &Arc<Corpus>, settings: &Settings) -> Sampler {
    Sampler::on_cpu(Arc::clone(corpus), params(settings)).unwrap()
}

/// A chain on the GPU.
pub(crate) fn on_gpu(corpus: &Arc<Corpus>, settings: &Settings, options: GpuOptions) -> Sampler {
    Sampler::new(Arc::clone(corpus), params(settings), open(options)).unwrap()
}

/// A chain on the GPU that goes on on the CPU when the GPU fails.
pub(crate) fn on_gpu_with_reserve(corpus: &Arc<Corpus>, settings: &Settings, options: GpuOptions) -> Sampler {
    let params = params(settings);
    let start = Start::first(corpus, &params);
    Sampler::with_cpu_in_reserve(Arc::clone(corpus), params, start, open(options)).unwrap()
}

/// Opens the GPU.
fn open(options: GpuOptions) -> impl FnOnce(Arc<Corpus>, &Params, Vec<u16>) -> Result<Box<dyn Device>> {
    move |corpus, params, z| Ok(Box::new(Gpu::new(adapter(), corpus, params, z, options)?))
}

fn params(settings: &Settings) -> Params {
    settings.clone().check().unwrap()
}

/// Makes iterations on both and compares the states after each one; returns the stuck tokens of all of them.
pub(crate) fn agree(corpus: &Arc<Corpus>, settings: &Settings, options: GpuOptions, iterations: u32) -> u64 {
    let (mut cpu, mut gpu) = (on_cpu(corpus, settings), on_gpu(corpus, settings, options));
    (0..iterations).map(|_| step_both(&mut cpu, &mut gpu).unwrap()).sum()
}

/// One iteration on both, which must end in the same state; returns the stuck tokens.
///
/// # Errors
/// When the GPU fails.
pub(crate) fn step_both(cpu: &mut Sampler, gpu: &mut Sampler) -> Result<u64> {
    let expected = cpu.step().unwrap();
    let progress = gpu.step()?;
    let iteration = progress.iteration;
    assert_eq!(iteration, expected.iteration);
    let (expected_z, z) = (cpu.z().unwrap(), gpu.z()?);
    assert_eq!(expected_z.len(), z.len());
    if let Some(i) = (0..z.len()).find(|&i| z[i] != expected_z[i]) {
        panic!(
            "iteration {iteration}: token {i} is in topic {} on the CPU, {} on the GPU",
            expected_z[i], z[i]
        );
    }
    assert!(cpu.counts().n == gpu.counts().n, "iteration {iteration}: n differs");
    assert!(cpu.counts().d == gpu.counts().d, "iteration {iteration}: d differs");
    assert_eq!(expected.z.stuck_tokens, progress.z.stuck_tokens, "iteration {iteration}");
    assert_eq!(cpu.log_likelihood(), gpu.log_likelihood(), "iteration {iteration}");
    Ok(expected.z.stuck_tokens)
}
