//! The devices of this machine, and how to open one.

use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "gpu")]
use super::gpu::adapter::GpuAdapter;
#[cfg(not(feature = "gpu"))]
use super::no_gpu::GpuAdapter;

use super::auto::{Auto, Memory};
use super::choice::{Choice, CpuPart, DeviceRequest, GpuInfo};
use super::cpu::Cpu;
#[cfg(feature = "testing")]
use super::faulty::Faulty;
use super::hybrid::{Divided, Hybrid, Parts};
use super::{Device, OpenOptions};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::params::Params;

/// How long a trial, or the GPU's part of a step, may take before the GPU is taken to hang. Drivers compile for seconds, and a large
/// corpus has to be sent.
const PATIENCE: Duration = Duration::from_secs(60);

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

    /// None but what stands in for a GPU.
    #[cfg(feature = "testing")]
    pub(super) fn stand_in() -> Self {
        use super::Exchange;
        use super::choice::{Kind, STAND_IN};
        let gpu = GpuInfo {
            name: STAND_IN.to_owned(),
            kind: Kind::Other,
            backend: String::new(),
            driver: String::new(),
            binding_bytes: 0,
            workgroup_bytes: 0,
            subgroup_lanes: [0; 2],
            subgroup_operations: false,
            exchange: Exchange::Memory,
            obstacle: None,
        };
        Self { adapters: Vec::new(), gpus: vec![gpu] }
    }

    /// The GPUs that were found; the first one has number 1.
    pub fn gpus(&self) -> &[GpuInfo] {
        &self.gpus
    }

    /// The GPU of a number; none for the CPU's.
    pub fn gpu(&self, index: usize) -> Option<&GpuInfo> {
        self.gpus.get(index.checked_sub(1)?)
    }

    /// Opens the device that was chosen, which takes over `z`, the topics of the corpus's tokens; `memory` has what is known of it.
    pub(super) fn open(
        &self,
        choice: &Choice,
        options: OpenOptions,
        memory: &Memory,
        corpus: Arc<Corpus>,
        params: &Params,
        z: Vec<u16>,
    ) -> Result<Box<dyn Device>> {
        if let Some(at) = choice.index.checked_sub(1) {
            let adapter = self.adapters.get(at).cloned();
            if choice.cpu == CpuPart::None {
                return open_gpu(adapter, options, corpus, params, z);
            }
            let (for_gpu, gpu_params, gpu_z) = (Arc::clone(&corpus), params.clone(), z.clone());
            let open = move || open_gpu(adapter, options, for_gpu, &gpu_params, gpu_z);
            let (name, patience) = (self.gpus[at].name.clone(), options.hooks().patience(PATIENCE));
            let parts = Parts::new(corpus, params, z, name, patience);
            if choice.cpu == CpuPart::Measured {
                let auto = Auto::new(options.team, memory.clone(), open);
                return Ok(Box::new(Hybrid::new(parts, auto)));
            }
            let division = options.division.or(options.hooks().division());
            return Ok(Box::new(Hybrid::new(parts.with_gpu(open()?), Divided::new(division))));
        }
        let cpu = Cpu::new(corpus, params, z);
        #[cfg(feature = "testing")]
        if let Some(fault) = options.hooks.fault {
            return Ok(Box::new(Faulty::new(cpu, fault)));
        }
        Ok(Box::new(cpu))
    }
}

/// Opens a GPU with the team size that is asked for.
fn open_gpu(
    adapter: Option<GpuAdapter>,
    options: OpenOptions,
    corpus: Arc<Corpus>,
    params: &Params,
    z: Vec<u16>,
) -> Result<Box<dyn Device>> {
    #[cfg(feature = "testing")]
    if let Some(stand_in) = options.hooks.stand_in {
        return stand_in.open(corpus, params, z);
    }
    let adapter = adapter.ok_or_else(|| Error::internal("a GPU was chosen that is not there"))?;
    let mut gpu = adapter.open(options, corpus, params, z)?;
    if let Some(team) = options.team {
        let teams = gpu.teams();
        if !teams.is_empty() && !teams.contains(&team) {
            let (name, teams) = (gpu.name(), teams.iter().map(u32::to_string).collect::<Vec<_>>().join(", "));
            let problem = format!("{name} cannot sample with {team} lanes per document");
            return Err(Error::setting("team", problem, format!("give one of {teams}, or leave out `team`")));
        }
        gpu.set_team(team);
    }
    Ok(gpu)
}
