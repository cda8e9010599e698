//! The flags of `train`, and what they mean: beside the preset, or beside the run that goes on.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use hdp_gpu::checkpoint::{Holdout, Info};
use hdp_gpu::device::choice::DeviceRequest;
use hdp_gpu::params::Algorithm;
use hdp_gpu::train::{Every, Plan, Sampling};
use hdp_gpu::{Error, Params, Result};

use super::holdout::HoldoutArgs;
use super::model_args::ModelArgs;
use crate::cli::corpus_args::CorpusArgs;
use crate::cli::device_args::{DeviceArgs, KernelArg};

/// What a run is when nothing else is said.
const DEFAULT_PLAN: Plan =
    Plan { iterations: 1000, trace_every: 10, sampling: Sampling { samples: 1, thin: 5 } };

#[derive(Debug, Args)]
pub(in crate::cli) struct TrainArgs {
    /// The folder for the results; it must not exist, unless --resume or --force is given
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,

    /// Iterations of the sampler [default: 1000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: Option<u32>,

    #[command(flatten)]
    pub(super) model: ModelArgs,

    /// Iterations between rows of trace.csv [default: 10]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    trace_every: Option<u32>,

    /// States at the end of the run that documents' topics and topics' words are a mean of, with their spread
    /// [default: 1]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    samples: Option<u32>,

    /// Iterations from one of these states to the next [default: 5]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    thin: Option<u32>,

    /// How often a checkpoint is written, from which --resume goes on: a number of iterations, or a time such as
    /// 30s, 10m or 2h; also at the end and at Ctrl-C
    #[arg(long, value_name = "ITERATIONS|TIME", default_value = "10m", value_parser = parse_every, allow_hyphen_values = true)]
    pub(super) checkpoint_every: Every,

    #[command(flatten)]
    pub(super) holdout: HoldoutArgs,

    /// Show no passages of documents in report.html, for corpora that must not be passed on
    #[arg(long)]
    pub(super) no_text: bool,

    /// Go on with the run in --out from its last checkpoint, to the same result as if it had never stopped; flags that
    /// are left out are as they were, but for those of the corpus and its preparation. More --iterations make a finished
    /// run longer. A run without a checkpoint starts from the beginning
    #[arg(long, conflicts_with = "force")]
    pub(super) resume: bool,

    /// Replace the run in an existing folder; other files in it stay
    #[arg(long)]
    pub(super) force: bool,

    /// How long the end of a run waits for a disk that refuses its results
    #[arg(long, hide = true, default_value = "1h", value_parser = parse_time)]
    pub(super) disk_patience: Duration,

    /// Print nothing but warnings and errors
    #[arg(long)]
    pub(super) quiet: bool,

    #[command(flatten)]
    pub(super) device: DeviceArgs,

    #[command(flatten)]
    pub(super) corpus: CorpusArgs,
}

/// What is meant, whether it was typed or is that of the run that goes on.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) params: Params,
    pub(super) plan: Plan,
    pub(super) holdout: Option<Holdout>,
    pub(super) preset: String,
    pub(super) no_text: bool,
}

impl TrainArgs {
    /// What the flags mean beside the preset, or beside the run that goes on, as it was `before`.
    pub(super) fn asked(&self, before: Option<&Info>) -> Result<Asked> {
        let run = before.map(|before| &before.run);
        let asked = Asked {
            params: self.model.settings(run.map(|run| &run.recipe.settings)).check()?,
            plan: self.plan(run.map(|run| run.plan))?,
            holdout: self.holdout.asked(run.and_then(|run| run.recipe.holdout))?,
            preset: self.model.preset_name(run.map(|run| run.preset.as_str())),
            no_text: self.no_text || run.is_some_and(|run| run.no_text),
        };
        if let Some(before) = before {
            before.check_flags(&self.out, &asked.params, asked.holdout)?;
            before.check_plan(&self.out, &asked.plan)?;
        }
        Ok(asked)
    }

    /// How long to train and what to keep; the samples must fit in the run.
    fn plan(&self, run: Option<Plan>) -> Result<Plan> {
        let base = run.unwrap_or(DEFAULT_PLAN);
        let samples = self.samples.unwrap_or(base.sampling.samples);
        let thin = self.thin.unwrap_or(base.sampling.thin);
        let iterations = self.iterations.unwrap_or(base.iterations);
        let trace_every = self.trace_every.unwrap_or(base.trace_every);
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
    pub(super) fn device_request(&self, params: &Params) -> Result<DeviceRequest> {
        if params.sampler != Algorithm::Direct {
            return Ok(self.device.device.clone());
        }
        let gpu = !matches!(self.device.device, DeviceRequest::Auto | DeviceRequest::Cpu);
        let flags = [
            ("--device", gpu, "direct assignment runs on the CPU"),
            ("--kernel", self.device.kernel != KernelArg::Auto, "direct assignment runs on the CPU"),
            ("--phi", self.model.phi.is_some(), "direct assignment draws no Φ: it is integrated out"),
        ];
        match flags.into_iter().find(|&(_, given, _)| given) {
            Some((flag, _, problem)) => {
                Err(Error::flag(flag, problem, format!("leave out {flag} or --sampler direct")))
            }
            None => Ok(DeviceRequest::Cpu),
        }
    }
}

/// `500` or `10m`.
fn parse_every(text: &str) -> Result<Every, String> {
    let every = text.parse().map(Every::Iterations).or_else(|_| parse_time(text).map(Every::Time));
    match every {
        Ok(Every::Iterations(0) | Every::Time(Duration::ZERO)) | Err(_) => {
            Err("give a number of iterations, for example 500, or a time, for example 30s, 10m or 2h".into())
        }
        every => every,
    }
}

/// `30s`: a whole number of milliseconds, seconds, minutes, hours or days.
fn parse_time(text: &str) -> Result<Duration, String> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60 * 1000,
        "h" => 3600 * 1000,
        "d" => 24 * 3600 * 1000,
        _ => 0,
    };
    let number = text[..text.len() - unit.len()].parse::<u32>().ok().filter(|_| milliseconds > 0);
    let number = number.ok_or_else(|| "give a time, for example 30s, 10m or 2h".to_owned())?;
    Ok(Duration::from_millis(u64::from(number) * milliseconds))
}
