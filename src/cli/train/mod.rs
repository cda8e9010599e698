//! `hdp-gpu train`: a corpus in, a run folder out.

mod args;
pub(super) mod messages;
mod model_args;

use hdp_gpu::ranks::Ranks;
use hdp_gpu::report::write_page;
use hdp_gpu::run::{FrontEnd, Mode, Opening};
use hdp_gpu::{Error, Result};

pub(super) use self::args::TrainArgs;
pub use self::args::parse_every;
use self::messages::{number_of_topics, report_end, warn_of_interruption};
use super::command::{command_line, repeat, shared_words, typed_with};
use super::corpus_args::{Manner, print_notes};
use super::progress::Terminal;
use super::ranks::serve;
use super::{SUCCESS, eprint_line, signals, tell};

pub(super) fn run(args: &TrainArgs, ranks: &Ranks) -> Result<u8> {
    if !ranks.is_first() {
        return serve(&args.device, ranks).map(|()| SUCCESS);
    }
    signals::set_grace(args.grace);
    if ranks.are_several() {
        signals::set_launched();
    }
    if args.mode() == Mode::New {
        signals::set_way_on(typed_with("--resume"));
    }
    let mut terminal = Terminal::new(args.quiet, args.disk_patience);
    let opening = Opening::new(&args.out, args.mode(), &mut terminal)?;
    let request = args.request();
    let asked = opening.ask(&request, &args.corpus.inputs(), &mut terminal)?.among(ranks, shared_words());
    let place = args.device.with_hooks(asked.place(&request)?);
    let preset = request.model.preset.unwrap_or_default();
    let manner = Manner { quiet: args.quiet, keep_text: asked.keeps_text() };
    let loaded = args.corpus.load_for_run(preset, asked.preparation(), manner)?;
    print_notes(&loaded, args.quiet);
    if let Some(topics) = args.model.topics().filter(|_| !args.quiet) {
        eprint_line(number_of_topics(topics));
    }
    let front_end = FrontEnd { command: command_line(), repeat, page: Some(write_page), results: true };
    let outcome = args.device.thread_pool()?.install(|| {
        terminal.set_course(asked.spec(), place.reason());
        let run = asked.on(loaded, place, args.checkpoint_every, front_end, &mut terminal)?;
        run.train(&mut terminal).inspect_err(|_| terminal.print_way_back())
    });
    let outcome = match outcome {
        // Whoever was asked to end gives the disk up.
        Err(error @ Error::Write { .. }) if signals::is_asked() && !ranks.are_several() => {
            tell(&error);
            return Ok(Error::Interrupted.exit_code());
        }
        outcome => outcome?,
    };
    warn_of_interruption(&outcome);
    if !args.quiet {
        report_end(&outcome)?;
    }
    Ok(if outcome.interrupted.is_some() { Error::Interrupted.exit_code() } else { SUCCESS })
}
