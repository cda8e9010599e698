//! The command line: its flags, and one file a command.

mod command;
mod completions;
mod corpus_args;
mod device_args;
mod devices;
mod doctor;
mod evaluate;
mod infer;
mod man;
mod prepare;
mod progress;
mod report;
mod selftest;
mod signals;
mod sparkline;
mod synth;
mod topics;
mod train;

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use hdp_gpu::Result;
use hdp_gpu::error::{caught, with_names};

/// Train hierarchical Dirichlet process topic models: the number of topics is learned, and the same seed
/// gives the same result on any device and any number of threads.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Cli {
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

/// Runs the command.
pub(crate) fn run(cli: Cli) -> Result<ExitCode> {
    caught(|| run_command(cli.command))
}

fn run_command(command: Command) -> Result<ExitCode> {
    match command {
        Command::Train(args) => train::run(&args),
        Command::Topics(args) => topics::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Infer(args) => infer::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Evaluate(args) => evaluate::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Report(args) => report::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Prepare(args) => prepare::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Synth(args) => synth::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Devices => devices::run().map(|()| ExitCode::SUCCESS),
        Command::Doctor => doctor::run().map(|()| ExitCode::SUCCESS),
        Command::Selftest(args) => selftest::run(&args),
        Command::Completions(args) => completions::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Man(args) => man::run(&args).map(|()| ExitCode::SUCCESS),
    }
}

/// Prints a line to standard error; a reader that has gone away, as `head` does, does not end a run. Nor must what a
/// file says steer the terminal.
pub(crate) fn eprint_line(line: impl Display) {
    let line = with_names(&line.to_string(), typed);
    let line = line.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}");
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// What the library calls by a name, as it is typed.
fn typed(name: &str) -> String {
    match name {
        "devices" | "selftest" => format!("`{} {name}`", env!("CARGO_PKG_NAME")),
        setting => format!("--{}", setting.replace('_', "-")),
    }
}
