//! Files of a folder that cannot be read: all of them are told of at once.

use std::path::Path;

use super::TextOptions;
use crate::corpus::LoadNotes;
use crate::error::{Error, Result, is_limit_on_files};

/// So many are named.
const NAMED: usize = 20;

/// Files that cannot be read.
#[derive(Default)]
pub(super) struct BadFiles {
    count: u64,
    /// The first of them, with what is wrong with them.
    named: Vec<String>,
    /// The error of the first.
    first: Option<Error>,
}

impl BadFiles {
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Adds the file `name`, if `error` is its own fault.
    pub(super) fn add(&mut self, name: &str, error: Error) -> Result<()> {
        let wrong = match &error {
            Error::Input { line: Some(line), problem, .. } => format!("{name}:{line}: {problem}"),
            Error::Input { problem, .. } => format!("{name} {problem}"),
            Error::Read { source, .. } if !is_limit_on_files(source) => {
                format!("{name} cannot be read: {source}")
            }
            _ => return Err(error),
        };
        self.count += 1;
        if self.named.len() < NAMED {
            self.named.push(wrong.replace(char::is_control, "\u{fffd}"));
        }
        self.first.get_or_insert(error);
        Ok(())
    }

    /// Refuses a folder that has some, unless they are to be left out and others were `read`.
    pub(super) fn check(&mut self, folder: &Path, read: u64, options: &TextOptions) -> Result<()> {
        let Some(first) = self.first.take_if(|_| !options.skip_bad || read == 0) else {
            return Ok(());
        };
        if self.count == 1 {
            return Err(first);
        }
        let problem = format!("{} of its files cannot be read: {}", self.count, self.listed());
        let remedy = "mend them or take them out of the folder, say with `encoding` what their text is in, or leave \
                      out all that cannot be read with `skip_bad`";
        Err(Error::input(folder, problem, remedy))
    }

    fn listed(&self) -> String {
        let rest = self.count - self.named.len() as u64;
        let rest = (rest > 0).then(|| format!("and {rest} more"));
        self.named.iter().cloned().chain(rest).collect::<Vec<_>>().join("; ")
    }

    /// `notes`, with these.
    pub(super) fn noted(self, notes: LoadNotes) -> LoadNotes {
        let named = if self.count > 0 { self.listed() } else { String::new() };
        LoadNotes { bad_files: self.count, named_bad_files: named, ..notes }
    }
}
