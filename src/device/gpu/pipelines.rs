//! The compiled kernels, and how buffers are bound to them.

use std::collections::BTreeMap;

use super::context::Context;
use super::kernel::Mapping;
use super::layout::{Params, STORAGE_BINDINGS};
use crate::device::OpenOptions;
use crate::error::Result;

/// Parameters of different dispatches are this far apart.
pub(super) const PARAMS_STRIDE: u64 = 256;

/// A kernel for each mapping, compiled when it is first used; all have the same bindings.
#[derive(Debug)]
pub(super) struct Pipelines {
    width: u32,
    options: OpenOptions,
    bindings: wgpu::BindGroupLayout,
    compiled: BTreeMap<Mapping, wgpu::ComputePipeline>,
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device, width: u32, options: OpenOptions) -> Self {
        let storage =
            STORAGE_BINDINGS.map(|(_, written)| wgpu::BufferBindingType::Storage { read_only: !written });
        let types = std::iter::once(wgpu::BufferBindingType::Uniform).chain(storage);
        let entries: Vec<wgpu::BindGroupLayoutEntry> = (0..)
            .zip(types)
            .map(|(binding, ty)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty,
                    has_dynamic_offset: ty == wgpu::BufferBindingType::Uniform,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let bindings = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("sample_z"),
            entries: &entries,
        });
        Self { width, options, bindings, compiled: BTreeMap::new() }
    }

    /// A buffer for the [`Params`] of so many dispatches, the first binding.
    pub(super) fn params(device: &wgpu::Device, dispatches: usize) -> wgpu::Buffer {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("params"),
            size: PARAMS_STRIDE * dispatches as u64,
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
        let params = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: params,
            offset: 0,
            size: std::num::NonZeroU64::new(size_of::<Params>() as u64),
        });
        let storage = storage.into_iter().map(|buffer| buffer.as_entire_binding());
        let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
            .zip(std::iter::once(params).chain(storage))
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("sample_z"),
            layout: &self.bindings,
            entries: &entries,
        })
    }

    /// The kernel of a mapping.
    pub(super) fn get(&mut self, context: &Context, mapping: Mapping) -> Result<wgpu::ComputePipeline> {
        let Self { width, options, bindings, compiled } = self;
        let compile = || {
            let source = options.hooks().shader(mapping.source(*width));
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
                // The shaders fill what they read: 190 stores by one lane would do it otherwise.
                compilation_options: wgpu::PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            })
        };
        let pipeline = compiled.entry(mapping).or_insert_with(compile).clone();
        context.check()?;
        Ok(pipeline)
    }
}
