//! The one error type: every variant names the file, line or setting, and the way out.
//!
//! Settings stand in messages by their names in backticks, such as `max_topics`: a front end puts its own form there with
//! [`with_names`].

use std::fmt::Display;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
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
    /// A corpus in memory cannot be used.
    #[error("corpus: {problem}; {remedy}")]
    Corpus {
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// A setting has a value that cannot be used.
    #[error("`{setting}`: {problem}; {remedy}")]
    Setting {
        /// The setting's name, as in [`NAMES`].
        setting: &'static str,
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The operating system refused to read an input.
    #[error("{}: cannot be read: {source}; {}", path.display(), remedy_of(source, "check the path and its permissions"))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The operating system refused to write a result.
    #[error("{}: cannot be written: {source}; {}", path.display(), remedy_of(source, "check free space and permissions"))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
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
    /// What has failed in one of several processes.
    #[error("{name}: {error}")]
    Rank {
        /// The process.
        name: String,
        /// The exit code of its error.
        exit_code: u8,
        /// Its error.
        error: String,
    },
    /// Somebody stopped the work before it was done.
    #[error("stopped before the end; there is no result")]
    Interrupted,
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

    /// A setting's value that cannot be used.
    pub fn setting(setting: &'static str, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Setting { setting, problem: problem.into(), remedy: remedy.into() }
    }

    /// A failed read of `path`, for `map_err`.
    pub fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Read { path, source }
    }

    /// A failed write to `path`, for `map_err`.
    pub fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Write { path, source }
    }

    /// A device's failure, with the way out.
    pub fn device(name: &str, problem: &str) -> Self {
        // Drivers explain themselves over several lines; the first one says what happened.
        let lines = problem.lines().map(str::trim).filter(|line| !line.is_empty());
        Self::Device {
            name: name.to_owned(),
            problem: lines.collect::<Vec<_>>().join(" "),
            remedy: "update its driver, or use `device` cpu; `selftest` tells more".to_owned(),
        }
    }

    /// A thread that the system refuses; `purpose` says what for.
    pub fn no_thread(purpose: &str, refused: &impl Display) -> Self {
        Self::setting(
            "threads",
            format!("the system refuses a thread {purpose} ({refused})"),
            "give fewer, or raise the limits on threads and memory (ulimit -u, -v and -d)",
        )
    }

    /// A fault of the program.
    pub fn internal(problem: impl Into<String>) -> Self {
        Self::Internal { problem: problem.into() }
    }

    /// The process's exit code: 2 for a wrong setting or input, 1 when the work failed, 130 when it was interrupted.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Input { .. } | Self::Corpus { .. } | Self::Setting { .. } | Self::Read { .. } => 2,
            Self::Write { .. } | Self::Device { .. } | Self::Internal { .. } => 1,
            Self::Rank { exit_code, .. } => *exit_code,
            Self::Interrupted => 130,
        }
    }
}

/// Makes an error of a panic in `work`, on whatever thread; where it was is printed by then.
///
/// # Errors
/// Those of `work`, and [`Error::Internal`] for a panic.
pub fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(Error::internal(format!("the program stopped itself ({message})")))
    })
}

/// Whether the process has as many files open as it may have.
pub fn is_limit_on_files(refused: &io::Error) -> bool {
    // EMFILE, which the standard library has no name for.
    cfg!(unix) && refused.raw_os_error() == Some(24)
}

/// What to do when the system refuses a file.
pub(crate) fn remedy_of<'a>(refused: &io::Error, usual: &'a str) -> &'a str {
    if is_limit_on_files(refused) { "raise the limit on open files (ulimit -n)" } else { usual }
}

/// The settings that messages name, and the two other things that a front end offers: `devices` and `selftest`.
pub const NAMES: &[&str] = &[
    "alpha",
    "anneal",
    "beta",
    "bigrams",
    "burn_in",
    "chains",
    "delimiter",
    "device",
    "devices",
    "discount",
    "doc_length",
    "docs",
    "encoding",
    "extra_stopwords",
    "finish",
    "force",
    "format",
    "gamma",
    "holdout",
    "holdout_seed",
    "id_column",
    "index_base",
    "init",
    "iterations",
    "json",
    "keep_case",
    "kernel",
    "language",
    "max_doc_share",
    "max_topics",
    "metadata",
    "min_count",
    "min_doc_length",
    "min_word_length",
    "name_pattern",
    "out",
    "phi",
    "preset",
    "psi",
    "resume",
    "sampler",
    "samples",
    "seed",
    "selftest",
    "skip_bad",
    "stem",
    "stopwords",
    "team",
    "text_column",
    "thin",
    "threads",
    "token_pattern",
    "topics",
    "trace_every",
    "transpose",
    "until",
    "vocab",
    "vocab_size",
];

/// A message with each name of [`NAMES`] in backticks replaced by what `front_end` calls it.
///
/// ```
/// let message = "`alpha`: 0 is not a usable concentration";
/// let shown = hdp_gpu::error::with_names(message, |name| format!("{name}="));
/// assert_eq!(shown, "alpha=: 0 is not a usable concentration");
/// ```
pub fn with_names(message: &str, front_end: impl Fn(&str) -> String) -> String {
    let mut shown = String::with_capacity(message.len());
    let mut parts = message.split('`').peekable();
    // Whether the part begins after a backtick that has not been written.
    let mut is_open = false;
    while let Some(part) = parts.next() {
        if is_open && parts.peek().is_some() && NAMES.contains(&part) {
            shown += &front_end(part);
            is_open = false;
        } else {
            shown += if is_open { "`" } else { "" };
            shown += part;
            is_open = true;
        }
    }
    shown
}

/// The start of a field of a file, fit for one line of a terminal.
pub(crate) fn shown(field: &[u8]) -> String {
    const MOST: usize = 40;
    let start = String::from_utf8_lossy(&field[..field.len().min(4 * MOST)]);
    let mut shown: String = start.chars().take(MOST).flat_map(char::escape_debug).collect();
    if start.chars().count() > MOST {
        shown.push('…');
    }
    shown
}

fn line_suffix(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(":{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_nothing_else() {
        for (message, shown) in [
            ("`max_topics`: 3; lower `init` or `seed`", "<max_topics>: 3; lower <init> or <seed>"),
            ("`a `seed` b`", "`a <seed> b`"),
            ("`seed``init`", "<seed><init>"),
            ("`seed", "`seed"),
            ("a`b", "a`b"),
            ("`word` `", "`word` `"),
            ("``", "``"),
            ("", ""),
        ] {
            assert_eq!(with_names(message, |name| format!("<{name}>")), shown);
        }
        assert!(NAMES.is_sorted());
    }
}
