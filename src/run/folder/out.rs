//! Refuses an `out` that cannot be written, before hours of work.

use std::io::ErrorKind;
use std::path::Path;

use crate::error::{Error, Result, remedy_of};
use crate::files::temporary::nameless;
use crate::files::whole::folder_of;

/// Refuses an `out` that cannot become the folder of new results. Writes nothing, so it comes before hours of
/// work.
///
/// # Errors
/// [`Error::Setting`] when the path exists and `force` is not given, is not a folder, or cannot be written to.
pub fn check_out(path: &Path, force: bool) -> Result<()> {
    let shown = path.display();
    let another = |problem: String| Err(Error::setting("out", problem, "give another path"));
    match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            check_writable("out", path, existing_parent(path))
        }
        Err(error) => another(format!("{shown} cannot become a folder: {error}")),
        Ok(found) if !found.is_dir() && !path.is_dir() => another(format!("{shown} is not a folder")),
        Ok(_) if !force => Err(Error::setting(
            "out",
            format!("{shown} exists and is left as it is"),
            "give another path, or `force` to replace what an earlier command left in it",
        )),
        Ok(_) => check_writable("out", path, path),
    }
}

/// Refuses an `out` that cannot become a file of results, as [`check_out`] does for folders; it must not be one of
/// the `inputs` either.
///
/// # Errors
/// [`Error::Setting`].
pub fn check_out_file(path: &Path, force: bool, inputs: &[&Path]) -> Result<()> {
    check_result_file("out", path, force, inputs)
}

/// As [`check_out_file`], for a file that another setting names.
///
/// # Errors
/// [`Error::Setting`].
pub fn check_result_file(setting: &'static str, path: &Path, force: bool, inputs: &[&Path]) -> Result<()> {
    let shown = path.display();
    let another = |problem: String| Err(Error::setting(setting, problem, "give another path"));
    let folder = folder_of(path);
    if !folder.is_dir() {
        return another(format!("the folder {} is not there", folder.display()));
    }
    if path.is_dir() || path.file_name().is_none() {
        return another(format!("{shown} is a folder, not a file"));
    }
    let is_out =
        |input: &&&Path| matches!((input.canonicalize(), path.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if let Some(input) = inputs.iter().find(is_out) {
        return another(format!("{} is read from, and would be replaced", input.display()));
    }
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return another(format!("{shown} is a link or a device, not a plain file"));
    }
    if path.symlink_metadata().is_ok() && !force {
        let remedy = "give another path, or `force` to replace it";
        return Err(Error::setting(setting, format!("{shown} exists and is left as it is"), remedy));
    }
    check_writable(setting, path, folder)
}

/// The closest folder above `path` that is there.
fn existing_parent(path: &Path) -> &Path {
    let mut parents = path.ancestors().skip(1);
    parents.find(|parent| parent.symlink_metadata().is_ok()).unwrap_or(Path::new("."))
}

/// `path`, or else the closest folder above it that is there.
pub(crate) fn existing_or_parent(path: &Path) -> &Path {
    if path.exists() { path } else { existing_parent(path) }
}

/// Refuses `path` when nothing can be written in `folder`, where it is to be made.
fn check_writable(setting: &'static str, path: &Path, folder: &Path) -> Result<()> {
    nameless(folder).map(drop).map_err(|error| {
        let problem =
            format!("{} cannot be written: {} refuses new files ({error})", path.display(), folder.display());
        Error::setting(setting, problem, remedy_of(&error, "give another path, or check its permissions"))
    })
}
