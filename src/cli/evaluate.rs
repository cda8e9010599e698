//! `hdp-gpu evaluate`: how good a run's topics are, and what they say of documents that it has not seen.

use std::path::PathBuf;

use clap::Args;
use hdp_gpu::device::Place;
use hdp_gpu::error::caught;
use hdp_gpu::evaluate::Score;
use hdp_gpu::evaluate::coherence::Window;
use hdp_gpu::evaluate::evaluation::{C_V_WINDOW, DIVERSITY_WORDS, Evaluation, Mean, Measures, evaluate};
use hdp_gpu::evaluate::left_to_right::LONGEST;
use hdp_gpu::infer::InferSettings;
use hdp_gpu::ranks::Ranks;
use hdp_gpu::run::RunRecord;
use hdp_gpu::run::folder::Folder;
use hdp_gpu::run::folder::name;
use hdp_gpu::run::folder::out::check_out_file;
use hdp_gpu::run::results::evaluation::{EvaluationInfo, write_evaluation};
use hdp_gpu::run::results::heldout::read_held_out;
use hdp_gpu::run::results::last_state::read_last_state;
use hdp_gpu::run::results::model_file::read_model;
use hdp_gpu::run::together::new_docs::{complete, left_to_right};
use hdp_gpu::{Corpus, Model, Result};

use super::bars::{ShareBar, Waiting};
use super::command::command_line;
use super::corpus_args::{FormatArgs, print_notes};
use super::device_args::DeviceArgs;
use super::eprint_line;
use super::ranks::{meet, serve};
use super::topics::print_all;
use super::wording::counted;

const DEFAULT: InferSettings = InferSettings::SCORE;

const DEFINITIONS: &str = "\
Measures:
  completion     Held-out document completion. The tokens of a document are put into a random
                 order; θ is inferred from the first half, as `infer` does, and every token v of
                 the second half has p = Σ_k θ_k φ_kv with φ_kv = (n_kv + β) / (n_k + Vβ). The mean
                 of ln p, in nats per word; e to the power of minus it is the perplexity. ± is one
                 standard error, from the differences between documents. Unknown words are left
                 out.
  left-to-right  The mean of ln p(w) a word of whole documents, by the left-to-right estimate
                 (Wallach et al. 2009, algorithm 3) with --particles that are chosen anew by their
                 weights; documents of more than 2000 tokens are left out.
  UMass          The mean of ln [D(u, v) / D(v)] over pairs of a topic's top words, v before u,
                 where D counts documents of the corpus (Mimno et al. 2011); closer to 0 is better.
  NPMI           The mean of ln [p(u, v) / p(u)p(v)] / -ln p(u, v) over these pairs, p over
                 documents or --window (Aletras and Stevenson 2013); from -1 to 1, higher is
                 better.
  C_v            The mean over top words of the cosine between a word's NPMI with all of them and
                 the sum over words, in windows of 110 tokens; in whole documents where the order
                 of words is not known (Röder et al. 2015); higher is better. All three are
                 gensim's definitions.
  exclusivity    The mean over a topic's top words of φ_kv / Σ_j φ_jv: 1 when no other topic has
                 its words.
  diversity      The share of different words among the 25 top words of all topics (Dieng et al.
                 2020).
A mean over topics counts every topic alike; the second one counts them by their tokens.";

#[derive(Debug, Args)]
#[command(after_help = DEFINITIONS)]
pub(super) struct EvaluateArgs {
    /// The folder of a finished run
    run: PathBuf,

    /// Documents to score that the run has not seen, in any format that `train` reads [default: those that
    /// `train --holdout` kept out]
    #[arg(long, value_name = "CORPUS")]
    heldout: Option<PathBuf>,

    /// Corpus in which top words are looked for together [default: the run's own, from its state.gz]
    #[arg(long, value_name = "CORPUS")]
    reference: Option<PathBuf>,

    /// Top words of each topic that coherence and exclusivity look at
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(2..))]
    words: u16,

    /// Tokens of the windows of NPMI [default: whole documents]
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(2..))]
    window: Option<u32>,

    /// Particles of the left-to-right estimate; 0 leaves it out, as it takes the most time
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(..=10_000))]
    particles: u32,

    /// Iterations before the first sample of a document's topics
    #[arg(long, default_value_t = DEFAULT.burn_in)]
    burn_in: u32,

    /// Samples that they are a mean of
    #[arg(long, default_value_t = DEFAULT.samples)]
    samples: u32,

    /// Iterations from one sample to the next
    #[arg(long, default_value_t = DEFAULT.thin)]
    thin: u32,

    /// Seed of all random draws
    #[arg(long, default_value_t = DEFAULT.seed)]
    seed: u64,

    /// The file for the figures [default: evaluation.json in the run's folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    pub(super) device: DeviceArgs,

    #[command(flatten)]
    format: FormatArgs,
}

pub(super) fn run(args: &EvaluateArgs, ranks: &Ranks) -> Result<()> {
    if !ranks.is_first() {
        return serve(&args.device, ranks);
    }
    let run = Folder::open_run(&args.run)?;
    let settings = args.settings();
    settings.iterations()?;
    let out = args.out.clone().unwrap_or_else(|| run.file(name::EVALUATION));
    let mut inputs = run.files_of_run();
    inputs.extend(args.heldout.iter().chain(&args.reference).cloned());
    check_out_file(&out, args.force, &inputs.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    let device = args.device.choose()?;
    let model = read_model(&run)?;
    let preparation = RunRecord::read(&run)?.corpus.preparation.settings;
    let read = |path: &PathBuf| -> Result<Corpus> {
        let loaded = args.format.load_like(path, &preparation, false)?;
        print_notes(&loaded, false);
        Ok(loaded.corpus)
    };
    let held_out = match &args.heldout {
        Some(path) => Some(read(path)?),
        None => read_held_out(&run)?,
    };
    let reference = match &args.reference {
        Some(path) => read(path)?,
        None => read_last_state(&run, &model)?.corpus,
    };
    let measures = args.measures(preparation.text.is_some());
    let measure = || {
        let device = meet(ranks, device)?;
        let waiting = Waiting::new("measuring the topics");
        let mut evaluation = evaluate(&model, &reference, measures);
        drop(waiting);
        if let Some(held_out) = &held_out {
            score(args, ranks, &model, held_out, &device, &mut evaluation)?;
        }
        Ok(evaluation)
    };
    let evaluation: Result<Evaluation> = args.device.thread_pool()?.install(|| caught(measure));
    // Whatever came of other words, a panic too, is not told.
    reference.check_content()?;
    held_out.as_ref().map_or(Ok(()), Corpus::check_content)?;
    let evaluation = evaluation?;
    let info =
        EvaluationInfo::new(command_line(), &args.run, args.heldout.as_deref(), args.reference.as_deref());
    write_evaluation(&out, &info, settings, measures, &evaluation)?;
    let table = table(&evaluation, held_out.is_some(), args);
    print_all(&format!("{table}every topic's figures are in {}\n", out.display()))
}

impl EvaluateArgs {
    fn settings(&self) -> InferSettings {
        let Self { burn_in, samples, thin, seed, .. } = *self;
        InferSettings { burn_in, samples, thin, seed }
    }

    fn measures(&self, is_text: bool) -> Measures {
        Measures {
            words: usize::from(self.words),
            npmi_window: self.window.map_or(Window::Document, |tokens| Window::Tokens(tokens as usize)),
            c_v_window: if is_text { Window::Tokens(C_V_WINDOW) } else { Window::Document },
        }
    }
}

/// Adds the scores of held-out documents.
fn score(
    args: &EvaluateArgs,
    ranks: &Ranks,
    model: &Model,
    held_out: &Corpus,
    device: &Place,
    evaluation: &mut Evaluation,
) -> Result<()> {
    let bar = ShareBar::new("scoring", false);
    let completion = complete(ranks, model, held_out, args.settings(), device, &bar)?;
    bar.finish();
    if let Some(error) = &completion.device_error {
        eprint_line(format_args!("warning: {error}; the CPU was used instead, with the same result"));
    }
    evaluation.completion = completion.score;
    if args.particles > 0 {
        let bar = ShareBar::new("scoring from left to right", false);
        evaluation.left_to_right = left_to_right(ranks, model, held_out, args.particles, args.seed, &bar)?;
        bar.finish();
    }
    Ok(())
}

fn table(evaluation: &Evaluation, has_held_out: bool, args: &EvaluateArgs) -> String {
    let mut text = String::new();
    for (name, score) in [("completion", evaluation.completion), ("left-to-right", evaluation.left_to_right)]
    {
        match score {
            Some(score) => text += &format!("{name:<15}{}\n", score_line(&score)),
            None if has_held_out && (name == "completion" || args.particles > 0) => {
                text += &format!("{name:<15}no held-out document has enough known words\n");
            }
            None => {}
        }
    }
    if !has_held_out {
        text += "completion     no documents were held out: train with --holdout, or give --heldout\n";
    } else if let (Some(whole), Some(half)) = (evaluation.left_to_right, evaluation.completion)
        && whole.documents < half.documents
    {
        let skipped = half.documents - whole.documents;
        text += &format!("{:15}without {skipped} documents of more than {LONGEST} tokens\n", "");
    }
    let words = args.words;
    for (name, mean, of) in [
        ("UMass", evaluation.umass, "coherence of the "),
        ("NPMI", evaluation.npmi, "coherence of the "),
        ("C_v", evaluation.c_v, "coherence of the "),
        ("exclusivity", evaluation.exclusivity, ""),
    ] {
        match mean {
            Mean { mean: Some(mean), weighted_by_tokens: Some(weighted) } => {
                text += &format!(
                    "{name:<15}{mean:.4} per topic, {weighted:.4} weighted by tokens, {of}top {}\n",
                    counted(words, "word")
                );
            }
            _ => text += &format!("{name:<15}no topic has two words that the corpus has\n"),
        }
    }
    let topics = evaluation.topics.len();
    text += &format!(
        "{:<15}{:.4} top {DIVERSITY_WORDS} words of {topics} topics\n",
        "diversity", evaluation.diversity
    );
    text
}

/// A score in one line.
pub(super) fn score_line(score: &Score) -> String {
    let unknown = match score.unknown_tokens {
        0 => String::new(),
        unknown => format!("; {} of unknown words left out", counted(unknown, "token")),
    };
    format!(
        "{:.4}{} nats per word, {} of {}{unknown}",
        score.per_word,
        score.standard_error.map_or_else(String::new, |error| format!(" ± {error:.4}")),
        counted(score.tokens, "token"),
        counted(score.documents, "document")
    )
}
