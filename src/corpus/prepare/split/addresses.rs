//! Addresses of pages and of mail are no words: `https://example.org/page`, `www.example.org`, `name@example.org`.

use std::ops::Range;

use crate::error::Result;

/// Hands over what is left of `piece`, which has no white space, before, between and after its addresses.
pub(super) fn each_part<'t>(piece: &'t str, mut each: impl FnMut(&'t str) -> Result<()>) -> Result<()> {
    let mut rest = piece;
    while let Some(Range { start, end }) = first(rest) {
        each(&rest[..start])?;
        rest = &rest[end..];
    }
    each(rest)
}

/// The first address. What marks one is looked for once and from left to right, so that a long piece takes no longer per byte.
fn first(text: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    (0..bytes.len()).find_map(|at| match bytes[at] {
        b':' => page_with_scheme(bytes, at),
        b'w' | b'W' => page(bytes, at),
        b'@' => mail(bytes, at),
        _ => None,
    })
}

/// `https://…` around the `:` at `colon`.
fn page_with_scheme(bytes: &[u8], colon: usize) -> Option<Range<usize>> {
    let start = walk_back(bytes, colon, |byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let is_page = bytes[colon..].starts_with(b"://") && start < colon;
    is_page.then(|| start..end_of_page(bytes, colon + 3))
}

/// `www.…` from `start` on.
fn page(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let (name, host) = bytes[start..].split_at_checked(4)?;
    let is_page = name.eq_ignore_ascii_case(b"www.")
        && host.first().is_some_and(u8::is_ascii_alphanumeric)
        && !start.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphanumeric());
    is_page.then(|| start..end_of_page(bytes, start))
}

/// An address goes on until something that is not written in one, or a bracket that it has not opened.
fn end_of_page(bytes: &[u8], start: usize) -> usize {
    let mut open = 0_usize;
    walk(bytes, start, |byte| match byte {
        b'(' => {
            open += 1;
            true
        }
        b')' => {
            let closes = open > 0;
            open = open.saturating_sub(1);
            closes
        }
        _ => byte.is_ascii_graphic() && !b"<>\"`[]{}|\\^".contains(&byte),
    })
}

/// `name@example.org` around the `@` at `at`.
fn mail(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let start = walk_back(bytes, at, |byte| byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte));
    let end = walk(bytes, at + 1, |byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    let mut labels = bytes[at + 1..end].split(|&byte| byte == b'.').filter(|label| !label.is_empty());
    let is_mail = start < at && labels.next().is_some() && labels.next().is_some();
    const SCHEME: &[u8] = b"mailto:";
    let start = if bytes[..start].ends_with(SCHEME) { start - SCHEME.len() } else { start };
    is_mail.then_some(start..end)
}

/// The end of the bytes from `start` on for which `is_part` holds.
fn walk(bytes: &[u8], start: usize, mut is_part: impl FnMut(u8) -> bool) -> usize {
    bytes[start..].iter().position(|&byte| !is_part(byte)).map_or(bytes.len(), |length| start + length)
}

/// The start of the bytes up to `end` for which `is_part` holds.
fn walk_back(bytes: &[u8], end: usize, is_part: impl Fn(u8) -> bool) -> usize {
    bytes[..end].iter().rposition(|&byte| !is_part(byte)).map_or(0, |before| before + 1)
}
