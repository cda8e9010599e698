//! A set of topics that is emptied in ascending order, without sorting.

use crate::heap::Heap;

/// Topics in a word of bits.
const BITS: usize = 64;

/// A bit a topic, and a bit for each word of bits that has any.
#[derive(Debug)]
pub(super) struct TopicSet {
    topics: Box<[u64; (1 << 16) / BITS]>,
    words: [u64; (1 << 16) / BITS / BITS],
}

impl Default for TopicSet {
    fn default() -> Self {
        Self { topics: Box::new([0; _]), words: [0; _] }
    }
}

impl TopicSet {
    /// What one takes.
    pub(super) fn bytes() -> Heap {
        Heap::exact::<[u64; (1 << 16) / BITS]>(1.0)
    }

    /// Puts topic `k` into the set.
    #[inline]
    pub(super) fn insert(&mut self, k: u16) {
        let k = usize::from(k);
        self.topics[k / BITS] |= 1 << (k % BITS);
        self.words[k / BITS / BITS] |= 1 << (k / BITS % BITS);
    }

    /// Hands out the topics, ascending, and leaves the set empty.
    #[inline]
    pub(super) fn drain(&mut self, mut take: impl FnMut(u16)) {
        for (first_word, words) in (0..).step_by(BITS).zip(&mut self.words) {
            for word in ones(std::mem::take(words)) {
                let word = first_word + word;
                for bit in ones(std::mem::take(&mut self.topics[word])) {
                    take((word * BITS + bit) as u16);
                }
            }
        }
    }
}

/// The places of the bits that are set, ascending.
#[inline]
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (first < u64::BITS).then_some(first as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_come_out_once_and_in_order() {
        let mut set = TopicSet::default();
        for topics in
            [vec![], vec![0], vec![65_535, 0, 64, 63, 4_096, 63, 4_095], (0..=u16::MAX).rev().collect()]
        {
            topics.iter().for_each(|&k| set.insert(k));
            let mut drained = Vec::new();
            set.drain(|k| drained.push(k));
            let expected: std::collections::BTreeSet<u16> = topics.into_iter().collect();
            assert!(drained.into_iter().eq(expected));
        }
    }
}
