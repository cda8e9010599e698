//! The flags that choose a device and threads, for every command that samples.

use std::time::Duration;

use clap::{Args, ValueEnum};
use hdp_gpu::device::choice::DeviceRequest;
#[cfg(feature = "testing")]
use hdp_gpu::device::{Fault, ForcedDivision, Hooks, StandIn, Work, choice::CpuPart};
use hdp_gpu::device::{Kernel, OpenOptions, Place, TEAMS};
use hdp_gpu::run::OnDeviceError;
use hdp_gpu::{Error, Result};

/// More threads than machines have, and few enough that waking them all does not take minutes.
const MAX_THREADS: i64 = 1024;

#[derive(Debug, Args)]
#[command(next_help_heading = "Device")]
pub(super) struct DeviceArgs {
    /// Where topics are sampled: auto (what is measured to be the fastest of the CPU, a real GPU and both),
    /// cpu, gpu, hybrid (a GPU and the CPU at once; hybrid:DEVICE names the GPU), or a device's number or a part
    /// of its name as `hdp-gpu devices` shows them; the result does not depend on it
    #[arg(long, default_value = "auto")]
    pub(super) device: DeviceRequest,

    /// How documents are given to a GPU; the result does not depend on it
    #[arg(long, value_enum, default_value_t = KernelArg::Auto)]
    pub(super) kernel: KernelArg,

    /// Lanes of a GPU that share a document [default: measured with --device auto, else the device's own]; the
    /// result does not depend on it
    #[arg(long, value_name = "LANES", value_parser = parse_team)]
    pub(super) team: Option<u32>,

    /// What to do when the device fails
    #[arg(long, value_enum, default_value_t = OnDeviceErrorArg::Cpu)]
    pub(super) on_device_error: OnDeviceErrorArg,

    /// Has the device fail in an iteration, to test what happens then: lost:7 (GPU), count:7, and of a CPU
    /// panic:7, memory:7, hang:7
    #[cfg(feature = "testing")]
    #[arg(long, hide = true, value_parser = parse_fault)]
    inject_fault: Option<(Fault, u32)>,

    /// Divides documents between a GPU and the CPU in a given way: the GPU's share of the tokens, or moving
    #[cfg(feature = "testing")]
    #[arg(long, hide = true, value_parser = parse_division)]
    inject_division: Option<ForcedDivision>,

    /// Has what stands in for a GPU fail, or hang for half a second's patience, from an iteration on: auto:wait:7, hybrid:hang:7
    #[cfg(feature = "testing")]
    #[arg(long, hide = true, value_parser = parse_stand_in)]
    inject_stand_in: Option<(CpuPart, StandIn)>,

    /// Threads; the result does not depend on them [default: all cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=MAX_THREADS))]
    threads: Option<u16>,

    /// Within how long the ranks of a job of MPI all end when one of them does not answer any more, as when its process is
    /// stopped or the network is cut; 0s is never
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = parse_time)]
    pub(super) rank_patience: Duration,
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
pub(super) enum OnDeviceErrorArg {
    /// Go on with the CPU, to the same result
    Cpu,
    /// End the run with an error
    Fail,
}

impl From<OnDeviceErrorArg> for OnDeviceError {
    fn from(arg: OnDeviceErrorArg) -> Self {
        match arg {
            OnDeviceErrorArg::Cpu => Self::Cpu,
            OnDeviceErrorArg::Fail => Self::Fail,
        }
    }
}

/// `30s`, `10m`, `2h`, `500ms` or `1d`, and what else humantime knows, such as `1h 30m`.
pub(super) fn parse_time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|_| "give a time, for example 30s, 10m or 2h".to_owned())
}

/// A team size.
pub(super) fn parse_team(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|team| TEAMS.contains(team)).ok_or_else(|| "give 4, 8, 16, 32 or 64".to_owned())
}

/// `0.37` or `moving`.
#[cfg(feature = "testing")]
fn parse_division(text: &str) -> Result<ForcedDivision, String> {
    let fixed = text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).map(ForcedDivision::Fixed);
    fixed
        .or((text == "moving").then_some(ForcedDivision::Moving))
        .ok_or_else(|| format!("no division {text:?}"))
}

/// `auto` or `hybrid`, what fails or `hang`, and from which iteration on.
#[cfg(feature = "testing")]
fn parse_stand_in(text: &str) -> Result<(CpuPart, StandIn), String> {
    let parts: Vec<&str> = text.split(':').collect();
    let [cpu, what, from] = parts[..] else { return Err("not three parts".to_owned()) };
    let cpu = if cpu == "auto" { CpuPart::Measured } else { CpuPart::Shares };
    let from = from.parse().map_err(|error| format!("{from:?}: {error}"))?;
    let script = match what {
        "hang" => StandIn { hangs: Some(from), ..StandIn::PLAIN },
        "wait" => StandIn { fails: Some((Work::Wait, from)), ..StandIn::PLAIN },
        _ => return Err(format!("no fault {what:?}")),
    };
    Ok((cpu, script))
}

/// `lost:7`, `count:7`, `panic:7`, `memory:7` or `hang:7`.
#[cfg(feature = "testing")]
pub(super) fn parse_fault(text: &str) -> Result<(Fault, u32), String> {
    let (fault, iteration) = text.split_once(':').ok_or("no colon")?;
    let fault = match fault {
        "lost" => Fault::Lost,
        "count" => Fault::Count,
        "panic" => Fault::Panic,
        "memory" => Fault::Memory,
        "hang" => Fault::Hang,
        _ => return Err(format!("no fault {fault:?}")),
    };
    Ok((fault, iteration.parse().map_err(|error| format!("{iteration:?}: {error}"))?))
}

impl DeviceArgs {
    /// Chooses among the devices of this machine.
    pub(super) fn choose(&self) -> Result<Place> {
        self.choose_for_rank(0)
    }

    /// The same for one of several processes of this machine.
    pub(super) fn choose_for_rank(&self, rank_on_host: usize) -> Result<Place> {
        let place = Place::choose_for_rank(rank_on_host, &self.device, self.options())?;
        let is_reserved = OnDeviceError::from(self.on_device_error) == OnDeviceError::Cpu;
        Ok(self.with_hooks(place.with_cpu_in_reserve(is_reserved)))
    }

    fn options(&self) -> OpenOptions {
        OpenOptions::new(self.kernel.kernel()).with_team(self.team)
    }

    /// The same place with the faults that were asked for, to test what happens then.
    #[cfg(feature = "testing")]
    pub(super) fn with_hooks(&self, place: Place) -> Place {
        let hooks = Hooks { fault: self.inject_fault, division: self.inject_division, ..Hooks::default() };
        if let Some((cpu, stand_in)) = self.inject_stand_in {
            let hooks = Hooks { stand_in: Some(stand_in), patience: Some(0.5), ..hooks };
            let is_reserved = self.on_device_error == OnDeviceErrorArg::Cpu;
            return Place::with_stand_in(cpu, hooks).with_cpu_in_reserve(is_reserved);
        }
        place.with_options(self.options().with_hooks(hooks))
    }

    #[cfg(not(feature = "testing"))]
    #[expect(clippy::unused_self, reason = "faults are asked for in builds for tests only")]
    pub(super) fn with_hooks(&self, place: Place) -> Place {
        place
    }

    /// The threads asked for.
    pub(super) fn thread_pool(&self) -> Result<rayon::ThreadPool> {
        thread_pool(self.threads.map_or(0, usize::from))
    }
}

/// So many threads; 0 are as many as there are processors. The global pool would be a panic where the system refuses it.
pub(super) fn thread_pool(threads: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Error::no_thread("to work on", &error))
}
