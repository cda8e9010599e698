//! Writes .npz, NumPy's archive of arrays: a zip of .npy files. Values are streamed, and the same content always is the
//! same bytes.

use std::io::{self, Seek, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipWriter};

use super::mute::Mute;
use super::npy::MAGIC;

/// Bytes that are handed on at once.
const BUFFER: usize = 1 << 16;

/// NumPy begins its values at a multiple of this.
const ALIGNMENT: usize = 64;

/// A number that an array can hold.
pub(crate) trait Value {
    /// Its type as NumPy writes it.
    const DESCR: &'static str;

    /// Appends its bytes.
    fn put(self, out: &mut Vec<u8>);
}

macro_rules! value {
    ($type:ty, $descr:literal) => {
        impl Value for $type {
            const DESCR: &'static str = $descr;

            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        }
    };
}

value!(f64, "<f8");
value!(i64, "<i8");
value!(i32, "<i4");

/// What values are given to, one after the other.
pub(crate) type Push<'p, T> = dyn FnMut(T) -> io::Result<()> + 'p;

/// An archive that is being written.
pub(crate) struct NpzWriter<W: Write + Seek>(ZipWriter<Mute<W>>);

impl<W: Write + Seek> NpzWriter<W> {
    pub(crate) fn new(out: W) -> Self {
        Self(ZipWriter::new(Mute::new(out)))
    }

    /// Adds the array `name`, whose values `fill` pushes.
    pub(crate) fn array<T: Value>(
        &mut self,
        name: &str,
        shape: &[usize],
        fill: impl FnOnce(&mut Push<'_, T>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.start(name, T::DESCR, shape)?;
        let mut bytes = Vec::with_capacity(BUFFER + size_of::<T>());
        let mut left = shape.iter().product::<usize>();
        fill(&mut |value| {
            value.put(&mut bytes);
            left -= 1;
            if bytes.len() >= BUFFER {
                self.0.write_all(&bytes)?;
                bytes.clear();
            }
            Ok(())
        })?;
        assert_eq!(left, 0, "{name} has fewer values than its shape says");
        self.0.write_all(&bytes)
    }

    /// Adds an array with one axis.
    pub(crate) fn vector<T: Value>(
        &mut self,
        name: &str,
        values: impl ExactSizeIterator<Item = T>,
    ) -> io::Result<()> {
        self.array(name, &[values.len()], |push| values.into_iter().try_for_each(push))
    }

    /// Adds an array without axes that holds a text.
    pub(crate) fn text(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.start(name, &format!("|S{}", text.len()), &[])?;
        self.0.write_all(text.as_bytes())
    }

    fn start(&mut self, name: &str, descr: &str, shape: &[usize]) -> io::Result<()> {
        // What would differ from machine to machine is set: the time and the system.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(1))
            .last_modified_time(DateTime::default())
            .system(System::Unix)
            .unix_permissions(0o644)
            .large_file(true);
        self.0.start_file(format!("{name}.npy"), options)?;
        self.0.write_all(&header(descr, shape))
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        let out = self.0.finish()?;
        if out.has_failed() {
            Err(io::Error::other("a part of the archive could not be written"))
        } else {
            Ok(())
        }
    }
}

/// What comes before the values of a .npy file.
fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let axes: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let mut dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({axes}), }}");
    // Magic number, version and length take 10 bytes, the line end one.
    let end = (MAGIC.len() + 4 + dict.len() + 1).next_multiple_of(ALIGNMENT);
    let padded = end - MAGIC.len() - 4;
    dict.extend(std::iter::repeat_n(' ', padded - 1 - dict.len()));
    dict.push('\n');
    let length = u16::try_from(padded).expect("a short header");
    [&MAGIC[..], &[1, 0], &length.to_le_bytes(), dict.as_bytes()].concat()
}
