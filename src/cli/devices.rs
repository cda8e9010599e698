//! `hdp-gpu devices`: what there is to train on, and what `auto` takes or tries.

use hdp_gpu::Result;
use hdp_gpu::device::choice::{CPU_INDEX, Choice, CpuPart, DeviceRequest, GpuInfo};
use hdp_gpu::device::cpu;
use hdp_gpu::device::list::Devices;
use hdp_gpu::ranks::Ranks;

use super::ranks::wait;
use super::topics::print_all;

/// Prints them; of several ranks the first one prints what all have.
pub(super) fn run(ranks: &Ranks) -> Result<()> {
    let listed = ranks.agree(Listed::now(ranks.rank_on_host()))?;
    let Listed { devices, auto } = &listed;
    let lines: String = devices.iter().map(|(index, device)| format!("{index}  {device}\n")).collect();
    if !ranks.are_several() {
        return print_all(&format!("{lines}{auto}\n"));
    }
    let said = ranks.gather_told(&format!("rank {} on {}\n{lines}{auto}\n", ranks.rank(), ranks.host()));
    if ranks.is_first() { print_all(&said.concat()) } else { wait(ranks) }
}

/// The devices of this machine in words.
pub(super) struct Listed {
    /// The number of each, and a line on it.
    pub(super) devices: Vec<(usize, String)>,
    /// What `auto` takes or tries, and why.
    pub(super) auto: String,
}

impl Listed {
    /// Looks for them, as one of several processes on this machine, numbered from 0.
    pub(super) fn now(rank_on_host: usize) -> Result<Self> {
        let found = Devices::find(&DeviceRequest::Auto);
        let choice = Choice::for_rank(rank_on_host, &DeviceRequest::Auto, found.gpus())?;
        let cpu = format!("{}{}", cpu::name(), use_by_auto(CPU_INDEX, &choice, None));
        let gpus = (1..).zip(found.gpus());
        let gpus = gpus.map(|(index, gpu)| (index, describe(gpu) + &use_by_auto(index, &choice, Some(gpu))));
        let devices = std::iter::once((CPU_INDEX, cpu)).chain(gpus).collect();
        let name = found.gpu(choice.index).map_or_else(cpu::name, |gpu| gpu.name.clone());
        Ok(Self { devices, auto: auto(&choice, &name) })
    }
}

/// What `auto` takes or tries; `name` is that of the device of the choice.
fn auto(Choice { index, cpu, reason }: &Choice, name: &str) -> String {
    let reason = reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    match cpu {
        CpuPart::Measured => format!(
            "auto takes {CPU_INDEX} first, tries {index} ({name}) beside it, and goes on with the fastest of {CPU_INDEX}, \
             {index} and both{reason}"
        ),
        CpuPart::None | CpuPart::Shares => format!("auto takes {index}, {name}{reason}"),
    }
}

/// A GPU in one line.
pub(super) fn describe(gpu: &GpuInfo) -> String {
    format!(
        "{}: {}, {}, driver {}, bindings to {} MiB, workgroup memory {} KiB",
        gpu.name,
        gpu.kind,
        gpu.backend,
        gpu.driver,
        gpu.binding_bytes >> 20,
        gpu.workgroup_bytes >> 10,
    )
}

/// Whether `auto` takes device `index`, and why not.
fn use_by_auto(index: usize, choice: &Choice, gpu: Option<&GpuInfo>) -> String {
    match choice.cpu {
        CpuPart::Measured if index == choice.index => return "; auto tries it".to_owned(),
        CpuPart::Measured if index == CPU_INDEX => return "; auto takes it first".to_owned(),
        _ if index == choice.index => return "; auto takes it".to_owned(),
        _ => {}
    }
    let why_not = gpu.and_then(GpuInfo::not_for_auto);
    format!("; not for auto: {}", why_not.unwrap_or_else(|| format!("{} comes first", choice.index)))
}
