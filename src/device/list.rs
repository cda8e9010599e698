//! The devices of this machine, and how to open one.

use std::sync::Arc;

#[cfg(feature = "gpu")]
use super::gpu::adapter::GpuAdapter;
#[cfg(not(feature = "gpu"))]
use super::no_gpu::GpuAdapter;

use super::choice::{DeviceRequest, GpuInfo};
use super::cpu::Cpu;
#[cfg(feature = "testing")]
use super::faulty::Faulty;
use super::{Device, OpenOptions};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::params::Params;

/// The devices of this machine: number 0 is the CPU, GPUs follow, the one to take first in front.
#[derive(Debug)]
pub struct Devices {
    adapters: Vec<GpuAdapter>,
    gpus: Vec<GpuInfo>,
}

impl Devices {
    /// Looks for GPUs, unless the CPU is asked for: drivers are not woken for nothing.
    pub fn find(request: &DeviceRequest) -> Self {
        let adapters = if *request == DeviceRequest::Cpu { Vec::new() } else { GpuAdapter::all() };
        Self { gpus: adapters.iter().map(GpuAdapter::info).collect(), adapters }
    }

    /// The GPUs that were found; the first one has number 1.
    pub fn gpus(&self) -> &[GpuInfo] {
        &self.gpus
    }

    /// The GPU of a number; none for the CPU's.
    pub fn gpu(&self, index: usize) -> Option<&GpuInfo> {
        self.gpus.get(index.checked_sub(1)?)
    }

    /// Opens the device of a number, which takes over `z`, the topics of the corpus's tokens.
    pub(super) fn open(
        &self,
        index: usize,
        options: OpenOptions,
        corpus: Arc<Corpus>,
        params: &Params,
        z: Vec<u16>,
    ) -> Result<Box<dyn Device>> {
        if let Some(at) = index.checked_sub(1) {
            return self.adapters[at].open(options, corpus, params, z);
        }
        let cpu = Cpu::new(corpus, params, z);
        #[cfg(feature = "testing")]
        if let Some(fault) = options.hooks.fault {
            return Ok(Box::new(Faulty::new(cpu, fault)));
        }
        Ok(Box::new(cpu))
    }
}
