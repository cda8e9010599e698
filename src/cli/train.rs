//! `hdp-gpu train`: a corpus in, a run folder out.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum};
use hdp_gpu::device::Kernel;
use hdp_gpu::device::choice::DeviceRequest;
use hdp_gpu::direct::DirectAssignment;
use hdp_gpu::needs::Workload;
use hdp_gpu::output::Folder;
use hdp_gpu::output::dropped_documents::write_dropped_documents;
use hdp_gpu::output::folder::FolderKind;
use hdp_gpu::output::heldout::write_held_out;
use hdp_gpu::output::run_json::{CorpusInfo, RunInfo, SettingsInfo, Status, command_line, write_info};
use hdp_gpu::params::{Algorithm, PhiLaw};
use hdp_gpu::train::{Plan, Sampling, device_failure, train, write_results};
use hdp_gpu::{Chain, Corpus, Error, Params, Result, Sampler, Settings};

use super::corpus_args::{CorpusArgs, Source};
use super::device_args::{Chosen, DeviceArgs, KernelArg};
use super::holdout::HoldoutArgs;
use super::progress::{Terminal, interrupt_flag, warn_of_device};
use super::train_messages::{announce, report_end, warn_of_flag_topic, warn_of_interruption};
use super::{holdout, needs, report};

#[derive(Debug, Args)]
pub(super) struct TrainArgs {
    /// The folder for the results; it must not exist, unless --force is given
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Iterations of the sampler
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,

    /// Seed of all random draws: the same seed gives the same result
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Settings to start from; flags given beside it still count
    #[arg(long, value_enum, default_value_t = Preset::Paper)]
    preset: Preset,

    /// Concentration of a document's topics, α in the paper [paper: 0.1]
    #[arg(long, allow_negative_numbers = true)]
    alpha: Option<f64>,

    /// Concentration of a topic's words, β in the paper, a word [paper: 0.01]
    #[arg(long, allow_negative_numbers = true)]
    beta: Option<f64>,

    /// Concentration of the global topic distribution Ψ, γ in the paper [paper: 1]
    #[arg(long, allow_negative_numbers = true)]
    gamma: Option<f64>,

    /// Topics that can be represented, K* in the paper; the last one stands for all others [paper: 1000]
    #[arg(long)]
    max_topics: Option<u32>,

    /// Topics that tokens are spread over at the start [paper: 1]
    #[arg(long)]
    init_topics: Option<u32>,

    /// How topics are sampled [paper: ppu]
    #[arg(long, value_enum)]
    sampler: Option<AlgorithmArg>,

    /// How topics' words Φ are drawn, step 1 in the paper [paper: ppu]
    #[arg(long, value_enum)]
    phi: Option<PhiArg>,

    /// Iterations between rows of trace.csv
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    trace_every: u32,

    /// States at the end of the run that documents' topics and topics' words are a mean of, with their spread
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    samples: u32,

    /// Iterations from one of these states to the next
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    thin: u32,

    #[command(flatten)]
    holdout: HoldoutArgs,

    /// Show no passages of documents in report.html, for corpora that must not be passed on
    #[arg(long)]
    no_text: bool,

    /// Replace the run in an existing folder; other files in it stay
    #[arg(long)]
    force: bool,

    /// Print nothing but warnings and errors
    #[arg(long)]
    quiet: bool,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    corpus: CorpusArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Preset {
    /// The settings of the paper's experiments
    Paper,
}

/// `--sampler`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AlgorithmArg {
    /// The paper's sampler: sparse, parallel, on any device
    Ppu,
    /// Direct assignment (Teh et al. 2006): fully collapsed, on one thread of the CPU
    Direct,
}

/// `--phi`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PhiArg {
    /// The Poisson Pólya urn: sparse, an approximation that gets better with the size of the corpus
    Ppu,
    /// The exact Dirichlet law: dense and slower
    Dirichlet,
}

pub(super) fn run(args: &TrainArgs) -> Result<ExitCode> {
    let params = args.settings().check()?;
    let plan = args.plan()?;
    args.holdout.check()?;
    let request = args.device_request()?;
    let device = args.device.choose(&request)?;
    Folder::check(FolderKind::Run, &args.out, args.force, &args.corpus.inputs())?;
    let source = args.corpus.load()?;
    source.tell(args.quiet);
    args.device.thread_pool()?.install(|| train_on(args, params, plan, source, &device))
}

/// Trains on the threads of the current pool.
fn train_on(
    args: &TrainArgs,
    params: Params,
    plan: Plan,
    source: Source,
    device: &Chosen,
) -> Result<ExitCode> {
    let start = Instant::now();
    let Source { name, format, corpus, preparation, notes } = source;
    let split = args.holdout.split(&corpus)?;
    let mut info = args.run_info(&params, CorpusInfo::of(&corpus, name, format, preparation, notes));
    info.holdout = split.as_ref().map(|split| args.holdout.info(split));
    let corpus = Arc::new(split.as_ref().map_or(corpus, |split| split.train.clone()));
    let held_out = split.as_ref().map(|split| &split.held_out);
    needs::tell_and_check(
        &Workload::new(&corpus, held_out, &params, plan, device.is_gpu()),
        &args.out,
        args.quiet,
    )?;
    let mut chain = args.chain(Arc::clone(&corpus), params, device)?;
    let chain = &mut *chain;
    if let Some(failure) = device_failure(chain) {
        warn_of_device(&failure);
        info.device_error = Some(failure);
    }
    describe_device(&mut info, chain);
    if !args.quiet {
        announce(&info, device.choice.reason.as_deref());
    }
    let folder = Folder::create(FolderKind::Run, &args.out, args.force)?;
    write_info(&folder, FolderKind::Run, &info)?;
    write_dropped_documents(&folder, &corpus, &info.corpus.preparation)?;
    if let Some(split) = &split {
        write_held_out(&folder, split, &info.corpus.preparation.settings)?;
    }
    let mut terminal = Terminal::new(args.quiet, plan.iterations, corpus.num_tokens(), interrupt_flag());
    let outcome = train(chain, plan, &folder, &mut terminal)?;
    write_results(chain, outcome.samples.as_ref(), &folder)?;
    if let Some(failure) = device_failure(chain) {
        warn_of_device(&failure);
        info.device_error = Some(failure);
    }
    if let (Some(split), Some(held_out), false) = (&split, &mut info.holdout, outcome.interrupted) {
        held_out.completion = holdout::score(chain, split, &args.device, device)?;
    }
    info.device_error = info.device_error.or_else(|| outcome.device_failure.clone());
    describe_device(&mut info, chain);
    info.status = if outcome.interrupted { Status::Interrupted } else { Status::Finished };
    info.iterations_done = chain.iteration();
    info.wall_seconds = start.elapsed().as_secs_f64();
    write_info(&folder, FolderKind::Run, &info)?;
    report::of_chain(chain, &folder, !args.no_text)?;
    warn_of_flag_topic(&outcome, chain.params());
    warn_of_interruption(&outcome, &info, &folder);
    if !args.quiet {
        report_end(chain, &folder, &info)?;
    }
    Ok(if outcome.interrupted { ExitCode::from(130) } else { ExitCode::SUCCESS })
}

/// Puts the chain's device, as it is now, into run.json.
fn describe_device(info: &mut RunInfo, chain: &dyn Chain) {
    info.device = chain.device_name();
    info.driver = chain.device_driver();
    info.kernel = chain.kernel().map(Kernel::name);
}

impl TrainArgs {
    /// The preset with the flags given beside it.
    fn settings(&self) -> Settings {
        let preset = match self.preset {
            Preset::Paper => Settings::paper(),
        };
        Settings {
            alpha: self.alpha.unwrap_or(preset.alpha),
            beta: self.beta.unwrap_or(preset.beta),
            gamma: self.gamma.unwrap_or(preset.gamma),
            max_topics: self.max_topics.unwrap_or(preset.max_topics),
            init_topics: self.init_topics.unwrap_or(preset.init_topics),
            seed: self.seed,
            sampler: match (self.sampler, self.phi) {
                (None, None) => preset.sampler,
                (Some(AlgorithmArg::Direct), _) => Algorithm::Direct,
                (_, None | Some(PhiArg::Ppu)) => Algorithm::Ppu { phi: PhiLaw::Ppu },
                (_, Some(PhiArg::Dirichlet)) => Algorithm::Ppu { phi: PhiLaw::Dirichlet },
            },
        }
    }

    /// How long to train and what to keep; the samples must fit in the run.
    fn plan(&self) -> Result<Plan> {
        let Self { samples, thin, iterations, trace_every, .. } = *self;
        if u64::from(samples - 1) * u64::from(thin) >= u64::from(iterations) {
            return Err(Error::flag(
                "--samples",
                format!("{samples} states, {thin} iterations apart, do not fit in --iterations {iterations}"),
                "lower --samples or --thin, or raise --iterations",
            ));
        }
        Ok(Plan { iterations, trace_every, sampling: Sampling { samples, thin } })
    }

    /// The device asked for. Direct assignment has no choice.
    fn device_request(&self) -> Result<DeviceRequest> {
        if self.sampler != Some(AlgorithmArg::Direct) {
            return Ok(self.device.device.clone());
        }
        let gpu = !matches!(self.device.device, DeviceRequest::Auto | DeviceRequest::Cpu);
        let flags = [
            ("--device", gpu, "direct assignment runs on the CPU"),
            ("--kernel", self.device.kernel != KernelArg::Auto, "direct assignment runs on the CPU"),
            ("--phi", self.phi.is_some(), "direct assignment draws no Φ: it is integrated out"),
        ];
        match flags.into_iter().find(|&(_, given, _)| given) {
            Some((flag, _, problem)) => {
                Err(Error::flag(flag, problem, format!("leave out {flag} or --sampler direct")))
            }
            None => Ok(DeviceRequest::Cpu),
        }
    }

    /// A chain at its initial state; the paper's sampler on `device`, or on the CPU if that fails and may.
    fn chain(&self, corpus: Arc<Corpus>, params: Params, device: &Chosen) -> Result<Box<dyn Chain>> {
        if params.sampler == Algorithm::Direct {
            return Ok(Box::new(DirectAssignment::new(corpus, params)));
        }
        let open = |corpus: Arc<Corpus>, params: &Params, z| device.open(corpus, params, z);
        Ok(Box::new(if self.device.cpu_in_reserve() {
            Sampler::with_cpu_in_reserve(corpus, params, open)?
        } else {
            Sampler::new(corpus, params, open)?
        }))
    }

    /// run.json as it is before the first iteration.
    fn run_info(&self, params: &Params, corpus: CorpusInfo) -> RunInfo {
        RunInfo {
            program: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            status: Status::Running,
            command: command_line(),
            settings: SettingsInfo {
                preset: self
                    .preset
                    .to_possible_value()
                    .expect("every preset has a name")
                    .get_name()
                    .to_owned(),
                model: Settings::clone(params),
                iterations: self.iterations,
                trace_every: self.trace_every,
                samples: self.samples,
                thin: self.thin,
                no_text: self.no_text,
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
            wall_seconds: 0.0,
        }
    }
}
