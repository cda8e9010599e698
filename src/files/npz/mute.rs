//! A file that swallows everything after its first failure: an archive that is given up still writes its end.

use std::io::{self, Seek, SeekFrom, Write};

/// Passes on what is written until that fails.
pub(super) struct Mute<W> {
    out: W,
    position: u64,
    /// The furthest place so far, to which a failure leads.
    end: u64,
    has_failed: bool,
}

impl<W> Mute<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, position: 0, end: 0, has_failed: false }
    }

    /// Whether something is missing.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed
    }

    fn noticed<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        // What was interrupted is done again.
        if done.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted) {
            self.has_failed = true;
            self.position = self.end;
        }
        done
    }
}

impl<W: Write> Write for Mute<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = if self.has_failed { Ok(bytes.len()) } else { self.out.write(bytes) };
        let written = self.noticed(written)?;
        self.position += written as u64;
        self.end = self.end.max(self.position);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = if self.has_failed { Ok(()) } else { self.out.flush() };
        self.noticed(flushed)
    }
}

impl<W: Seek> Seek for Mute<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let found = match to {
            SeekFrom::Start(position) if self.has_failed => Ok(position),
            _ if self.has_failed => Ok(self.position),
            _ => self.out.seek(to),
        };
        self.position = self.noticed(found)?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk that fails once.
    struct Once(u32);

    impl Write for Once {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += 1;
            if self.0 == 2 { Err(io::Error::other("once")) } else { Ok(bytes.len()) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Once {
        fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
            Ok(0)
        }
    }

    #[test]
    fn a_failure_is_told_once_and_not_forgotten() {
        let mut out = Mute::new(Once(0));
        assert!(out.write(b"abc").is_ok() && out.write(b"abc").is_err() && out.has_failed());
        assert!(out.write(b"abcd").is_ok_and(|written| written == 4));
        assert_eq!(out.stream_position().expect("a place"), 7);
    }
}
