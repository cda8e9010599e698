//! Whether a compiled kernel finds its workgroup to be one subgroup, which only the compiled kernel knows.

use super::context::Context;
use super::layout::{RESULT_APART, RESULT_NUMBERS, STORAGE_BINDINGS};
use super::pipelines::Pipelines;
use crate::error::Result;

/// Runs one workgroup of a kernel that has no documents; tells whether it is the subgroup that the kernel needs.
pub(super) fn is_together(
    context: &mut Context,
    pipelines: &Pipelines,
    pipeline: &wgpu::ComputePipeline,
) -> Result<bool> {
    let storage: Vec<wgpu::Buffer> =
        STORAGE_BINDINGS.iter().map(|(name, _)| context.buffer(name, 4 * RESULT_NUMBERS as u64)).collect();
    let params = Pipelines::params(&context.device, 1);
    let bindings = pipelines.bind(&context.device, &params, std::array::from_fn(|at| &storage[at]));
    let mut encoder = context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &bindings, &[0]);
        pass.dispatch_workgroups(1, 1, 1);
    }
    context.submit(encoder);
    let results = STORAGE_BINDINGS.iter().position(|(name, _)| *name == "results").expect("it is bound");
    let mut is_apart = true;
    context
        .download(&storage[results], RESULT_APART..RESULT_APART + 1, |_, number| is_apart = number[0] != 0)?;
    Ok(!is_apart)
}
