//! The GPUs of this machine, and which one to take.

use crate::error::{Error, Result};

/// What kind of device a GPU is, from the one to take first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A graphics card.
    Discrete,
    /// A part of the processor.
    Integrated,
    /// Lent to a virtual machine.
    Virtual,
    /// Unknown.
    Other,
    /// A program that stands in for a GPU: correct, and slower than the CPU itself.
    Software,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Other => "other",
            Self::Software => "software",
        })
    }
}

/// A GPU that can be opened.
#[derive(Clone, Debug)]
pub struct GpuAdapter {
    adapter: wgpu::Adapter,
    info: wgpu::AdapterInfo,
}

/// The limits that matter here, as WebGPU guarantees them.
const STORAGE_BUFFERS: u32 = 8;
const LANES: [u32; 2] = [8, 64];

impl GpuAdapter {
    /// All GPUs, the one to take first in front. `WGPU_BACKEND` and `WGPU_ADAPTER_NAME` narrow the choice.
    pub fn all() -> Vec<Self> {
        let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        let instance = wgpu::Instance::new(descriptor);
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
        let wanted = std::env::var("WGPU_ADAPTER_NAME").unwrap_or_default();
        let mut all: Vec<Self> = adapters
            .into_iter()
            .map(|adapter| Self { info: adapter.get_info(), adapter })
            .filter(|gpu| gpu.matches(&wanted))
            .collect();
        all.sort_by_key(Self::kind);
        all
    }

    /// The GPU to take unless the user names another: a real one, if there is any that can be used.
    pub fn best(all: &[Self]) -> Option<&Self> {
        all.iter().find(|gpu| gpu.kind() != Kind::Software && gpu.obstacle().is_none())
    }

    /// The first GPU whose name or driver contains `part`, in capitals or not.
    pub fn named<'a>(all: &'a [Self], part: &str) -> Option<&'a Self> {
        all.iter().find(|gpu| gpu.matches(part))
    }

    fn matches(&self, part: &str) -> bool {
        let part = part.to_lowercase();
        [&self.info.name, &self.info.driver].iter().any(|text| text.to_lowercase().contains(&part))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.info.name
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self.info.device_type {
            wgpu::DeviceType::DiscreteGpu => Kind::Discrete,
            wgpu::DeviceType::IntegratedGpu => Kind::Integrated,
            wgpu::DeviceType::VirtualGpu => Kind::Virtual,
            wgpu::DeviceType::Other => Kind::Other,
            wgpu::DeviceType::Cpu => Kind::Software,
        }
    }

    /// The interface that it is used through.
    pub fn backend(&self) -> String {
        self.info.backend.to_string()
    }

    /// Its driver.
    pub fn driver(&self) -> String {
        format!("{} {}", self.info.driver, self.info.driver_info).trim().to_owned()
    }

    /// The largest buffer that a shader can use at once, in bytes.
    pub fn binding_bytes(&self) -> u64 {
        self.adapter.limits().max_storage_buffer_binding_size
    }

    /// The memory that a workgroup can share, in bytes.
    pub fn workgroup_bytes(&self) -> u32 {
        self.adapter.limits().max_compute_workgroup_storage_size
    }

    /// Why it cannot be used, if so.
    pub fn obstacle(&self) -> Option<String> {
        let limits = self.adapter.limits();
        let short = |what: &str, has: u32, needs: u32| {
            (has < needs).then(|| format!("{what}: has {has}, needs {needs}"))
        };
        short("storage buffers", limits.max_storage_buffers_per_shader_stage, STORAGE_BUFFERS)
            .or_else(|| short("lanes", limits.max_compute_invocations_per_workgroup, LANES[1]))
            .or_else(|| short("workgroup memory", limits.max_compute_workgroup_storage_size, 16 << 10))
    }

    /// The lanes of a workgroup: a subgroup, where that is 32 or 64 wide.
    pub(super) fn lanes(&self) -> u32 {
        self.info.subgroup_max_size.clamp(LANES[0], LANES[1])
    }

    pub(super) fn wgpu(&self) -> &wgpu::Adapter {
        &self.adapter
    }
}

/// That there is no GPU, and what to do about it.
pub fn none_found() -> Error {
    Error::flag(
        "--device",
        "no GPU was found",
        "install its driver (Linux: your distribution's Vulkan driver, such as mesa-vulkan-drivers or \
         nvidia-driver; Windows: the maker's graphics driver; macOS: nothing, Metal is part of it), or use \
         --device cpu",
    )
}

/// The GPU that a name or `gpu` asks for.
///
/// # Errors
/// [`Error::Flag`] when there is none, or it cannot be used.
pub fn ask_for<'a>(all: &'a [GpuAdapter], asked: &str) -> Result<&'a GpuAdapter> {
    let found = if asked == "gpu" { GpuAdapter::best(all) } else { GpuAdapter::named(all, asked) };
    let gpu = found.ok_or_else(|| match all.first() {
        None => none_found(),
        Some(first) => Error::flag(
            "--device",
            format!("no GPU answers to {asked:?}"),
            format!("`hdp-gpu devices` lists them; the first is {:?} ({})", first.name(), first.kind()),
        ),
    })?;
    match gpu.obstacle() {
        None => Ok(gpu),
        Some(obstacle) => Err(Error::flag(
            "--device",
            format!("{} cannot be used ({obstacle})", gpu.name()),
            "use --device cpu",
        )),
    }
}
