//! The compiled kernels, and how buffers are bound to them.

use std::collections::BTreeMap;

use super::context::Context;
use super::kernel::Mapping;
use super::layout::{Params, STORAGE_BINDINGS};
use super::probe::is_together;
use crate::device::{Exchange, OpenOptions};
use crate::error::Result;

/// Parameters of different dispatches are this far apart.
pub(super) const PARAMS_STRIDE: u64 = 256;

/// A kernel for each mapping, compiled when it is first used; all have the same bindings.
#[derive(Debug)]
pub(super) struct Pipelines {
    width: u32,
    /// How lanes exchange what they know, where a workgroup is one subgroup.
    exchange: Exchange,
    options: OpenOptions,
    bindings: wgpu::BindGroupLayout,
    compiled: BTreeMap<(Mapping, Exchange), wgpu::ComputePipeline>,
    /// How the lanes of teams exchange what they know, for mappings that were tried.
    tried: BTreeMap<Mapping, Exchange>,
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device, width: u32, exchange: Exchange, options: OpenOptions) -> Self {
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
        Self { width, exchange, options, bindings, compiled: BTreeMap::new(), tried: BTreeMap::new() }
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

    /// How the lanes of a mapping exchange what they know: by its subgroup, if that is found to be all of a workgroup.
    pub(super) fn exchange(&mut self, context: &mut Context, mapping: Mapping) -> Result<Exchange> {
        if let Some(&exchange) = self.tried.get(&mapping) {
            return Ok(exchange);
        }
        let mut exchange = self.exchange;
        if !mapping.can_exchange(exchange, self.width) {
            exchange = Exchange::Memory;
        }
        if exchange != Exchange::Memory {
            let pipeline = self.get(context, mapping, exchange)?;
            if !context.uncounted(|context| is_together(context, self, &pipeline))? {
                exchange = Exchange::Memory;
            }
        }
        self.tried.insert(mapping, exchange);
        Ok(exchange)
    }

    /// The kernel of a mapping, whose lanes exchange what they know in this way.
    pub(super) fn get(
        &mut self,
        context: &Context,
        mapping: Mapping,
        exchange: Exchange,
    ) -> Result<wgpu::ComputePipeline> {
        let Self { width, options, bindings, compiled, .. } = self;
        let compile = || {
            let source = options.hooks().shader(mapping.source(exchange, *width));
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
        let pipeline = compiled.entry((mapping, exchange)).or_insert_with(compile).clone();
        context.check()?;
        Ok(pipeline)
    }
}
