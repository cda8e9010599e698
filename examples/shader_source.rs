//! Prints the z step's shader as the program would compile it, for tools that read WGSL.
//!
//! `cargo run --example shader_source -- TEAM WIDTH`: for teams of 4, 8, 16, 32 or 64 lanes, or `whole` for a workgroup per document,
//! on a device that runs WIDTH lanes together.

use hdp_gpu::device::shader_source;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [team, width] = args.as_slice() else { panic!("two arguments: TEAM|whole WIDTH") };
    let number = |text: &str| text.parse().expect("a number");
    let team = (team != "whole").then(|| number(team));
    println!("{}", shader_source(team, number(width)));
}
