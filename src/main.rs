//! Parses the command line, runs the command, prints the error, sets the exit code.

fn main() {}
