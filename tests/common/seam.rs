//! `tests/faults/seam.c`, which stands between the program and the system: built once for all tests of a file.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;

static LIBRARY: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let library = folder.path().join("seam.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/seam.c");
    let mut build = Command::new("cc");
    build.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).args([source, "-ldl"]);
    assert!(build.status().expect("cc, which Rust links with").success());
    (folder, library)
});

/// Has the seam stand before a command, which sees the files below `folder` through it.
pub(crate) fn stand_before(command: &mut Command, folder: &Path) {
    command.env("LD_PRELOAD", &LIBRARY.1).env("SEAM_FOLDER", folder);
}
