//! The iterations of a chain, with what its journal writes on the way.

use std::sync::Arc;

use super::journal::Journal;
use super::observer::{Event, IterationReport, Observer};
use super::record::DeviceFailure;
use crate::chain::Chain;
use crate::corpus::Corpus;
use crate::error::{Error, Result};

/// Carries a plan that has begun out up to iteration `to`, or to its end; returns whether the observer ended it earlier. `corpus` is all
/// documents.
///
/// # Errors
/// When the device fails, or the state is not one that can be. A disk that refuses is told to the observer.
pub(super) fn advance(
    chain: &mut dyn Chain,
    corpus: &Arc<Corpus>,
    journal: &mut Journal,
    to: u32,
    observer: &mut dyn Observer,
) -> Result<bool> {
    let plan = journal.plan();
    let to = to.min(plan.iterations);
    let num_tokens = chain.state().portion().num_tokens();
    let mut interrupted = false;
    journal.go_on();
    while chain.state().iteration() < to && !interrupted {
        let progress = chain.step()?;
        chain.state().corpus().check_unchanged()?;
        if let Some(failure) = device_failure(chain) {
            observer.event(&Event::DeviceFailed(&failure));
            journal.device_failed(failure);
        }
        if let Some(choice) = chain.take_device_choice() {
            observer.event(&Event::DeviceChosen(&choice));
            journal.device_chosen(choice);
        }
        journal.timing(&progress, num_tokens, &chain.device_name());
        if progress.iteration.is_multiple_of(plan.trace_every) {
            journal.trace(chain)?;
        }
        if plan.sampling.is_due(progress.iteration, plan.iterations) {
            journal.sample(chain, corpus)?;
        }
        let done = progress.iteration == plan.iterations;
        if !done {
            journal.write_due(chain, observer)?;
        }
        let active_topics = chain.state().counts().n.active_topics();
        let log_likelihood = journal.log_likelihood();
        observer.event(&Event::Iteration(&IterationReport { progress, active_topics, log_likelihood }));
        // Asked last, so that an observer may stop at what it has just been told.
        interrupted = !done && observer.should_stop();
    }
    journal.rest_at(chain)?;
    Ok(interrupted)
}

/// Does `work`, again and again while the disk refuses it and the observer has patience. `refused` says whether the
/// observer knows already of something that waits.
///
/// # Errors
/// Those of `work`.
pub(super) fn retry<T>(
    observer: &mut dyn Observer,
    mut refused: bool,
    mut work: impl FnMut() -> Result<T>,
) -> Result<T> {
    loop {
        match work() {
            Err(error @ Error::Write { .. }) if observer.waits_for_disk(&error) => refused = true,
            done => {
                if refused && done.is_ok() {
                    observer.event(&Event::DiskAccepts);
                }
                return done;
            }
        }
    }
}

/// The failure of the chain's device in the iteration that it has just made, if it had one; told once.
pub(super) fn device_failure(chain: &mut dyn Chain) -> Option<DeviceFailure> {
    let error = chain.take_device_error()?.to_string();
    // Before the first iteration, all of them will be the CPU's.
    Some(DeviceFailure { iteration: chain.state().iteration().max(1), error })
}
