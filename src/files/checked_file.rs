//! Binary files that end with the SHA-256 of all that comes before: numbers, and what is written added up.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

/// Bytes of a SHA-256 sum.
pub(crate) const CHECKSUM: usize = 32;

/// Passes on what is written, and adds it to a checksum.
pub(crate) struct Hashing<'a, W> {
    out: &'a mut W,
    hasher: Sha256,
}

impl<'a, W: Write> Hashing<'a, W> {
    /// Nothing written yet.
    pub(crate) fn new(out: &'a mut W) -> Self {
        Self { out, hasher: Sha256::new() }
    }

    /// Ends the file with the checksum.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.out.write_all(&self.hasher.finalize())
    }
}

impl<W: Write> Write for Hashing<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// What comes before the checksum, if that is right.
pub(crate) fn checked(bytes: &[u8]) -> Option<&[u8]> {
    let (content, checksum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM)?)?;
    (Sha256::digest(content)[..] == *checksum).then_some(content)
}

/// A checksum as hexadecimal digits.
pub(crate) fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes numbers, many at a time.
pub(crate) fn write_numbers<T, const SIZE: usize>(
    out: &mut impl Write,
    numbers: &[T],
    to_le_bytes: impl Fn(&T) -> [u8; SIZE],
) -> io::Result<()> {
    const BATCH: usize = 1 << 14;
    let mut bytes = Vec::with_capacity(SIZE * BATCH.min(numbers.len()));
    for batch in numbers.chunks(BATCH) {
        bytes.clear();
        bytes.extend(batch.iter().flat_map(&to_le_bytes));
        out.write_all(&bytes)?;
    }
    Ok(())
}
