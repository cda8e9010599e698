//! Which device to take: what is asked for, what there is, and why.

use std::fmt;
use std::str::FromStr;

use super::Exchange;
use crate::error::{Error, Result};

/// The number of the CPU among the devices; GPUs are numbered from 1.
pub const CPU_INDEX: usize = 0;

/// Whether this build can use GPUs.
pub const GPU_SUPPORT: bool = cfg!(feature = "gpu");

/// The name of what stands in for a GPU in tests.
#[cfg(feature = "testing")]
pub(super) const STAND_IN: &str = "stand-in";

/// How to get a driver.
const INSTALL: &str = "install its driver (Linux: the Vulkan loader and your distribution's driver, such as \
                       libvulkan1 with mesa-vulkan-drivers or nvidia-driver; Windows: the maker's graphics \
                       driver; macOS: nothing, Metal is part of it)";

/// The device that is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeviceRequest {
    /// What is measured to be the fastest among the CPU, a real GPU and both together.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// A real GPU.
    Gpu,
    /// A GPU and the CPU together: a real GPU, or the one of a number or a part of its name or driver.
    Hybrid(Option<String>),
    /// A device's number, or a part of a GPU's name or driver.
    Named(String),
}

impl FromStr for DeviceRequest {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.trim() {
            "" => Err(Error::setting("device", "names no device", "`devices` lists them")),
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "gpu" => Ok(Self::Gpu),
            "hybrid" => Ok(Self::Hybrid(None)),
            name if name.parse() == Ok(CPU_INDEX) => Ok(Self::Cpu),
            name => Ok(match name.strip_prefix("hybrid:") {
                Some(gpu) => Self::Hybrid(Some(gpu.trim().to_owned())),
                None => Self::Named(name.to_owned()),
            }),
        }
    }
}

impl fmt::Display for DeviceRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Gpu => f.write_str("gpu"),
            Self::Hybrid(None) => f.write_str("hybrid"),
            Self::Hybrid(Some(name)) => write!(f, "hybrid:{name}"),
            Self::Named(name) => f.write_str(name),
        }
    }
}

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

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Other => "other",
            Self::Software => "software",
        })
    }
}

/// What there is to know about a GPU before it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuInfo {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// The interface that it is used through.
    pub backend: String,
    /// Its driver.
    pub driver: String,
    /// The largest buffer that a shader can use at once, in bytes.
    pub binding_bytes: u64,
    /// The memory that a workgroup can share, in bytes.
    pub workgroup_bytes: u32,
    /// The lanes of its smallest and its largest subgroup.
    pub subgroup_lanes: [u32; 2],
    /// Whether the lanes of a subgroup can exchange numbers by operations of it.
    pub subgroup_operations: bool,
    /// How the lanes of a team exchange what they know, where a workgroup is one subgroup.
    pub exchange: Exchange,
    /// Why it cannot be used, if so.
    pub obstacle: Option<String>,
}

impl GpuInfo {
    /// Why `auto` never takes it, if so.
    pub fn not_for_auto(&self) -> Option<String> {
        match (&self.obstacle, self.kind) {
            (Some(obstacle), _) => Some(format!("it cannot be used ({obstacle})")),
            (None, Kind::Software) => Some("a software GPU is slower than the CPU".to_owned()),
            (None, _) => None,
        }
    }

    /// Whether its name or driver contains `part`, in capitals or not.
    pub(super) fn matches(&self, part: &str) -> bool {
        let part = part.to_lowercase();
        [&self.name, &self.driver].iter().any(|text| text.to_lowercase().contains(&part))
    }
}

/// What the CPU does beside the device that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuPart {
    /// Nothing in the z step, or it is the device itself.
    None,
    /// Its share of the documents.
    Shares,
    /// What is measured to be the fastest: all of them, a share, or none.
    Measured,
}

/// The device that is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its number.
    pub index: usize,
    /// What the CPU does beside it.
    pub cpu: CpuPart,
    /// Why this one, unless it was asked for.
    pub reason: Option<String>,
}

impl Choice {
    /// The device to train on; `gpus` are numbered from 1, the one to take first in front.
    ///
    /// # Errors
    /// [`Error::Setting`] when there is no such device, or it cannot be used.
    pub fn for_training(request: &DeviceRequest, gpus: &[GpuInfo]) -> Result<Self> {
        Self::for_rank(0, request, gpus)
    }

    /// The same for one of several processes on this machine, numbered from 0: they take GPUs of the same kind in turn.
    ///
    /// # Errors
    /// As [`Self::for_training`].
    pub fn for_rank(rank_on_host: usize, request: &DeviceRequest, gpus: &[GpuInfo]) -> Result<Self> {
        let real_gpu = || Self::real_gpu(rank_on_host, gpus);
        match request {
            DeviceRequest::Auto => Ok(match real_gpu() {
                Some(Self { index, reason, .. }) => {
                    let reason = reason.map(|reason| format!("{reason}, to be tried beside it"));
                    Self { index, cpu: CpuPart::Measured, reason }
                }
                None => Self { reason: Some(why_no_gpu(gpus)), ..Self::alone(CPU_INDEX) },
            }),
            DeviceRequest::Cpu => Ok(Self::alone(CPU_INDEX)),
            DeviceRequest::Gpu => real_gpu().ok_or_else(|| no_gpu(gpus)),
            DeviceRequest::Hybrid(None) => {
                real_gpu().map(|gpu| gpu.with_cpu(CpuPart::Shares)).ok_or_else(|| no_gpu(gpus))
            }
            DeviceRequest::Hybrid(Some(name)) => Ok(Self::named(name, gpus)?.with_cpu(CpuPart::Shares)),
            DeviceRequest::Named(name) => Self::named(name, gpus),
        }
    }

    /// The GPU to compare with the CPU: for `auto` a software one if there is no other.
    ///
    /// # Errors
    /// [`Error::Setting`] when there is no such device, or it cannot be used.
    pub(super) fn for_selftest(request: &DeviceRequest, gpus: &[GpuInfo]) -> Result<Self> {
        match request {
            DeviceRequest::Cpu => Err(Error::setting(
                "device",
                "the CPU is what a GPU is compared with",
                "name a GPU; `devices` lists them",
            )),
            DeviceRequest::Auto => Self::real_gpu(0, gpus)
                .or_else(|| {
                    let at = gpus.iter().position(|gpu| gpu.obstacle.is_none())?;
                    let reason = format!("{}, slower than the CPU and good for this test", why_no_gpu(gpus));
                    Some(Self { reason: Some(reason), ..Self::alone(at + 1) })
                })
                .ok_or_else(|| no_gpu(gpus)),
            DeviceRequest::Gpu | DeviceRequest::Hybrid(_) | DeviceRequest::Named(_) => {
                Self::for_training(request, gpus)
            }
        }
    }

    /// A device that is asked for, by itself.
    pub(super) fn alone(index: usize) -> Self {
        Self { index, cpu: CpuPart::None, reason: None }
    }

    /// The same GPU, with the CPU beside it.
    fn with_cpu(self, cpu: CpuPart) -> Self {
        Self { cpu, ..self }
    }

    /// The real GPU to take first, or the next ones of its kind for further processes of this machine.
    fn real_gpu(rank_on_host: usize, gpus: &[GpuInfo]) -> Option<Self> {
        let first = gpus.iter().find(|gpu| gpu.not_for_auto().is_none())?;
        let is_like = |gpu: &GpuInfo| gpu.not_for_auto().is_none() && gpu.kind == first.kind;
        let alike: Vec<usize> = (0..gpus.len()).filter(|&at| is_like(&gpus[at])).collect();
        let at = alike[rank_on_host % alike.len()];
        Some(Self { reason: Some(format!("GPU found ({})", gpus[at].kind)), ..Self::alone(at + 1) })
    }

    /// The GPU of a number, or else of a part of a name: 4090 is more likely a name.
    fn named(name: &str, gpus: &[GpuInfo]) -> Result<Self> {
        if gpus.is_empty() {
            return Err(no_gpu(gpus));
        }
        let number = name.parse().ok().filter(|index| (1..=gpus.len()).contains(index));
        let index = number
            .or_else(|| gpus.iter().position(|gpu| gpu.matches(name)).map(|at| at + 1))
            .ok_or_else(|| Error::setting("device", format!("no device {name:?}"), "`devices` lists them"))?;
        let gpu = &gpus[index - 1];
        match &gpu.obstacle {
            None => Ok(Self::alone(index)),
            Some(obstacle) => Err(Error::setting(
                "device",
                format!("{} cannot be used ({obstacle})", gpu.name),
                "train with `device` cpu",
            )),
        }
    }
}

/// Why there is no real GPU to use.
fn why_no_gpu(gpus: &[GpuInfo]) -> String {
    let problem = |gpu: &GpuInfo| match &gpu.obstacle {
        Some(obstacle) => format!("{} cannot be used ({obstacle})", gpu.name),
        None => format!("{} is a software GPU", gpu.name),
    };
    match gpus {
        [] if !GPU_SUPPORT => "this build has no GPU support".to_owned(),
        [] => "no GPU found".to_owned(),
        [only] if only.obstacle.is_none() => format!("the only GPU is a software one ({})", only.name),
        _ => gpus.iter().map(problem).collect::<Vec<_>>().join(", "),
    }
}

/// That there is no real GPU to use, and what to do about it.
fn no_gpu(gpus: &[GpuInfo]) -> Error {
    let remedy = if !GPU_SUPPORT {
        "build it with the feature gpu, or train with `device` cpu".to_owned()
    } else if gpus.is_empty() {
        format!("{INSTALL}, or train with `device` cpu")
    } else {
        format!(
            "if there is another, {INSTALL}; else train with `device` cpu, or name a GPU to have just that"
        )
    };
    Error::setting("device", why_no_gpu(gpus), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu(name: &str, kind: Kind) -> GpuInfo {
        GpuInfo {
            name: name.to_owned(),
            kind,
            backend: "vulkan".to_owned(),
            driver: format!("{name} driver"),
            binding_bytes: 128 << 20,
            workgroup_bytes: 16 << 10,
            subgroup_lanes: [32, 64],
            subgroup_operations: true,
            exchange: Exchange::Memory,
            obstacle: None,
        }
    }

    fn unusable(name: &str) -> GpuInfo {
        GpuInfo { obstacle: Some("lanes: has 8, needs 64".to_owned()), ..gpu(name, Kind::Discrete) }
    }

    fn taken(request: &str, gpus: &[GpuInfo]) -> usize {
        Choice::for_training(&request.parse().unwrap(), gpus).unwrap().index
    }

    fn refusal(request: &str, gpus: &[GpuInfo]) -> String {
        let error = Choice::for_training(&request.parse().unwrap(), gpus).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        error.to_string()
    }

    #[test]
    fn auto_takes_the_first_real_gpu_that_can_be_used() {
        let gpus = [unusable("old"), gpu("iris", Kind::Integrated), gpu("pipe", Kind::Software)];
        assert_eq!((taken("auto", &gpus), taken("gpu", &gpus)), (2, 2));
        let choice = Choice::for_training(&DeviceRequest::Auto, &gpus).unwrap();
        assert_eq!(
            (choice.cpu, &*choice.reason.unwrap()),
            (CpuPart::Measured, "GPU found (integrated), to be tried beside it")
        );
    }

    #[test]
    fn ranks_take_the_gpus_of_a_machine_in_turn() {
        let gpus = [
            gpu("card", Kind::Discrete),
            unusable("old"),
            gpu("card", Kind::Discrete),
            gpu("uhd", Kind::Integrated),
        ];
        for request in [DeviceRequest::Auto, DeviceRequest::Gpu, DeviceRequest::Hybrid(None)] {
            let taken = |rank| Choice::for_rank(rank, &request, &gpus).unwrap().index;
            assert_eq!([0, 1, 2, 3].map(taken), [1, 3, 1, 3], "{request}");
        }
        let named = DeviceRequest::Named("uhd".to_owned());
        assert_eq!(Choice::for_rank(1, &named, &gpus).unwrap().index, 4);
    }

    #[test]
    fn a_hybrid_takes_the_gpu_of_gpu_or_the_one_that_is_named() {
        let gpus = [unusable("old"), gpu("iris", Kind::Integrated), gpu("pipe", Kind::Software)];
        for (request, index) in [("hybrid", 2), ("hybrid:pipe", 3), ("hybrid:3", 3), ("hybrid: iris", 2)] {
            let request: DeviceRequest = request.parse().unwrap();
            let choice = Choice::for_training(&request, &gpus).unwrap();
            assert_eq!((choice.index, choice.cpu), (index, CpuPart::Shares), "{request}");
            assert_eq!(request.to_string().parse::<DeviceRequest>().unwrap(), request);
        }
        for (request, gpus) in [("hybrid", &gpus[2..]), ("hybrid:old", &gpus), ("hybrid:radeon", &gpus)] {
            assert!(refusal(request, gpus).starts_with("`device`: "));
        }
        assert_eq!(Choice::for_training(&DeviceRequest::Gpu, &gpus).unwrap().cpu, CpuPart::None);
    }

    #[test]
    fn auto_never_takes_a_software_gpu() {
        let gpus = [gpu("pipe", Kind::Software)];
        let choice = Choice::for_training(&DeviceRequest::Auto, &gpus).unwrap();
        let reason = "the only GPU is a software one (pipe)".to_owned();
        assert_eq!(choice, Choice { reason: Some(reason), ..Choice::alone(CPU_INDEX) });
        assert!(refusal("gpu", &gpus).starts_with("`device`: the only GPU is a software one (pipe); "));
        assert_eq!((taken("pipe", &gpus), taken("1", &gpus)), (1, 1));
    }

    #[test]
    fn a_selftest_takes_a_software_gpu_when_there_is_no_other() {
        let index = |gpus: &[GpuInfo]| Choice::for_selftest(&DeviceRequest::Auto, gpus).map(|it| it.index);
        assert_eq!(index(&[gpu("card", Kind::Discrete), gpu("pipe", Kind::Software)]).unwrap(), 1);
        assert_eq!(index(&[unusable("old"), gpu("pipe", Kind::Software)]).unwrap(), 2);
        assert_eq!(index(&[]).unwrap_err().exit_code(), 2);
        assert_eq!(index(&[unusable("old")]).unwrap_err().exit_code(), 2);
        assert!(Choice::for_selftest(&DeviceRequest::Cpu, &[]).is_err());
    }

    #[test]
    fn names_and_numbers() {
        let gpus = [gpu("GeForce RTX 4090", Kind::Discrete), gpu("UHD 620", Kind::Integrated)];
        for (request, index) in
            [("cpu", 0), ("0", 0), ("1", 1), ("2", 2), ("4090", 1), ("rtx", 1), ("uhd", 2)]
        {
            assert_eq!(taken(request, &gpus), index, "{request}");
        }
        for request in ["3", "radeon"] {
            assert!(refusal(request, &gpus).starts_with(&format!("`device`: no device {request:?}; ")));
        }
        assert!("".parse::<DeviceRequest>().is_err());
    }

    #[test]
    fn without_a_gpu_the_remedy_is_told() {
        assert_eq!(taken("auto", &[]), CPU_INDEX);
        for request in ["gpu", "1", "radeon"] {
            let refusal = refusal(request, &[]);
            if GPU_SUPPORT {
                for word in ["no GPU found", "Linux", "Windows", "macOS", "`device` cpu"] {
                    assert!(refusal.contains(word), "{refusal}");
                }
            } else {
                assert!(refusal.contains("no GPU support"), "{refusal}");
            }
        }
        assert!(refusal("old", &[unusable("old")]).contains("cannot be used (lanes: has 8, needs 64)"));
    }
}
