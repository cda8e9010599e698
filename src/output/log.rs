//! One growing CSV file: rows wait in memory while the disk refuses them, and a mark tells how far it is.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// How far a log is: its length and what it then holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Bytes.
    pub bytes: u64,
    /// Their SHA-256, as hexadecimal digits.
    pub sha256: String,
}

/// One growing CSV file.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: File,
    /// Bytes of whole rows in the file.
    written: u64,
    /// Rows that are not in the file yet.
    waiting: Vec<u8>,
    /// Of all rows, waiting ones included.
    hasher: Sha256,
    /// Whether the last write failed: the file may then have to be opened anew.
    failed: bool,
}

impl Log {
    /// A new file with a header.
    pub(super) fn create(path: PathBuf, header: &str) -> Result<Self> {
        let file = File::create_new(&path).map_err(Error::write(&path))?;
        let (written, waiting, hasher) = (0, Vec::new(), Sha256::new());
        let mut log = Self { path, file, written, waiting, hasher, failed: false };
        log.rows([header.split(',')]);
        log.flush()?;
        Ok(log)
    }

    /// An existing file, cut back to `mark`.
    pub(super) fn resume(path: PathBuf, mark: &Mark) -> Result<Self, String> {
        let hasher = hash_up_to(&path, mark)?;
        let cut = || {
            let file = OpenOptions::new().write(true).open(&path)?;
            file.set_len(mark.bytes)?;
            Ok(file)
        };
        let file = cut().map_err(|error: io::Error| format!("{}: {error}", path.display()))?;
        Ok(Self { path, file, written: mark.bytes, waiting: Vec::new(), hasher, failed: false })
    }

    /// Whether the file still holds what it did at `mark`; `Err` says what is wrong.
    pub(super) fn holds(path: &Path, mark: &Mark) -> Result<(), String> {
        hash_up_to(path, mark).map(drop)
    }

    /// Adds rows, which [`Self::flush`] writes.
    pub(super) fn rows<R: IntoIterator<Item: AsRef<[u8]>>>(&mut self, rows: impl IntoIterator<Item = R>) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in rows {
            writer.write_record(row).expect("rows of a log have as many fields as its header");
        }
        let bytes = writer.into_inner().expect("memory takes every row");
        self.hasher.update(&bytes);
        self.waiting.extend(bytes);
    }

    /// Writes the rows that wait, whole, so that a run that is killed leaves whole rows.
    ///
    /// # Errors
    /// [`Error::Write`]; the rows then go on waiting.
    pub(super) fn flush(&mut self) -> Result<()> {
        let flushed = self.try_flush();
        self.failed = flushed.is_err();
        flushed.map_err(Error::write(&self.path))
    }

    fn try_flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        if self.failed {
            self.file = self.open_again()?;
        }
        self.file.seek(SeekFrom::Start(self.written))?;
        if let Err(error) = self.file.write_all(&self.waiting) {
            // No half row stays; if this fails too, the next attempt writes over it.
            let _ = self.file.set_len(self.written);
            return Err(error);
        }
        self.written += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    /// A disk that went away and came back wants its files opened anew.
    fn open_again(&self) -> io::Result<File> {
        if !self.path.symlink_metadata()?.is_file() {
            return Err(io::Error::other("it is not a plain file"));
        }
        let file = OpenOptions::new().write(true).open(&self.path)?;
        if file.metadata()?.len() < self.written {
            return Err(io::Error::other("it has lost rows"));
        }
        Ok(file)
    }

    /// How far the log is, with all its rows.
    pub(super) fn mark(&self) -> Mark {
        let bytes = self.written + self.waiting.len() as u64;
        Mark { bytes, sha256: hex(self.hasher.clone()) }
    }

    /// Another handle of the file, by which a second thread can have it flushed to the disk.
    pub(super) fn handle(&self) -> Result<File> {
        self.file.try_clone().map_err(Error::write(&self.path))
    }
}

/// The hash of a file up to `mark`, if it is what it was then.
fn hash_up_to(path: &Path, mark: &Mark) -> Result<Sha256, String> {
    let shown = || path.file_name().unwrap_or_default().to_string_lossy();
    let failed = |error: io::Error| format!("{}: {error}", shown());
    let mut file = File::open(path).map_err(failed)?.take(mark.bytes);
    let mut hasher = Sha256::new();
    let mut bytes = vec![0; 1 << 16];
    let mut found = 0;
    loop {
        match file.read(&mut bytes).map_err(failed)? {
            0 => break,
            read => {
                hasher.update(&bytes[..read]);
                found += read as u64;
            }
        }
    }
    if found < mark.bytes {
        return Err(format!("{} has {found} bytes, and had {}", shown(), mark.bytes));
    }
    if hex(hasher.clone()) != mark.sha256 {
        return Err(format!("{} was changed since", shown()));
    }
    Ok(hasher)
}

fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(path: &Path) -> Log {
        Log::create(path.to_owned(), "iteration,device").expect("a log")
    }

    #[test]
    fn a_log_ends_with_a_whole_row_at_any_time() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("log.csv");
        let mut log = log(&path);
        let mut expected = "iteration,device\n".to_owned();
        // Far more than a buffer holds.
        for iteration in 0..2000 {
            log.rows([[iteration.to_string().as_str(), "cpu"]]);
            log.flush().expect("a row");
            expected += &format!("{iteration},cpu\n");
            if iteration % 97 == 0 {
                assert_eq!(std::fs::read_to_string(&path).expect("a log"), expected);
            }
        }
    }

    #[test]
    fn a_resumed_log_goes_on_from_its_mark() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("log.csv");
        let mut first = log(&path);
        first.rows([["1", "cpu"]]);
        first.flush().expect("a row");
        let mark = first.mark();
        let whole = |log: &mut Log| {
            log.rows([["2", "a, b"], ["3", "cpu"]]);
            log.flush().expect("rows");
            (std::fs::read_to_string(&path).expect("a log"), log.mark())
        };
        let expected = whole(&mut first);
        drop(first);
        let mut resumed = Log::resume(path.clone(), &mark).expect("the same log");
        assert_eq!(std::fs::read_to_string(&path).expect("a log"), "iteration,device\n1,cpu\n");
        assert_eq!(whole(&mut resumed), expected);

        for other in ["iteration,device\n1,gpu\n2,cpu\n", "iteration,device\n"] {
            std::fs::write(&path, other).expect("a file");
            assert!(Log::holds(&path, &mark).is_err() && Log::resume(path.clone(), &mark).is_err());
            assert_eq!(std::fs::read_to_string(&path).expect("a log"), other, "a refused log is left alone");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn rows_wait_while_the_disk_is_full() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("log.csv");
        let mut log = log(&path);
        log.file = OpenOptions::new().write(true).open("/dev/full").expect("a full device");
        for row in [["1", "cpu"], ["2", "cpu"]] {
            log.rows([row]);
            // The second attempt opens the file anew; it is a full one again.
            std::fs::rename(&path, folder.path().join("away")).expect("a file");
            std::os::unix::fs::symlink("/dev/full", &path).expect("a link");
            assert!(log.flush().is_err());
            std::fs::remove_file(&path).expect("a link");
            std::fs::rename(folder.path().join("away"), &path).expect("a file");
        }
        log.flush().expect("rows that have waited");
        let text = std::fs::read_to_string(&path).expect("a log");
        assert_eq!(text, "iteration,device\n1,cpu\n2,cpu\n");
    }
}
