//! What comes of new documents, in the bytes in which ranks send it: a topic of each token would be long in words.

use crate::evaluate::DocScore;
use crate::infer::InferredDoc;

/// A document with the topics of its tokens.
pub(super) type WithTopics = (InferredDoc, Vec<Option<u16>>);

/// Stands for the topic of a word that the model does not know.
const UNKNOWN: u32 = u32::MAX;

/// What comes of a document.
pub(super) trait Packed: Sized {
    /// Adds it to bytes.
    fn pack(&self, bytes: &mut Vec<u8>);

    /// Takes it from the begin of bytes.
    ///
    /// # Panics
    /// When they are not what was packed.
    fn unpack(bytes: &mut &[u8]) -> Self;
}

/// As many documents as the bytes have.
pub(super) fn unpack_all<T: Packed>(mut bytes: &[u8]) -> Vec<T> {
    let mut docs = Vec::new();
    while !bytes.is_empty() {
        docs.push(T::unpack(&mut bytes));
    }
    docs
}

fn number<const SIZE: usize>(bytes: &mut &[u8]) -> [u8; SIZE] {
    *bytes.split_off(..SIZE).and_then(<[u8]>::as_array).expect("what was packed")
}

fn u32_of(bytes: &mut &[u8]) -> u32 {
    u32::from_le_bytes(number(bytes))
}

impl Packed for WithTopics {
    fn pack(&self, bytes: &mut Vec<u8>) {
        let (InferredDoc { m, tokens, unknown }, z) = self;
        for number in [*tokens, *unknown, m.len() as u32, z.len() as u32] {
            bytes.extend(number.to_le_bytes());
        }
        for (k, mean) in m {
            bytes.extend(k.to_le_bytes());
            bytes.extend(mean.to_le_bytes());
        }
        z.iter().for_each(|z| bytes.extend(z.map_or(UNKNOWN, u32::from).to_le_bytes()));
    }

    fn unpack(bytes: &mut &[u8]) -> Self {
        let [tokens, unknown, topics, places] = std::array::from_fn(|_| u32_of(bytes));
        let mean = |bytes: &mut &[u8]| (u16::from_le_bytes(number(bytes)), f64::from_le_bytes(number(bytes)));
        let m = (0..topics).map(|_| mean(bytes)).collect();
        let z = (0..places).map(|_| u16::try_from(u32_of(bytes)).ok()).collect();
        (InferredDoc { m, tokens, unknown }, z)
    }
}

impl Packed for DocScore {
    fn pack(&self, bytes: &mut Vec<u8>) {
        let Self { log_probability, tokens, unknown } = self;
        bytes.extend(log_probability.to_le_bytes());
        [tokens, unknown].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    }

    fn unpack(bytes: &mut &[u8]) -> Self {
        Self {
            log_probability: f64::from_le_bytes(number(bytes)),
            tokens: u64::from_le_bytes(number(bytes)),
            unknown: u64::from_le_bytes(number(bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;

    fn assert_comes_back<T: Packed + PartialEq + Debug>(docs: &[T]) {
        let mut bytes = Vec::new();
        docs.iter().for_each(|doc| doc.pack(&mut bytes));
        assert_eq!(unpack_all::<T>(&bytes), docs);
    }

    #[test]
    fn what_comes_of_documents_comes_back() {
        let doc = InferredDoc { m: vec![(0, 0.1), (u16::MAX, 1e-300)], tokens: 3, unknown: 70_000 };
        assert_comes_back(&[
            (doc, vec![Some(0), None, Some(u16::MAX)]),
            (InferredDoc::default(), Vec::new()),
        ]);
        let score = DocScore { log_probability: -1234.5, tokens: u64::MAX, unknown: 7 };
        assert_comes_back(&[score, DocScore::default()]);
    }
}
