//! What a person sees while a run goes on: a bar on a terminal, else a line every so often.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use hdp_gpu::Error;
use hdp_gpu::device::cpu;
use hdp_gpu::infer::Watch;
use hdp_gpu::train::settled::Verdict;
use hdp_gpu::train::{DeviceFailure, Report, Until, Watcher};
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

/// How far the chains of a run are.
struct Course {
    /// The iterations that each has done.
    done: Vec<u32>,
    /// The chain that goes on.
    now: usize,
    /// The iterations of each chain, and whether they may be fewer.
    iterations: u32,
    is_cap: bool,
    /// The iterations that this process has done.
    here: u64,
}

impl Course {
    /// The iterations of all chains that are done.
    fn sum(&self) -> u64 {
        self.done.iter().copied().map(u64::from).sum()
    }

    /// The iterations of all chains.
    fn all(&self) -> u64 {
        self.done.len() as u64 * u64::from(self.iterations)
    }

    /// Which chain goes on, if there are several.
    fn chain(&self) -> String {
        let chains = self.done.len();
        if chains > 1 { format!("chain {} of {chains}, ", self.now + 1) } else { String::new() }
    }
}

/// Shows progress, and ends the run at Ctrl-C.
pub(super) struct Terminal {
    shown: Shown,
    course: Course,
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
        (chains, iterations, until): (u32, u32, Until),
        num_tokens: usize,
        interrupted: Interrupted,
        patience: Duration,
    ) -> Self {
        let shown = if quiet {
            Shown::Nothing
        } else if std::io::stderr().is_terminal() {
            Shown::Bar(bar(u64::from(chains) * u64::from(iterations)))
        } else {
            Shown::Lines { last: Instant::now() }
        };
        Self {
            shown,
            course: Course {
                done: vec![0; chains as usize],
                now: 0,
                iterations,
                is_cap: until == Until::Settled,
                here: 0,
            },
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

    /// From now on, iterations are those of chain `number`, which has `done` of them.
    pub(super) fn turn_to(&mut self, number: u32, done: u32) {
        let first = self.course.here == 0;
        self.course.now = number as usize - 1;
        self.course.done[self.course.now] = done;
        (self.log_likelihood, self.active_topics) = Default::default();
        if let Shown::Bar(bar) = &self.shown {
            bar.set_position(self.course.sum());
            if first {
                // The time left is judged by the iterations of this process.
                bar.reset_eta();
            }
        }
    }

    /// From now on it is known that chains end with iteration `end`.
    pub(super) fn set_end(&mut self, end: u32) {
        (self.course.iterations, self.course.is_cap) = (end, false);
        if let Shown::Bar(bar) = &self.shown {
            bar.set_length(self.course.all());
        }
    }

    /// Chain `number`, whose turn will come, has done so many iterations.
    pub(super) fn set_done(&mut self, number: u32, done: u32) {
        self.course.done[number as usize - 1] = done;
    }

    /// Tells what is found of chains on their way.
    pub(super) fn look(&self, verdict: &Verdict) {
        let r_hats = verdict.traces.iter().filter_map(|trace| {
            let is_open = !trace.settled && trace.agrees();
            Some(format!(
                "{} {:.3}{}",
                trace.name(),
                trace.r_hat?,
                if is_open { " (not known to stay)" } else { "" }
            ))
        });
        let r_hats = r_hats.collect::<Vec<_>>().join(", ");
        let r_hats = if r_hats.is_empty() { "nothing varies".into() } else { format!("R-hat of {r_hats}") };
        let found = match (verdict.settled, verdict.annealed) {
            (true, _) => "settled",
            (false, true) => "not settled, partly annealed",
            (false, false) => "not settled",
        };
        let line = format!("iteration {} of all chains: {found}; {r_hats}", verdict.iteration);
        if !matches!(self.shown, Shown::Nothing) {
            self.warn(|| tell(line));
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

    /// The time left for all chains, while there is any.
    fn left(&self) -> String {
        let Course { here, is_cap, .. } = self.course;
        let left = self.course.all().saturating_sub(self.course.sum());
        if left == 0 {
            return String::new();
        }
        let seconds = self.start.elapsed().as_secs_f64() / here as f64 * left as f64;
        let most = if is_cap { "at most " } else { "" };
        format!(", {most}{} left", HumanDuration(Duration::from_secs_f64(seconds)))
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
        let course = &mut self.course;
        course.done[course.now] = done;
        course.here += 1;
        let (course, is_last) = (&self.course, done == self.course.iterations);
        match &self.shown {
            Shown::Bar(bar) => {
                let [likelihood, topics] = [&self.log_likelihood, &self.active_topics].map(Sparkline::line);
                let at =
                    if course.done.len() > 1 { format!("{}{done}  ", course.chain()) } else { String::new() };
                bar.set_message(format!(
                    "{at}{likelihood} {:.4} a token  {topics} {} topics  {:.1} M tokens/s",
                    report.log_likelihood / self.num_tokens as f64,
                    report.active_topics,
                    self.tokens_per_second / 1e6,
                ));
                bar.set_position(course.sum());
                if course.sum() == course.all() {
                    bar.finish();
                }
            }
            Shown::Lines { last } => {
                if last.elapsed() >= LINE_EVERY || is_last {
                    let (line, left) = (self.line(report), self.left());
                    tell(format_args!(
                        "{}iteration {done}/{}: {line}{left}",
                        course.chain(),
                        course.iterations
                    ));
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

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Watch for ShareBar {
    fn share_done(&self, share: f64) {
        self.0.set_position((share * Self::STEPS as f64) as u64);
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

fn bar(iterations: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {pos}/{len}  {msg}, {eta} left")
        .expect("the template is well formed");
    ProgressBar::new(iterations).with_style(style)
}
