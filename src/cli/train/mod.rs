//! `hdp-gpu train`: a corpus in, a run folder out.

mod args;
pub(super) mod messages;
mod model_args;

use std::process::ExitCode;

use hdp_gpu::Result;
use hdp_gpu::report::write_page;
use hdp_gpu::run::{FrontEnd, Opening};

pub(super) use self::args::TrainArgs;
use self::messages::{report_end, warn_of_interruption};
use super::command::{command_line, repeat};
use super::corpus_args::print_notes;
use super::progress::Terminal;

pub(super) fn run(args: &TrainArgs) -> Result<ExitCode> {
    let mut terminal = Terminal::new(args.quiet, args.disk_patience);
    let opening = Opening::new(&args.out, args.mode(), &mut terminal)?;
    let request = args.request();
    let asked = opening.ask(&request, &args.corpus.inputs(), &mut terminal)?;
    let place = args.device.with_hooks(asked.place(&request)?);
    let loaded = args.corpus.load()?;
    print_notes(&loaded, args.quiet);
    let front_end = FrontEnd { command: command_line(), repeat, page: Some(write_page) };
    let outcome = args.device.thread_pool()?.install(|| {
        terminal.set_course(asked.spec(), place.reason());
        let run = asked.on(loaded, place, args.checkpoint_every, front_end, &mut terminal)?;
        run.train(&mut terminal).inspect_err(|_| terminal.print_way_back())
    })?;
    warn_of_interruption(&outcome);
    if !args.quiet {
        report_end(&outcome)?;
    }
    Ok(if outcome.interrupted.is_some() { ExitCode::from(130) } else { ExitCode::SUCCESS })
}
