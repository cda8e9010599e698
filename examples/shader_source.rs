//! Prints the z step's shader as the program would compile it, for tools that read WGSL.
//!
//! `cargo run --example shader_source -- workgroup|invocation TOKENS MAX_TOPICS LANES`, where TOKENS is the length of
//! the document: long ones are given to the GPU in another way.

use hdp_gpu::device::{Kernel, shader_source};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [kernel, tokens, max_topics, lanes] = args.as_slice() else {
        panic!("four arguments: workgroup|invocation TOKENS MAX_TOPICS LANES");
    };
    let kernel = match kernel.as_str() {
        "workgroup" => Kernel::Workgroup,
        "invocation" => Kernel::Invocation,
        other => panic!("no kernel {other:?}"),
    };
    let number = |text: &String| text.parse::<u32>().expect("a number");
    println!(
        "{}",
        shader_source(kernel, number(tokens) as usize, number(max_topics) as usize, number(lanes))
    );
}
