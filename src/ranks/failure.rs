//! What ranks do when something fails on one of them: they agree on it, or all are ended.

use std::sync::atomic::Ordering::Relaxed;

use serde::{Deserialize, Serialize};

use super::Ranks;
use crate::error::{Error, Result};

/// What a rank says of its part.
#[derive(PartialEq, Serialize, Deserialize)]
enum Said {
    Done,
    /// Somebody stopped it.
    Stopped,
    Failed {
        name: String,
        exit_code: u8,
        error: String,
    },
}

impl Said {
    fn of<T>(done: &Result<T>) -> Self {
        match done {
            Err(Error::Rank { name, exit_code, error }) => {
                Self::Failed { name: name.clone(), exit_code: *exit_code, error: error.clone() }
            }
            Err(Error::Interrupted) => Self::Stopped,
            // Errors of ranks have their names.
            Err(_) | Ok(_) => Self::Done,
        }
    }
}

impl Ranks {
    /// Does what all ranks do at the same time. Unless they [agree](Self::agree) on it, an error of this one tears them apart, and so
    /// does a panic.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn together<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.is_torn.store(true, Relaxed);
        let done = work();
        self.is_torn.store(!matches!(done, Ok(_) | Err(Error::Rank { .. } | Error::Interrupted)), Relaxed);
        done
    }

    /// Whether the other ranks may wait for this one for ever, so that nothing is left but to [abort](Self::abort).
    pub fn is_torn(&self) -> bool {
        self.are_several() && self.is_torn.load(Relaxed)
    }

    /// Ends all ranks at once with this exit code.
    pub fn abort(&self, code: u8) -> ! {
        self.link.abort(code)
    }

    /// Whether something has worked on all ranks: after this they all go on, or all know which one could not.
    ///
    /// # Errors
    /// That of the first rank that has one; else [`Error::Interrupted`] when some rank was stopped.
    pub fn agree<T>(&self, done: Result<T>) -> Result<T> {
        if !self.are_several() {
            return done;
        }
        let done = done.map_err(|error| self.named(error));
        let said = self.gather_told(&Said::of(&done));
        let was_stopped = said.contains(&Said::Stopped);
        let failed = said.into_iter().find_map(|said| match said {
            Said::Failed { name, exit_code, error } => Some(Error::Rank { name, exit_code, error }),
            Said::Done | Said::Stopped => None,
        });
        failed.or(was_stopped.then_some(Error::Interrupted)).map_or(done, Err)
    }

    /// Why this rank refuses its part.
    pub fn refusal(&self, problem: impl Into<String>) -> Error {
        Error::Rank { name: self.name(), exit_code: 2, error: problem.into() }
    }

    /// This rank and its machine, as messages name it.
    pub fn name(&self) -> String {
        format!("rank {} of {} on {}", self.rank(), self.size(), self.host())
    }

    /// An error of this rank, with its name and that of its machine where there are several.
    pub fn named(&self, error: Error) -> Error {
        match error {
            error @ (Error::Rank { .. } | Error::Interrupted) => error,
            error if self.are_several() => {
                Error::Rank { name: self.name(), exit_code: error.exit_code(), error: error.to_string() }
            }
            error => error,
        }
    }
}
