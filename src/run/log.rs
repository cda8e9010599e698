//! One growing CSV file, which is also kept in memory: whatever happens to the file is mended.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::files::whole::write_whole;

/// One growing CSV file.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    rows: Vec<u8>,
    /// The file, once it is there, and how many bytes of the rows it has.
    file: Option<(File, usize)>,
}

impl Log {
    /// A file with the given rows, which replaces what is there when it is flushed.
    pub(super) fn new(path: PathBuf, rows: Vec<u8>) -> Self {
        Self { path, rows, file: None }
    }

    /// All rows.
    pub(super) fn rows(&self) -> &[u8] {
        &self.rows
    }

    /// Adds rows, which [`Self::flush`] writes.
    pub(super) fn push<R: IntoIterator<Item: AsRef<[u8]>>>(&mut self, rows: impl IntoIterator<Item = R>) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in rows {
            writer.write_record(row).expect("rows of a log have as many fields as its header");
        }
        self.rows.extend(writer.into_inner().expect("memory takes every row"));
    }

    /// Writes the rows that the file lacks, at once, so that a run that is killed leaves whole rows. A file that is not as
    /// it was left is written anew.
    ///
    /// # Errors
    /// [`Error::Write`]; the rows are then written the next time.
    pub(super) fn flush(&mut self) -> Result<()> {
        let Self { path, rows, file } = self;
        match file {
            Some((_, written)) if *written == rows.len() => Ok(()),
            Some((file, written)) if is_as_left(file, &path.symlink_metadata(), *written) => {
                append(file, &rows[*written..], *written).map_err(Error::write(path))?;
                *written = rows.len();
                Ok(())
            }
            _ => self.write_anew(),
        }
    }

    /// Replaces the file by one that has all rows, for good.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub(super) fn write_anew(&mut self) -> Result<()> {
        let Self { path, rows, file } = self;
        // Windows replaces no file that is open.
        *file = None;
        write_whole(path, |out| out.write_all(rows))?;
        let opened = OpenOptions::new().append(true).open(&*path).map_err(Error::write(path))?;
        *file = Some((opened, rows.len()));
        Ok(())
    }
}

/// Appends `rows`; if that fails no half row stays.
fn append(file: &mut File, rows: &[u8], written: usize) -> io::Result<()> {
    file.write_all(rows).inspect_err(|_| drop(file.set_len(written as u64)))
}

/// Whether `found` is `file`, with `written` bytes.
fn is_as_left(file: &File, found: &io::Result<Metadata>, written: usize) -> bool {
    let (Ok(found), Ok(file)) = (found, file.metadata()) else { return false };
    found.is_file() && found.len() == written as u64 && is_same(found, &file)
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    a.created().ok() == b.created().ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const HEADER: &str = "iteration,device\n";

    fn log(path: &Path) -> Log {
        let mut log = Log::new(path.to_owned(), HEADER.into());
        log.flush().expect("a log");
        log
    }

    fn read(path: &Path) -> String {
        std::fs::read_to_string(path).expect("a log")
    }

    #[test]
    fn a_log_ends_with_a_whole_row_at_any_time() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("log.csv");
        let mut log = log(&path);
        let mut expected = HEADER.to_owned();
        // Far more than a buffer holds.
        for iteration in 0..2000 {
            log.push([[iteration.to_string().as_str(), "cpu"]]);
            log.flush().expect("a row");
            expected += &format!("{iteration},cpu\n");
            if iteration % 97 == 0 {
                assert_eq!(read(&path), expected);
            }
        }
    }

    #[test]
    fn whatever_is_done_to_the_file_is_mended() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("log.csv");
        let mut log = log(&path);
        let changes: [fn(&Path); 4] = [
            |path| std::fs::write(path, "").expect("a file"),
            |path| std::fs::remove_file(path).expect("a file"),
            |path| std::fs::write(path, "iteration;device\r\n1;cpu\r\n2;cpu\r\n").expect("a file"),
            |path| {
                // As editors save, which Windows may refuse.
                std::fs::copy(path, path.with_extension("new")).expect("a file");
                let saved = std::fs::rename(path.with_extension("new"), path);
                assert!(saved.is_ok() || cfg!(windows));
            },
        ];
        let mut expected = HEADER.to_owned();
        for (iteration, change) in changes.into_iter().enumerate() {
            change(&path);
            log.push([[iteration.to_string().as_str(), "a, b"]]);
            log.flush().expect("a row");
            expected += &format!("{iteration},\"a, b\"\n");
            assert_eq!(read(&path), expected);
        }
        assert_eq!(log.rows(), expected.as_bytes());
    }

    #[test]
    fn a_file_is_closed_before_it_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("log.csv");
        let mut log = log(&path);
        assert!(log.file.is_some());
        // There it cannot be replaced.
        log.path = folder.path().join("none/log.csv");
        assert!(log.write_anew().is_err());
        assert!(log.file.is_none());
        log.path.clone_from(&path);
        log.flush().expect("a file again");
        assert_eq!(read(&path), HEADER);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn rows_wait_while_the_disk_refuses_them() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("folder/log.csv");
        std::fs::create_dir(folder.path().join("folder")).expect("a folder");
        let mut log = log(&path);
        let away = folder.path().join("away");
        std::fs::rename(folder.path().join("folder"), &away).expect("a folder");
        for row in [["1", "cpu"], ["2", "cpu"]] {
            log.push([row]);
            assert!(log.flush().is_err());
        }
        std::fs::rename(&away, folder.path().join("folder")).expect("a folder");
        log.flush().expect("rows that have waited");
        assert_eq!(read(&path), format!("{HEADER}1,cpu\n2,cpu\n"));
        let mut full = OpenOptions::new().write(true).open("/dev/full").expect("a full device");
        assert!(append(&mut full, b"3,cpu\n", 0).is_err());
    }
}
