//! Prepared corpora: sizes and checksums made right, which no fuzzer would hit upon, and the way to bytes and back.

use hdp_gpu::corpus::{Format, Loaded, prepared_bytes};

use super::{forge, formats};

/// Where the five sizes of a file are, after its magic and version.
const SIZES: usize = 16;
/// Where its tokens are.
const HEADER: usize = 56;

/// `content` made whole: see [`forge`].
pub fn forged(content: &[u8]) -> Vec<u8> {
    forge(content, HEADER, info_size(content))
}

/// What the other sizes leave for the last part.
fn info_size(content: &[u8]) -> Option<u64> {
    let (sizes, _) = content.get(SIZES..HEADER)?.as_chunks();
    let [docs, _, tokens, strings, _] = *sizes else { return None };
    let [docs, tokens, strings] = [docs, tokens, strings].map(u64::from_le_bytes);
    let w = tokens.checked_mul(4)?.checked_next_multiple_of(8)?;
    let doc_start = docs.checked_add(1)?.checked_mul(8)?;
    let before = (HEADER as u64).checked_add(w)?.checked_add(doc_start)?.checked_add(strings)?;
    (content.len() as u64).checked_sub(before)
}

/// What is written is read back as it was.
pub fn round_trip(loaded: &Loaded) {
    let Loaded { corpus, format, preparation, notes, .. } = loaded;
    let bytes = prepared_bytes(corpus, format, preparation, notes);
    let again = formats::read_plain(Some(Format::Prepared), &bytes).expect("what was written can be read");
    assert_eq!((&again.corpus, &again.preparation, &again.notes), (corpus, preparation, notes));
}
