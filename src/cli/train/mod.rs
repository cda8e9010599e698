//! `hdp-gpu train`: a corpus in, a run folder out.

mod args;
mod holdout;
mod messages;
mod model_args;
mod origin;
mod priors;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use hdp_gpu::chain::Start;
use hdp_gpu::checkpoint::{CorpusId, Recipe, Run};
use hdp_gpu::corpus::holdout::Split;
use hdp_gpu::corpus::labels_digest;
use hdp_gpu::device::Kernel;
use hdp_gpu::direct::DirectAssignment;
use hdp_gpu::needs::Workload;
use hdp_gpu::output::Folder;
use hdp_gpu::output::dropped_documents::write_dropped_documents;
use hdp_gpu::output::folder::FolderKind;
use hdp_gpu::output::heldout::write_held_out;
use hdp_gpu::output::run_json::{CorpusInfo, RunInfo, SettingsInfo, Status, command_line, write_info};
use hdp_gpu::params::Algorithm;
use hdp_gpu::train::{Journal, Outcome, device_failure, insist, train, write_results};
use hdp_gpu::{Chain, Corpus, Params, Result, Sampler, Settings};

use self::args::Asked;
pub(super) use self::args::TrainArgs;
use self::messages::{
    announce, announce_resumption, report_end, tell_way_back, warn_of_flag_topic, warn_of_interruption,
};
use self::origin::Origin;
use super::corpus_args::Source;
use super::device_args::Chosen;
use super::progress::{Terminal, warn_of_device};
use super::signals::Interrupted;
use super::{guarded, needs, report, tell};

pub(super) fn run(args: &TrainArgs) -> Result<ExitCode> {
    let origin = Origin::find(args)?;
    let asked = args.asked(origin.info())?;
    let device = args.device.choose(&args.device_request(&asked.params)?)?;
    origin.check_out(args)?;
    let source = args.corpus.load()?;
    source.tell(args.quiet);
    args.device.thread_pool()?.install(|| train_on(args, asked, origin, source, &device))
}

/// Trains on the threads of the current pool.
fn train_on(
    args: &TrainArgs,
    asked: Asked,
    origin: Origin,
    source: Source,
    device: &Chosen,
) -> Result<ExitCode> {
    let start = Instant::now();
    let Source { name, format, corpus, preparation, notes } = source;
    let path = name.clone();
    let mut info = args.run_info(&asked, CorpusInfo::of(&corpus, name, format, preparation, notes));
    if let Some(before) = origin.info() {
        info.command.clone_from(&before.run.command);
    }
    let run = asked.run(&info, &corpus);
    if let Some(before) = origin.info() {
        before.check_corpus(&args.out, Path::new(&path), &run.recipe.corpus)?;
    }
    let split = asked.holdout.map(|holdout| holdout::split(&corpus, holdout)).transpose()?;
    info.holdout = split.as_ref().zip(asked.holdout).map(|(split, asked)| holdout::info(split, asked));
    let corpus = split.as_ref().map_or_else(|| Arc::new(corpus), |split| Arc::clone(&split.train));
    let held_out = split.as_ref().map(|split| &split.held_out);
    let workload = Workload::new(&corpus, held_out, &asked.params, asked.plan, device.is_gpu());
    let needs = needs::check(&workload, &args.out)?;
    let (at, beginning) = origin.open(&corpus, &asked)?;
    let mut chain = args.chain(Arc::clone(&corpus), asked.params, at, device)?;
    let chain = &mut *chain;
    if let Some(failure) = device_failure(chain) {
        warn_of_device(&failure);
        info.device_error = Some(failure);
    }
    describe_device(&mut info, chain);
    if let Some(before) = beginning.resumed() {
        info.iterations_done = before.iteration;
        info.wall_seconds = before.past.seconds;
        info.resumed.clone_from(&before.past.resumed);
    }
    if !args.quiet {
        announce(&info, device.choice.reason.as_deref());
        tell(needs);
        if let Some(before) = beginning.resumed() {
            announce_resumption(before.iteration, asked.plan.iterations);
        }
    }
    let folder = beginning.folder(args)?;
    write_info(&folder, FolderKind::Run, &info)?;
    write_dropped_documents(&folder, &corpus, &info.corpus.preparation)?;
    if let Some(split) = &split {
        write_held_out(&folder, split, &info.corpus.preparation.settings)?;
    }
    let journal = beginning.journal(&folder, run, args.checkpoint_every)?;
    let work = Work { args, device, split, folder: &folder, info, start };
    guarded(|| work.train(chain, journal)).inspect_err(|_| tell_way_back(&folder))
}

/// A run that is ready to be made.
struct Work<'a> {
    args: &'a TrainArgs,
    device: &'a Chosen,
    split: Option<Split>,
    folder: &'a Folder,
    info: RunInfo,
    start: Instant,
}

impl Work<'_> {
    /// Trains, writes everything and says so.
    fn train(mut self, chain: &mut dyn Chain, journal: Journal) -> Result<ExitCode> {
        let Self { args, folder, .. } = self;
        let interrupted = Interrupted::listen();
        let mut terminal = Terminal::new(
            args.quiet,
            chain.iteration()..journal.plan().iterations,
            chain.corpus().num_tokens(),
            interrupted.clone(),
            args.disk_patience,
        );
        let outcome = train(chain, journal, &mut terminal)?;
        interrupted.set_ending();
        let went_on = !self.info.resumed.is_empty();
        insist(&mut terminal, false, || {
            if went_on {
                folder.remove_evaluation()?;
            }
            write_results(chain, outcome.samples.as_deref(), folder)
        })?;
        self.finish(chain, &outcome, &mut terminal)?;
        warn_of_flag_topic(&outcome, chain.params());
        warn_of_interruption(&outcome, &self.info, folder);
        if !args.quiet {
            report_end(chain, folder, &self.info)?;
        }
        Ok(if outcome.interrupted { ExitCode::from(130) } else { ExitCode::SUCCESS })
    }

    /// Scores held-out documents, and writes run.json and the report.
    fn finish(&mut self, chain: &mut dyn Chain, outcome: &Outcome, terminal: &mut Terminal) -> Result<()> {
        let Self { args, device, split, folder, info, start } = self;
        if let Some(failure) = device_failure(chain) {
            warn_of_device(&failure);
            info.device_error = Some(failure);
        }
        if let (Some(split), Some(held_out), false) = (split, &mut info.holdout, outcome.interrupted) {
            held_out.completion = holdout::score(chain, split, &args.device, device)?;
        }
        info.device_error = info.device_error.take().or_else(|| outcome.past.device_failure.clone());
        describe_device(info, chain);
        info.status = if outcome.interrupted { Status::Interrupted } else { Status::Finished };
        info.iterations_done = chain.iteration();
        info.concentrations = chain.params().concentrations();
        info.max_topics = chain.params().max_topics;
        info.wall_seconds += start.elapsed().as_secs_f64();
        insist(terminal, false, || write_info(folder, FolderKind::Run, info))?;
        insist(terminal, false, || report::of_chain(chain, folder, !info.settings.no_text))
    }
}

/// Puts the chain's device, as it is now, into run.json.
fn describe_device(info: &mut RunInfo, chain: &dyn Chain) {
    info.device = chain.device_name();
    info.driver = chain.device_driver();
    info.kernel = chain.kernel().map(Kernel::name);
}

impl Asked {
    /// The run, as its checkpoints tell it.
    fn run(&self, info: &RunInfo, corpus: &Corpus) -> Run {
        let CorpusInfo { digest, documents, tokens, words, .. } = &info.corpus;
        let corpus = CorpusId {
            digest: digest.clone(),
            labels: labels_digest(corpus),
            documents: *documents,
            tokens: *tokens,
            words: *words,
        };
        Run {
            recipe: Recipe { settings: Settings::clone(&self.params), holdout: self.holdout, corpus },
            plan: self.plan,
            preset: self.preset.clone(),
            no_text: self.no_text,
            command: info.command.clone(),
        }
    }
}

impl TrainArgs {
    /// A chain at `start`; the paper's sampler on `device`, or on the CPU if that fails and may.
    fn chain(
        &self,
        corpus: Arc<Corpus>,
        params: Params,
        start: Start,
        device: &Chosen,
    ) -> Result<Box<dyn Chain>> {
        if params.sampler == Algorithm::Direct {
            return Ok(Box::new(DirectAssignment::resume(corpus, params, start)));
        }
        let open = |corpus: Arc<Corpus>, params: &Params, z| device.open(corpus, params, z);
        // Going back to a state takes a copy of it, and the CPU never has to.
        Ok(Box::new(if self.device.cpu_in_reserve() && device.is_gpu() {
            Sampler::with_cpu_in_reserve(corpus, params, start, open)?
        } else {
            Sampler::resume(corpus, params, start, open)?
        }))
    }

    /// run.json as it is before the first iteration.
    fn run_info(&self, asked: &Asked, corpus: CorpusInfo) -> RunInfo {
        let Asked { params, plan, preset, no_text, .. } = asked;
        RunInfo {
            program: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            status: Status::Running,
            command: command_line(),
            settings: SettingsInfo {
                preset: preset.clone(),
                model: Settings::clone(params),
                iterations: plan.iterations,
                trace_every: plan.trace_every,
                samples: plan.sampling.samples,
                thin: plan.sampling.thin,
                no_text: *no_text,
                device: self.device.device.to_string(),
                kernel: self.device.kernel.kernel().map_or("auto", Kernel::name),
                on_device_error: self.device.on_device_error.name(),
            },
            corpus,
            holdout: None,
            device: String::new(),
            driver: None,
            kernel: None,
            device_error: None,
            threads: rayon::current_num_threads(),
            iterations_done: 0,
            concentrations: params.concentrations(),
            max_topics: params.max_topics,
            resumed: Vec::new(),
            wall_seconds: 0.0,
        }
    }
}
