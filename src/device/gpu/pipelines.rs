//! The compiled kernels, and how buffers are bound to them.

use super::context::Context;
use super::kernel::Mapping;
use super::layout::{Params, STORAGE_BINDINGS};
use crate::device::OpenOptions;
use crate::error::Result;

/// A kernel for each mapping, compiled when it is first used; all have the same bindings.
#[derive(Debug)]
pub(super) struct Pipelines {
    lanes: u32,
    k_star: usize,
    options: OpenOptions,
    bindings: wgpu::BindGroupLayout,
    compiled: [Option<wgpu::ComputePipeline>; Mapping::ALL.len()],
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device, lanes: u32, k_star: usize, options: OpenOptions) -> Self {
        let storage =
            STORAGE_BINDINGS.map(|(_, written)| wgpu::BufferBindingType::Storage { read_only: !written });
        let types = std::iter::once(wgpu::BufferBindingType::Uniform).chain(storage);
        let entries: Vec<wgpu::BindGroupLayoutEntry> = (0..)
            .zip(types)
            .map(|(binding, ty)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
                count: None,
            })
            .collect();
        let bindings = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("sample_z"),
            entries: &entries,
        });
        Self { lanes, k_star, options, bindings, compiled: [None, None, None] }
    }

    /// A buffer for [`Params`], the first binding.
    pub(super) fn params(device: &wgpu::Device) -> wgpu::Buffer {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("params"),
            size: size_of::<Params>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// Binds the parameters, and the storage buffers in the order of [`STORAGE_BINDINGS`].
    pub(super) fn bind(
        &self,
        device: &wgpu::Device,
        params: &wgpu::Buffer,
        storage: [&wgpu::Buffer; STORAGE_BINDINGS.len()],
    ) -> wgpu::BindGroup {
        let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
            .zip(std::iter::once(params).chain(storage))
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("sample_z"),
            layout: &self.bindings,
            entries: &entries,
        })
    }

    /// The kernel of a mapping.
    pub(super) fn get(&mut self, context: &Context, mapping: Mapping) -> Result<wgpu::ComputePipeline> {
        let Self { lanes, k_star, options, bindings, compiled } = self;
        let compile = || {
            let source = options.hooks().shader(mapping.source(*lanes, *k_star));
            let module = context.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("sample_z"),
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
            let layout = context.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("sample_z"),
                bind_group_layouts: &[Some(bindings)],
                immediate_size: 0,
            });
            context.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("sample_z"),
                layout: Some(&layout),
                module: &module,
                entry_point: Some("sample_z"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        let pipeline = compiled[mapping as usize].get_or_insert_with(compile).clone();
        context.check()?;
        Ok(pipeline)
    }
}
