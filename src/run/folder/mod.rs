//! The folder of a run or of an inference: made once, never overwritten unasked.

pub(crate) mod lock;
pub mod name;
pub mod out;
mod plain;
mod same;

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use self::lock::{Lock, newest_first};
use self::out::{check_out, existing_or_parent};
use crate::error::{Error, Result};
use crate::files::whole::{HALF_WRITTEN, flush_folder, folder_of};

/// What a folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderKind {
    /// A run.
    Run,
    /// Topics of new documents.
    Inference,
}

impl FolderKind {
    /// Its files.
    fn files(self) -> &'static [&'static str] {
        match self {
            Self::Run => &name::ALL,
            Self::Inference => &name::INFERENCE,
        }
    }

    /// The file that says what the folder holds, and that this program made it.
    pub(super) fn info(self) -> &'static str {
        match self {
            Self::Run => name::RUN,
            Self::Inference => name::INFER,
        }
    }
}

/// A folder of results.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// Held for a run that is being made.
    lock: Option<Arc<Lock>>,
}

impl Folder {
    /// Refuses an `out` that cannot become such a folder, as [`check_out`] does. An existing one must be of the same kind
    /// or empty, and hold none of the `inputs`: only then nothing but earlier results are lost.
    ///
    /// # Errors
    /// [`Error::Setting`].
    pub fn check(kind: FolderKind, path: &Path, force: bool, inputs: &[&Path]) -> Result<()> {
        let shown = path.display();
        if kind == FolderKind::Run && !force && is_of(kind, path) {
            return Err(Error::setting(
                "out",
                format!("{shown} exists and is left as it is"),
                "give another path, `resume` to go on with the run in it, or `force` to replace it",
            ));
        }
        check_out(path, force)?;
        if let Some(folder) = inputs.iter().find(|input| input.is_dir() && is_below(path, input)) {
            return Err(Error::setting(
                "out",
                format!("{shown} lies in {}, whose files are all read as documents", folder.display()),
                "give a path outside it",
            ));
        }
        if !path.exists() {
            return Ok(());
        }
        if kind == FolderKind::Run {
            Lock::check(path)?;
        }
        let folders: Vec<_> =
            further_chains(path).into_iter().map(|(_, chain)| chain).chain([path.into()]).collect();
        let is_held = |input: &Path| input.exists() && folders.iter().any(|folder| is_in(input, folder));
        if let Some(input) = inputs.iter().find(|input| is_held(input)) {
            return Err(Error::setting(
                "out",
                format!("{shown} holds {}, which `force` might replace", input.display()),
                "give another path",
            ));
        }
        if !is_of(kind, path) && !is_empty(path)? {
            return Err(Error::setting(
                "out",
                format!(
                    "{shown} has files and no {} of this program, so `force` does not touch it",
                    kind.info()
                ),
                "give another path, or empty the folder",
            ));
        }
        Ok(())
    }

    /// Makes the folder; with `force`, earlier results of its kind in it are removed, half-written ones too, and
    /// nothing else.
    ///
    /// # Errors
    /// As [`Self::check`], and [`Error::Write`] when the folder cannot be made.
    pub fn create(kind: FolderKind, path: &Path, force: bool) -> Result<Self> {
        Self::check(kind, path, force, &[])?;
        std::fs::create_dir_all(path).map_err(Error::write(path))?;
        let folder = Self::locked(kind, path)?;
        folder.clear(kind)?;
        Ok(folder)
    }

    /// Makes the folder of a further chain of the run in `run`, which is this process's own. Earlier results in it are removed.
    ///
    /// # Errors
    /// [`Error::Setting`] when it lies elsewhere, and [`Error::Write`].
    pub fn create_chain(run: &Path, number: u32) -> Result<Self> {
        check_no_link(run, number)?;
        let path = chain_path(run, number);
        std::fs::create_dir_all(&path).map_err(Error::write(&path))?;
        let folder = Self::locked(FolderKind::Run, &path)?;
        folder.clear(FolderKind::Run)?;
        Ok(folder)
    }

    /// Makes the folder that further chains will be in.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn make_room_for_chains(&self) -> Result<()> {
        let chains = self.file(name::CHAINS);
        std::fs::create_dir_all(&chains).map_err(Error::write(&chains))
    }

    /// Refuses the folder of a further chain that lies elsewhere or has files of somebody else.
    ///
    /// # Errors
    /// [`Error::Setting`].
    pub fn check_chain(run: &Path, number: u32) -> Result<()> {
        check_no_link(run, number)?;
        let path = chain_path(run, number);
        if path.exists() && !is_of(FolderKind::Run, &path) && !is_empty(&path)? {
            let problem = format!("{} has files and no {} of this program", path.display(), name::RUN);
            return Err(Error::setting("out", problem, "give another path, or empty the folder"));
        }
        Ok(())
    }

    /// Removes earlier results, half-written ones and those of further chains too, and nothing else.
    ///
    /// # Errors
    /// [`Error::Write`], or [`Error::Setting`] when another process is training one of the chains.
    pub fn clear(&self, kind: FolderKind) -> Result<()> {
        if kind == FolderKind::Run {
            // Nothing is removed before it is certain that nobody else works on any of it.
            let chains = further_chains(&self.path).into_iter().map(|(_, path)| lock_own(&path));
            let chains = chains.collect::<Result<Vec<_>>>()?;
            // Checkpoints go first: without them, what is left of a removal that was cut short is not gone on with.
            self.remove_checkpoints()?;
            chains.into_iter().flatten().try_for_each(remove_chain)?;
            // Something else may be in it.
            let _ = std::fs::remove_dir(self.file(name::CHAINS));
        }
        self.remove_half_written()?;
        kind.files().iter().try_for_each(|name| remove(&self.file(name)))
    }

    /// Removes what a run has left in its own folder, but for the file that says that it is a run's. Its further chains stay: each
    /// has a lock and checkpoints of its own.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn clear_own(&self) -> Result<()> {
        self.remove_checkpoints()?;
        self.remove_half_written()?;
        let names = name::ALL.iter().filter(|&&name| name != name::RUN);
        names.into_iter().try_for_each(|name| remove(&self.file(name)))
    }

    fn remove_checkpoints(&self) -> Result<()> {
        newest_first(&self.file(name::CHECKPOINT))?.iter().try_for_each(|(_, checkpoint)| remove(checkpoint))
    }

    /// The folder of a run that goes on, or that is made now; half-written files in it are removed.
    ///
    /// # Errors
    /// [`Error::Setting`] when the path is neither a run of this program nor empty, or another process is training in it;
    /// [`Error::Write`] when it cannot be written to.
    pub fn resume(path: &Path) -> Result<Self> {
        check_out(path, true)?;
        if path.exists() && !is_of(FolderKind::Run, path) && !is_empty(path)? {
            return Err(Error::setting(
                "out",
                format!("{} has files and no {} of this program", path.display(), name::RUN),
                "give the folder of a run",
            ));
        }
        std::fs::create_dir_all(path).map_err(Error::write(path))?;
        let folder = Self::locked(FolderKind::Run, path)?;
        folder.remove_half_written()?;
        Ok(folder)
    }

    /// A folder that is read from, whatever is in it.
    pub fn unlocked(path: &Path) -> Self {
        Self { path: path.to_owned(), lock: None }
    }

    fn locked(kind: FolderKind, path: &Path) -> Result<Self> {
        let lock = match kind {
            FolderKind::Run => Some(Arc::new(Lock::take(path)?)),
            FolderKind::Inference => None,
        };
        flush_folder(folder_of(path));
        Ok(Self { path: path.to_owned(), lock })
    }

    /// The folder of checkpoints of a locked run is no link.
    fn remove_half_written(&self) -> Result<()> {
        let checkpoints = self.lock.as_ref().map(|_| self.file(name::CHECKPOINT));
        for folder in std::iter::once(self.path.clone()).chain(checkpoints) {
            for name in entries(&folder)?.filter(|name| is_half_written(name)) {
                remove(&folder.join(name))?;
            }
        }
        Ok(())
    }

    /// Removes what was made of a corpus that had changed: the results of a run, or all files of an inference.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub(super) fn remove_results(&self, kind: FolderKind) -> Result<()> {
        let stays = match kind {
            FolderKind::Run => name::STAY,
            FolderKind::Inference => &[],
        };
        let names = kind.files().iter().filter(|name| !stays.contains(name));
        names.into_iter().try_for_each(|name| remove(&self.file(name)))
    }

    /// Removes a result of a state that a run has left behind.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn remove_result(&self, name: &str) -> Result<()> {
        remove(&self.file(name))
    }

    /// A finished run's folder, for reading.
    ///
    /// # Errors
    /// [`Error::Input`] when the path holds no model.
    pub fn open_run(path: &Path) -> Result<Self> {
        let folder = Self::unlocked(path);
        // Whether it is a plain file is asked when it is read.
        if folder.file(name::MODEL).symlink_metadata().is_ok() {
            return Ok(folder);
        }
        Err(Error::input(
            path,
            format!("not the folder of a finished run: it has no {}", name::MODEL),
            "give the `out` folder of a train command that has ended",
        ))
    }

    /// The folders of the run's further chains that are there, with their numbers, for reading.
    pub fn further_chains(&self) -> Vec<(u32, Self)> {
        let chains = further_chains(&self.path);
        chains.iter().map(|(number, chain)| (*number, Self::unlocked(chain))).collect()
    }

    /// The folder of the run that this one is a further chain of, as its path tells.
    pub fn of_all_chains(&self) -> Option<Self> {
        let path = self.path.canonicalize().ok()?;
        let chains =
            path.parent().filter(|chains| chains.file_name().is_some_and(|name| name == name::CHAINS))?;
        chains.parent().map(Self::unlocked)
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The files that a run leaves itself: all but those that can be made from them.
    pub fn files_of_run(&self) -> Vec<PathBuf> {
        let made_later = [name::REPORT, name::EVALUATION];
        let names = name::ALL.iter().filter(|name| !made_later.contains(name));
        names.map(|name| self.file(name)).collect()
    }

    /// Refuses to go on writing to a run that is made when its path leads elsewhere than at first: somebody may have put a link
    /// there.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub(crate) fn check_in_place(&self) -> Result<()> {
        self.lock.as_ref().map_or(Ok(()), |lock| lock.check_in_place(&self.path))
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

/// The folder of a chain of the run in `run`: the first chain is in the run's own, the others are numbered from 2.
pub fn chain_path(run: &Path, number: u32) -> PathBuf {
    if number == 1 { run.to_owned() } else { run.join(name::CHAINS).join(number.to_string()) }
}

/// The largest number of a chain of the run in `run` that has begun.
pub fn last_chain(run: &Path) -> u32 {
    further_chains(run).last().map_or(1, |(number, _)| *number)
}

/// The folders of further chains in `run`, by number. A link is none: it could lead anywhere.
fn further_chains(run: &Path) -> Vec<(u32, PathBuf)> {
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
    let folder = run.join(name::CHAINS);
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let paths = names.map(|number: u32| (number, chain_path(run, number)));
    let mut chains: Vec<_> =
        paths.filter(|(number, path)| *number > 1 && is_folder(&folder) && is_folder(path)).collect();
    chains.sort_unstable();
    chains.dedup();
    chains
}

/// Refuses the folder of a further chain that lies elsewhere.
fn check_no_link(run: &Path, number: u32) -> Result<()> {
    let folders = [run.join(name::CHAINS), chain_path(run, number)];
    let is_other = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| !found.is_dir());
    match folders.iter().find(|path| is_other(path)) {
        Some(path) => {
            let problem = format!("{} is not a folder of its own", path.display());
            Err(Error::setting("out", problem, "remove it, or give another path"))
        }
        None => Ok(()),
    }
}

/// The folder of a further chain, locked, if it is one.
fn lock_own(path: &Path) -> Result<Option<Folder>> {
    if is_of(FolderKind::Run, path) || is_empty(path)? {
        Folder::locked(FolderKind::Run, path).map(Some)
    } else {
        Ok(None)
    }
}

/// Removes what a chain has left in its folder, and the folder, unless something else is in it.
fn remove_chain(folder: Folder) -> Result<()> {
    folder.clear(FolderKind::Run)?;
    let (path, checkpoints) = (folder.path.clone(), folder.file(name::CHECKPOINT));
    drop(folder);
    remove(&checkpoints.join(name::LOCK))?;
    let _ = std::fs::remove_dir(checkpoints).and_then(|()| std::fs::remove_dir(path));
    Ok(())
}

/// Whether the file `input` lies in `folder`.
fn is_in(input: &Path, folder: &Path) -> bool {
    match (folder_of(input).canonicalize(), folder.canonicalize()) {
        (Ok(parent), Ok(folder)) => parent == folder,
        _ => false,
    }
}

/// Whether `path`, which need not exist, lies in `folder` or somewhere below, or is it.
pub fn is_below(path: &Path, folder: &Path) -> bool {
    match (existing_or_parent(path).canonicalize(), folder.canonicalize()) {
        (Ok(existing), Ok(folder)) => existing.starts_with(folder),
        _ => false,
    }
}

/// Whether `folder` has what this program writes into a folder of that kind.
fn is_of(kind: FolderKind, folder: &Path) -> bool {
    /// What run.json and infer.json both say.
    #[derive(Deserialize)]
    struct Made {
        program: String,
    }
    let info = Folder::unlocked(folder).read(kind.info()).ok();
    let made = info.and_then(|bytes| serde_json::from_slice::<Made>(&bytes).ok());
    made.is_some_and(|made| made.program == env!("CARGO_PKG_NAME"))
}

/// Whether `folder` has nothing but half-written files, and what a run makes before anything else.
fn is_empty(folder: &Path) -> Result<bool> {
    let mut nothing = true;
    for name in entries(folder)?.filter(|name| !is_half_written(name)) {
        let checkpoints = folder.join(&name);
        nothing &= name == name::CHECKPOINT
            && checkpoints.is_dir()
            && entries(&checkpoints)?.all(|name| is_half_written(&name) || name == name::LOCK);
    }
    Ok(nothing)
}

/// The names in `folder`.
fn entries(folder: &Path) -> Result<impl Iterator<Item = OsString>> {
    let entries: std::io::Result<Vec<_>> = std::fs::read_dir(folder).and_then(Iterator::collect);
    Ok(entries.map_err(Error::write(folder))?.into_iter().map(|entry| entry.file_name()))
}

fn is_half_written(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(HALF_WRITTEN.as_bytes())
}

/// Removes a file that need not be there.
fn remove(file: &Path) -> Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::write(file)(error)),
        _ => Ok(()),
    }
}
