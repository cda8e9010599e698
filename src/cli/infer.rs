//! `hdp-gpu infer`: topics of new documents under a trained model.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use hdp_gpu::corpus::Loaded;
use hdp_gpu::device::Place;
use hdp_gpu::error::caught;
use hdp_gpu::infer::{InferSettings, Inference};
use hdp_gpu::ranks::Ranks;
use hdp_gpu::run::RunRecord;
use hdp_gpu::run::folder::{Folder, FolderKind, name};
use hdp_gpu::run::record::{CorpusRecord, write_json};
use hdp_gpu::run::results::inference::{InferInfo, Unknown, write_inference};
use hdp_gpu::run::results::model_file::read_model;
use hdp_gpu::run::together::new_docs::infer;
use hdp_gpu::{Model, Result};

use super::bars::ShareBar;
use super::command::{command_line, typed_with};
use super::corpus_args::{FormatArgs, print_notes};
use super::device_args::DeviceArgs;
use super::eprint_line;
use super::ranks::{meet, serve};
use super::signals;
use super::topics::print_all;
use super::wording::counted;

const DEFAULT: InferSettings = InferSettings::SHORT;

#[derive(Debug, Args)]
pub(super) struct InferArgs {
    /// The folder of a finished run
    run: PathBuf,

    /// New documents, in any format that `train` reads; text is prepared as the run's was
    corpus: PathBuf,

    /// The folder for the results; it must not exist, unless --force is given
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Iterations before the first sample
    #[arg(long, default_value_t = DEFAULT.burn_in)]
    burn_in: u32,

    /// Samples that a document's topics are a mean of
    #[arg(long, default_value_t = DEFAULT.samples)]
    samples: u32,

    /// Iterations from one sample to the next
    #[arg(long, default_value_t = DEFAULT.thin)]
    thin: u32,

    /// Seed of all random draws: the same seed gives the same result
    #[arg(long, default_value_t = DEFAULT.seed)]
    seed: u64,

    /// Write the topic of each token too, state.gz
    #[arg(long)]
    state: bool,

    /// Replace an earlier inference in an existing folder; other files in it stay
    #[arg(long)]
    force: bool,

    /// Print nothing but warnings and errors
    #[arg(long)]
    quiet: bool,

    #[command(flatten)]
    pub(super) device: DeviceArgs,

    #[command(flatten)]
    format: FormatArgs,
}

impl InferArgs {
    fn settings(&self) -> InferSettings {
        let Self { burn_in, samples, thin, seed, .. } = *self;
        InferSettings { burn_in, samples, thin, seed }
    }
}

pub(super) fn run(args: &InferArgs, ranks: &Ranks) -> Result<()> {
    if !ranks.is_first() {
        return serve(&args.device, ranks);
    }
    let run = Folder::open_run(&args.run)?;
    let settings = args.settings();
    settings.iterations()?;
    let device = args.device.choose()?;
    Folder::check(FolderKind::Inference, &args.out, args.force, &args.format.inputs(&args.corpus))?;
    let model = read_model(&run)?;
    let loaded = args.format.load_like(
        &args.corpus,
        &RunRecord::read(&run)?.corpus.preparation.settings,
        args.quiet,
    )?;
    print_notes(&loaded, args.quiet);
    args.device.thread_pool()?.install(|| infer_on(args, ranks, &model, loaded, device))
}

/// Infers on the threads of the current pool.
fn infer_on(args: &InferArgs, ranks: &Ranks, model: &Model, loaded: Loaded, device: Place) -> Result<()> {
    let start = Instant::now();
    let device = meet(ranks, device)?;
    let Loaded { source, format, corpus, preparation, notes, .. } = loaded;
    let settings = args.settings();
    let bar = ShareBar::new("finding topics", args.quiet);
    let inference = caught(|| infer(ranks, model, &corpus, settings, &device, &bar));
    let inference = inference.map_err(|error| corpus.blamed(error))?;
    bar.finish();
    if let Some(error) = &inference.device_error {
        eprint_line(format_args!("warning: {error}; the CPU was used instead, with the same result"));
    }
    let unknown = Unknown::of(model, &corpus);
    let info = InferInfo {
        program: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        command: command_line(),
        run: args.run.display().to_string(),
        settings,
        device: device.name(),
        device_error: inference.device_error.as_ref().map(ToString::to_string),
        corpus: CorpusRecord::of(&corpus, source, format, preparation, notes),
        known_tokens: inference.docs.iter().map(|doc| u64::from(doc.tokens)).sum(),
        unknown_tokens: unknown.tokens(),
        unknown_words: unknown.words.len(),
        documents_without_known_words: unknown_documents(&inference),
        wall_seconds: start.elapsed().as_secs_f64(),
    };
    if info.known_tokens == 0 && info.unknown_tokens > 0 {
        eprint_line(format_args!(
            "warning: the model knows none of these words, so every document has the prior's topics; check --vocab and \
             --format, and that {} is the right run",
            info.run
        ));
    }
    signals::set_way_on(typed_with("--force"));
    let folder = Folder::create(FolderKind::Inference, &args.out, args.force)?;
    // It makes the folder an inference's, which the same command may replace if it is ended before the rest is written.
    write_json(&folder.file(name::INFER), &info)?;
    write_inference(&folder, model, &corpus, &inference, &unknown, args.state)?;
    if args.quiet { Ok(()) } else { print_all(&summary(&info, &unknown, &folder)) }
}

fn unknown_documents(inference: &Inference) -> u64 {
    inference.docs.iter().filter(|doc| doc.tokens == 0).count() as u64
}

/// What is worth telling at the end.
fn summary(info: &InferInfo, unknown: &Unknown, folder: &Folder) -> String {
    const SHOWN: usize = 8;
    let mut text = String::new();
    if info.unknown_tokens > 0 {
        let most = unknown.words.iter().take(SHOWN).map(|(word, _)| word.as_str());
        let share = 100.0 * info.unknown_tokens as f64 / (info.known_tokens + info.unknown_tokens) as f64;
        text += &format!(
            "{} ({share:.1} %) of {} that the model does not know: {}{}\n",
            counted(info.unknown_tokens, "token"),
            counted(info.unknown_words as u64, "word"),
            most.collect::<Vec<_>>().join(" "),
            if info.unknown_words > SHOWN { " …" } else { "" },
        );
    }
    if info.documents_without_known_words > 0 {
        let documents = counted(info.documents_without_known_words, "document");
        text += &format!("{documents} without known words: their topics are the prior's\n");
    }
    text += &format!(
        "{}, {} in {:.1} s on {}; results in {}\n",
        counted(info.corpus.documents as u64, "document"),
        counted(info.known_tokens, "known token"),
        info.wall_seconds,
        info.device,
        folder.path().display(),
    );
    text
}
