//! Writes a prepared corpus like text, to measure with: `cargo run --release --example zipf_corpus -- MILLIONS FILE`.

use std::path::Path;

use hdp_gpu::Result;
use hdp_gpu::corpus::{LoadNotes, Preparation, write_prepared};
use hdp_gpu::synth::zipf::zipf_corpus;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let (Some(Ok(millions)), Some(file)) = (args.next().map(|arg| arg.parse::<usize>()), args.next()) else {
        eprintln!("give millions of tokens and a file");
        std::process::exit(2);
    };
    let corpus = zipf_corpus(millions * 1_000_000).0;
    println!(
        "{} documents, {} tokens, {} words",
        corpus.num_docs(),
        corpus.num_tokens(),
        corpus.vocab_size()
    );
    write_prepared(Path::new(&file), &corpus, "uci", &Preparation::default(), &LoadNotes::default())
}
