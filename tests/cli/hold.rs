//! A call of the program that is held while a test does something: so nothing rests on the moment at which that is done.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Folder;
use super::live::{Live, wait_for};
use super::seam::stand_before;

/// A thread of the program that waits in one of its calls.
pub(super) struct Hold {
    held: PathBuf,
    _room: Folder,
}

impl Hold {
    /// Holds `command` at a call on a file below `folder`: its kind, a part of its path, and which of those it is, from 1.
    pub(super) fn at(command: &mut Command, folder: &Path, call: &str) -> Self {
        let room = Folder::new();
        let held = room.path("held");
        stand_before(command, folder);
        command.env("SEAM_HOLD", call).env("SEAM_HELD", &held);
        Self { held, _room: room }
    }

    /// Waits until the process is there.
    pub(super) fn wait(&self, live: &mut Live) {
        wait_for("a call that is held", || {
            assert!(live.ended().is_none(), "ended before it came there: {}", live.stderr());
            self.is_there().then_some(())
        });
    }

    /// Whether a thread waits.
    pub(super) fn is_there(&self) -> bool {
        self.held.exists()
    }

    /// Has the thread go on.
    pub(super) fn release(self) {
        std::fs::remove_file(&self.held).expect("a thread that waits");
    }
}
