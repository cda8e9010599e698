//! Parses the command line, runs the command, prints the error, sets the exit code.

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match cli::run(cli::Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            cli::eprint_line(format_args!("error: {error}"));
            ExitCode::from(error.exit_code())
        }
    }
}
