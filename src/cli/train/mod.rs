//! `hdp-gpu train`: a corpus in, a run folder out.

mod args;
mod chains;
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
use hdp_gpu::checkpoint::{CorpusId, Info, Recipe, Run};
use hdp_gpu::corpus::holdout::Split;
use hdp_gpu::corpus::{Loaded, labels_digest};
use hdp_gpu::device::Kernel;
use hdp_gpu::direct::DirectAssignment;
use hdp_gpu::needs::Workload;
use hdp_gpu::output::Folder;
use hdp_gpu::output::dropped_documents::write_dropped_documents;
use hdp_gpu::output::folder::{FolderKind, chain_path, is_below};
use hdp_gpu::output::heldout::write_held_out;
use hdp_gpu::output::run_json::{CorpusInfo, RunInfo, SettingsInfo, Status, command_line, write_info};
use hdp_gpu::params::{Algorithm, Init};
use hdp_gpu::train::{Journal, Outcome, Until, advance, device_failure, insist, write_results};
use hdp_gpu::{Chain, Corpus, Error, Params, Result, Sampler, Settings};

use self::args::Asked;
pub(super) use self::args::TrainArgs;
use self::messages::{announce, announce_resumption, end_of_chain, warn_of_flag_topic};
use self::origin::Origin;
use super::corpus_args::tell_notes;
use super::device_args::Chosen;
use super::progress::{Terminal, warn_of_device};
use super::{needs, report, tell};

pub(super) fn run(args: &TrainArgs) -> Result<ExitCode> {
    let mut origins = vec![Origin::find(args, 1)?];
    let mut asked = args.asked(origins[0].info())?;
    (2..=asked.chains).try_for_each(|number| Folder::check_chain(&args.out, number))?;
    args.check_start(&asked)?;
    // Whether they can go on is asked of all before hours are spent on the first; only chains that wait for each other stay.
    let mut before = Vec::from_iter(origins[0].info().cloned().map(|info| (1, info)));
    for number in 2..=asked.chains {
        let origin = Origin::find(args, number)?;
        before.extend(origin.info().cloned().map(|info| (number, info)));
        if asked.until == Until::Settled {
            origins.push(origin);
        }
    }
    if asked.until == Until::Settled {
        asked.end = chains::end_of(&origins, &asked);
    }
    before.iter().try_for_each(|(number, info)| asked.check_chain(&args.out, *number, info))?;
    let device = args.device.choose(&args.device_request(&asked.params)?)?;
    origins[0].check_out(args)?;
    let loaded = args.corpus.load()?;
    tell_notes(&loaded, args.quiet);
    args.device.thread_pool()?.install(|| train_on(args, asked, (origins, before), loaded, &device))
}

/// Trains on the threads of the current pool.
fn train_on(
    args: &TrainArgs,
    asked: Asked,
    (origins, before): (Vec<Origin>, Vec<(u32, Info)>),
    loaded: Loaded,
    device: &Chosen,
) -> Result<ExitCode> {
    let start = Instant::now();
    let Loaded { source, format, corpus, preparation, notes } = loaded;
    let mut info = args.run_info(&asked, CorpusInfo::of(&corpus, source, format, preparation, notes));
    let run = asked.run(&info, &corpus);
    for (number, before) in before {
        let out = chain_path(&args.out, number);
        before.check_corpus(&out, Path::new(&info.corpus.source), &run.recipe.corpus)?;
    }
    let split = asked.holdout.map(|holdout| holdout::split(&corpus, holdout)).transpose()?;
    info.holdout = split.as_ref().zip(asked.holdout).map(|(split, asked)| holdout::info(split, asked));
    let corpus = split.as_ref().map_or_else(|| Arc::new(corpus), |split| Arc::clone(&split.train));
    let held_out = split.as_ref().map(|split| &split.held_out);
    let workload = Workload::new(&corpus, held_out, &asked.params, asked.plan, device.is_gpu());
    let needs = needs::check(&workload.in_chains(asked.chains, asked.until), &args.out)?;
    let work = Work { args, asked, device, split, corpus, info, run, needs };
    work.train(origins, start)
}

/// A run that is ready to be made.
struct Work<'a> {
    args: &'a TrainArgs,
    asked: Asked,
    device: &'a Chosen,
    split: Option<Split>,
    corpus: Arc<Corpus>,
    /// run.json of the first chain before its first iteration.
    info: RunInfo,
    /// That chain, as its checkpoints tell it.
    run: Run,
    /// What is needed, in a line.
    needs: String,
}

/// A chain that has begun, and what it writes.
struct Member {
    number: u32,
    folder: Folder,
    info: RunInfo,
    journal: Journal,
}

/// A chain that has ended.
struct Ended {
    number: u32,
    info: RunInfo,
    outcome: Outcome,
    /// Topics with tokens.
    topics: usize,
    /// A token.
    log_likelihood: f64,
    /// What there is to say of it.
    text: String,
}

impl Ended {
    /// Its iterations.
    fn done(&self) -> u32 {
        self.info.iterations_done
    }

    /// The seconds that it has taken.
    fn seconds(&self) -> f64 {
        self.info.wall_seconds
    }
}

impl Work<'_> {
    /// Begins chain `number`, or has it go on, as it has since `start`: its folder is then there.
    fn open(&self, number: u32, origin: Origin, start: Instant) -> Result<(Member, Box<dyn Chain>)> {
        let Self { args, asked, device, corpus, .. } = self;
        let params = asked.params_of(number)?;
        let (mut info, mut run) = (self.info.clone(), self.run.clone());
        run.recipe.settings = Settings::clone(&params);
        run.end = origin.end(asked);
        let course = run.course();
        info.settings.model = Settings::clone(&params);
        if number > 1 {
            // Its folder is that of a run of its own.
            (run.chains, run.until) = (1, Until::Iterations);
            (info.settings.chains, info.settings.until) = (1, Until::Iterations.name());
        }
        if let Some(before) = origin.info() {
            info.command.clone_from(&before.run.command);
            run.command.clone_from(&before.run.command);
        }
        let (at, beginning) = origin.open(corpus, &params, &course)?;
        let mut opened = args.chain(Arc::clone(corpus), params, at, device)?;
        let chain = &mut *opened;
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
            if number == 1 {
                announce(&info, device.choice.reason.as_deref());
                tell(&self.needs);
            }
            if let Some(before) = beginning.resumed() {
                let number = (asked.chains > 1).then_some(number);
                announce_resumption(before.iteration, course.iterations, number);
            }
        }
        let folder = beginning.folder(args, number)?;
        write_info(&folder, FolderKind::Run, &info)?;
        if number == 1 && asked.chains > 1 {
            folder.make_room_for_chains()?;
        }
        write_dropped_documents(&folder, corpus, &info.corpus.preparation)?;
        if let Some(split) = &self.split {
            write_held_out(&folder, split, &info.corpus.preparation.settings)?;
        }
        let mut journal = beginning.journal(&folder, run, args.checkpoint_every)?;
        journal.begin(chain)?;
        info.wall_seconds += start.elapsed().as_secs_f64();
        Ok((Member { number, folder, info, journal }, opened))
    }

    /// Has a chain go on to iteration `to`; returns whether it was interrupted.
    fn advance(
        &self,
        member: &mut Member,
        chain: &mut dyn Chain,
        to: u32,
        terminal: &mut Terminal,
    ) -> Result<bool> {
        let start = Instant::now();
        terminal.turn_to(member.number, chain.iteration());
        let interrupted = advance(chain, &mut member.journal, to, terminal)?;
        member.info.wall_seconds += start.elapsed().as_secs_f64();
        Ok(interrupted)
    }

    /// Ends a chain: results, the score of held-out documents, run.json and the report.
    fn finish(
        &self,
        member: Member,
        chain: &mut dyn Chain,
        interrupted: bool,
        terminal: &mut Terminal,
    ) -> Result<Ended> {
        let start = Instant::now();
        let Self { args, asked, device, .. } = self;
        let Member { number, folder, mut info, journal } = member;
        let log_likelihood = chain.log_likelihood().model / chain.corpus().num_tokens() as f64;
        if number > 1 || asked.chains == 1 {
            // Its folder is that of a run of its own, with as many iterations.
            info.settings.iterations = journal.plan().iterations;
        }
        let (past, samples) = journal.end(chain, terminal)?;
        let outcome = Outcome { interrupted, samples, past };
        let went_on = !info.resumed.is_empty();
        insist(terminal, false, || {
            if went_on {
                folder.remove_evaluation()?;
            }
            write_results(chain, outcome.samples.as_deref(), &folder)
        })?;
        if let Some(failure) = device_failure(chain) {
            warn_of_device(&failure);
            info.device_error = Some(failure);
        }
        if let (Some(split), Some(held_out), false) = (&self.split, &mut info.holdout, interrupted) {
            held_out.completion = holdout::score(chain, split, &args.device, device)?;
        }
        info.device_error = info.device_error.take().or_else(|| outcome.past.device_failure.clone());
        describe_device(&mut info, chain);
        info.status = if interrupted { Status::Interrupted } else { Status::Finished };
        info.iterations_done = chain.iteration();
        info.concentrations = chain.params().concentrations();
        info.max_topics = chain.params().max_topics;
        info.wall_seconds += start.elapsed().as_secs_f64();
        // The folder of the first chain is also that of all, which go on.
        let is_all = number > 1 || asked.chains == 1;
        let status = if is_all { info.status } else { Status::Running };
        let told = RunInfo { status, ..info.clone() };
        insist(terminal, false, || write_info(&folder, FolderKind::Run, &told))?;
        if is_all {
            insist(terminal, false, || report::of_chain(chain, &folder, !info.settings.no_text))?;
        }
        warn_of_flag_topic(&outcome, chain.params());
        let text = end_of_chain(chain, &folder, &info);
        let topics = chain.counts().n.active_topics();
        Ok(Ended { number, info, outcome, topics, log_likelihood, text })
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
            chains: self.chains,
            until: self.until,
            end: self.end,
            preset: self.preset.clone(),
            no_text: self.no_text,
            command: info.command.clone(),
        }
    }
}

impl TrainArgs {
    /// Refuses to start several chains from a model that the first of them replaces.
    fn check_start(&self, asked: &Asked) -> Result<()> {
        match &asked.params.init {
            Init::Run(run) if asked.chains > 1 && is_below(run, &self.out) => Err(Error::setting(
                "init",
                format!(
                    "the run in {} is in `out`, and replaced before all chains have started",
                    run.display()
                ),
                "give another `out`",
            )),
            _ => Ok(()),
        }
    }

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
                chains: asked.chains,
                until: asked.until.name(),
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
            chains: None,
            resumed: Vec::new(),
            wall_seconds: 0.0,
        }
    }
}
