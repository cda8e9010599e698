//! Standard input, `-`, becomes a temporary file, because recognising a format and some formats read twice.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files::temporary::{self, Temporary};

/// What standard input is called in messages.
const SHOWN: &str = "standard input";

/// Whether `path` stands for standard input.
pub(super) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads all of standard input into a file, which goes when it is dropped, or when the process is ended.
pub(super) fn spool() -> Result<Temporary> {
    let folder = std::env::temp_dir();
    let made = temporary::make(&tempfile::Builder::new(), &folder, temporary::private);
    let mut file = made.map_err(Error::write(&folder))?;
    // Which of the two sides fails cannot be told from the error, and standard input hardly does.
    let copied = io::copy(&mut io::stdin().lock(), file.file());
    copied.map_err(Error::write(file.path()))?;
    Ok(file)
}

/// Names standard input where `error` names the file it was spooled to.
pub(super) fn rename(error: Error, spooled: &Path) -> Error {
    let shown = |path: PathBuf| if path == spooled { PathBuf::from(SHOWN) } else { path };
    match error {
        Error::Input { path, line, problem, remedy } => {
            let problem = problem.replace(&spooled.display().to_string(), SHOWN);
            Error::Input { path: shown(path), line, problem, remedy }
        }
        Error::Setting { setting, problem, remedy } => Error::Setting {
            setting,
            problem: problem.replace(&spooled.display().to_string(), SHOWN),
            remedy,
        },
        Error::Read { path, source } => Error::Read { path: shown(path), source },
        other => other,
    }
}
