//! A whole run: iterations, logs and results in one folder.

use serde::Serialize;

use crate::chain::{Chain, Progress};
use crate::error::Result;
use crate::estimate::{DocTopics, PhiRows, Samples};
use crate::output::Folder;
use crate::output::logs::Logs;
use crate::output::results::{self, Results};

/// How long to train and what to log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Iterations.
    pub iterations: u32,
    /// Iterations between rows of the trace; the first and the last state are always there.
    pub trace_every: u32,
    /// What the results are a mean of.
    pub sampling: Sampling,
}

/// The states at the end of a run that θ and Φ are a mean of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// How many; with one, the last state stands for itself.
    pub samples: u32,
    /// Iterations from one to the next.
    pub thin: u32,
}

impl Sampling {
    /// The last state alone.
    pub const LAST: Self = Self { samples: 1, thin: 1 };

    /// Whether the state after `iteration` of `iterations` is one of several samples.
    fn is_due(self, iteration: u32, iterations: u32) -> bool {
        let left = u64::from(iterations - iteration);
        let (samples, thin) = (u64::from(self.samples), u64::from(self.thin));
        samples > 1 && left < samples * thin && left.is_multiple_of(thin)
    }
}

/// What a run tells after each iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// The iteration.
    pub progress: Progress,
    /// Topics that have tokens.
    pub active_topics: usize,
    /// The latest log-likelihood of the trace.
    pub log_likelihood: f64,
}

/// A device that was left for the CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceFailure {
    /// The first iteration whose result is the CPU's.
    pub iteration: u32,
    /// Which device failed, why, and what to do.
    pub error: String,
}

/// Somebody who watches a run and may end it.
pub trait Watcher {
    /// An iteration has ended.
    fn iteration(&mut self, report: &Report);

    /// The device has failed and the CPU goes on.
    fn device_failed(&mut self, _failure: &DeviceFailure) {}

    /// Whether to stop after the current iteration.
    fn interrupted(&self) -> bool {
        false
    }
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether the watcher ended it early.
    pub interrupted: bool,
    /// The most tokens that the flag topic had in any row of the trace.
    pub most_flag_topic_tokens: u64,
    /// The device's failure, if the CPU had to take over.
    pub device_failure: Option<DeviceFailure>,
    /// The samples that the results are a mean of, when there are several.
    pub samples: Option<Samples>,
}

/// Runs `plan` from the chain's state, with logs in `folder`.
///
/// # Errors
/// When the device fails or a log cannot be written.
pub fn train(
    chain: &mut dyn Chain,
    plan: Plan,
    folder: &Folder,
    watcher: &mut dyn Watcher,
) -> Result<Outcome> {
    let mut device = chain.device_name();
    let num_tokens = chain.corpus().num_tokens();
    let mut logs = Logs::create(folder)?;
    let mut log_likelihood = logs.trace(chain, 0)?;
    let mut outcome = Outcome {
        interrupted: false,
        most_flag_topic_tokens: chain.flag_topic_tokens(),
        device_failure: None,
        samples: None,
    };
    while chain.iteration() < plan.iterations && !outcome.interrupted {
        let progress = chain.step()?;
        if let Some(failure) = device_failure(chain) {
            watcher.device_failed(&failure);
            outcome.device_failure = Some(failure);
            device = chain.device_name();
        }
        let done = progress.iteration == plan.iterations;
        outcome.interrupted = !done && watcher.interrupted();
        let last = done || outcome.interrupted;
        logs.timing(&progress, num_tokens, &device)?;
        if last || progress.iteration.is_multiple_of(plan.trace_every) {
            log_likelihood = logs.trace(chain, progress.z.stuck_tokens)?;
            outcome.most_flag_topic_tokens = outcome.most_flag_topic_tokens.max(chain.flag_topic_tokens());
        }
        if plan.sampling.is_due(progress.iteration, plan.iterations) {
            let z = chain.z()?;
            outcome.samples.get_or_insert_with(|| Samples::new(chain)).add(chain, &z);
        }
        let active_topics = chain.counts().n.active_topics();
        watcher.iteration(&Report { progress, active_topics, log_likelihood });
    }
    Ok(outcome)
}

/// The failure of the chain's device in the iteration that it has just made, if it had one; told once.
pub fn device_failure(chain: &mut dyn Chain) -> Option<DeviceFailure> {
    let error = chain.take_device_error()?.to_string();
    // Before the first iteration, all of them will be the CPU's.
    Some(DeviceFailure { iteration: chain.iteration().max(1), error })
}

/// Writes the results of the chain's state, or of `samples` of it: everything but the logs and run.json.
///
/// # Errors
/// When the device fails or a file cannot be written.
pub fn write_results(chain: &mut dyn Chain, samples: Option<&Samples>, folder: &Folder) -> Result<()> {
    let z = chain.z()?;
    let model = chain.model();
    let corpus = chain.corpus();
    let (docs, phi) = match samples {
        Some(samples) => (DocTopics::of_samples(samples), samples.phi()),
        None => (DocTopics::of_state(&model, &corpus.doc_start, &z), PhiRows::of_model(&model)),
    };
    results::write_results(folder, &Results { corpus, model: &model, z: &z, docs, phi })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::corpus::Corpus;
    use crate::output::folder::FolderKind;
    use crate::params::Settings;
    use crate::sampler::Sampler;

    /// Wants to stop whenever it is asked.
    struct Impatient;

    impl Watcher for Impatient {
        fn iteration(&mut self, _: &Report) {}

        fn interrupted(&self) -> bool {
            true
        }
    }

    #[test]
    fn samples_are_the_last_states() {
        let due = |samples, thin| -> Vec<u32> {
            (1..=10).filter(|&iteration| Sampling { samples, thin }.is_due(iteration, 10)).collect()
        };
        assert_eq!(due(3, 2), [6, 8, 10]);
        assert_eq!(due(10, 1), (1..=10).collect::<Vec<_>>());
        assert!(due(1, 5).is_empty());
    }

    #[test]
    fn only_a_run_with_iterations_left_can_be_interrupted() {
        let words = ["ash", "birch"].map(str::to_owned).to_vec();
        let corpus = Arc::new(Corpus::new(vec![0, 1], vec![0, 2], words));
        for (iterations, interrupted) in [(1, false), (2, true)] {
            let room = tempfile::tempdir().expect("a folder for the test");
            let folder = Folder::create(FolderKind::Run, room.path(), true).expect("an empty folder");
            let params = Settings::paper().check().expect("good settings");
            let mut sampler = Sampler::on_cpu(Arc::clone(&corpus), params).expect("the CPU");
            let plan = Plan { iterations, trace_every: 1, sampling: Sampling::LAST };
            let outcome = train(&mut sampler, plan, &folder, &mut Impatient).expect("a run");
            assert_eq!((outcome.interrupted, sampler.iteration()), (interrupted, 1));
        }
    }
}
