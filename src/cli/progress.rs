//! What a person sees while a run goes on: a bar on a terminal, else a line every so often.

use std::io::IsTerminal;
use std::ops::Range;
use std::time::{Duration, Instant};

use hdp_gpu::Error;
use hdp_gpu::device::cpu;
use hdp_gpu::train::{DeviceFailure, Report, Watcher};
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::signals::Interrupted;
use super::sparkline::Sparkline;
use super::tell;

/// Time between lines when there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Time between attempts to write the last of a run to a disk that refuses.
const DISK_RETRY: Duration = Duration::from_secs(2);

/// How progress is shown.
enum Shown {
    Bar(ProgressBar),
    Lines { last: Instant },
    Nothing,
}

/// Shows progress, and ends the run at Ctrl-C.
pub(super) struct Terminal {
    shown: Shown,
    /// The iterations done before, and those asked for.
    iterations: Range<u32>,
    num_tokens: usize,
    start: Instant,
    tokens_per_second: f64,
    log_likelihood: Sparkline,
    active_topics: Sparkline,
    interrupted: Interrupted,
    /// How long a disk that refuses is waited for.
    patience: Duration,
    waiting_since: Option<Instant>,
}

impl Terminal {
    pub(super) fn new(
        quiet: bool,
        iterations: Range<u32>,
        num_tokens: usize,
        interrupted: Interrupted,
        patience: Duration,
    ) -> Self {
        let shown = if quiet {
            Shown::Nothing
        } else if std::io::stderr().is_terminal() {
            Shown::Bar(bar(&iterations))
        } else {
            Shown::Lines { last: Instant::now() }
        };
        Self {
            shown,
            iterations,
            num_tokens,
            start: Instant::now(),
            tokens_per_second: 0.0,
            log_likelihood: Sparkline::default(),
            active_topics: Sparkline::default(),
            interrupted,
            patience,
            waiting_since: None,
        }
    }

    /// What the state of the run comes to, in one line.
    fn line(&self, report: &Report) -> String {
        format!(
            "{:.1} M tokens/s, log-likelihood {:.4} a token, {} topics",
            self.tokens_per_second / 1e6,
            report.log_likelihood / self.num_tokens as f64,
            report.active_topics,
        )
    }

    /// Prints something beside the bar.
    fn warn(&self, print: impl FnOnce()) {
        match &self.shown {
            Shown::Bar(bar) => bar.suspend(print),
            Shown::Lines { .. } | Shown::Nothing => print(),
        }
    }

    /// The time left, while there is any.
    fn left(&self, done: u32) -> String {
        let Range { start, end } = self.iterations;
        if done == end {
            return String::new();
        }
        let seconds = self.start.elapsed().as_secs_f64() / f64::from(done - start) * f64::from(end - done);
        format!(", {} left", HumanDuration(Duration::from_secs_f64(seconds)))
    }
}

impl Watcher for Terminal {
    fn iteration(&mut self, report: &Report) {
        // A moving average over some ten iterations, so that the figure can be read.
        let now = self.num_tokens as f64 / report.progress.seconds;
        let weight = if self.tokens_per_second == 0.0 { 1.0 } else { 0.1 };
        self.tokens_per_second += weight * (now - self.tokens_per_second);
        self.log_likelihood.push(report.log_likelihood);
        self.active_topics.push(report.active_topics as f64);
        let done = report.progress.iteration;
        match &self.shown {
            Shown::Bar(bar) => {
                let [likelihood, topics] = [&self.log_likelihood, &self.active_topics].map(Sparkline::line);
                bar.set_message(format!(
                    "{likelihood} {:.4} a token  {topics} {} topics  {:.1} M tokens/s",
                    report.log_likelihood / self.num_tokens as f64,
                    report.active_topics,
                    self.tokens_per_second / 1e6,
                ));
                bar.set_position(u64::from(done));
                if done == self.iterations.end {
                    bar.finish();
                }
            }
            Shown::Lines { last } => {
                if last.elapsed() >= LINE_EVERY || done == self.iterations.end {
                    let (line, left) = (self.line(report), self.left(done));
                    tell(format_args!("iteration {done}/{}: {line}{left}", self.iterations.end));
                    self.shown = Shown::Lines { last: Instant::now() };
                }
            }
            Shown::Nothing => {}
        }
    }

    fn device_failed(&mut self, failure: &DeviceFailure) {
        self.warn(|| warn_of_device(failure));
    }

    fn disk_refuses(&mut self, error: &Error) {
        let rest = "what cannot be written waits in memory, and the run goes on and tries again";
        self.warn(|| tell(format_args!("warning: {error}; {rest}")));
    }

    fn disk_accepts(&mut self) {
        self.waiting_since = None;
        self.warn(|| tell("all that waited for the disk is written"));
    }

    fn waits_for_disk(&mut self, error: &Error) -> bool {
        if self.interrupted() || !may_be_mended(error) {
            return false;
        }
        let since = *self.waiting_since.get_or_insert_with(|| {
            let patience = HumanDuration(self.patience);
            tell(format_args!("warning: {error}; trying again for {patience}, Ctrl-C gives up"));
            Instant::now()
        });
        std::thread::sleep(DISK_RETRY.min(self.patience));
        since.elapsed() < self.patience && !self.interrupted()
    }

    fn interrupted(&self) -> bool {
        self.interrupted.is_set()
    }
}

/// Whether time or space may mend a refusal.
fn may_be_mended(error: &Error) -> bool {
    use std::io::ErrorKind::{InvalidFilename, InvalidInput, IsADirectory, NotADirectory};
    let never = [InvalidFilename, InvalidInput, IsADirectory, NotADirectory];
    matches!(error, Error::Write { source, .. } if !never.contains(&source.kind()))
}

/// A bar for work of which only the share done is known; on a terminal only.
pub(super) struct ShareBar(ProgressBar);

impl ShareBar {
    const STEPS: u64 = 1000;

    pub(super) fn new(quiet: bool) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(Self::STEPS) };
        let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {percent} %, {eta} left")
            .expect("the template is well formed");
        Self(bar.with_style(style))
    }

    pub(super) fn show(&self, share: f64) {
        self.0.set_position((share * Self::STEPS as f64) as u64);
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Says that the CPU has taken over.
pub(super) fn warn_of_device(failure: &DeviceFailure) {
    tell(format_args!(
        "warning: {}; from iteration {} on, {} is used, with the same result",
        failure.error,
        failure.iteration,
        cpu::name(),
    ));
}

fn bar(iterations: &Range<u32>) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {pos}/{len}  {msg}, {eta} left")
        .expect("the template is well formed");
    let bar = ProgressBar::new(u64::from(iterations.end)).with_style(style);
    bar.set_position(u64::from(iterations.start));
    // The time left is judged by the iterations of this process.
    bar.reset_eta();
    bar
}
