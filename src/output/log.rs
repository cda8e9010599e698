//! One growing CSV file: rows stay in memory until they are known to be on the disk, and a mark tells how far it is.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::checked_file::hex;
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
    /// Bytes that are on the disk for good.
    settled: u64,
    /// All rows after those.
    recent: Vec<u8>,
    /// Bytes of the recent rows that the system has taken.
    written: usize,
    /// Of all rows.
    hasher: Sha256,
    /// Whether the last write failed: the file may then have to be opened anew.
    failed: bool,
}

impl Log {
    /// A new file with a header.
    pub(super) fn create(path: PathBuf, header: &str) -> Result<Self> {
        let file = File::create_new(&path).map_err(Error::write(&path))?;
        let mut log = Self::new(path, file, 0, Sha256::new());
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
        Ok(Self::new(path, file, mark.bytes, hasher))
    }

    fn new(path: PathBuf, file: File, settled: u64, hasher: Sha256) -> Self {
        Self { path, file, settled, recent: Vec::new(), written: 0, hasher, failed: false }
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
        self.recent.extend(bytes);
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
        if self.written == self.recent.len() {
            return Ok(());
        }
        if self.failed {
            self.file = self.open_again()?;
        }
        let end = self.settled + self.written as u64;
        self.file.seek(SeekFrom::Start(end))?;
        if let Err(error) = self.file.write_all(&self.recent[self.written..]) {
            // No half row stays; if this fails too, the next attempt writes over it.
            let _ = self.file.set_len(end);
            return Err(error);
        }
        self.written = self.recent.len();
        Ok(())
    }

    /// All rows up to `mark` are on the disk for good.
    pub(super) fn settle(&mut self, mark: &Mark) {
        let settled = (mark.bytes - self.settled) as usize;
        self.recent.drain(..settled);
        self.written -= settled;
        self.settled = mark.bytes;
    }

    /// The disk may have lost what the system had taken: all rows that are not settled are written again.
    pub(super) fn unsettle(&mut self) {
        self.written = 0;
        self.failed = true;
    }

    /// Has the disk keep what was written.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub(super) fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(Error::write(&self.path))
    }

    /// A disk that went away and came back wants its files opened anew.
    fn open_again(&self) -> io::Result<File> {
        if !self.path.symlink_metadata()?.is_file() {
            return Err(io::Error::other("it is not a plain file"));
        }
        let file = OpenOptions::new().write(true).open(&self.path)?;
        if file.metadata()?.len() < self.settled {
            return Err(io::Error::other("it has lost rows"));
        }
        Ok(file)
    }

    /// How far the log is, with all its rows.
    pub(super) fn mark(&self) -> Mark {
        let bytes = self.settled + self.recent.len() as u64;
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

    #[test]
    fn rows_that_the_disk_has_lost_are_written_again() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("log.csv");
        let mut log = log(&path);
        log.rows([["1", "cpu"]]);
        log.flush().expect("a row");
        log.settle(&log.mark());
        log.rows([["2", "cpu"]]);
        log.flush().expect("a row");
        // As after a flush that failed: the file has less, or zeros.
        let settled = "iteration,device\n1,cpu\n";
        std::fs::write(&path, format!("{settled}\0\0\0\0\0\0")).expect("a file");
        log.unsettle();
        log.rows([["3", "cpu"]]);
        log.flush().expect("rows");
        let text = std::fs::read_to_string(&path).expect("a log");
        assert_eq!(text, format!("{settled}2,cpu\n3,cpu\n"));
        assert!(Log::holds(&path, &log.mark()).is_ok());
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
            // The second attempt opens the file anew, and finds something else.
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
