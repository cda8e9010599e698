//! The one error type: every variant names the file, line or flag, and the way out.

use std::path::{Path, PathBuf};

/// What can go wrong, in words for the person at the terminal.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something the user gave us to read is wrong.
    #[error("{}{}: {problem}; {remedy}", path.display(), line_suffix(*line))]
    Input {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1, when the problem sits on one.
        line: Option<u64>,
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// A flag has a value that cannot be used.
    #[error("{flag}: {problem}; {remedy}")]
    Flag {
        /// The flag as typed, with its dashes.
        flag: &'static str,
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The operating system refused to read an input.
    #[error("{}: cannot be read: {source}; check the path and its permissions", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The operating system refused to write a result.
    #[error("{}: cannot be written: {source}; check free space and permissions", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A device did not do its work.
    #[error("{name}: {problem}; {remedy}")]
    Device {
        /// The device.
        name: String,
        /// What went wrong.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The program itself did not do what it should.
    #[error(
        "{problem}: a fault of the program, or of the machine's memory; please report it with all lines printed \
         here, run.json and the version of the program ({})",
        env!("CARGO_PKG_VERSION")
    )]
    Internal {
        /// What was found.
        problem: String,
    },
}

/// The crate's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A problem with an input file as a whole.
    pub fn input(path: &Path, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Input { path: path.to_owned(), line: None, problem: problem.into(), remedy: remedy.into() }
    }

    /// A problem on one line of an input file, when it has lines.
    pub fn input_at(
        path: &Path,
        line: impl Into<Option<u64>>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::Input {
            path: path.to_owned(),
            line: line.into(),
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    /// A flag's value that cannot be used.
    pub fn flag(flag: &'static str, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Flag { flag, problem: problem.into(), remedy: remedy.into() }
    }

    /// A failed read of `path`, for `map_err`.
    pub fn read(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Read { path, source }
    }

    /// A failed write to `path`, for `map_err`.
    pub fn write(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Write { path, source }
    }

    /// A fault of the program.
    pub fn internal(problem: impl Into<String>) -> Self {
        Self::Internal { problem: problem.into() }
    }

    /// The process's exit code: 2 for a wrong command line or input, 1 when the work failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Input { .. } | Self::Flag { .. } | Self::Read { .. } => 2,
            Self::Write { .. } | Self::Device { .. } | Self::Internal { .. } => 1,
        }
    }
}

fn line_suffix(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(":{line}"))
}
