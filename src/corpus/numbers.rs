//! Fields of a line and the whole numbers in them, parsed from bytes.

use std::path::Path;

use super::open::Line;
use crate::error::{Error, Result, shown};

/// What stands between the spaces and tabs of a line.
pub(super) fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
}

/// The whole number in `field`, which is the `what` of this line.
#[inline]
pub(super) fn number(field: &[u8], what: &str, path: &Path, line: u64) -> Result<u64> {
    digits(field).ok_or_else(|| {
        Error::input_at(
            path,
            line,
            format!("the {what} {} {}", shown(field), flaw(field)),
            "give a whole number, written in digits only",
        )
    })
}

/// The count in `field`: a whole number, also when it is written as a real one.
#[inline]
pub(super) fn count(field: &[u8], path: &Path, line: u64) -> Result<u64> {
    if let Some(count) = digits(field) {
        return Ok(count);
    }
    let real = str::from_utf8(field).ok().and_then(|text| text.parse::<f64>().ok());
    real.and_then(whole).ok_or_else(|| {
        let flaw = match real {
            Some(real) => real_flaw(real),
            None => flaw(field),
        };
        Error::input_at(path, line, format!("the count {} {flaw}", shown(field)), COUNT_REMEDY)
    })
}

/// What to do about values that are no counts.
pub(super) const COUNT_REMEDY: &str = "give how often each word occurs, not weights such as tf-idf";

/// The whole number that `real` is.
pub(super) fn whole(real: f64) -> Option<u64> {
    // Above 2^53 the next whole numbers are the same `f64`.
    const MOST: f64 = (1u64 << 53) as f64;
    ((0.0..=MOST).contains(&real) && real.fract() == 0.0).then_some(real as u64)
}

/// Why `real` is not a count.
pub(super) fn real_flaw(real: f64) -> &'static str {
    if real < 0.0 {
        "is negative"
    } else if real.is_finite() && real.fract() == 0.0 {
        "is too large"
    } else {
        "is not a whole number"
    }
}

/// A line that should have been something else.
pub(super) fn unlike(line: &Line<'_>, path: &Path, expected: &str, remedy: &str) -> Error {
    Error::input_at(
        path,
        line.number,
        format!("'{}' is not {expected}", shown(line.bytes.trim_ascii())),
        remedy,
    )
}

/// The number, unless there is anything but digits or it does not fit.
#[inline]
fn digits(field: &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for &byte in field {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    (!field.is_empty()).then_some(value)
}

/// Why `field` is not a whole number that can be used.
fn flaw(field: &[u8]) -> &'static str {
    let is_digits = |bytes: &[u8]| !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit);
    let is_float = || str::from_utf8(field).is_ok_and(|text| text.parse::<f64>().is_ok());
    if is_digits(field) {
        "is too large"
    } else if field.strip_prefix(b"-").is_some_and(is_digits) {
        "is negative"
    } else if is_float() {
        "is not a whole number"
    } else {
        "is not a number"
    }
}
