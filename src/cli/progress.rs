//! What a person sees while a run goes on: a bar on a terminal, else a line every so often.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use console::Term;
use hdp_gpu::Error;
use hdp_gpu::error::is_limit_on_files;
use hdp_gpu::run::settled::Verdict;
use hdp_gpu::run::{Event, IterationReport, Observer, RunSpec, Until};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::command::resume_command;
use super::eprint_line;
#[cfg(unix)]
use super::faults::Stderr;
use super::ranks::RanksShown;
use super::signals;
use super::sparkline::Sparkline;
use super::train::messages;
use super::wording::{beside_bar, columns, counted, speed};

/// Time between lines when there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Time between attempts to write the last of a run to a disk that refuses.
const DISK_RETRY: Duration = Duration::from_secs(2);

/// Time between looks whether somebody has lost patience meanwhile.
const DISK_LOOK: Duration = Duration::from_millis(20);

/// How progress is shown.
enum Display {
    Bar(ProgressBar),
    Lines { last: Instant },
    Nothing,
}

/// How far the chains of a run are.
#[derive(Default)]
struct Chains {
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

impl Chains {
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
    display: Display,
    chains: Chains,
    num_tokens: usize,
    /// Why the device was taken.
    reason: Option<String>,
    /// What the run needs, in a line.
    needs: String,
    start: Instant,
    tokens_per_second: f64,
    ranks: RanksShown,
    log_likelihood: Sparkline,
    active_topics: Sparkline,
    /// What there is to go on from when the run has failed.
    way_back: Option<String>,
    /// How long a disk that refuses is waited for.
    patience: Duration,
    waiting_since: Option<Instant>,
}

impl Terminal {
    pub(super) fn new(quiet: bool, patience: Duration) -> Self {
        let display = if quiet {
            Display::Nothing
        } else if std::io::stderr().is_terminal() {
            Display::Bar(ProgressBar::hidden())
        } else {
            Display::Lines { last: Instant::now() }
        };
        Self {
            display,
            chains: Chains::default(),
            num_tokens: 0,
            reason: None,
            needs: String::new(),
            start: Instant::now(),
            tokens_per_second: 0.0,
            ranks: RanksShown::default(),
            log_likelihood: Sparkline::default(),
            active_topics: Sparkline::default(),
            way_back: None,
            patience,
            waiting_since: None,
        }
    }

    /// What will be trained, and why on the device that was taken.
    pub(super) fn set_course(&mut self, spec: &RunSpec, reason: Option<&str>) {
        let RunSpec { chains, plan, until, .. } = spec;
        self.chains = Chains {
            done: vec![0; *chains as usize],
            now: 0,
            iterations: plan.iterations,
            is_cap: *until == Until::Settled,
            here: 0,
        };
        self.reason = reason.map(str::to_owned);
    }

    /// Whether nothing but warnings is to be printed.
    fn is_quiet(&self) -> bool {
        matches!(self.display, Display::Nothing)
    }

    /// From now on progress is shown, and there is something to go on with.
    fn begin(&mut self) {
        signals::set_way_on(resume_command());
        self.start = Instant::now();
        match &mut self.display {
            Display::Bar(shown) => *shown = bar(self.chains.all()),
            Display::Lines { last } => *last = Instant::now(),
            Display::Nothing => {}
        }
    }

    /// Says how a run that has failed can go on.
    pub(super) fn print_way_back(&self) {
        if let Some(way_back) = &self.way_back {
            eprint_line(way_back);
        }
    }

    /// From now on, iterations are those of chain `number`, which has `done` of them.
    fn turn_to(&mut self, number: u32, done: u32) {
        let first = self.chains.here == 0;
        self.chains.now = number as usize - 1;
        self.chains.done[self.chains.now] = done;
        (self.log_likelihood, self.active_topics) = Default::default();
        if let Display::Bar(bar) = &self.display {
            bar.set_position(self.chains.sum());
            if first {
                // The time left is judged by the iterations of this process.
                bar.reset_eta();
            }
        }
    }

    /// From now on it is known that chains end with iteration `end`.
    fn set_end(&mut self, end: u32) {
        (self.chains.iterations, self.chains.is_cap) = (end, false);
        if let Display::Bar(bar) = &self.display {
            bar.set_length(self.chains.all());
        }
    }

    /// Tells what is found of chains on their way.
    fn look(&self, verdict: &Verdict) {
        let r_hats = verdict.traces.iter().filter_map(|trace| {
            let is_open = !trace.settled && trace.agrees();
            Some(format!(
                "{} {:.3}{}",
                trace.trace.name(),
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
        if !matches!(self.display, Display::Nothing) {
            self.warn(|| eprint_line(line));
        }
    }

    /// What the state of the run comes to, in one line.
    fn line(&self, report: &IterationReport) -> String {
        format!(
            "{}{}, log-likelihood {:.4} per token, {}",
            speed(self.tokens_per_second),
            self.ranks.part_of_line(),
            report.log_likelihood / self.num_tokens as f64,
            counted(report.active_topics as u64, "topic"),
        )
    }

    /// The same for the bar, with traces and without, down to what fits any terminal.
    fn messages(&self, report: &IterationReport) -> Vec<String> {
        let [likelihood, trend] = [&self.log_likelihood, &self.active_topics].map(Sparkline::line);
        let per_token = format!("{:.4} per token", report.log_likelihood / self.num_tokens as f64);
        let (topics, speed) = (counted(report.active_topics as u64, "topic"), speed(self.tokens_per_second));
        let at = if self.chains.done.len() > 1 {
            format!("{}{}  ", self.chains.chain(), report.progress.iteration)
        } else {
            String::new()
        };
        let ranks = self.ranks.part_of_line();
        vec![
            format!("{at}{likelihood} {per_token}  {trend} {topics}  {speed}{ranks}"),
            format!("{at}{likelihood} {per_token}  {trend} {topics}"),
            format!("{at}{per_token}  {topics}  {speed}{ranks}"),
            format!("{per_token}  {topics}  {speed}"),
            format!("{per_token}  {topics}"),
            topics,
        ]
    }

    /// Prints something beside the bar.
    fn warn(&self, print: impl FnOnce()) {
        match &self.display {
            Display::Bar(bar) => bar.suspend(print),
            Display::Lines { .. } | Display::Nothing => print(),
        }
    }

    /// The time left for all chains, while there is any.
    fn left(&self) -> String {
        let Chains { here, is_cap, .. } = self.chains;
        let left = self.chains.all().saturating_sub(self.chains.sum());
        if left == 0 {
            return String::new();
        }
        let seconds = self.start.elapsed().as_secs_f64() / here as f64 * left as f64;
        let most = if is_cap { "at most " } else { "" };
        format!(", {most}{} left", HumanDuration(Duration::from_secs_f64(seconds)))
    }
}

impl Terminal {
    /// Shows an iteration.
    fn iteration(&mut self, report: &IterationReport) {
        // A moving average over some ten iterations, so that the figure can be read.
        let now = self.num_tokens as f64 / report.progress.seconds;
        let weight = if self.tokens_per_second == 0.0 { 1.0 } else { 0.1 };
        self.tokens_per_second += weight * (now - self.tokens_per_second);
        if let Some(warning) = self.ranks.add(&report.progress) {
            self.warn(|| eprint_line(warning));
        }
        self.log_likelihood.push(report.log_likelihood);
        self.active_topics.push(report.active_topics as f64);
        let done = report.progress.iteration;
        let chains = &mut self.chains;
        chains.done[chains.now] = done;
        chains.here += 1;
        let (chains, is_last) = (&self.chains, done == self.chains.iterations);
        match &self.display {
            Display::Bar(bar) => {
                let columns = columns(&Term::stderr()).unwrap_or(usize::MAX);
                bar.set_message(beside_bar(self.messages(report), chains.all(), columns));
                bar.set_position(chains.sum());
                if chains.sum() == chains.all() {
                    bar.finish();
                }
            }
            Display::Lines { last } => {
                if last.elapsed() >= LINE_EVERY || is_last {
                    let (line, left) = (self.line(report), self.left());
                    eprint_line(format_args!(
                        "{}iteration {done}/{}: {line}{left}",
                        chains.chain(),
                        chains.iterations
                    ));
                    self.display = Display::Lines { last: Instant::now() };
                }
            }
            Display::Nothing => {}
        }
    }
}

impl Observer for Terminal {
    fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::Needs { needs, machine } => {
                needs
                    .warnings(machine)
                    .iter()
                    .for_each(|warning| eprint_line(format_args!("warning: {warning}")));
                self.needs = needs.line(machine);
            }
            Event::Ready { record } => {
                let held_out = record.holdout.as_ref().map_or(0, |held_out| held_out.tokens);
                self.num_tokens = record.corpus.tokens - held_out;
                self.ranks = RanksShown::of(&record.ranks);
                RanksShown::warnings(&record.ranks, self.num_tokens).iter().for_each(eprint_line);
                if !self.is_quiet() {
                    eprint_line(messages::announcement(record, self.reason.as_deref()));
                    messages::small(record).iter().for_each(eprint_line);
                    eprint_line(&self.needs);
                }
            }
            Event::Resumed { chain, from, to } if !self.is_quiet() => {
                let chain = (self.chains.done.len() > 1).then_some(chain);
                eprint_line(messages::resumption(from, to, chain));
            }
            Event::Training => self.begin(),
            Event::Waiting { chain, done } => self.chains.done[chain as usize - 1] = done,
            Event::Turn { chain, done } => {
                signals::set_at_stake(true);
                self.turn_to(chain, done);
            }
            Event::Kept => signals::set_at_stake(false),
            Event::Iteration(report) => self.iteration(report),
            Event::Looked(verdict) => self.look(verdict),
            Event::EndKnown { iteration, from_before } => {
                self.set_end(iteration);
                if from_before && !self.is_quiet() {
                    eprint_line(format_args!(
                        "the chains have settled and end with iteration {iteration}; --until iterations goes on"
                    ));
                }
            }
            Event::DeviceChosen(choice) if !self.is_quiet() => {
                self.warn(|| eprint_line(messages::choice(choice)));
            }
            Event::Finishing { sweeps } if !self.is_quiet() => {
                self.warn(|| eprint_line(messages::finishing(sweeps)));
            }
            Event::DiskAccepts => {
                self.waiting_since = None;
                self.warn(|| eprint_line("all that waited for the disk is written"));
            }
            Event::Failed { iteration, has_chains } => {
                self.way_back = Some(messages::way_back(iteration, has_chains));
            }
            _ => {
                if let Some(warning) = messages::warning(event) {
                    self.warn(|| eprint_line(warning));
                }
            }
        }
    }

    fn waits_for_disk(&mut self, error: &Error) -> bool {
        if self.should_stop() || !may_be_mended(error) {
            return false;
        }
        let since = *self.waiting_since.get_or_insert_with(|| {
            let patience = HumanDuration(self.patience);
            eprint_line(format_args!("warning: {error}; trying again for {patience}, Ctrl-C gives up"));
            Instant::now()
        });
        let tried = Instant::now();
        while tried.elapsed() < DISK_RETRY.min(self.patience) && !self.should_stop() {
            std::thread::sleep(DISK_LOOK);
        }
        since.elapsed() < self.patience && !self.should_stop()
    }

    fn should_stop(&self) -> bool {
        signals::is_asked()
    }
}

/// Whether time or space may mend a refusal.
fn may_be_mended(error: &Error) -> bool {
    use std::io::ErrorKind::{InvalidFilename, InvalidInput, IsADirectory, NotADirectory};
    let never = [InvalidFilename, InvalidInput, IsADirectory, NotADirectory];
    let is_never = |source: &io::Error| never.contains(&source.kind()) || is_limit_on_files(source);
    matches!(error, Error::Write { source, .. } if !is_never(source))
}

fn bar(iterations: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {pos}/{len}  {msg}, {eta} left")
        .expect("the template is well formed");
    ProgressBar::with_draw_target(Some(iterations), target()).with_style(style)
}

/// Where a bar is drawn while something is in memory that must not be lost.
#[cfg(unix)]
fn target() -> ProgressDrawTarget {
    const PER_SECOND: u8 = 20;
    ProgressDrawTarget::term(Term::read_write_pair(io::stdin(), Stderr), PER_SECOND)
}

#[cfg(not(unix))]
fn target() -> ProgressDrawTarget {
    ProgressDrawTarget::stderr()
}
