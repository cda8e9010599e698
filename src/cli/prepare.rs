//! `hdp-gpu prepare`: a corpus of any format in, a file from which training starts at once out.

use std::path::PathBuf;

use clap::Args;
use hdp_gpu::Result;
use hdp_gpu::corpus::{Loaded, write_prepared};
use hdp_gpu::run::folder::out::check_out_file;

use super::corpus_args::{CorpusArgs, print_notes};
use super::topics::print_all;

#[derive(Debug, Args)]
pub(super) struct PrepareArgs {
    #[command(flatten)]
    corpus: CorpusArgs,

    /// The file for the prepared corpus; it must not exist, unless --force is given
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &PrepareArgs) -> Result<()> {
    check_out_file(&args.out, args.force, &args.corpus.inputs())?;
    let loaded = args.corpus.load(false)?;
    let Loaded { source, format, corpus, preparation, notes, .. } = &loaded;
    print_notes(&loaded, false);
    write_prepared(&args.out, corpus, format, preparation, notes)?;
    print_all(&format!(
        "{}: {} documents, {} tokens, {} words from {source}\n",
        args.out.display(),
        corpus.num_docs(),
        corpus.num_tokens(),
        corpus.vocab_size(),
    ))
}
