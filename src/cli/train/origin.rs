//! Where a run starts: at its beginning, or where its last checkpoint is.

use std::path::Path;
use std::sync::Arc;

use hdp_gpu::chain::Start;
use hdp_gpu::checkpoint::{Checkpoint, Found, Info, Opened, Resumption, Run, Store, last_iteration};
use hdp_gpu::estimate::Samples;
use hdp_gpu::output::Folder;
use hdp_gpu::output::folder::{FolderKind, chain_path};
use hdp_gpu::output::logs::Rows;
use hdp_gpu::output::model_file::read_model;
use hdp_gpu::output::run_json::{command_line, read_status};
use hdp_gpu::params::Init;
use hdp_gpu::train::settled::Trace;
use hdp_gpu::train::{Every, Journal, Plan, Until};
use hdp_gpu::{Corpus, Error, Params, Result, warm_start};

use super::args::{Asked, TrainArgs};
use crate::cli::tell;

/// Where a run, or a chain of it, starts.
pub(super) enum Origin {
    /// At the beginning, in a folder of its own; `force` allows to replace what is in it.
    Beginning { force: bool },
    /// At the beginning, in the folder of a run that had no checkpoint. The folder is locked.
    Again { folder: Folder },
    /// Where another process left it. The folder is locked.
    Checkpoint { folder: Folder, store: Store, checkpoint: Box<Checkpoint> },
}

impl Origin {
    /// Looks for a checkpoint, if the run is to go on.
    pub(super) fn find(args: &TrainArgs, number: u32) -> Result<Self> {
        let out = &chain_path(&args.out, number);
        if !args.resume || !out.exists() {
            return Ok(Self::Beginning { force: args.force });
        }
        let folder = Folder::resume(out)?;
        let Found { checkpoint, unusable, store } = Store::find(&folder)?;
        for (path, problem) in unusable {
            let shown = path.display();
            tell(format_args!("warning: {shown} cannot be used ({problem}); going on from the one before"));
        }
        if let Some(checkpoint) = checkpoint {
            return Ok(Self::Checkpoint { folder, store, checkpoint: Box::new(checkpoint) });
        }
        match read_status(&folder)?.as_deref() {
            // It ended before its first checkpoint.
            None | Some("running") => {
                tell(format_args!("{} has no checkpoint: starting from the beginning", out.display()));
                Ok(Self::Again { folder })
            }
            Some(_) => Err(Error::input(
                out,
                "the run has results and no checkpoint to go on from",
                if number > 1 {
                    "remove this folder to train the chain again"
                } else {
                    "train again with --force, or give another --out"
                },
            )),
        }
    }

    /// What the run that goes on is.
    pub(super) fn info(&self) -> Option<&Info> {
        match self {
            Self::Beginning { .. } | Self::Again { .. } => None,
            Self::Checkpoint { checkpoint, .. } => Some(&checkpoint.info),
        }
    }

    /// The last iteration of the course that the chain goes on with: that of all chains, if it is known, or else its own,
    /// as long as the plan is the same.
    pub(super) fn end(&self, asked: &Asked) -> Option<u32> {
        let own = self.info().map(|before| &before.run);
        let own = own.filter(|run| asked.until == Until::Settled && run.plan == asked.plan);
        asked.end.or_else(|| own?.end)
    }

    /// Where the chain is, and the last iteration of the course that it is on, if that is of the same plan.
    pub(super) fn at(&self, asked: &Asked) -> Option<(u32, Option<u32>)> {
        let before = self.info()?;
        let course = Some(before.run.course().iterations).filter(|_| before.run.plan == asked.plan);
        Some((before.iteration, course))
    }

    /// The trace of a chain that goes on.
    pub(super) fn trace(&self, asked: &Asked) -> Option<Trace> {
        match self {
            Self::Beginning { .. } | Self::Again { .. } => None,
            Self::Checkpoint { checkpoint, .. } => {
                Some(Trace::read(checkpoint.trace(), asked.params.settings(), asked.plan.trace_every))
            }
        }
    }

    /// Refuses an `--out` that cannot become a run's folder.
    pub(super) fn check_out(&self, args: &TrainArgs) -> Result<()> {
        match self {
            Self::Beginning { force } => {
                Folder::check(FolderKind::Run, &args.out, *force, &args.corpus.inputs())
            }
            Self::Again { .. } | Self::Checkpoint { .. } => Ok(()),
        }
    }

    /// Where the chain starts, and how the run is then begun.
    pub(super) fn open(
        self,
        corpus: &Arc<Corpus>,
        params: &Params,
        plan: &Plan,
    ) -> Result<(Start, Beginning)> {
        match self {
            Self::Beginning { force } => Ok((first(corpus, params)?, Beginning::New { force })),
            Self::Again { folder } => Ok((first(corpus, params)?, Beginning::Again { folder })),
            Self::Checkpoint { folder, store, checkpoint } => {
                let opened = checkpoint.open(corpus, plan);
                let Opened { mut info, start, rows, samples } = opened.map_err(|problem| {
                    Error::input(folder.path(), problem, "train from the beginning with --force")
                })?;
                if info.iteration < plan.iterations {
                    let (iteration, command) = (info.iteration, command_line());
                    info.past.resumed.push(Resumption { iteration, command });
                }
                Ok((start, Beginning::Resumed(Box::new(Resumed { folder, store, info, rows, samples }))))
            }
        }
    }
}

impl Asked {
    /// Refuses to go on with what would be another run than chain `number` of what is asked for.
    pub(super) fn check_chain(&self, out: &Path, number: u32, before: &Info) -> Result<()> {
        let out = &chain_path(out, number);
        before.check_flags(out, self.params_of(number)?.settings(), self.holdout)?;
        before.check_plan(out, &self.course())
    }
}

/// The state before the first iteration.
fn first(corpus: &Corpus, params: &Params) -> Result<Start> {
    match params.init() {
        Init::Run(run) => warm_start::start(&read_model(&Folder::open_run(run)?)?, corpus, params),
        _ => Ok(Start::first(corpus, params)),
    }
}

/// How a run is begun once its chain is ready.
pub(super) enum Beginning {
    New { force: bool },
    Again { folder: Folder },
    Resumed(Box<Resumed>),
}

/// What is left of a checkpoint when the chain has its state.
pub(super) struct Resumed {
    folder: Folder,
    store: Store,
    info: Info,
    rows: Rows,
    samples: Option<Samples>,
}

impl Beginning {
    /// What the run that goes on was, if there is one.
    pub(super) fn resumed(&self) -> Option<&Info> {
        match self {
            Self::New { .. } | Self::Again { .. } => None,
            Self::Resumed(resumed) => Some(&resumed.info),
        }
    }

    /// The run's folder, with what was there before removed, unless the run goes on.
    pub(super) fn folder(&self, args: &TrainArgs, number: u32) -> Result<Folder> {
        let out = &args.out;
        match self {
            Self::New { .. } if number > 1 => Folder::create_chain(out, number),
            Self::New { .. } if args.resume => begin_now(out),
            Self::New { force } => Folder::create(FolderKind::Run, out, *force),
            Self::Again { folder } => folder.clear_own().map(|()| folder.clone()),
            Self::Resumed(resumed) => Ok(resumed.folder.clone()),
        }
    }

    /// The logs and checkpoints that the run writes.
    pub(super) fn journal(self, folder: &Folder, run: Run, every: Every) -> Result<Journal> {
        match self {
            Self::New { .. } | Self::Again { .. } => Journal::create(folder, run, every),
            Self::Resumed(resumed) => {
                let Resumed { folder, store, info, rows, samples } = *resumed;
                Journal::resume(&folder, run, every, store, info.past, rows, samples)
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
