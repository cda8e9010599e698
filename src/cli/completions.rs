//! `hdp-gpu completions`: what a shell needs to complete the command line.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use hdp_gpu::Result;

use super::Cli;
use super::topics::print_as_it_is;

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell that is to complete commands and flags
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), env!("CARGO_PKG_NAME"), &mut script);
    print_as_it_is(&script)
}
