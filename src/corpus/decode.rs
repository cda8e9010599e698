//! Text in any encoding becomes UTF-8; bytes that mean nothing in it are an error with their place.

use std::fmt;
use std::io::{self, BufRead, ErrorKind, Read};
use std::path::Path;
use std::str::FromStr;

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8};

use crate::error::Error;

/// Text is decoded in pieces of this many bytes.
const BUFFER: usize = 1 << 16;

/// The encoding of text, by one of its names in the WHATWG's Encoding Standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEncoding(&'static Encoding);

impl Default for TextEncoding {
    fn default() -> Self {
        Self(UTF_8)
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

impl FromStr for TextEncoding {
    /// What is wrong and what to give; who asks knows the flag.
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Encoding::for_label_no_replacement(name.as_bytes()).map(Self).ok_or_else(|| {
            format!(
                "'{name}' is not an encoding; give utf-8, windows-1252, iso-8859-15, utf-16le, shift_jis or \
                 another name of the WHATWG's Encoding Standard"
            )
        })
    }
}

impl TextEncoding {
    /// The start of a file without a byte order mark, and in UTF-8 if it is text in another encoding.
    pub(super) fn start(self, mut bytes: Vec<u8>) -> Vec<u8> {
        let (encoding, mark) = Encoding::for_bom(&bytes).unwrap_or((self.0, 0));
        if encoding == UTF_8 {
            // What is not UTF-8 is left as it is: the file may be no text at all.
            bytes.drain(..mark);
            return bytes;
        }
        encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned().into_bytes()
    }
}

/// A text in UTF-8. A byte order mark overrules the encoding and is left out.
pub(super) struct Decoded<R> {
    source: R,
    decoder: Decoder,
    buffer: Box<[u8]>,
    /// What of the buffer is decoded and not yet read.
    filled: std::ops::Range<usize>,
    /// Bytes of the source that were decoded.
    bytes: u64,
    /// Line ends in all that was decoded before the buffer.
    line_ends: u64,
    /// The last byte that is no line end.
    last_byte: Option<u8>,
    ended: bool,
}

impl<R: BufRead> Decoded<R> {
    pub(super) fn new(source: R, encoding: TextEncoding) -> Self {
        let decoder = encoding.0.new_decoder();
        let buffer = vec![0; BUFFER].into_boxed_slice();
        Self { source, decoder, buffer, filled: 0..0, bytes: 0, line_ends: 0, last_byte: None, ended: false }
    }

    /// The last byte that has been decoded and is no line end.
    pub(super) fn last_byte(&self) -> Option<u8> {
        self.last_byte
    }

    fn refill(&mut self) -> io::Result<()> {
        self.line_ends += line_ends(&self.buffer[..self.filled.end]);
        let input = self.source.fill_buf()?;
        let last = input.is_empty();
        let (result, read, written) =
            self.decoder.decode_to_utf8_without_replacement(input, &mut self.buffer, last);
        self.bytes += read as u64;
        self.filled = 0..written;
        let last_byte = self.buffer[..written].iter().rfind(|byte| !matches!(byte, b'\r' | b'\n'));
        self.last_byte = last_byte.copied().or(self.last_byte);
        self.ended = last && result == DecoderResult::InputEmpty;
        if let DecoderResult::Malformed(length, after) = result {
            let since_first = usize::from(length) + usize::from(after);
            let error = Undecodable {
                line: self.line_ends + line_ends(&self.buffer[..written]) + 1,
                byte: self.bytes - since_first as u64 + 1,
                // The first of them may have been in the part before.
                value: read.checked_sub(since_first).map(|at| input[at]),
                encoding: self.decoder.encoding().name(),
            };
            self.ended = true;
            return Err(io::Error::new(ErrorKind::InvalidData, error));
        }
        self.source.consume(read);
        Ok(())
    }
}

impl<R: BufRead> BufRead for Decoded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.filled.is_empty() && !self.ended {
            self.refill()?;
        }
        Ok(&self.buffer[self.filled.clone()])
    }

    fn consume(&mut self, amount: usize) {
        self.filled.start += amount;
    }
}

impl<R: BufRead> Read for Decoded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

fn line_ends(text: &[u8]) -> u64 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u64
}

/// Bytes that mean nothing in an encoding.
#[derive(Debug)]
pub(super) struct Undecodable {
    line: u64,
    /// The first of them in the (decompressed) file, counted from 1.
    byte: u64,
    value: Option<u8>,
    encoding: &'static str,
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {} of the file", self.byte)?;
        self.value.map_or(Ok(()), |value| write!(f, " (0x{value:02X})"))?;
        write!(f, " is not {}", self.encoding)
    }
}

impl std::error::Error for Undecodable {}

impl Undecodable {
    pub(super) fn blame(&self, path: &Path) -> Error {
        let remedy = "say with `encoding` what the text is in, for example windows-1252, or correct the file";
        Error::input_at(path, self.line, self.to_string(), remedy)
    }
}
