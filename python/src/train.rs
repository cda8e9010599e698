//! Training in a folder, as the command does it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use hdp_gpu::cli;
use hdp_gpu::report::write_page;
use hdp_gpu::run::{Event, FrontEnd, Mode, Observer, Opening, RunRequest};
use hdp_gpu::watch::Watch;
use pyo3::prelude::*;

use crate::corpus::Corpus;
use crate::errors::{exception, refused, spoken};
use crate::guard;
use crate::listen::{Link, Message, State, listen};
use crate::request::{Texts, request};

/// A bar moves no more often.
const PROGRESS: Duration = Duration::from_millis(100);

/// Trains on `corpus` in the folder `out` as `settings` say; with `resume` the run in it goes on. Returns what was raised on the way, after
/// which the run was stopped as by its end.
#[pyfunction]
#[pyo3(signature = (corpus, out, settings, *, resume, results, every, command, threads, watcher))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn train<'py>(
    corpus: &Corpus,
    out: PathBuf,
    settings: Texts,
    resume: bool,
    results: bool,
    every: &str,
    command: String,
    threads: usize,
    watcher: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    guard::check()?;
    let request = request(&settings)?;
    let every = cli::parse_every(every).map_err(|remedy| refused("checkpoint_every", every, &remedy))?;
    let mode = if resume { Mode::Resume } else { Mode::New };
    let front_end = FrontEnd {
        command: vec![command],
        page: results.then_some(write_page),
        results,
        ..FrontEnd::default()
    };
    let loaded = corpus.loaded();
    let heard = listen(watcher, threads, |link| {
        let mut listener = Listener::new(link, &request);
        let asked = Opening::new(&out, mode, &mut listener)?.ask(&request, &[], &mut listener)?;
        listener.trace_every = asked.spec().plan.trace_every;
        let place = asked.place(&request)?;
        asked.on(loaded, place, every, front_end, &mut listener)?.train(&mut listener).map(drop)
    });
    let py = watcher.py();
    match (heard.done, heard.raised) {
        (Ok(()), raised) => Ok(raised.map(|raised| raised.into_value(py).into_bound(py).into_any())),
        (Err(error), None) => Err(exception(error)),
        // Who was told raised first, and may wait for what it has raised.
        (Err(error), Some(raised)) => {
            raised.value(py).setattr("__context__", exception(error).into_value(py))?;
            Err(raised)
        }
    }
}

/// What is not as it should be.
fn warning(event: &Event<'_>) -> Option<String> {
    Some(match *event {
        Event::UnusableCheckpoint { path, problem } => {
            format!("{} cannot be used ({problem}); going on from the one before", path.display())
        }
        Event::NoCheckpoint { path } => {
            format!("{} has no checkpoint: starting from the beginning", path.display())
        }
        Event::DeviceFailed(failure) => format!(
            "{}; from iteration {} on the CPU is used, with the same result",
            failure.error, failure.iteration
        ),
        Event::DiskRefuses(error) => {
            format!("{error}; what cannot be written waits in memory, and the run goes on and tries again")
        }
        Event::FlagTopicUsed { tokens, params } => {
            let topics = params.max_topics();
            format!(
                "up to {tokens} tokens were in topic {}, which stands for all topics that are not represented; raise \
                 `max_topics` above {topics}",
                topics - 1
            )
        }
        _ => return None,
    })
}

/// Tells Python of a run.
struct Listener<'a> {
    link: &'a Link,
    chain: u32,
    trace_every: u32,
    last: Instant,
}

impl<'a> Listener<'a> {
    fn new(link: &'a Link, request: &RunRequest) -> Self {
        let trace_every = request.trace_every.unwrap_or(1);
        Self { link, chain: 1, trace_every, last: Instant::now() }
    }
}

impl Observer for Listener<'_> {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Turn { chain, done } => {
                self.chain = *chain;
                self.link.tell(Message::Turn(*chain, *done));
            }
            Event::Waiting { chain, done } => self.link.tell(Message::Turn(*chain, *done)),
            Event::Iteration(report) => {
                let iteration = report.progress.iteration;
                let state = State {
                    chain: self.chain,
                    iteration,
                    active_topics: report.active_topics,
                    log_likelihood: report.log_likelihood,
                };
                if iteration.is_multiple_of(self.trace_every) {
                    self.link.tell(Message::Row(state));
                } else if self.last.elapsed() > PROGRESS {
                    self.last = Instant::now();
                    self.link.tell(Message::Progress(state));
                }
            }
            other => {
                if let Some(warning) = warning(other) {
                    self.link.tell(Message::Warning(spoken(&warning)));
                }
            }
        }
    }

    fn should_stop(&self) -> bool {
        self.link.should_stop()
    }
}
