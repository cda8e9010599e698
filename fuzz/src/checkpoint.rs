//! Checkpoints whose sizes and checksum are made right, which no fuzzer would hit upon.

use sha2::{Digest, Sha256};

/// Where the sizes of a file are, after its magic and version: tokens, K*, bytes of the sums, of three logs and of the
/// information.
const SIZES: usize = 16;
/// Where its information begins.
const HEADER: usize = 72;

/// `content` with the checksum that it ought to have, and the size of its information such that all is accounted for.
pub fn forged(content: &[u8]) -> Vec<u8> {
    let mut file = content.to_vec();
    if let Some(info) = info_size(content) {
        file[HEADER - 8..HEADER].copy_from_slice(&info.to_le_bytes());
    }
    let checksum = Sha256::digest(&file);
    file.extend_from_slice(&checksum);
    file
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
