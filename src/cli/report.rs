//! `hdp-gpu report`: a run as one HTML file.

use std::path::PathBuf;

use clap::Args;
use hdp_gpu::evaluate::listing::Fold;
use hdp_gpu::report::{OwnText, RunFiles, Shown, read_run, report_path, write_report};
use hdp_gpu::run::folder::Folder;
use hdp_gpu::run::folder::out::check_out_file;
use hdp_gpu::{Error, Result};

use super::command::repeat;
use super::eprint_line;
use super::topics::print_all;

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The folder of a finished run; more of them are shown beside it in the plots of traces, and their topics matched
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// The file for the report [default: report.html in the folder of the first run, made again]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Show no passages of documents, for corpora that must not be passed on; a run trained so stays so
    #[arg(long)]
    no_text: bool,

    /// Topics that the page folds into one line of its table: those with fewer tokens, or with a smaller share of all tokens, such as 0.5%;
    /// auto are those below 0.1% as long as they have no more than 2% together [default: auto]
    #[arg(long, value_name = "TOKENS|SHARE%|auto")]
    fold_below: Option<Fold>,

    /// Replace an existing --out
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &ReportArgs) -> Result<()> {
    let folders = args.runs.iter().map(|run| Folder::open_run(run)).collect::<Result<Vec<_>>>()?;
    let first = folders.first().ok_or_else(|| Error::setting("RUN", "no run is given", "name its folder"))?;
    let out = args.out.clone().unwrap_or_else(|| report_path(first));
    let inputs: Vec<PathBuf> = folders.iter().flat_map(Folder::files_of_run).collect();
    let force = args.force || args.out.is_none();
    check_out_file(&out, force, &inputs.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    let runs = folders.iter().map(RunFiles::read_chains).collect::<Result<Vec<_>>>()?.concat();
    if runs.iter().any(|run| run.record.corpus.digest != runs[0].record.corpus.digest) {
        eprint_line("warning: the runs have different corpora, so their traces cannot be compared");
    }
    let (corpus, z, model) = read_run(first, &runs[0])?;
    let own_text = if args.no_text { None } else { OwnText::of_run(first, &runs[0].record)? };
    let shown = Shown {
        corpus: &corpus,
        z: &z,
        model: &model,
        is_text: runs[0].record.is_text(),
        passages: !args.no_text && !runs[0].record.settings.no_text,
        own_text: own_text.as_ref(),
        fold: args.fold_below.unwrap_or_default(),
    };
    write_report(&out, shown, &runs, repeat)?;
    print_all(&format!("{}\n", out.display()))
}
