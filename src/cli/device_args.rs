//! The flags that choose a device and threads, for every command that samples.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use hdp_gpu::device::choice::{Choice, DeviceRequest};
use hdp_gpu::device::list::{Devices, OpenOptions};
use hdp_gpu::device::{Device, Fault, Kernel, cpu};
use hdp_gpu::{Corpus, Error, Params, Result};

/// More threads than machines have, and few enough that waking them all does not take minutes.
const MAX_THREADS: i64 = 1024;

#[derive(Debug, Args)]
#[command(next_help_heading = "Device")]
pub(super) struct DeviceArgs {
    /// Where topics are sampled: auto (a real GPU if there is one, else the CPU), cpu, gpu, or a device's
    /// number or a part of its name as `hdp-gpu devices` shows them; the result does not depend on it
    #[arg(long, default_value = "auto")]
    pub(super) device: DeviceRequest,

    /// How documents are given to a GPU; the result does not depend on it
    #[arg(long, value_enum, default_value_t = KernelArg::Auto)]
    pub(super) kernel: KernelArg,

    /// What to do when the device fails
    #[arg(long, value_enum, default_value_t = OnDeviceError::Cpu)]
    pub(super) on_device_error: OnDeviceError,

    /// Has the device fail in an iteration, to test what happens then: lost:7 (GPU), count:7, panic:7 (CPU)
    #[arg(long, hide = true, value_parser = parse_fault)]
    inject_fault: Option<(Fault, u32)>,

    /// Threads; the result does not depend on them [default: all cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=MAX_THREADS))]
    threads: Option<u16>,
}

/// `--kernel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum KernelArg {
    /// The one that suits the corpus
    Auto,
    /// A workgroup of the GPU for a document
    Workgroup,
    /// An invocation of the GPU for a document, for very many short ones
    Invocation,
}

impl KernelArg {
    /// The kernel, or none for `auto`.
    pub(super) fn kernel(self) -> Option<Kernel> {
        match self {
            Self::Auto => None,
            Self::Workgroup => Some(Kernel::Workgroup),
            Self::Invocation => Some(Kernel::Invocation),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OnDeviceError {
    /// Go on with the CPU, to the same result
    Cpu,
    /// End the run with an error
    Fail,
}

impl OnDeviceError {
    /// As typed.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Fail => "fail",
        }
    }
}

/// `lost:7`, `count:7` or `panic:7`.
fn parse_fault(text: &str) -> Result<(Fault, u32), String> {
    let (fault, iteration) = text.split_once(':').ok_or("no colon")?;
    let fault = match fault {
        "lost" => Fault::Lost,
        "count" => Fault::Count,
        "panic" => Fault::Panic,
        _ => return Err(format!("no fault {fault:?}")),
    };
    Ok((fault, iteration.parse().map_err(|error| format!("{iteration:?}: {error}"))?))
}

/// The devices of this machine, and the one that was chosen.
pub(super) struct Chosen {
    devices: Devices,
    pub(super) choice: Choice,
    options: OpenOptions,
}

impl DeviceArgs {
    /// Chooses among the devices of this machine, as was asked or as `request` says.
    pub(super) fn choose(&self, request: &DeviceRequest) -> Result<Chosen> {
        let devices = Devices::find(request);
        let choice = Choice::for_training(request, devices.gpus())?;
        let options = OpenOptions { kernel: self.kernel.kernel(), fault: self.inject_fault };
        Ok(Chosen { devices, choice, options })
    }

    /// Whether the CPU takes over from a device that fails.
    pub(super) fn cpu_in_reserve(&self) -> bool {
        self.on_device_error == OnDeviceError::Cpu
    }

    /// The threads asked for.
    pub(super) fn thread_pool(&self) -> Result<rayon::ThreadPool> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.map_or(0, usize::from))
            .build()
            .map_err(|error| Error::setting("threads", error.to_string(), "give a smaller number"))
    }
}

impl Chosen {
    /// The device as a person would name it.
    pub(super) fn name(&self) -> String {
        self.devices.gpu(self.choice.index).map_or_else(cpu::name, |gpu| gpu.name.clone())
    }

    /// Whether it is a GPU.
    pub(super) fn is_gpu(&self) -> bool {
        self.devices.gpu(self.choice.index).is_some()
    }

    /// Opens the device, which takes over `z`.
    pub(super) fn open(&self, corpus: Arc<Corpus>, params: &Params, z: Vec<u16>) -> Result<Box<dyn Device>> {
        self.devices.open(self.choice.index, self.options, corpus, params, z)
    }
}
