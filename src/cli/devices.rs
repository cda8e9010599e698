//! `hdp-gpu devices`: what there is to train on, and what `auto` takes or tries.

use hdp_gpu::Result;
use hdp_gpu::device::choice::{CPU_INDEX, Choice, CpuPart, DeviceRequest, GpuInfo};
use hdp_gpu::device::cpu;
use hdp_gpu::device::list::Devices;

use super::topics::print_all;

pub(super) fn run() -> Result<()> {
    let devices = Devices::find(&DeviceRequest::Auto);
    let choice = Choice::for_training(&DeviceRequest::Auto, devices.gpus())?;
    let mut text = format!("{CPU_INDEX}  {}{}\n", cpu::name(), use_by_auto(CPU_INDEX, &choice, None));
    for (index, gpu) in (1..).zip(devices.gpus()) {
        text += &format!("{index}  {}{}\n", describe(gpu), use_by_auto(index, &choice, Some(gpu)));
    }
    let name = devices.gpu(choice.index).map_or_else(cpu::name, |gpu| gpu.name.clone());
    let reason = choice.reason.map_or_else(String::new, |reason| format!(": {reason}"));
    let line = match choice.cpu {
        CpuPart::Measured => format!(
            "auto takes {CPU_INDEX} first, tries {} ({name}) beside it, and goes on with the fastest of {CPU_INDEX}, {} and \
             both{reason}",
            choice.index, choice.index
        ),
        CpuPart::None | CpuPart::Shares => format!("auto takes {}, {name}{reason}", choice.index),
    };
    print_all(&format!("{text}{line}\n"))
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
