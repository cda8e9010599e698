//! Reads NumPy's .npy: a header that gives type and shape, then the values of an array of numbers.

use std::io::{ErrorKind, Read};

use crate::error::shown;

/// How an array begins.
pub(super) const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The longest header: those of number arrays take 128 bytes.
const MAX_HEADER: usize = 1 << 16;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
    /// Bytes of text.
    Text,
}

/// A value as far as counts and indices need it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// An integer that is not negative.
    Whole(u64),
    /// Any other integer, and every floating-point number.
    Real(f64),
}

/// An array whose header has been read. Errors say what is wrong with the array.
pub(crate) struct Npy<R> {
    reader: R,
    kind: Kind,
    /// Bytes of a value.
    size: usize,
    big_endian: bool,
    shape: Vec<u64>,
}

impl<R: Read> Npy<R> {
    /// Reads the header.
    pub(crate) fn new(mut reader: R) -> Result<Self, String> {
        let mut start = [0; 8];
        read_exact(&mut reader, &mut start)?;
        if !start.starts_with(MAGIC) {
            return Err("is not an array of NumPy".into());
        }
        // From the second version on the length has four bytes.
        let mut length = [0; 4];
        read_exact(&mut reader, &mut length[..if start[6] == 1 { 2 } else { 4 }])?;
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_HEADER {
            return Err(format!("has a header of {length} bytes"));
        }
        let mut header = vec![0; length];
        read_exact(&mut reader, &mut header)?;
        let header = String::from_utf8_lossy(&header);
        let parts = || Some((after(&header, "descr")?, after(&header, "shape")?));
        let (descr, shape) = parts().ok_or("has a header without type or shape")?;
        let (big_endian, kind, size) = parse_type(descr)?;
        let shape = parse_shape(shape).ok_or("has a shape that cannot be read")?;
        Ok(Self { reader, kind, size, big_endian, shape })
    }

    /// The length of an array with one axis.
    pub(crate) fn len(&self) -> Result<u64, String> {
        match self.shape[..] {
            [length] => Ok(length),
            _ => Err(format!("has {} axes, not 1", self.shape.len())),
        }
    }

    /// Refuses an array with one axis that has another length.
    pub(crate) fn check_len(&self, expected: u64) -> Result<(), String> {
        match self.len()? {
            length if length == expected => Ok(()),
            length => Err(format!("has {length} values, and {expected} were expected")),
        }
    }

    /// The next value of an array of numbers.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Number, String> {
        let mut bytes = [0; 8];
        read_exact(&mut self.reader, &mut bytes[..self.size])?;
        if self.big_endian {
            bytes[..self.size].reverse();
        }
        let unsigned = u64::from_le_bytes(bytes);
        let unused_bits = 64 - 8 * self.size as u32;
        Ok(match (self.kind, self.size) {
            (Kind::Bool, _) => Number::Whole(u64::from(unsigned != 0)),
            (Kind::Unsigned, _) => Number::Whole(unsigned),
            (Kind::Signed, _) => match (unsigned << unused_bits) as i64 >> unused_bits {
                value @ 0.. => Number::Whole(value as u64),
                value => Number::Real(value as f64),
            },
            (Kind::Float, 4) => Number::Real(f64::from(f32::from_bits(unsigned as u32))),
            (Kind::Float, _) => Number::Real(f64::from_bits(unsigned)),
            (Kind::Text, _) => return Err("has text, not numbers".into()),
        })
    }

    /// The text of an array that holds one.
    pub(crate) fn text(mut self) -> Result<String, String> {
        const MOST: usize = 64;
        if self.kind != Kind::Text || !self.shape.is_empty() || self.size > MOST {
            return Err("is not a short text".into());
        }
        let mut bytes = vec![0; self.size];
        read_exact(&mut self.reader, &mut bytes)?;
        self.end()?;
        // Python 2's text has four bytes a letter, of which all but one are 0 in ASCII.
        bytes.retain(|&byte| byte != 0);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Makes sure that nothing follows; an archive then has compared its checksum.
    pub(crate) fn end(mut self) -> Result<(), String> {
        match self.reader.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err("is longer than its shape says".into()),
            Err(error) => Err(format!("is damaged ({error})")),
        }
    }
}

fn read_exact(reader: &mut impl Read, bytes: &mut [u8]) -> Result<(), String> {
    reader.read_exact(bytes).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => "is cut short".into(),
        _ => format!("is damaged ({error})"),
    })
}

/// What follows the key `name` of the header, which is written as a dictionary of Python.
fn after<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let at = header.find(&format!("'{name}'"))?;
    header[at + name.len() + 2..].trim_start().strip_prefix(':').map(str::trim_start)
}

/// The type in `'<i4'`: whether it is big-endian, what it is, and its bytes.
fn parse_type(descr: &str) -> Result<(bool, Kind, usize), String> {
    let name =
        descr.strip_prefix('\'').and_then(|rest| rest.split('\'').next()).unwrap_or("of several fields");
    let unusable = || format!("has the type {}, which cannot be read", shown(name.as_bytes()));
    let (order, rest) = name.split_at_checked(1).ok_or_else(unusable)?;
    let (kind, size) = rest.split_at_checked(1).ok_or_else(unusable)?;
    let size: usize = size.parse().map_err(|_| unusable())?;
    let (kind, size) = match (kind, size) {
        ("b", 1) => (Kind::Bool, size),
        ("i", 1 | 2 | 4 | 8) => (Kind::Signed, size),
        ("u", 1 | 2 | 4 | 8) => (Kind::Unsigned, size),
        ("f", 4 | 8) => (Kind::Float, size),
        ("S", _) => (Kind::Text, size),
        ("U", _) => (Kind::Text, size.saturating_mul(4)),
        _ => return Err(unusable()),
    };
    Ok((order == ">", kind, size))
}

/// The numbers in `(3, 4)`.
fn parse_shape(shape: &str) -> Option<Vec<u64>> {
    let (axes, _) = shape.strip_prefix('(')?.split_once(')')?;
    let axes = axes.split(',').map(str::trim).filter(|axis| !axis.is_empty());
    axes.map(|axis| axis.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(header: &str, values: &[u8]) -> Vec<u8> {
        let length = (header.len() as u16).to_le_bytes();
        [MAGIC, &[1, 0][..], &length, header.as_bytes(), values].concat()
    }

    #[test]
    fn every_kind_of_number() {
        let cases: [(&str, &[u8], Number); 12] = [
            ("|b1", &[1], Number::Whole(1)),
            ("|i1", &[0xff], Number::Real(-1.0)),
            ("|u1", &[0xff], Number::Whole(255)),
            ("<i2", &[2, 1], Number::Whole(258)),
            (">i2", &[1, 2], Number::Whole(258)),
            ("<i4", &[0xfe, 0xff, 0xff, 0xff], Number::Real(-2.0)),
            ("<u4", &[0xff, 0xff, 0xff, 0xff], Number::Whole(u64::from(u32::MAX))),
            ("<i8", &i64::MAX.to_le_bytes(), Number::Whole(i64::MAX as u64)),
            ("<u8", &u64::MAX.to_le_bytes(), Number::Whole(u64::MAX)),
            ("<f4", &3f32.to_le_bytes(), Number::Real(3.0)),
            ("<f8", &0.5f64.to_le_bytes(), Number::Real(0.5)),
            (">f8", &7f64.to_be_bytes(), Number::Real(7.0)),
        ];
        for (name, bytes, expected) in cases {
            let header = format!("{{'descr': '{name}', 'fortran_order': False, 'shape': (1,), }}\n");
            let bytes = array(&header, bytes);
            let mut npy = Npy::new(&bytes[..]).expect(name);
            assert_eq!((npy.len(), npy.next()), (Ok(1), Ok(expected)), "{name}");
            assert!(npy.next().is_err() && npy.end().is_ok(), "{name}");
        }
    }

    #[test]
    fn what_is_no_array_of_numbers_is_refused() {
        let refused = |bytes: &[u8]| Npy::new(bytes).err().expect("refused");
        assert_eq!(refused(b""), "is cut short");
        assert_eq!(refused(b"PK\x03\x04 and so on"), "is not an array of NumPy");
        assert_eq!(refused(b"\x93NUMPY\x02\x00\xff\xff\xff\xff"), "has a header of 4294967295 bytes");
        assert_eq!(refused(&array("{}", b"")), "has a header without type or shape");
        for (descr, shown) in [
            ("'<c8'", "<c8"),
            ("'<f16'", "<f16"),
            ("'|O'", "|O"),
            ("'<\u{1b}4'", "<\\u{1b}4"),
            ("[('a', '<i4')]", "of several fields"),
        ] {
            let header = format!("{{'descr': {descr}, 'shape': (1,)}}");
            assert_eq!(refused(&array(&header, b"")), format!("has the type {shown}, which cannot be read"));
        }
        let shape = "{'descr': '<i4', 'shape': (99999999999999999999,)}";
        assert_eq!(refused(&array(shape, b"")), "has a shape that cannot be read");
    }
}
