//! `hdp-gpu selftest`: a GPU against the CPU on this machine, bit for bit.

use std::process::ExitCode;

use clap::Args;
use hdp_gpu::Result;
use hdp_gpu::device::choice::DeviceRequest;
use hdp_gpu::device::{Kernel, OpenOptions, Place, cpu};
use hdp_gpu::selftest::{cases, compare};

use super::device_args::KernelArg;
use super::devices::describe;
use super::topics::print_all;

#[derive(Debug, Args)]
pub(super) struct SelftestArgs {
    /// The GPU: auto (the best, a software one if there is no other), gpu (a real one), its number or a part
    /// of its name
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: DeviceRequest,

    /// The way documents are given to the GPU; auto tests every one
    #[arg(long, value_enum, default_value_t = KernelArg::Auto, hide_possible_values = true,
          value_name = "auto|workgroup|invocation")]
    kernel: KernelArg,

    /// Iterations of each case
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
}

pub(super) fn run(args: &SelftestArgs) -> Result<ExitCode> {
    let place = Place::choose_for_selftest(&args.device)?;
    let gpu = place.gpu().expect("a self-test takes a GPU");
    let remark = place.reason().map_or_else(String::new, |reason| format!("chosen: {reason}\n"));
    print_all(&format!(
        "hdp-gpu {} compares, bit for bit after each of {} iterations\n  {}\nwith\n  {}\n{remark}\n{}\n",
        env!("CARGO_PKG_VERSION"),
        args.iterations,
        describe(gpu),
        cpu::name(),
        row("case", "kernel", ["CPU tokens/s", "GPU tokens/s"], "result"),
    ))?;
    let kernels = args.kernel.kernel().map_or_else(|| Kernel::ALL.to_vec(), |kernel| vec![kernel]);
    let (mut compared, mut differ) = (0, 0);
    for case in cases() {
        for &kernel in &kernels {
            let place = place.clone().with_options(OpenOptions::new(Some(kernel)));
            let comparison = compare(&case, args.iterations, &place);
            let speeds = [comparison.cpu_tokens_per_second, comparison.device_tokens_per_second];
            let result = comparison
                .difference
                .as_ref()
                .map_or_else(|| "same".to_owned(), |difference| format!("DIFFERENT: {difference}"));
            compared += 1;
            differ += u32::from(comparison.difference.is_some());
            let speeds = speeds.map(|speed| format!("{speed:.0}"));
            let speeds = speeds.each_ref().map(String::as_str);
            print_all(&format!("{}\n", row(&case.name, kernel.name(), speeds, &result)))?;
        }
    }
    print_all(&verdict(&gpu.name, compared, differ))?;
    Ok(ExitCode::from(u8::from(differ > 0)))
}

fn row(case: &str, kernel: &str, [cpu, gpu]: [&str; 2], result: &str) -> String {
    format!("{case:<18} {kernel:<10} {cpu:>13} {gpu:>13}  {result}")
}

fn verdict(name: &str, compared: u32, differ: u32) -> String {
    match differ {
        0 => format!("\npassed: {name} gives the CPU's result in all {compared} comparisons\n"),
        _ => format!(
            "\nFAILED: {name} differs from the CPU in {differ} of {compared} comparisons; train with --device cpu, \
             and please report this output\n"
        ),
    }
}
