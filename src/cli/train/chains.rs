//! The chains of a run: one after the other, or in turns until they have settled.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use hdp_gpu::chain::{self, Start};
use hdp_gpu::checkpoint::last_iteration;
use hdp_gpu::output::folder::FolderKind;
use hdp_gpu::output::run_json::{ChainsInfo, Status, write_info};
use hdp_gpu::train::settled::{Trace, Verdict, looks, settled, verdict};
use hdp_gpu::train::{Until, Watcher, insist};
use hdp_gpu::{Chain, Result};

use super::args::Asked;
use super::messages::{report_end, tell_way_back, warn_of_interruption};
use super::origin::Origin;
use super::{Ended, Member, Work};
use crate::cli::progress::Terminal;
use crate::cli::signals::Interrupted;
use crate::cli::{guarded, report, tell};

/// The last iteration of chains that go on from their checkpoints, if their traces say that they have settled.
pub(super) fn end_of(origins: &[Origin], asked: &Asked) -> Option<u32> {
    let traces: Option<Vec<Trace>> = origins.iter().map(|origin| origin.trace(asked)).collect();
    let at: Vec<_> = origins.iter().filter_map(|origin| origin.at(asked)).collect();
    asked.end_of(&traces?, &at)
}

impl Asked {
    /// The last iteration of chains with these traces, if they have settled; `at` as [`Plan::end_of_chains`] has it.
    ///
    /// [`Plan::end_of_chains`]: hdp_gpu::train::Plan::end_of_chains
    fn end_of(&self, traces: &[Trace], at: &[(u32, Option<u32>)]) -> Option<u32> {
        let settled = settled(traces, &self.plan, self.params.anneal())?;
        Some(self.plan.end_of_chains(settled.iteration, at))
    }

    /// What is to be said of chains with these traces.
    fn verdict(&self, traces: &[Trace]) -> Verdict {
        verdict(traces, &self.plan, self.until, self.params.anneal())
    }
}

/// A chain that waits for its turn: its state in the least room.
struct Waiting {
    member: Member,
    at: Start,
}

impl Waiting {
    /// The last iteration of the course that it is on.
    fn end(&self) -> u32 {
        self.member.journal.plan().iterations
    }

    /// Whether it has not come to its end.
    fn is_cut(&self) -> bool {
        self.at.iteration < self.end()
    }
}

/// Chains that have ended, and their traces.
struct Course {
    ended: Vec<Ended>,
    traces: Vec<Trace>,
    /// The chain that was stopped on its way, or after which the others were not begun.
    interrupted: Option<u32>,
}

impl Work<'_> {
    /// Trains all chains, writes everything and says so.
    pub(super) fn train(&self, mut origins: Vec<Origin>, start: Instant) -> Result<ExitCode> {
        let first = origins.remove(0);
        let (member, chain) = self.open(1, first, start)?;
        let folder = member.folder.clone();
        guarded(|| {
            let interrupted = Interrupted::listen();
            let mut terminal = Terminal::new(
                self.args.quiet,
                (self.asked.chains, self.asked.course().iterations, self.asked.until),
                self.corpus.num_tokens(),
                interrupted.clone(),
                self.args.disk_patience,
            );
            for (number, chain) in folder.further_chains() {
                if let Some(done) = last_iteration(&chain).filter(|_| number <= self.asked.chains) {
                    terminal.set_done(number, done);
                }
            }
            let course = match self.asked.until {
                Until::Iterations => self.one_after_the_other(member, chain, &mut terminal, &interrupted)?,
                Until::Settled => self.in_turns(member, chain, origins, &mut terminal, &interrupted)?,
            };
            self.conclude(course, &folder, &mut terminal)
        })
        .inspect_err(|_| tell_way_back(&folder))
    }

    /// Each chain to its end before the next one begins: there is never more than one in memory.
    fn one_after_the_other(
        &self,
        mut member: Member,
        mut chain: Box<dyn Chain>,
        terminal: &mut Terminal,
        signals: &Interrupted,
    ) -> Result<Course> {
        let mut course = Course { ended: Vec::new(), traces: Vec::new(), interrupted: None };
        loop {
            let number = member.number;
            let is_cut = self.advance(&mut member, &mut *chain, u32::MAX, terminal)?;
            let is_last = is_cut || number == self.asked.chains;
            if is_last {
                signals.set_ending();
            }
            course.traces.push(self.trace(&member));
            course.ended.push(self.finish(member, &mut *chain, is_cut, terminal)?);
            course.interrupted = (is_cut || !is_last && terminal.interrupted()).then_some(number);
            if is_last || course.interrupted.is_some() {
                return Ok(course);
            }
            drop(chain);
            let start = Instant::now();
            let origin = Origin::find(self.args, number + 1)?;
            if let Some(before) = origin.info() {
                // It was not locked meanwhile.
                self.asked.check_chain(&self.args.out, number + 1, before)?;
            }
            (member, chain) = self.open(number + 1, origin, start)?;
        }
    }

    /// All chains to the next look, one after the other, until they have settled.
    fn in_turns(
        &self,
        member: Member,
        mut chain: Box<dyn Chain>,
        others: Vec<Origin>,
        terminal: &mut Terminal,
        signals: &Interrupted,
    ) -> Result<Course> {
        let mut waiting = vec![Waiting { member, at: Start::of(&mut *chain)? }];
        drop(chain);
        if let Some(end) = self.asked.end {
            terminal.set_end(end);
            if !self.args.quiet {
                tell(format_args!(
                    "the chains have settled and end with iteration {end}; --until iterations goes on"
                ));
            }
        }
        let mut not_begun = None;
        for (number, origin) in (2..).zip(others) {
            if terminal.interrupted() {
                not_begun = Some(number - 1);
                break;
            }
            let (member, mut chain) = self.open(number, origin, Instant::now())?;
            terminal.set_done(number, chain.state().iteration());
            waiting.push(Waiting { member, at: Start::of(&mut *chain)? });
        }
        let stopped = match not_begun {
            None => self.to_the_end(&mut waiting, terminal)?,
            Some(_) => None,
        };
        signals.set_ending();
        let traces: Vec<Trace> = waiting.iter().map(|chain| self.trace(&chain.member)).collect();
        let interrupted = not_begun.or(stopped.filter(|_| waiting.iter().any(Waiting::is_cut)));
        let mut ended = Vec::new();
        for chain in waiting {
            let is_cut = chain.is_cut();
            let (member, mut chain) = self.wake(chain)?;
            ended.push(self.finish(member, &mut *chain, is_cut, terminal)?);
        }
        Ok(Course { ended, traces, interrupted })
    }

    /// From look to look until they have settled, and to their end; returns the chain that was interrupted.
    fn to_the_end(&self, chains: &mut Vec<Waiting>, terminal: &mut Terminal) -> Result<Option<u32>> {
        let most = self.asked.plan.iterations;
        let mut end = self.asked.end;
        let mut looks = looks(self.asked.plan.trace_every);
        loop {
            let to = end.unwrap_or_else(|| looks.next().unwrap_or(most).min(most));
            let had = chains.iter().any(|chain| chain.at.iteration < to);
            let interrupted = self.all_to(chains, to, end, terminal)?;
            if end.is_some() {
                return Ok(interrupted);
            }
            let traces: Vec<Trace> = chains.iter().map(|chain| self.trace(&chain.member)).collect();
            let verdict = self.asked.verdict(&traces);
            if had && interrupted.is_none() {
                terminal.look(&verdict);
            }
            let at = chains.iter().map(|chain| (chain.at.iteration, Some(chain.end())));
            end = self.asked.end_of(&traces, &at.collect::<Vec<_>>());
            if let Some(end) = end {
                chains.iter_mut().for_each(|chain| chain.member.journal.set_end(Some(end)));
                terminal.set_end(end);
            }
            if interrupted.is_some() || end.is_none() && to == most {
                return Ok(interrupted);
            }
        }
    }

    /// Has every chain go on to iteration `to` of the course with this end, in turn; returns the one that was interrupted.
    fn all_to(
        &self,
        chains: &mut Vec<Waiting>,
        to: u32,
        end: Option<u32>,
        terminal: &mut Terminal,
    ) -> Result<Option<u32>> {
        let mut interrupted = None;
        for waiting in std::mem::take(chains) {
            if waiting.at.iteration >= to || interrupted.is_some() {
                chains.push(waiting);
                continue;
            }
            let (mut member, mut chain) = self.wake(waiting)?;
            member.journal.set_end(end);
            let is_cut = self.advance(&mut member, &mut *chain, to, terminal)?;
            interrupted = is_cut.then_some(member.number);
            chains.push(Waiting { member, at: Start::of(&mut *chain)? });
        }
        Ok(interrupted)
    }

    /// A chain whose turn it is.
    fn wake(&self, Waiting { member, at }: Waiting) -> Result<(Member, Box<dyn Chain>)> {
        let params = self.asked.params_of(member.number)?;
        let chain = chain::open(Arc::clone(&self.corpus), params, at, self.device)?;
        Ok((member, chain))
    }

    fn trace(&self, member: &Member) -> Trace {
        Trace::read(member.journal.trace_rows(), self.asked.params.settings(), self.asked.plan.trace_every)
    }

    /// Says what became of all chains, also in the first one's run.json and report.
    fn conclude(
        &self,
        course: Course,
        folder: &hdp_gpu::output::Folder,
        terminal: &mut Terminal,
    ) -> Result<ExitCode> {
        let Course { mut ended, traces, interrupted } = course;
        if self.asked.chains > 1 {
            let chains = self.chains_info(&ended, &traces, interrupted.is_some());
            let info = &mut ended[0].info;
            info.chains = Some(chains);
            info.status = if interrupted.is_some() { Status::Interrupted } else { Status::Finished };
            insist(terminal, false, || write_info(folder, FolderKind::Run, info))?;
            insist(terminal, false, || report::of_chains(folder, !info.settings.no_text))?;
        }
        let stopped = ended.iter().find(|chain| Some(chain.number) == interrupted);
        if let Some(stopped) = stopped {
            warn_of_interruption(stopped, self.asked.chains, folder);
        }
        if !self.args.quiet {
            report_end(&ended, folder)?;
        }
        Ok(if interrupted.is_some() { ExitCode::from(130) } else { ExitCode::SUCCESS })
    }

    fn chains_info(&self, ended: &[Ended], traces: &[Trace], interrupted: bool) -> ChainsInfo {
        let verdict = self.asked.verdict(traces);
        let scores = ended.iter().map(|chain| chain.info.holdout.as_ref()?.completion.as_ref());
        let scores: Option<Vec<f64>> = scores.map(|score| score.map(|score| score.per_word)).collect();
        let (count, all) = (ended.len(), self.asked.chains as usize);
        ChainsInfo {
            count,
            sentence: if count < all {
                format!("Of {all} chains {count} {} begun.", if count == 1 { "has" } else { "have" })
            } else {
                verdict.sentence(count, !interrupted && self.asked.until == Until::Settled)
            },
            verdict,
            completion_mean: scores
                .filter(|scores| scores.len() == all)
                .map(|scores| scores.iter().sum::<f64>() / all as f64),
            wall_seconds: ended.iter().map(Ended::seconds).sum(),
        }
    }
}
