//! A whole run: iterations, logs and results in one folder.

mod journal;
pub mod settled;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use self::journal::{Every, Journal};
use crate::chain::{Chain, Progress};
use crate::checkpoint::Past;
use crate::error::{Error, Result};
use crate::estimate::{DocTopics, PhiRows, Samples};
use crate::output::Folder;
use crate::output::results::{self, Results};
pub use crate::plan::{Plan, Sampling, Until};

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

    /// The disk refuses what a run writes on its way; it goes on in memory and tries again.
    fn disk_refuses(&mut self, _error: &Error) {}

    /// All that waited is written.
    fn disk_accepts(&mut self) {}

    /// The run has ended and the disk refuses what is left to write: whether to try again, after some waiting.
    fn waits_for_disk(&mut self, _error: &Error) -> bool {
        false
    }
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether the watcher ended it early.
    pub interrupted: bool,
    /// The samples that the results are a mean of, when there are several.
    pub samples: Option<Arc<Samples>>,
    /// What there is to tell of all iterations, those before a resumption included.
    pub past: Past,
}

/// Runs the journal's plan from the chain's state, with logs and checkpoints in `journal`.
///
/// # Errors
/// When the device fails, or the state is not one that can be. A disk that refuses is told to the watcher, and is an error
/// only at the end, when the watcher has lost its patience.
pub fn train(chain: &mut dyn Chain, mut journal: Journal, watcher: &mut dyn Watcher) -> Result<Outcome> {
    journal.begin(chain)?;
    let interrupted = advance(chain, &mut journal, u32::MAX, watcher)?;
    let (past, samples) = journal.end(chain, watcher)?;
    Ok(Outcome { interrupted, samples, past })
}

/// Carries a plan that has begun out up to iteration `to`, or to its end; returns whether the watcher ended it earlier.
///
/// # Errors
/// As [`train`].
pub fn advance(
    chain: &mut dyn Chain,
    journal: &mut Journal,
    to: u32,
    watcher: &mut dyn Watcher,
) -> Result<bool> {
    let plan = journal.plan();
    let to = to.min(plan.iterations);
    let mut device = chain.device_name();
    let num_tokens = chain.corpus().num_tokens();
    let mut interrupted = false;
    journal.go_on();
    while chain.iteration() < to && !interrupted {
        let progress = chain.step()?;
        if let Some(failure) = device_failure(chain) {
            watcher.device_failed(&failure);
            journal.device_failed(failure);
            device = chain.device_name();
        }
        let done = progress.iteration == plan.iterations;
        interrupted = !done && watcher.interrupted();
        journal.timing(&progress, num_tokens, &device);
        if progress.iteration.is_multiple_of(plan.trace_every) {
            journal.trace(chain)?;
        }
        if plan.sampling.is_due(progress.iteration, plan.iterations) {
            journal.sample(chain)?;
        }
        if !done && !interrupted {
            journal.keep(chain, watcher)?;
        }
        let active_topics = chain.counts().n.active_topics();
        watcher.iteration(&Report { progress, active_topics, log_likelihood: journal.log_likelihood() });
    }
    journal.rest();
    Ok(interrupted)
}

/// Does `work`, again and again while the disk refuses it and the watcher has patience. `refused` says whether the
/// watcher knows already of something that waits.
///
/// # Errors
/// Those of `work`.
pub fn insist<T>(
    watcher: &mut dyn Watcher,
    mut refused: bool,
    mut work: impl FnMut() -> Result<T>,
) -> Result<T> {
    loop {
        match work() {
            Err(error @ Error::Write { .. }) if watcher.waits_for_disk(&error) => refused = true,
            done => {
                if refused && done.is_ok() {
                    watcher.disk_accepts();
                }
                return done;
            }
        }
    }
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
    let (state, z) = chain.state_and_z()?;
    let (model, corpus) = (state.model(), state.corpus());
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
    use crate::checkpoint::{CorpusId, Recipe, Run};
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
    fn only_a_run_with_iterations_left_can_be_interrupted() {
        let words = ["ash", "birch"].map(str::to_owned).to_vec();
        let corpus = Arc::new(Corpus::new(vec![0, 1], vec![0, 2], words).expect("a corpus"));
        for (iterations, interrupted) in [(1, false), (2, true)] {
            let room = tempfile::tempdir().expect("a folder for the test");
            let folder = Folder::create(FolderKind::Run, room.path(), true).expect("an empty folder");
            let params = Settings::paper().check().expect("good settings");
            let plan = Plan { iterations, trace_every: 1, sampling: Sampling::LAST };
            let run = Run {
                recipe: Recipe {
                    settings: Settings::clone(&params),
                    holdout: None,
                    corpus: CorpusId::of(&corpus),
                },
                plan,
                chains: 1,
                until: Until::Iterations,
                end: None,
                preset: String::new(),
                no_text: false,
                command: Vec::new(),
            };
            let mut sampler = Sampler::on_cpu(Arc::clone(&corpus), params).expect("the CPU");
            let journal = Journal::create(&folder, run, Every::Iterations(1)).expect("logs");
            let outcome = train(&mut sampler, journal, &mut Impatient).expect("a run");
            assert_eq!((outcome.interrupted, sampler.iteration()), (interrupted, 1));
        }
    }
}
