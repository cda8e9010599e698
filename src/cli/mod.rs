//! The command line: its flags, and one file a command. The program is nothing else, and other front ends carry it along.

mod bars;
mod command;
mod completions;
mod corpus_args;
mod device_args;
mod devices;
mod doctor;
mod evaluate;
mod faults;
mod infer;
mod man;
mod one_topic;
mod passages;
mod prepare;
mod progress;
mod ranks;
mod report;
mod selftest;
mod signals;
mod sparkline;
mod synth;
mod topic_list;
mod topics;
mod train;
mod wording;

pub use self::train::parse_every;

use std::ffi::OsString;
use std::fmt::Display;

use clap::{Parser, Subcommand};
use hdp_gpu::error::{caught, with_names};
use hdp_gpu::ranks::Ranks;
use hdp_gpu::{Error, Result};

use self::device_args::DeviceArgs;

/// Train hierarchical Dirichlet process topic models: the number of topics is learned, and the same seed
/// gives the same result on any device and any number of threads.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Train a model; CORPUS may be the word `sample`, a corpus inside the program
    Train(Box<train::TrainArgs>),
    /// Show the topics of a run, largest first
    Topics(topics::TopicsArgs),
    /// Find the topics of new documents under a trained model
    Infer(Box<infer::InferArgs>),
    /// Score a run: held-out documents, and coherence, exclusivity and diversity of its topics
    Evaluate(Box<evaluate::EvaluateArgs>),
    /// Show a run as one HTML file that needs nothing else
    Report(report::ReportArgs),
    /// Read a corpus once, into a file from which training starts at once
    Prepare(Box<prepare::PrepareArgs>),
    /// Draw a corpus from the model itself, with the truth beside it
    Synth(synth::SynthArgs),
    /// List the devices that can be used, and which one `--device auto` takes
    Devices,
    /// Say on one page what this machine has, for a report of a problem
    Doctor,
    /// Compare a GPU with the CPU on this machine, bit for bit, and measure both
    Selftest(selftest::SelftestArgs),
    /// Print what a shell needs to complete commands and flags
    Completions(completions::CompletionsArgs),
    /// Write the manual, one page per command
    Man(man::ManArgs),
}

impl Command {
    /// Whether ranks have its work between them, so that a process that does not find the others must not do it.
    fn is_divided(&self) -> bool {
        self.device_args().is_some()
    }

    /// The flags of a command that ranks have between them.
    fn device_args(&self) -> Option<&DeviceArgs> {
        match self {
            Self::Train(args) => Some(&args.device),
            Self::Infer(args) => Some(&args.device),
            Self::Evaluate(args) => Some(&args.device),
            _ => None,
        }
    }
}

/// The exit code of a command that has done what it should.
const SUCCESS: u8 = 0;

/// Parses a command line, the program's name first, runs the command, and returns the exit code.
pub fn main(args: Vec<OsString>) -> u8 {
    let parsed = Cli::try_parse_from(&args);
    command::set_command_line(args);
    match (prepare_to_end(), parsed) {
        (Ok(()), Ok(cli)) => run(cli.command),
        (Err(error), _) => tell(&error),
        (_, Err(shown)) => {
            if shown.use_stderr() {
                ranks::let_first_speak();
            }
            // A reader that has gone away does not matter.
            let _ = shown.print();
            shown.exit_code() as u8
        }
    }
}

/// What comes before anything else: a way to end for every fault and every signal.
fn prepare_to_end() -> Result<()> {
    faults::tell_panics();
    signals::listen()
}

/// Prints an error, and returns its exit code.
fn tell(error: &Error) -> u8 {
    eprint_line(format_args!("error: {error}"));
    error.exit_code()
}

/// Runs the command, on as many ranks as there are, prints its error, and returns the exit code.
fn run(command: Command) -> u8 {
    let (ranks, joined) = match ranks::join() {
        Ok(ranks) => (ranks, Ok(())),
        Err(_) if !command.is_divided() => (Ranks::alone(), Ok(())),
        Err(error) => (Ranks::alone(), Err(error)),
    };
    faults::name_rank(&ranks);
    if let Some(args) = command.device_args() {
        ranks.set_patience(args.rank_patience);
    }
    let done = joined.and_then(|()| caught(|| run_command(command, &ranks)));
    let done = done.map_err(|error| ranks.named(error));
    let failed = done.as_ref().err().map(tell);
    ranks::leave(&ranks, failed);
    done.unwrap_or_else(|error| error.exit_code())
}

fn run_command(command: Command, ranks: &Ranks) -> Result<u8> {
    match command {
        Command::Train(args) => train::run(&args, ranks),
        Command::Infer(args) => infer::run(&args, ranks).map(|()| SUCCESS),
        Command::Evaluate(args) => evaluate::run(&args, ranks).map(|()| SUCCESS),
        Command::Devices => devices::run(ranks).map(|()| SUCCESS),
        _ if !ranks.is_first() => ranks::wait(ranks).map(|()| SUCCESS),
        Command::Topics(args) => topics::run(&args).map(|()| SUCCESS),
        Command::Report(args) => on_threads(|| report::run(&args)).map(|()| SUCCESS),
        Command::Prepare(args) => prepare::run(&args).map(|()| SUCCESS),
        Command::Synth(args) => synth::run(&args).map(|()| SUCCESS),
        Command::Doctor => doctor::run().map(|()| SUCCESS),
        Command::Selftest(args) => on_threads(|| selftest::run(&args)),
        Command::Completions(args) => completions::run(&args).map(|()| SUCCESS),
        Command::Man(args) => man::run(&args).map(|()| SUCCESS),
    }
}

/// Does `work` on as many threads as there are processors.
fn on_threads<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    device_args::thread_pool(0)?.install(work)
}

/// Prints a line to standard error; a reader that has gone away, as `head` does, does not end a run, and one that has stopped
/// does not keep it. Nor must what a file says steer the terminal.
pub(crate) fn eprint_line(line: impl Display) {
    faults::write_while_wanted(line_of(line).as_bytes());
}

/// A line as it is printed.
fn line_of(line: impl Display) -> String {
    harmless(&with_names(&line.to_string(), typed)) + "\n"
}

/// Text without what steers a terminal: control characters but for line ends, and those that turn the direction of writing.
fn harmless(text: &str) -> String {
    let steers = |c: char| {
        let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || c.is_control() && c != '\n'
    };
    text.replace(steers, "\u{fffd}")
}

/// What the library calls by a name, as it is typed.
fn typed(name: &str) -> String {
    match name {
        "devices" | "selftest" => format!("`{} {name}`", env!("CARGO_PKG_NAME")),
        setting => format!("--{}", setting.replace('_', "-")),
    }
}
