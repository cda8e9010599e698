//! The files of a run's checkpoint folder: the last two that are known to be good.

use std::path::{Path, PathBuf};

use super::format::{self, Unusable};
use super::{Checkpoint, Kept};
use crate::chain::Start;
use crate::corpus::Topics;
use crate::error::{Error, Result};
use crate::estimate::Samples;
use crate::files::whole::write_whole;
use crate::run::folder::Folder;
use crate::run::folder::lock::{checkpoint_name, newest_first};
use crate::run::folder::name;
use crate::run::logs::Rows;

/// Checkpoints that are kept.
const KEPT: usize = 2;

/// Where a run's checkpoints go.
#[derive(Clone, Debug)]
pub struct Store {
    run: Folder,
    folder: PathBuf,
    /// The files to keep, the newest last, which is known to be good.
    good: Vec<PathBuf>,
}

/// What a run can go on from.
#[derive(Debug)]
pub struct Found {
    /// The newest checkpoint that can be used, if there are any checkpoints.
    pub checkpoint: Option<Checkpoint>,
    /// Newer ones, and why they cannot be used.
    pub unusable: Vec<(PathBuf, String)>,
    /// Where the next checkpoints go.
    pub store: Store,
}

impl Store {
    /// Without checkpoints so far.
    pub fn new(run: &Folder) -> Self {
        Self { run: run.clone(), folder: run.file(name::CHECKPOINT), good: Vec::new() }
    }

    /// Looks for the newest checkpoint that is whole.
    ///
    /// # Errors
    /// [`Error::Input`] when there are checkpoints and none of them can be used, or the newest is of another version.
    pub fn find(run: &Folder) -> Result<Found> {
        let mut store = Self::new(run);
        let mut unusable = Vec::new();
        let mut checkpoints = newest_first(&store.folder)?.into_iter();
        while let Some((iteration, path)) = checkpoints.next() {
            match read_file(run, iteration)? {
                Ok(checkpoint) => {
                    // The one before stays too.
                    store.good.extend(checkpoints.next().map(|(_, older)| older));
                    store.good.push(path);
                    return Ok(Found { checkpoint: Some(checkpoint), unusable, store });
                }
                Err(Unusable::OtherVersion(version)) => return Err(other_version(&path, version)),
                Err(Unusable::Damaged(problem)) => unusable.push((path, problem)),
            }
        }
        if unusable.is_empty() {
            return Ok(Found { checkpoint: None, unusable, store });
        }
        let named = |(path, problem): &(PathBuf, String)| {
            format!("{}: {problem}", path.file_name().unwrap_or_default().to_string_lossy())
        };
        let problems: Vec<String> = unusable.iter().map(named).collect();
        Err(Error::input(
            &store.folder,
            format!("no checkpoint can be used ({})", problems.join("; ")),
            "copy the run folder again, or train from the beginning with `force`; a folder in chains can be removed instead",
        ))
    }

    /// Writes a checkpoint; older ones than the last two then go.
    ///
    /// # Errors
    /// [`Error::Write`]; all older ones are then still there.
    pub(super) fn save(
        &mut self,
        kept: &Kept,
        start: &Start<Topics>,
        rows: &Rows,
        samples: Option<&Samples>,
    ) -> Result<()> {
        self.run.check_in_place()?;
        // Somebody may have removed the folder, and not the run's. If it is there, or cannot be made, writing tells.
        let _ = std::fs::create_dir(&self.folder);
        let path = self.folder.join(checkpoint_name(kept.iteration()));
        write_whole(&path, |out| format::write(out, kept, start, rows, samples))?;
        self.good.retain(|good| *good != path);
        self.good.push(path);
        self.good.drain(..self.good.len().saturating_sub(KEPT));
        // One that cannot be removed now is removed next time.
        for (_, old) in newest_first(&self.folder).unwrap_or_default() {
            if !self.good.contains(&old) {
                let _ = std::fs::remove_file(old);
            }
        }
        Ok(())
    }
}

/// The checkpoint of `iteration`, if it can be used. What the system refuses to read now may be good tomorrow, so that
/// is an error.
fn read_file(run: &Folder, iteration: u32) -> Result<Result<Checkpoint, Unusable>> {
    let name = format!("{}/{}", name::CHECKPOINT, checkpoint_name(iteration));
    let bytes = match run.read(&name) {
        Err(Error::Input { problem, .. }) => return Ok(Err(Unusable::Damaged(problem))),
        bytes => bytes?,
    };
    let checkpoint = format::read(&bytes).and_then(|checkpoint| {
        let found = checkpoint.kept.iteration();
        let named = if found == iteration { Ok(()) } else { Err(format!("it is of iteration {found}")) };
        named.map(|()| checkpoint).map_err(Unusable::Damaged)
    });
    Ok(checkpoint)
}

fn other_version(path: &Path, version: u64) -> Error {
    Error::input(
        path,
        format!("has version {version} of the format, and this program has another"),
        "go on with the version of the program that wrote it, or train from the beginning with `force`",
    )
}

/// The iteration of a run's newest checkpoint, by its name.
pub fn last_iteration(run: &Folder) -> Option<u32> {
    newest_first(&run.file(name::CHECKPOINT)).ok()?.first().map(|&(iteration, _)| iteration)
}
