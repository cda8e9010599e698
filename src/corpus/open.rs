//! Opens plain, gzip and zstd files alike and hands out their bytes, text or lines, with the lines' numbers.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::MAX_DOC_TOKENS;
use super::decode::{Decoded, TextEncoding, Undecodable};
use super::zstd::{ZstdReader, is_zstd};
use crate::error::{Error, Result};
use crate::files::source::{Kind, Source};
use crate::machine::Memory;

/// The longest line or document in bytes, so that a file without line ends cannot fill the memory.
pub(super) const MAX_LINE: usize = 16 * MAX_DOC_TOKENS;

/// The most blank lines at the end of a file that may have none, so that packed ones cannot go on for hours.
const MAX_BLANK_LINES: u64 = 1000;

/// A file that is unpacked in memory may grow to this many bytes, and by this many times its size: an honest one
/// packs to a half or so, a million equal documents to a 17th, and zeros to a thousandth.
pub(super) const UNPACKED: u64 = 1 << 24;
const MAX_RATIO: u64 = 25;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// The first bytes that tell how a file is packed.
const MAGIC: u64 = 4;
const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";
const BUFFER: usize = 1 << 18;

/// A line without its end.
pub(super) struct Line<'a> {
    /// Counted from 1.
    pub(super) number: u64,
    pub(super) bytes: &'a [u8],
}

impl Line<'_> {
    /// The line as text.
    pub(super) fn text(&self, path: &Path) -> Result<&str> {
        str::from_utf8(self.bytes).map_err(|error| {
            Error::input_at(
                path,
                self.number,
                format!("byte {} of this line is not UTF-8", error.valid_up_to() + 1),
                "convert the file to UTF-8, for example with iconv",
            )
        })
    }
}

/// The lines of a file, one after another in the same buffer.
pub(super) struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    buffer: Vec<u8>,
    number: u64,
    /// The most bytes of a line.
    most: usize,
}

impl Lines {
    /// Opens `path`.
    pub(super) fn open(path: &Path) -> Result<Self> {
        Ok(Self::new(path, open(path)?))
    }

    /// As [`Self::open`], for a format whose lines have at most `most` bytes.
    pub(super) fn open_short(path: &Path, most: usize) -> Result<Self> {
        Ok(Self { most, ..Self::open(path)? })
    }

    /// Opens `path`, whose text is in `encoding`.
    pub(super) fn open_text(path: &Path, encoding: TextEncoding) -> Result<Self> {
        Ok(Self::new(path, Box::new(open_text(path, encoding)?)))
    }

    fn new(path: &Path, reader: Box<dyn BufRead>) -> Self {
        Self { path: path.to_owned(), reader, buffer: Vec::new(), number: 0, most: MAX_LINE }
    }

    /// The next line.
    pub(super) fn next(&mut self) -> Result<Option<Line<'_>>> {
        Ok(self.advance()?.then(|| self.line()))
    }

    /// The next line that `counts`.
    pub(super) fn next_where(&mut self, counts: impl Fn(&[u8]) -> bool) -> Result<Option<Line<'_>>> {
        while self.advance()? {
            if counts(self.line().bytes) {
                return Ok(Some(self.line()));
            }
        }
        Ok(None)
    }

    /// The next line of a format that has no blank lines, but for some at the end of the file.
    pub(super) fn next_filled(&mut self, remedy: &str) -> Result<Option<Line<'_>>> {
        let first = self.number + 1;
        while self.advance()? {
            let is_blank = self.line().bytes.trim_ascii().is_empty();
            if is_blank && self.number - first < MAX_BLANK_LINES {
                continue;
            }
            if self.number > first {
                return Err(Error::input_at(&self.path, first, "is a blank line", remedy));
            }
            return Ok(Some(self.line()));
        }
        Ok(None)
    }

    /// The line in the buffer, without its end and a byte order mark.
    fn line(&self) -> Line<'_> {
        let bytes = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let bytes = if self.number == 1 { bytes.strip_prefix(UTF8_BOM).unwrap_or(bytes) } else { bytes };
        Line { number: self.number, bytes }
    }

    /// Reads a line into the buffer; false at the end of the file.
    fn advance(&mut self) -> Result<bool> {
        self.buffer.clear();
        let mut bounded = (&mut self.reader).take(self.most as u64 + 1);
        let read =
            bounded.read_until(b'\n', &mut self.buffer).map_err(|source| failed(&self.path, source))?;
        self.number += u64::from(read > 0);
        if read > self.most {
            return Err(Error::input_at(
                &self.path,
                self.number,
                format!("is longer than {} bytes", self.most),
                "split the document, or check that this is a corpus",
            ));
        }
        Ok(read > 0)
    }
}

/// The first bytes of `path`, decompressed: at most `most`.
pub(super) fn start(path: &Path, most: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most as u64).read_to_end(&mut bytes).map_err(|source| failed(path, source))?;
    Ok(bytes)
}

/// The content of a file that is compressed as a whole; `None` when the file itself begins with `magic`, and can be
/// read at any place.
pub(super) fn unpacked(path: &Path, magic: &[u8], memory: &Memory) -> Result<Option<Vec<u8>>> {
    let reader = open(path)?;
    let mut start = Vec::new();
    let file = Source::open(path).map_err(Error::read(path))?;
    file.take(magic.len() as u64).read_to_end(&mut start).map_err(Error::read(path))?;
    if start == magic {
        return Ok(None);
    }
    let packed = Kind::of(path).map_err(Error::read(path))?.length;
    let most = packed.saturating_mul(MAX_RATIO).max(UNPACKED);
    let mut bytes = Vec::new();
    reader
        .take(memory.total.min(most).saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|source| failed(path, source))?;
    let length = bytes.len() as u64;
    let problem = if length > memory.total {
        "has more content than the memory can hold".to_owned()
    } else if length > most {
        format!("unpacks to more than {MAX_RATIO} times its size")
    } else {
        return Ok(Some(bytes));
    };
    Err(Error::input(path, problem, "decompress it to a file first"))
}

/// Opens a file of text in `encoding`; what it gives is UTF-8.
pub(super) fn open_text(path: &Path, encoding: TextEncoding) -> Result<Decoded<Box<dyn BufRead>>> {
    Ok(Decoded::new(open(path)?, encoding))
}

/// What there is to say of a file; refuses what is none.
pub(super) fn check_regular(path: &Path) -> Result<Kind> {
    let kind = Kind::of(path).map_err(Error::read(path))?;
    if kind.is_dir {
        return Err(Error::input(path, "is a folder", "give a file in it"));
    }
    if !kind.is_file {
        // Recognising the format and sorting lines read a file more than once.
        let remedy = "save what it gives to a file first, or give - and pipe it in";
        return Err(Error::input(path, "is not a regular file", remedy));
    }
    Ok(kind)
}

/// Opens a file; gzip and zstd are recognised by their first bytes, whatever the name.
fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    let kind = check_regular(path)?;
    let mut file = Source::open(path).map_err(Error::read(path))?;
    let mut magic = Vec::new();
    (&mut file).take(MAGIC).read_to_end(&mut magic).map_err(Error::read(path))?;
    file.rewind().map_err(Error::read(path))?;
    // A folder may have many small files.
    let buffer = BUFFER.min(kind.length as usize + 1);
    let plain = BufReader::with_capacity(buffer, file);
    Ok(if magic.starts_with(&GZIP_MAGIC) {
        Box::new(BufReader::with_capacity(BUFFER, Unpacked("gzip", MultiGzDecoder::new(plain))))
    } else if is_zstd(&magic) {
        Box::new(BufReader::with_capacity(BUFFER, Unpacked("zstd", ZstdReader::new(plain))))
    } else {
        Box::new(plain)
    })
}

/// A decompressor whose complaints about its input name the compression.
struct Unpacked<R>(&'static str, R);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1.read(buffer).map_err(|source| match source.kind() {
            ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof => {
                let problem = format!("the {} data is damaged or cut short ({source})", self.0);
                io::Error::new(ErrorKind::InvalidData, problem)
            }
            _ => source,
        })
    }
}

/// A read that failed midway: bytes that are no text, damaged packing, or the system's fault.
pub(super) fn failed(path: &Path, source: io::Error) -> Error {
    if let Some(undecodable) = source.get_ref().and_then(|inner| inner.downcast_ref::<Undecodable>()) {
        return undecodable.blame(path);
    }
    match source.kind() {
        ErrorKind::InvalidData => {
            Error::input(path, source.to_string(), "get the file again, or pack it again")
        }
        _ => Error::Read { path: path.to_owned(), source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_end_is_refused_before_it_fills_the_memory() {
        let mut lines = Lines::new(Path::new("endless"), Box::new(BufReader::new(io::repeat(b'a'))));
        let refused = lines.next().map(|_| ()).expect_err("an endless line").to_string();
        assert!(refused.starts_with("endless:1: is longer than"), "{refused}");
    }
}
