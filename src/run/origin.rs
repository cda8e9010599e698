//! Where a chain starts: at its beginning, or where its last checkpoint is.

use std::path::Path;

use super::checkpoint::{Checkpoint, Found, Kept, Opened, Store, last_iteration};
use super::folder::{Folder, FolderKind, chain_path, name};
use super::journal::{Every, Journal};
use super::logs::Rows;
use super::observer::{Event, Observer};
use super::plan::{Plan, Until};
use super::record::{RunRecord, Status};
use super::spec::RunSpec;
use super::together::At;
use super::trace::{History, TraceRow};
use crate::corpus::{Corpus, Portion, Topics};
use crate::error::{Error, Result};
use crate::estimate::Samples;
use crate::params::Params;

/// What may become of an existing run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Nothing: it is refused.
    #[default]
    New,
    /// It is replaced.
    Force,
    /// It goes on; a run that is not there begins.
    Resume,
}

/// Where a chain starts.
pub(super) enum Origin {
    /// At the beginning, in a folder of its own.
    Beginning,
    /// At the beginning, in the folder of a run that had no checkpoint. The folder is locked.
    Again { folder: Folder },
    /// Where another process left it. The folder is locked.
    Checkpoint { folder: Folder, store: Store, checkpoint: Box<Checkpoint> },
}

impl Origin {
    /// Looks for a checkpoint of chain `number` of the run in `out`, if that is to go on.
    pub(super) fn find(out: &Path, mode: Mode, number: u32, observer: &mut dyn Observer) -> Result<Self> {
        let out = &chain_path(out, number);
        if mode != Mode::Resume || !out.exists() {
            return Ok(Self::Beginning);
        }
        let folder = Folder::resume(out)?;
        let Found { checkpoint, unusable, store } = Store::find(&folder)?;
        for (path, problem) in &unusable {
            observer.event(&Event::UnusableCheckpoint { path, problem });
        }
        if let Some(checkpoint) = checkpoint {
            return Ok(Self::Checkpoint { folder, store, checkpoint: Box::new(checkpoint) });
        }
        // Without a word on what it was, or if it ended before its first checkpoint, there is nothing to lose.
        let has_results =
            folder.file(name::RUN).exists() && RunRecord::read(&folder)?.status != Status::Running;
        if !has_results {
            observer.event(&Event::NoCheckpoint { path: out });
            return Ok(Self::Again { folder });
        }
        Err(Error::input(
            out,
            "the run has results and no checkpoint to go on from",
            if number > 1 {
                "remove this folder to train the chain again"
            } else {
                "train again with `force`, or give another `out`"
            },
        ))
    }

    /// What the chain that goes on was.
    pub(super) fn kept(&self) -> Option<&Kept> {
        match self {
            Self::Beginning | Self::Again { .. } => None,
            Self::Checkpoint { checkpoint, .. } => Some(&checkpoint.kept),
        }
    }

    /// The last iteration of the course that the chain goes on with: that of all chains, if it is known, or else its own,
    /// as long as the plan is the same.
    pub(super) fn end(&self, spec: &RunSpec, end: Option<u32>) -> Option<u32> {
        let own = self.kept().filter(|kept| spec.until == Until::Settled && has_plan(kept, spec));
        end.or_else(|| own?.end)
    }

    /// Where the chain is, and the last iteration of the course that it is on, if that is of the same plan.
    pub(super) fn at(&self, spec: &RunSpec) -> Option<(u32, Option<u32>)> {
        let kept = self.kept()?;
        let course = Some(kept.course().iterations).filter(|_| has_plan(kept, spec));
        Some((kept.iteration(), course))
    }

    /// The trace of a chain that goes on.
    pub(super) fn trace(&self) -> Option<&[TraceRow]> {
        match self {
            Self::Beginning | Self::Again { .. } => None,
            Self::Checkpoint { checkpoint, .. } => Some(checkpoint.trace()),
        }
    }

    /// Refuses an `out` that cannot become a run's folder.
    pub(super) fn check_out(&self, out: &Path, mode: Mode, inputs: &[&Path]) -> Result<()> {
        match self {
            Self::Beginning => Folder::check(FolderKind::Run, out, mode == Mode::Force, inputs),
            Self::Again { .. } | Self::Checkpoint { .. } => Ok(()),
        }
    }

    /// Where the chain on `corpus` starts, of which this rank has a `portion`, and how it is then begun.
    pub(super) fn open(
        self,
        corpus: &Corpus,
        portion: &Portion,
        params: &Params,
        plan: &Plan,
    ) -> Result<(At, Beginning)> {
        match self {
            Self::Beginning => Ok((At::first(portion, params)?, Beginning::New)),
            Self::Again { folder } => Ok((At::first(portion, params)?, Beginning::Again { folder })),
            Self::Checkpoint { folder, store, checkpoint } => {
                let opened = checkpoint.open(corpus, plan);
                let Opened { kept, start, rows, history, samples } = opened.map_err(|problem| {
                    Error::input(folder.path(), problem, "train from the beginning with `force`")
                })?;
                let resumed = Resumed { folder, store, kept, rows, history, samples };
                Ok((At::Whole(start.map_z(Topics::from)), Beginning::Resumed(Box::new(resumed))))
            }
        }
    }
}

fn has_plan(kept: &Kept, spec: &RunSpec) -> bool {
    kept.record.settings.plan == spec.plan
}

/// How a chain is begun once it is ready.
pub(super) enum Beginning {
    New,
    Again { folder: Folder },
    Resumed(Box<Resumed>),
}

/// What is left of a checkpoint when the chain has its state.
pub(super) struct Resumed {
    folder: Folder,
    store: Store,
    kept: Kept,
    rows: Rows,
    history: History,
    samples: Option<Samples>,
}

impl Beginning {
    /// What the chain that goes on was, if it does.
    pub(super) fn kept(&self) -> Option<&Kept> {
        match self {
            Self::New | Self::Again { .. } => None,
            Self::Resumed(resumed) => Some(&resumed.kept),
        }
    }

    /// The chain's folder, with what was there before removed, unless the chain goes on.
    pub(super) fn folder(&self, out: &Path, mode: Mode, number: u32) -> Result<Folder> {
        match self {
            Self::New if number > 1 => Folder::create_chain(out, number),
            Self::New if mode == Mode::Resume => begin_now(out),
            Self::New => Folder::create(FolderKind::Run, out, mode == Mode::Force),
            Self::Again { folder } => folder.clear_own().map(|()| folder.clone()),
            Self::Resumed(resumed) => Ok(resumed.folder.clone()),
        }
    }

    /// The logs and checkpoints that the chain writes.
    pub(super) fn journal(self, folder: &Folder, kept: Kept, every: Every) -> Result<Journal> {
        match self {
            Self::New | Self::Again { .. } => Journal::create(folder, kept, every),
            Self::Resumed(resumed) => {
                let Resumed { folder, store, rows, history, samples, .. } = *resumed;
                Journal::resume(&folder, kept, every, store, (rows, history), samples)
            }
        }
    }
}

/// The folder of a run that was not there when this process looked for it. Another may have been faster.
fn begin_now(out: &Path) -> Result<Folder> {
    let folder = Folder::resume(out)?;
    match last_iteration(&folder) {
        None => folder.clear_own().map(|()| folder),
        Some(_) => {
            let problem = format!("another process has trained in {} meanwhile", out.display());
            Err(Error::setting("out", problem, "give the command again"))
        }
    }
}
