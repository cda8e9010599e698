//! `hdp-gpu selftest`: a GPU against the CPU on this machine, bit for bit, and how fast each is.

use std::path::PathBuf;

use clap::Args;
use hdp_gpu::Result;
use hdp_gpu::device::choice::DeviceRequest;
#[cfg(feature = "testing")]
use hdp_gpu::device::{Fault, Hooks};
use hdp_gpu::device::{Place, cpu};
use hdp_gpu::run::folder::out::check_result_file;
use hdp_gpu::selftest::{self, Observer, Plan, Report, Way};

use super::bars::PartBar;
#[cfg(feature = "testing")]
use super::device_args::parse_fault;
use super::device_args::{KernelArg, parse_team};
use super::devices::describe;
use super::topics::print_all;

#[derive(Debug, Args)]
pub(super) struct SelftestArgs {
    /// The GPU: auto (the best, a software one if there is no other), gpu (a real one), its number or a part
    /// of its name
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: DeviceRequest,

    /// Test one team size only: lanes of the GPU that share a document [default: every one]
    #[arg(long, value_name = "LANES", value_parser = parse_team, conflicts_with = "kernel")]
    team: Option<u32>,

    /// Test one way only to give documents to the GPU; auto tests every team size
    #[arg(long, value_enum, default_value_t = KernelArg::Auto, hide_possible_values = true,
          value_name = "auto|workgroup|invocation")]
    kernel: KernelArg,

    /// Iterations of each comparison
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,

    /// Compare only, and measure no speeds
    #[arg(long)]
    no_speed: bool,

    /// Write all that was found to this file as JSON, to send it with a report; it must not exist, unless --force is
    /// given
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long, requires = "json")]
    force: bool,

    /// Has the GPU fail in an iteration, to test what happens then: lost:1, count:1
    #[cfg(feature = "testing")]
    #[arg(long, hide = true, value_parser = parse_fault)]
    inject_fault: Option<(Fault, u32)>,
}

impl SelftestArgs {
    fn plan(&self) -> Plan {
        Plan {
            ways: Way::of_gpu(self.kernel.kernel(), self.team),
            iterations: self.iterations,
            speed: !self.no_speed,
        }
    }

    fn choose(&self) -> Result<Place> {
        let place = Place::choose_for_selftest(&self.device)?;
        #[cfg(feature = "testing")]
        let place = {
            let hooks = Hooks { fault: self.inject_fault, ..Hooks::default() };
            let options = place.options().with_hooks(hooks);
            place.with_options(options)
        };
        Ok(place)
    }
}

pub(super) fn run(args: &SelftestArgs) -> Result<u8> {
    if let Some(path) = &args.json {
        check_result_file("json", path, args.force, &[])?;
    }
    let place = args.choose()?;
    let gpu = place.gpu().expect("a self-test takes a GPU");
    let remark = place.reason().map_or_else(String::new, |reason| format!("chosen: {reason}\n"));
    print_all(&format!(
        "hdp-gpu {} compares, bit for bit after each of {} iterations\n  {}\nwith\n  {}\n{remark}\n",
        env!("CARGO_PKG_VERSION"),
        args.iterations,
        describe(gpu),
        cpu::name(),
    ))?;
    let mut watcher = Watcher(PartBar::new());
    let report = selftest::run(&place, &args.plan(), &mut watcher)?;
    watcher.0.finish();
    let mut text = verdict(&report);
    if let Some(path) = &args.json {
        report.write(path)?;
        text += &format!("all of this is in {}, which names no person, computer or folder\n", path.display());
    }
    print_all(&text)?;
    Ok(u8::from(!report.passed))
}

/// Shows what is found as it is found.
struct Watcher(PartBar);

impl Observer for Watcher {
    fn begins(&mut self, part: usize, parts: usize, what: &str) {
        self.0.begin(part, parts, what);
    }

    fn tells(&mut self, lines: &str) -> Result<()> {
        self.0.beside(|| print_all(lines))
    }
}

fn verdict(report: &Report) -> String {
    let (name, compared) = (&report.gpu.name, report.comparisons.len());
    let problem = match (report.differ(), report.failed()) {
        (0, 0) => {
            return format!("\npassed: {name} gives the CPU's result in all {compared} comparisons\n");
        }
        (0, failed) => format!("fails in {failed} of {} measurements", report.speeds.len()),
        (differ, _) => format!("differs from the CPU in {differ} of {compared} comparisons"),
    };
    format!("\nFAILED: {name} {problem}; train with --device cpu, and please report this output\n")
}
