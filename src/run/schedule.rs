//! The chains of a run: one after the other, or in turns until they have settled.

use std::sync::Arc;
use std::time::Instant;

use super::advance::retry;
use super::checkpoint::last_iteration;
use super::folder::{Folder, FolderKind};
use super::member::Member;
use super::observer::{Event, Observer};
use super::origin::Origin;
use super::outcome::{ChainOutcome, Outcome};
use super::plan::Until;
use super::record::{ChainsRecord, Status};
use super::results::last_state::read_last_state;
use super::results::model_file::read_model;
use super::results::unless_changed;
use super::settled::{Judged, Traces, Verdict, looks, verdict};
use super::together::At;
use super::{Finished, Reported, Run};
use crate::chain::{Chain, Start};
use crate::corpus::Topics;
use crate::error::{Result, caught};

/// A chain that waits for its turn: its state in the least room.
struct Waiting {
    member: Member,
    at: Start<Topics>,
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

/// Chains that have ended, and the one that was stopped on its way or after which the others were not begun.
type EndedChains = (Vec<ChainOutcome>, Option<u32>);

impl Run {
    /// Trains all chains and writes everything, on the threads of the current pool.
    ///
    /// # Errors
    /// When the device fails, the state is not one that can be, or the disk refuses and the observer has lost its patience.
    pub fn train(mut self, observer: &mut dyn Observer) -> Result<Outcome> {
        let mut origins = std::mem::take(&mut self.asked.origins);
        let (member, chain) = self.open(1, origins.remove(0), self.start, observer)?;
        let folder = member.folder.clone();
        let trained = caught(|| self.train_from(member, chain, origins, observer));
        // Words of a file that somebody writes to can be any numbers.
        let trained = trained.map_err(|error| self.corpus.blamed(error));
        if trained.is_err()
            && let Some(iteration) = last_iteration(&folder)
        {
            let has_chains = !folder.further_chains().is_empty();
            observer.event(&Event::Failed { iteration, has_chains });
        }
        trained
    }

    fn train_from(
        &self,
        member: Member,
        chain: Box<dyn Chain>,
        origins: Vec<Origin>,
        observer: &mut dyn Observer,
    ) -> Result<Outcome> {
        observer.event(&Event::Training);
        let folder = member.folder.clone();
        for (number, chain) in folder.further_chains() {
            if let Some(done) = last_iteration(&chain).filter(|_| number <= self.asked.spec.chains) {
                observer.event(&Event::Waiting { chain: number, done });
            }
        }
        let (chains, interrupted) = match self.asked.spec.until {
            Until::Iterations => self.one_after_the_other(member, chain, observer)?,
            Until::Settled => self.in_turns(member, chain, origins, observer)?,
        };
        let out = self.asked.out.clone();
        let corpus = match &self.labels {
            None => Arc::clone(&self.corpus),
            Some(labels) => Arc::new(labels.on(&self.corpus)?),
        };
        let mut outcome = Outcome { out, corpus, chains, interrupted };
        if self.asked.spec.chains > 1 {
            self.conclude(&mut outcome, &folder, observer)?;
        }
        Ok(outcome)
    }

    /// Each chain to its end before the next one begins: there is never more than one in memory.
    fn one_after_the_other(
        &self,
        mut member: Member,
        mut chain: Box<dyn Chain>,
        observer: &mut dyn Observer,
    ) -> Result<EndedChains> {
        let mut ended = Vec::new();
        loop {
            let number = member.number;
            let is_cut = self.advance(&mut member, &mut *chain, u32::MAX, observer)?;
            let is_last = is_cut || number == self.asked.spec.chains;
            if is_last {
                observer.event(&Event::Ending);
            }
            ended.push(self.finish(member, &mut *chain, is_cut, observer)?);
            let interrupted = (is_cut || !is_last && observer.should_stop()).then_some(number);
            if is_last || interrupted.is_some() {
                return Ok((ended, interrupted));
            }
            drop(chain);
            let start = Instant::now();
            let origin = Origin::find(&self.asked.out, self.asked.mode, number + 1, observer)?;
            if let Some(kept) = origin.kept() {
                // It was not locked meanwhile.
                self.asked.check_chain(number + 1, kept)?;
            }
            (member, chain) = self.open(number + 1, origin, start, observer)?;
        }
    }

    /// All chains to the next look, one after the other, until they have settled.
    fn in_turns(
        &self,
        member: Member,
        mut chain: Box<dyn Chain>,
        others: Vec<Origin>,
        observer: &mut dyn Observer,
    ) -> Result<EndedChains> {
        let mut waiting = vec![Waiting { member, at: chain.start()? }];
        drop(chain);
        if let Some(iteration) = self.asked.end {
            observer.event(&Event::EndKnown { iteration, from_before: true });
        }
        let mut not_begun = None;
        for (number, origin) in (2..).zip(others) {
            if observer.should_stop() {
                not_begun = Some(number - 1);
                break;
            }
            let (member, mut chain) = self.open(number, origin, Instant::now(), observer)?;
            observer.event(&Event::Waiting { chain: number, done: chain.state().iteration() });
            waiting.push(Waiting { member, at: chain.start()? });
        }
        let stopped = match not_begun {
            None => self.to_the_end(&mut waiting, observer)?,
            Some(_) => None,
        };
        observer.event(&Event::Ending);
        for Waiting { member, at } in &mut waiting {
            member.journal.keep(at, observer)?;
        }
        let interrupted = not_begun.or(stopped.filter(|_| waiting.iter().any(Waiting::is_cut)));
        let mut ended = Vec::new();
        for chain in waiting {
            let is_cut = chain.is_cut();
            let (member, mut chain) = self.open_again(chain)?;
            ended.push(self.finish(member, &mut *chain, is_cut, observer)?);
        }
        Ok((ended, interrupted))
    }

    /// From look to look until they have settled, and to their end; returns the chain that was interrupted.
    fn to_the_end(&self, chains: &mut Vec<Waiting>, observer: &mut dyn Observer) -> Result<Option<u32>> {
        let spec = &self.asked.spec;
        let most = spec.plan.iterations;
        let mut end = self.asked.end;
        let mut looks = looks(spec.plan.trace_every);
        loop {
            let to = end.unwrap_or_else(|| looks.next().unwrap_or(most).min(most));
            let had = chains.iter().any(|chain| chain.at.iteration < to);
            let interrupted = self.advance_all(chains, to, end, observer)?;
            if end.is_some() {
                return Ok(interrupted);
            }
            let traces = chains.iter().map(|chain| spec.traces(&chain.member.journal.history().trace));
            let traces: Vec<Traces> = traces.collect();
            if had && interrupted.is_none() {
                observer.event(&Event::Looked(&self.verdict(&traces)));
            }
            let at = chains.iter().map(|chain| (chain.at.iteration, Some(chain.end())));
            end = spec.end_of(&traces, &at.collect::<Vec<_>>());
            if let Some(iteration) = end {
                chains.iter_mut().for_each(|chain| chain.member.journal.set_end(end));
                observer.event(&Event::EndKnown { iteration, from_before: false });
            }
            if interrupted.is_some() || end.is_none() && to == most {
                return Ok(interrupted);
            }
        }
    }

    /// Has every chain go on to iteration `to` of the course with this end, in turn; returns the one that was interrupted.
    fn advance_all(
        &self,
        chains: &mut Vec<Waiting>,
        to: u32,
        end: Option<u32>,
        observer: &mut dyn Observer,
    ) -> Result<Option<u32>> {
        let mut interrupted = None;
        for waiting in std::mem::take(chains) {
            if waiting.at.iteration >= to || interrupted.is_some() {
                chains.push(waiting);
                continue;
            }
            let (mut member, mut chain) = self.open_again(waiting)?;
            member.journal.set_end(end);
            let is_cut = self.advance(&mut member, &mut *chain, to, observer)?;
            interrupted = is_cut.then_some(member.number);
            chains.push(Waiting { member, at: chain.start()? });
        }
        Ok(interrupted)
    }

    /// A chain whose turn it is.
    fn open_again(&self, Waiting { member, at }: Waiting) -> Result<(Member, Box<dyn Chain>)> {
        let params = self.asked.spec.params_of(member.number)?;
        Ok((member, At::Whole(at).open(&self.portion, params, &self.place)?))
    }

    fn verdict(&self, traces: &[Traces]) -> Verdict {
        let spec = &self.asked.spec;
        verdict(traces, &spec.plan, spec.until, spec.model.anneal)
    }

    /// Puts what became of all chains into the first one's run.json and report.
    fn conclude(&self, outcome: &mut Outcome, folder: &Folder, observer: &mut dyn Observer) -> Result<()> {
        let is_cut = outcome.interrupted.is_some();
        let chains = self.chains_record(&outcome.chains, is_cut);
        let record = &mut outcome.chains[0].record;
        record.chains = Some(chains);
        record.status = Status::ended(is_cut);
        retry(observer, false, || record.write(folder))?;
        if self.front_end.page.is_none() {
            return Ok(());
        }
        let further = folder.further_chains();
        let folder_of = |number: u32| further.iter().find(|(found, _)| *found == number).map(|(_, it)| it);
        let reported = outcome.chains.iter().map(|chain| Reported {
            folder: folder_of(chain.number).unwrap_or(folder),
            record: &chain.record,
            history: &chain.history,
        });
        let reported: Vec<_> = reported.collect();
        // The state of the first chain is on the disk by now, and nowhere else.
        let model = read_model(folder)?;
        let state = read_last_state(folder, &model)?;
        let finished = Finished { corpus: &outcome.corpus, z: &state.z, model: &model, runs: &reported };
        retry(observer, false, || {
            unless_changed(folder, FolderKind::Run, &outcome.corpus, || self.front_end.write_page(&finished))
        })
    }

    fn chains_record(&self, chains: &[ChainOutcome], interrupted: bool) -> ChainsRecord {
        let spec = &self.asked.spec;
        let traces: Vec<Traces> = chains.iter().map(|chain| spec.traces(&chain.history.trace)).collect();
        let verdict = self.verdict(&traces);
        let scores = chains.iter().map(|chain| chain.record.holdout.as_ref()?.completion.as_ref());
        let scores: Option<Vec<f64>> = scores.map(|score| score.map(|score| score.per_word)).collect();
        let (count, all) = (chains.len(), spec.chains as usize);
        ChainsRecord {
            count,
            sentence: if count < all {
                format!("Of {all} chains {count} {} begun.", if count == 1 { "has" } else { "have" })
            } else {
                verdict.sentence(Judged::Chains(count), !interrupted && spec.until == Until::Settled)
            },
            verdict,
            completion_mean: scores
                .filter(|scores| scores.len() == all)
                .map(|scores| scores.iter().sum::<f64>() / all as f64),
            wall_seconds: chains.iter().map(|chain| chain.record.wall_seconds).sum(),
        }
    }
}
