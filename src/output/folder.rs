//! The run folder itself: made once, never overwritten unasked.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The names of a run's files.
pub mod name {
    /// Log-likelihoods and topics by iteration; the same bytes on every device.
    pub const TRACE: &str = "trace.csv";
    /// Where the time went, by iteration.
    pub const TIMING: &str = "timing.csv";
    /// Tokens per topic at the iterations of the trace.
    pub const TOKENS_PER_TOPIC: &str = "tokens_per_topic.csv";
    /// Every setting, and what the run was made of.
    pub const RUN: &str = "run.json";
    /// The top words of each topic, as MALLET writes them.
    pub const TOPIC_KEYS: &str = "topic-keys.txt";
    /// The topics of each document, as MALLET writes them.
    pub const DOC_TOPICS: &str = "doc-topics.txt";
    /// The topic of each token, as MALLET writes it.
    pub const STATE: &str = "state.gz";
    /// Ψ and n.
    pub const MODEL: &str = "model.safetensors";
    /// The words, by number.
    pub const VOCAB: &str = "vocab.txt";

    pub(super) const ALL: [&str; 9] =
        [TRACE, TIMING, TOKENS_PER_TOPIC, RUN, TOPIC_KEYS, DOC_TOPICS, STATE, MODEL, VOCAB];
}

/// A run's folder.
#[derive(Clone, Debug)]
pub struct RunFolder(PathBuf);

impl RunFolder {
    /// Refuses an `--out` that cannot become a run's folder. Writes nothing, so it comes before hours of work.
    ///
    /// # Errors
    /// [`Error::Flag`] when the path exists and `force` is not given, or is not a folder.
    pub fn check(path: &Path, force: bool) -> Result<()> {
        let shown = path.display();
        match path.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::flag(
                "--out",
                format!("{shown} cannot become a folder: {error}"),
                "give another path",
            )),
            Ok(found) if !found.is_dir() && !path.is_dir() => {
                Err(Error::flag("--out", format!("{shown} is not a folder"), "give another path"))
            }
            Ok(_) if !force => Err(Error::flag(
                "--out",
                format!("{shown} exists and is left as it is"),
                "give another path, or --force to replace the run in it",
            )),
            Ok(_) => Ok(()),
        }
    }

    /// Makes the folder; with `force`, an earlier run's files in it are removed, and nothing else.
    ///
    /// # Errors
    /// As [`Self::check`], and [`Error::Write`] when the folder cannot be made.
    pub fn create(path: &Path, force: bool) -> Result<Self> {
        Self::check(path, force)?;
        std::fs::create_dir_all(path).map_err(Error::write(path))?;
        let folder = Self(path.to_owned());
        for name in name::ALL {
            let file = folder.file(name);
            match std::fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::write(&file)(error));
                }
                _ => {}
            }
        }
        Ok(folder)
    }

    /// A finished run's folder, for reading.
    ///
    /// # Errors
    /// [`Error::Input`] when the path holds no model.
    pub fn open(path: &Path) -> Result<Self> {
        let folder = Self(path.to_owned());
        if folder.file(name::MODEL).is_file() {
            return Ok(folder);
        }
        Err(Error::input(
            path,
            format!("not the folder of a finished run: it has no {}", name::MODEL),
            "give the --out folder of a train command that has ended",
        ))
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file of the run.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}
