//! The GPUs of this machine.

use std::sync::Arc;

use super::Gpu;
use crate::corpus::Corpus;
use crate::device::choice::{GpuInfo, Kind};
use crate::device::{Device, Exchange, OpenOptions};
use crate::error::Result;
use crate::params::Params;

/// A GPU that can be opened.
#[derive(Clone, Debug)]
pub(in crate::device) struct GpuAdapter {
    adapter: wgpu::Adapter,
    info: wgpu::AdapterInfo,
}

/// The limits that matter here, as WebGPU guarantees them.
const STORAGE_BUFFERS: u32 = 8;
const LANES: [u32; 2] = [4, 64];

impl GpuAdapter {
    /// All GPUs, the one to take first in front. `WGPU_BACKEND` and `WGPU_ADAPTER_NAME` narrow the choice.
    pub(in crate::device) fn all() -> Vec<Self> {
        let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        let instance = wgpu::Instance::new(descriptor);
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
        let wanted = std::env::var("WGPU_ADAPTER_NAME").unwrap_or_default();
        let mut all: Vec<Self> = adapters
            .into_iter()
            .map(|adapter| Self { info: adapter.get_info(), adapter })
            .filter(|gpu| gpu.info().matches(&wanted))
            .collect();
        all.sort_by_key(Self::kind);
        all
    }

    /// Opens it, and has it take over `z`.
    pub(in crate::device) fn open(
        &self,
        options: OpenOptions,
        corpus: Arc<Corpus>,
        params: &Params,
        z: Vec<u16>,
    ) -> Result<Box<dyn Device>> {
        Ok(Box::new(Gpu::new(self, corpus, params, z, options)?))
    }

    /// What there is to know about it.
    pub(in crate::device) fn info(&self) -> GpuInfo {
        GpuInfo {
            name: self.name().to_owned(),
            kind: self.kind(),
            backend: self.backend(),
            driver: self.driver(),
            binding_bytes: self.binding_bytes(),
            workgroup_bytes: self.workgroup_bytes(),
            subgroup_lanes: [self.info.subgroup_min_size, self.info.subgroup_max_size],
            subgroup_operations: !self.features().is_empty(),
            exchange: self.exchange(),
            obstacle: self.obstacle(),
        }
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        &self.info.name
    }

    /// Its kind.
    fn kind(&self) -> Kind {
        match self.info.device_type {
            wgpu::DeviceType::DiscreteGpu => Kind::Discrete,
            wgpu::DeviceType::IntegratedGpu => Kind::Integrated,
            wgpu::DeviceType::VirtualGpu => Kind::Virtual,
            wgpu::DeviceType::Other => Kind::Other,
            wgpu::DeviceType::Cpu => Kind::Software,
        }
    }

    /// The interface that it is used through.
    fn backend(&self) -> String {
        self.info.backend.to_string()
    }

    /// Its driver.
    pub(super) fn driver(&self) -> String {
        format!("{} {}", self.info.driver, self.info.driver_info).trim().to_owned()
    }

    /// The largest buffer that a shader can use at once, in bytes.
    fn binding_bytes(&self) -> u64 {
        self.adapter.limits().max_storage_buffer_binding_size
    }

    /// The memory that a workgroup can share, in bytes.
    fn workgroup_bytes(&self) -> u32 {
        self.adapter.limits().max_compute_workgroup_storage_size
    }

    /// Why it cannot be used, if so.
    fn obstacle(&self) -> Option<String> {
        let limits = self.adapter.limits();
        let short = |what: &str, has: u32, needs: u32| {
            (has < needs).then(|| format!("{what}: has {has}, needs {needs}"))
        };
        short("storage buffers", limits.max_storage_buffers_per_shader_stage, STORAGE_BUFFERS)
            .or_else(|| short("lanes", limits.max_compute_invocations_per_workgroup, LANES[1]))
            .or_else(|| short("workgroup memory", limits.max_compute_workgroup_storage_size, 16 << 10))
    }

    /// The lanes that it runs together: its largest subgroup. On AMD a workgroup of 32 lanes runs in a subgroup of 64, half of it idle.
    pub(super) fn width(&self) -> u32 {
        self.info.subgroup_max_size.clamp(LANES[0], LANES[1])
    }

    /// What is asked of it beyond WebGPU: operations of subgroups, where it has them.
    pub(super) fn features(&self) -> wgpu::Features {
        self.adapter.features() & wgpu::Features::SUBGROUP
    }

    /// How the lanes of teams exchange what they know where subgroups are as large as workgroups: as is faster on software, which
    /// pays for barriers, and by what compilers make of it elsewhere (docs/GPU.md).
    pub(super) fn exchange(&self) -> Exchange {
        if self.is_software() && !self.features().is_empty() { Exchange::OwnSlots } else { Exchange::Memory }
    }

    /// Whether it is a program that stands in for a GPU.
    pub(super) fn is_software(&self) -> bool {
        self.kind() == Kind::Software
    }

    pub(super) fn wgpu(&self) -> &wgpu::Adapter {
        &self.adapter
    }
}
