//! Checkpoints whose sizes and checksum are made right, which no fuzzer would hit upon.

use super::forge;

/// Where the sizes of a file are, after its magic and version: tokens, K*, bytes of the sums, of three logs and of the
/// information.
const SIZES: usize = 16;
/// Where its information begins.
const HEADER: usize = 72;

/// `content` made whole: see [`forge`].
pub fn forged(content: &[u8]) -> Vec<u8> {
    forge(content, HEADER, info_size(content))
}

/// What the other sizes leave for the information.
fn info_size(content: &[u8]) -> Option<u64> {
    let (sizes, _) = content.get(SIZES..HEADER)?.as_chunks();
    let sizes: Vec<u64> = sizes.iter().map(|&size| u64::from_le_bytes(size)).collect();
    let [tokens, k_star, sums_and_logs @ .., _] = &sizes[..] else { return None };
    let rest = tokens.checked_mul(2)?.checked_add(k_star.checked_mul(16)?)?;
    let rest = sums_and_logs.iter().try_fold(rest, |rest, &bytes| rest.checked_add(bytes))?;
    (content.len() as u64).checked_sub(HEADER as u64)?.checked_sub(rest)
}
