//! The flags of `train`, and what they mean: beside the preset, or beside the run that goes on.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use hdp_gpu::checkpoint::{Holdout, Info, Run};
use hdp_gpu::device::choice::DeviceRequest;
use hdp_gpu::output::folder::last_chain;
use hdp_gpu::params::Algorithm;
use hdp_gpu::train::settled::looks;
use hdp_gpu::train::{Every, Plan, Sampling, Until};
use hdp_gpu::{Error, Params, Result, Settings};

use super::holdout::HoldoutArgs;
use super::model_args::ModelArgs;
use crate::cli::corpus_args::CorpusArgs;
use crate::cli::device_args::{DeviceArgs, KernelArg};

/// What a run is when nothing else is said.
const DEFAULT_PLAN: Plan =
    Plan { iterations: 1000, trace_every: 10, sampling: Sampling { samples: 1, thin: 5 } };

/// The most chains of a run.
const MOST_CHAINS: i64 = 1000;

/// Chains that are waited for to settle when nothing else is said.
const SETTLED_CHAINS: u32 = 4;

#[derive(Debug, Args)]
pub(in crate::cli) struct TrainArgs {
    /// The folder for the results; it must not exist, unless --resume or --force is given
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,

    /// Iterations of the sampler; with --until settled, the most of them [default: 1000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: Option<u32>,

    #[command(flatten)]
    pub(super) model: ModelArgs,

    /// Chains of the model, with the seeds SEED, SEED + 1 and so on: the first in --out, the others in --out/chains, and the
    /// traces of all in the report [default: 1; with --until settled 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_CHAINS))]
    chains: Option<u32>,

    /// When to stop: after all iterations, or as soon as the second halves of all chains' traces (log-likelihood, number of topics, what
    /// is learned) agree, with R-hat of at most 1.05, and are flat [default: iterations]
    #[arg(long, value_enum)]
    until: Option<UntilArg>,

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

/// `--until`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum UntilArg {
    /// All iterations are done
    Iterations,
    /// The chains have settled, looked at after 40 rows of trace.csv and again after each quarter more
    Settled,
}

/// What is meant, whether it was typed or is that of the run that goes on.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) params: Params,
    pub(super) plan: Plan,
    pub(super) chains: u32,
    pub(super) until: Until,
    /// The last iteration, if the chains have settled before.
    pub(super) end: Option<u32>,
    pub(super) holdout: Option<Holdout>,
    pub(super) preset: String,
    pub(super) no_text: bool,
}

impl TrainArgs {
    /// What the flags mean beside the preset, or beside the run that goes on, as it was `before`.
    pub(super) fn asked(&self, before: Option<&Info>) -> Result<Asked> {
        let run = before.map(|before| &before.run);
        let (chains, until) = self.chains(run)?;
        let plan = self.plan(run.map(|run| run.plan))?;
        // A further chain of a run whose chains have settled, taken by itself, has come to its end.
        let alone =
            run.filter(|run| (run.until, chains, until, plan) == (until, 1, Until::Iterations, run.plan));
        let asked = Asked {
            chains,
            until,
            end: alone.and_then(|run| run.end),
            params: self.model.settings(run.map(|run| &run.recipe.settings)).check()?,
            plan,
            holdout: self.holdout.asked(run.and_then(|run| run.recipe.holdout))?,
            preset: self.model.preset_name(run.map(|run| run.preset.as_str())),
            no_text: self.no_text || run.is_some_and(|run| run.no_text),
        };
        asked.check_chains()?;
        Ok(asked)
    }

    /// How many chains there are, and what they go on until.
    fn chains(&self, run: Option<&Run>) -> Result<(u32, Until)> {
        let until = self.until.map(|until| match until {
            UntilArg::Iterations => Until::Iterations,
            UntilArg::Settled => Until::Settled,
        });
        let until = until.or(run.map(|run| run.until)).unwrap_or_default();
        let of_run = run.map_or(1, |run| run.chains);
        let default = if of_run == 1 && until == Until::Settled { SETTLED_CHAINS } else { of_run };
        let chains = self.chains.unwrap_or(default);
        // Those that have begun go on.
        let least = run.map_or(1, |run| run.chains.min(last_chain(&self.out)));
        if chains < least {
            return Err(Error::setting(
                "chains",
                format!("{chains} are asked for, and the run in {} has {least}", self.out.display()),
                "leave out `chains` to go on with that run, or give another `out`",
            ));
        }
        Ok((chains, until))
    }

    /// How long to train and what to keep; the samples must fit in the run.
    fn plan(&self, run: Option<Plan>) -> Result<Plan> {
        let base = run.unwrap_or(DEFAULT_PLAN);
        let samples = self.samples.unwrap_or(base.sampling.samples);
        let thin = self.thin.unwrap_or(base.sampling.thin);
        let iterations = self.iterations.unwrap_or(base.iterations);
        let trace_every = self.trace_every.unwrap_or(base.trace_every);
        if u64::from(samples - 1) * u64::from(thin) >= u64::from(iterations) {
            return Err(Error::setting(
                "samples",
                format!("{samples} states, {thin} iterations apart, do not fit in `iterations` {iterations}"),
                "lower `samples` or `thin`, or raise `iterations`",
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
        let settings = [
            ("device", gpu, "direct assignment runs on the CPU"),
            ("kernel", self.device.kernel != KernelArg::Auto, "direct assignment runs on the CPU"),
            ("phi", self.model.phi.is_some(), "direct assignment draws no Φ: it is integrated out"),
        ];
        match settings.into_iter().find(|&(_, given, _)| given) {
            Some((setting, _, problem)) => {
                Err(Error::setting(setting, problem, format!("leave out `{setting}` or `sampler` direct")))
            }
            None => Ok(DeviceRequest::Cpu),
        }
    }
}

impl Asked {
    /// Refuses chains that cannot be, or could not be seen to settle.
    fn check_chains(&self) -> Result<()> {
        let Plan { iterations, trace_every, .. } = self.plan;
        if self.until == Until::Settled && self.chains == 1 {
            let problem = "one chain has no other to agree with";
            return Err(Error::setting("chains", problem, "give 2 or more, or leave out `until` settled"));
        }
        let first = looks(trace_every).next();
        if self.until == Until::Settled && first.is_none_or(|first| first > iterations) {
            let first = first.map_or_else(|| "never".into(), |first| format!("after iteration {first}"));
            return Err(Error::setting(
                "until",
                format!(
                    "chains with a row every {trace_every} iterations are first looked at {first}, and `iterations` is {iterations}"
                ),
                "raise `iterations`, or lower `trace_every`",
            ));
        }
        self.params_of(self.chains).map(drop)
    }

    /// The parameters of a chain, numbered from 1.
    pub(super) fn params_of(&self, number: u32) -> Result<Params> {
        let mut settings = Settings::clone(&self.params);
        let seed = settings.seed.checked_add(u64::from(number - 1));
        settings.seed = seed.ok_or_else(|| {
            let problem = format!("there are no {} seeds from {} on", self.chains, settings.seed);
            Error::setting("chains", problem, "give a smaller `seed`")
        })?;
        settings.check()
    }

    /// The plan as far as it is carried out.
    pub(super) fn course(&self) -> Plan {
        self.plan.ending(self.end)
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

/// `30s`, `10m`, `2h`, `500ms` or `1d`, and what else humantime knows, such as `1h 30m`.
fn parse_time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|_| "give a time, for example 30s, 10m or 2h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_plain_numbers_are_iterations() {
        let times =
            [("30s", 30_000), ("10m", 600_000), ("2h", 7_200_000), ("500ms", 500), ("1d", 86_400_000)];
        for (text, milliseconds) in times {
            let time = Duration::from_millis(milliseconds);
            assert_eq!(parse_time(text), Ok(time));
            assert!(matches!(parse_every(text), Ok(Every::Time(every)) if every == time), "{text}");
        }
        assert!(matches!(parse_every("500"), Ok(Every::Iterations(500))));
        for text in ["0", "0s", "", "m", "-3", "-3s", "5x", "4294967296", "99999999999999999999d"] {
            let error = parse_every(text).expect_err(text);
            assert!(
                error.starts_with("give a number of iterations, for example 500, or a time, "),
                "{error}"
            );
        }
        for text in ["", "30", "1.s", "s", "-1s", "10 mm"] {
            assert_eq!(parse_time(text), Err("give a time, for example 30s, 10m or 2h".to_owned()), "{text}");
        }
    }
}
