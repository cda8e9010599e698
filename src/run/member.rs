//! What is done with one chain of a run: it is opened, goes on, and ends with its results.

use std::sync::PoisonError;
use std::time::Instant;

use super::advance::{advance, device_failure, retry};
use super::checkpoint::Kept;
use super::finish::{FinishRecord, finished, shown};
use super::folder::{Folder, FolderKind, name};
use super::holdout::score;
use super::journal::{Ended, Journal};
use super::kept_text::write_kept_text;
use super::observer::{Event, Observer};
use super::origin::Origin;
use super::outcome::ChainOutcome;
use super::plan::Plan;
use super::record::{Resumption, RunRecord, Status};
use super::results::dropped_documents::write_dropped_documents;
use super::results::heldout::write_held_out;
use super::results::{unless_changed, write_results};
use super::{Finished, Reported, Run};
use crate::chain::{Chain, FinishedState};
use crate::corpus::holdout::Split;
use crate::error::Result;
use crate::estimate::Samples;
use crate::params::PsiLaw;

/// A chain that has begun, and what it writes.
pub(super) struct Member {
    pub(super) number: u32,
    pub(super) folder: Folder,
    pub(super) journal: Journal,
}

impl Run {
    /// Begins chain `number`, or has it go on, as it has since `start`: its folder is then there.
    pub(super) fn open(
        &self,
        number: u32,
        origin: Origin,
        start: Instant,
        observer: &mut dyn Observer,
    ) -> Result<(Member, Box<dyn Chain>)> {
        let Self { asked, corpus, portion, place, .. } = self;
        let params = asked.spec.params_of(number)?;
        let end = origin.end(&asked.spec, asked.end);
        let plan = asked.spec.plan.ending(end);
        let (at, beginning) = origin.open(corpus, portion, &params, &plan)?;
        let mut chain = at.open(portion, params, place)?;
        let mut kept = self.kept_of(number, end, beginning.kept(), &plan)?;
        if let Some(failure) = device_failure(&mut *chain) {
            observer.event(&Event::DeviceFailed(&failure));
            kept.record.device_error = Some(failure);
        }
        kept.record.describe(&*chain);
        if number == 1 {
            observer.event(&Event::Ready { record: &kept.record });
        }
        if let Some(before) = beginning.kept() {
            let (from, to) = (before.iteration(), plan.iterations);
            observer.event(&Event::Resumed { chain: number, from, to });
        }
        let folder = retry(observer, false, || beginning.folder(&asked.out, asked.mode, number))?;
        retry(observer, false, || self.write_first(number, &folder, &kept.record))?;
        // From here on the journal counts the time.
        kept.record.wall_seconds += start.elapsed().as_secs_f64();
        let mut journal = beginning.journal(&folder, kept, self.every)?;
        journal.begin(&mut *chain, observer)?;
        journal.rest();
        Ok((Member { number, folder, journal }, chain))
    }

    /// What there is to keep of a chain that begins, or goes on as it was `before`.
    fn kept_of(&self, number: u32, end: Option<u32>, before: Option<&Kept>, plan: &Plan) -> Result<Kept> {
        let mut kept = Kept { end, ..self.kept.clone() };
        kept.record.settings = self.asked.spec.of_chain(number)?;
        if let Some(before) = before {
            (kept.most_flag_topic_tokens, kept.stuck_tokens) =
                (before.most_flag_topic_tokens, before.stuck_tokens);
            let (record, before) = (&mut kept.record, &before.record);
            record.command.clone_from(&before.command);
            record.resumed.clone_from(&before.resumed);
            record.device_error.clone_from(&before.device_error);
            record.wall_seconds = before.wall_seconds;
            if before.iterations_done < plan.iterations {
                let (iteration, command) = (before.iterations_done, self.front_end.command.clone());
                record.resumed.push(Resumption { iteration, command });
            }
        }
        Ok(kept)
    }

    /// Writes what is known before the first iteration.
    fn write_first(&self, number: u32, folder: &Folder, record: &RunRecord) -> Result<()> {
        // What makes the folder a run's comes before everything else.
        record.write(folder)?;
        if number == 1 && self.asked.spec.chains > 1 {
            folder.make_room_for_chains()?;
        }
        if number == 1 {
            self.write_text(folder)?;
        }
        let preparation = &record.corpus.preparation;
        write_dropped_documents(folder, &*self.labelled(&self.corpus)?, preparation)?;
        match &self.split {
            Some(Split { held_out, docs, .. }) => {
                write_held_out(folder, &*self.labelled(held_out)?, docs, &preparation.settings)
            }
            None => Ok(()),
        }
    }

    /// Keeps the documents' own text with a run that begins; one that goes on has what it had, unless it is now refused.
    fn write_text(&self, folder: &Folder) -> Result<()> {
        let mut text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        match &*text {
            Some(spooled) => write_kept_text(folder, spooled)?,
            None if self.asked.spec.no_text => folder.remove_result(name::TEXTS)?,
            None => {}
        }
        // The temporary file goes before hours are trained.
        *text = None;
        Ok(())
    }

    /// Has a chain go on to iteration `to`; returns whether it was interrupted.
    pub(super) fn advance(
        &self,
        member: &mut Member,
        chain: &mut dyn Chain,
        to: u32,
        observer: &mut dyn Observer,
    ) -> Result<bool> {
        observer.event(&Event::Turn { chain: member.number, done: chain.state().iteration() });
        advance(chain, &self.corpus, &mut member.journal, to, observer)
    }

    /// Ends a chain: its finish, results, the score of held-out documents, run.json and the report.
    pub(super) fn finish(
        &self,
        member: Member,
        chain: &mut dyn Chain,
        interrupted: bool,
        observer: &mut dyn Observer,
    ) -> Result<ChainOutcome> {
        let start = Instant::now();
        let Member { number, folder, journal } = member;
        // But for the first of several, its folder is that of a run of its own, with as many iterations.
        let is_own = number > 1 || self.asked.spec.chains == 1;
        let iterations = journal.plan().iterations;
        let Ended { kept, history, samples } = journal.end(chain, observer)?;
        observer.event(&Event::Kept);
        let finished = self.finished(&kept, chain, observer)?;
        let finished = finished.as_ref();
        let Kept { mut record, most_flag_topic_tokens, .. } = kept;
        record.finished = finished.map(FinishRecord::of);
        if is_own {
            record.settings.plan.iterations = iterations;
        }
        self.write_chain(&folder, samples.as_deref(), &mut record, chain, finished, observer)?;
        if let (Some(split), Some(held_out), false) = (&self.split, &mut record.holdout, interrupted) {
            let model = finished.map_or(chain.state(), |finished| &finished.state).model();
            held_out.completion = score(&self.portion.ranks, &model, split, &self.place, observer)?;
        }
        record.describe(chain);
        record.wall_seconds += start.elapsed().as_secs_f64();
        // The folder of the first chain is also that of all, which go on.
        record.status = if is_own { Status::ended(interrupted) } else { Status::Running };
        retry(observer, false, || record.write(&folder))?;
        record.status = Status::ended(interrupted);
        let state = finished.map_or(chain.state(), |finished| &finished.state);
        let outcome = ChainOutcome::new(number, record, history, samples, interrupted, state);
        if is_own {
            self.write_page(&folder, &outcome, chain, finished, observer)?;
        }
        warn_of_flag_topic(most_flag_topic_tokens, chain, observer);
        Ok(outcome)
    }

    /// The finished copy of a chain's last state, if it has come to its end and something is made of it.
    fn finished(
        &self,
        kept: &Kept,
        chain: &mut dyn Chain,
        observer: &mut dyn Observer,
    ) -> Result<Option<FinishedState>> {
        let is_wanted = self.front_end.results || self.split.is_some();
        let sweeps = if is_wanted { kept.sweeps_of_last(self.corpus.num_tokens()) } else { 0 };
        if sweeps > 0 {
            observer.event(&Event::Finishing { sweeps });
        }
        let finished = finished(chain, &self.corpus, sweeps)?;
        self.corpus.check_content()?;
        Ok(finished)
    }

    /// Writes the results of a chain. What was measured of a state that it has left behind goes.
    fn write_chain(
        &self,
        folder: &Folder,
        samples: Option<&Samples>,
        record: &mut RunRecord,
        chain: &mut dyn Chain,
        finished: Option<&FinishedState>,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        retry(observer, false, || {
            if !record.resumed.is_empty() {
                folder.remove_result(name::EVALUATION)?;
            }
            folder.check_in_place()?;
            if !self.front_end.results {
                return Ok(());
            }
            unless_changed(folder, FolderKind::Run, &self.corpus, || {
                write_results(chain, finished, &*self.labelled(&self.corpus)?, samples, folder)
            })
        })?;
        if let Some(failure) = device_failure(chain) {
            observer.event(&Event::DeviceFailed(&failure));
            record.device_error = Some(failure);
        }
        Ok(())
    }

    /// Writes the page of a chain that is all of its run.
    fn write_page(
        &self,
        folder: &Folder,
        outcome: &ChainOutcome,
        chain: &mut dyn Chain,
        finished: Option<&FinishedState>,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let runs = [Reported { folder, record: &outcome.record, history: &outcome.history }];
        let (state, z) = shown(finished, chain)?;
        let model = state.model();
        let corpus = &*self.labelled(&self.corpus)?;
        let finished = Finished { corpus, z: &z, model: &model, runs: &runs };
        retry(observer, false, || {
            folder.check_in_place()?;
            unless_changed(folder, FolderKind::Run, &self.corpus, || self.front_end.write_page(&finished))
        })
    }
}

/// Says that the last topic, which stands for all that are not represented, was needed. In LDA it is one like any other.
fn warn_of_flag_topic(tokens: u64, chain: &dyn Chain, observer: &mut dyn Observer) {
    let params = chain.state().params();
    if tokens > 0 && params.max_topics() > 1 && params.psi() != PsiLaw::Uniform {
        observer.event(&Event::FlagTopicUsed { tokens, params });
    }
}
