//! `hdp-gpu man`: the manual, one page per command.

use std::fs;
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_mangen::Man;
use hdp_gpu::run::folder::out::check_out_file;
use hdp_gpu::{Error, Result};

use super::Cli;
use super::topics::print_all;

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The folder for the pages; it is made when it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Replace pages that are there
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &ManArgs) -> Result<()> {
    fs::create_dir_all(&args.out).map_err(Error::write(&args.out))?;
    let pages: Vec<(PathBuf, Man)> =
        pages().into_iter().map(|page| (args.out.join(page.get_filename()), page)).collect();
    // All of them first, so that a refusal leaves nothing behind.
    for (path, _) in &pages {
        check_out_file(path, args.force, &[])?;
    }
    for (path, page) in &pages {
        let mut text = Vec::new();
        page.render(&mut text).and_then(|()| fs::write(path, text)).map_err(Error::write(path))?;
    }
    print_all(&format!("{}: {} pages; `man -l` shows one\n", args.out.display(), pages.len()))
}

/// A page on the program and one on each command, under the version of the program.
fn pages() -> Vec<Man> {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let commands = std::iter::once(&program).chain(program.get_subcommands()).cloned();
    let source = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
    commands.map(|command| Man::new(command).source(source)).collect()
}
