//! The flags of `train`, and what was typed as the library takes it.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use hdp_gpu::run::{Every, Finish, Mode, RunRequest, Until};

use super::model_args::ModelArgs;
use crate::cli::corpus_args::CorpusArgs;
use crate::cli::device_args::{DeviceArgs, parse_time};

/// The most chains of a run.
const MOST_CHAINS: i64 = 1000;

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

    /// Sweeps of direct assignment, which draws no Φ, on a copy of each state that results are made of; the chain goes on as if there were
    /// none [default: auto, up to 40 sweeps over all states together, on corpora of up to 2 million tokens; paper: 0]
    #[arg(long, value_name = "SWEEPS|auto")]
    finish: Option<Finish>,

    /// How often a checkpoint is written, from which --resume goes on: a number of iterations, or a time such as
    /// 30s, 10m or 2h; also at the end and at Ctrl-C
    #[arg(long, value_name = "ITERATIONS|TIME", default_value = "10m", value_parser = parse_every, allow_hyphen_values = true)]
    pub(super) checkpoint_every: Every,

    /// Share of the documents to keep out of training and to score the model on at the end, for example 0.1
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    holdout: Option<f64>,

    /// Seed that chooses these documents [default: 0]
    #[arg(long, value_name = "SEED")]
    holdout_seed: Option<u64>,

    /// Keep no text of documents with the run and show no passages of them, for corpora that must not be passed on; when a run goes on with
    /// it, the text that was kept is removed
    #[arg(long)]
    no_text: bool,

    /// Go on with the run in --out from its last checkpoint, to the same result as if it had never stopped; flags that
    /// are left out are as they were, but for those that say what the corpus is. More --iterations make a finished
    /// run longer. A run without a checkpoint starts from the beginning
    #[arg(long, conflicts_with = "force")]
    resume: bool,

    /// Replace the run in an existing folder; other files in it stay
    #[arg(long)]
    force: bool,

    /// How long the end of a run waits for a disk that refuses its results
    #[arg(long, hide = true, default_value = "1h", value_parser = parse_time)]
    pub(super) disk_patience: Duration,

    /// Time that results have after Ctrl-C or a signal to end; the iteration is ended and a checkpoint written in any case
    #[arg(long, value_name = "TIME", default_value = "1500ms", value_parser = parse_time)]
    pub(super) grace: Duration,

    /// Print nothing but warnings and errors
    #[arg(long)]
    pub(super) quiet: bool,

    #[command(flatten)]
    pub(in crate::cli) device: DeviceArgs,

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

impl TrainArgs {
    /// What may become of an existing run.
    pub(super) fn mode(&self) -> Mode {
        match (self.resume, self.force) {
            (true, _) => Mode::Resume,
            (false, true) => Mode::Force,
            (false, false) => Mode::New,
        }
    }

    /// What was typed, for the library to say what it means.
    pub(super) fn request(&self) -> RunRequest {
        RunRequest {
            model: self.model.request(),
            iterations: self.iterations,
            trace_every: self.trace_every,
            samples: self.samples,
            thin: self.thin,
            finish: self.finish,
            chains: self.chains,
            until: self.until.map(|until| match until {
                UntilArg::Iterations => Until::Iterations,
                UntilArg::Settled => Until::Settled,
            }),
            holdout: self.holdout,
            holdout_seed: self.holdout_seed,
            no_text: self.no_text,
            device: self.device.device.clone(),
            kernel: self.device.kernel.kernel(),
            team: self.device.team,
            on_device_error: self.device.on_device_error.into(),
        }
    }
}

/// How often a checkpoint is written: `500` iterations or `10m`.
///
/// # Errors
/// Says what to give.
pub fn parse_every(text: &str) -> Result<Every, String> {
    let every = text.parse().map(Every::Iterations).or_else(|_| parse_time(text).map(Every::Time));
    match every {
        Ok(Every::Iterations(0) | Every::Time(Duration::ZERO)) | Err(_) => {
            Err("give a number of iterations, for example 500, or a time, for example 30s, 10m or 2h".into())
        }
        every => every,
    }
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
