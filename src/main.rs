//! The program: the command line of the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(hdp_gpu::cli::main(std::env::args_os().collect()))
}
