//! Prints the z step's shader as the program would compile it, for tools that read WGSL.
//!
//! `cargo run --example shader_source -- TEAM WIDTH EXCHANGE`: for teams of 4, 8, 16, 32 or 64 lanes, or `whole` for a workgroup per
//! document, on a device that runs WIDTH lanes together, which exchange what they know by `memory`, `subgroup` or `own-slots`.

use hdp_gpu::device::{Exchange, shader_source};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [team, width, exchange] = args.as_slice() else {
        panic!("three arguments: TEAM|whole WIDTH EXCHANGE")
    };
    let number = |text: &str| text.parse().expect("a number");
    let team = (team != "whole").then(|| number(team));
    let exchange = Exchange::ALL.into_iter().find(|one| one.name() == exchange).expect("an exchange");
    println!("{}", shader_source(team, number(width), exchange));
}
