//! `hdp-gpu synth`: a corpus drawn from the model itself.

use std::path::PathBuf;

use clap::Args;
use hdp_gpu::run::folder::out::check_out;
use hdp_gpu::synth::files::{DOCWORD, TRUE_STATE, TRUTH, write_synthetic};
use hdp_gpu::synth::{SynthSettings, synth};
use hdp_gpu::{Result, Settings};

use super::command::typed_with;
use super::signals;
use super::topics::print_all;

#[derive(Debug, Args)]
pub(super) struct SynthArgs {
    /// The folder for the corpus and its truth; it must not exist, unless --force is given
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Documents
    #[arg(long, default_value_t = 1000)]
    docs: u32,

    /// Mean number of tokens in a document; lengths follow a Poisson law and are at least 1
    #[arg(long, allow_negative_numbers = true, default_value_t = 100.0)]
    doc_length: f64,

    /// Words of the vocabulary, V in the paper
    #[arg(long, default_value_t = 2000)]
    vocab_size: u32,

    /// Concentration of a document's topics, α in the paper
    #[arg(long, allow_negative_numbers = true, default_value_t = Settings::paper().alpha)]
    alpha: f64,

    /// Concentration of a topic's words, β in the paper, a word
    #[arg(long, allow_negative_numbers = true, default_value_t = Settings::paper().beta)]
    beta: f64,

    /// Concentration of the global topic distribution Ψ, γ in the paper
    #[arg(long, allow_negative_numbers = true, default_value_t = Settings::paper().gamma)]
    gamma: f64,

    /// Topics that Ψ is cut off at, K* in the paper
    #[arg(long, default_value_t = Settings::paper().max_topics)]
    max_topics: u32,

    /// Seed of all random draws
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Write into an existing folder
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &SynthArgs) -> Result<()> {
    let settings = SynthSettings {
        docs: args.docs,
        doc_length: args.doc_length,
        vocab_size: args.vocab_size,
        alpha: args.alpha,
        beta: args.beta,
        gamma: args.gamma,
        max_topics: args.max_topics,
        seed: args.seed,
    };
    check_out(&args.out, args.force)?;
    let synthetic = synth(&settings)?;
    signals::set_way_on(typed_with("--force"));
    write_synthetic(&args.out, &settings, &synthetic)?;
    let out = args.out.display();
    print_all(&format!(
        "{out}/{DOCWORD}: {} documents, {} tokens, {} words, {} topics in use\n\
         {out}/{TRUE_STATE}, {out}/{TRUTH}: the true z, Ψ and Φ\n",
        synthetic.corpus.num_docs(),
        synthetic.corpus.num_tokens(),
        synthetic.corpus.vocab_size(),
        synthetic.phi.len(),
    ))
}
