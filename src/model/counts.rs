//! Sparse topic counts by word: n_kv, and ϕ_kv or φ_kv, which have the same shape.

use std::ops::Range;

use super::histogram::DocTopicHistogram;
use crate::heap::{Heap, Sizes};

/// What a word costs beside its tokens: its own stream, its β points, its alias table.
const WORD_COST: u64 = 32;

/// What a block of words costs at least, and how many there are at most; but for the last one.
const BLOCK_COST: u64 = 1 << 13;
const MOST_BLOCKS: u64 = 1 << 10;

/// All that the other conditionals need to know of z.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// n_kv and n_k.
    pub n: TopicWordCounts,
    /// d_kp.
    pub d: DocTopicHistogram,
}

impl Counts {
    /// No counts yet, for the given blocks of words and K*.
    pub fn new(blocks: &[Range<u32>], k_star: usize) -> Self {
        Self { n: TopicWordCounts::new(blocks, k_star), d: DocTopicHistogram::new(k_star) }
    }

    /// Makes room for topics up to a larger K*.
    pub(crate) fn resize(&mut self, k_star: usize) {
        self.n.topic_tokens.resize(k_star, 0);
        self.d.resize(k_star);
    }

    /// Whether Σ_k n_k = N and Σ_p p·d_kp = n_k for every topic; `Err` says what does not add up.
    ///
    /// # Errors
    /// When they do not.
    pub fn check(&self, num_tokens: usize) -> Result<(), String> {
        let tokens: u64 = self.n.topic_tokens.iter().sum();
        if tokens != num_tokens as u64 {
            return Err(format!("counted {tokens} tokens instead of {num_tokens}"));
        }
        for (k, &n_k) in (0..=u16::MAX).zip(&self.n.topic_tokens) {
            let tokens: u64 = self.d.topic(k).map(|(p, docs)| u64::from(p) * docs).sum();
            if tokens != n_k {
                return Err(format!("topic {k} has {n_k} tokens by word and {tokens} by document"));
            }
        }
        Ok(())
    }
}

/// n: the tokens of each word in each topic.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicWordCounts {
    /// n_kv, in blocks that follow each other.
    pub blocks: Vec<ColumnBlock>,
    /// n_k = Σ_v n_kv, for every topic up to K*.
    pub topic_tokens: Vec<u64>,
}

impl TopicWordCounts {
    fn new(blocks: &[Range<u32>], k_star: usize) -> Self {
        Self { blocks: empty_blocks(blocks.iter().cloned()), topic_tokens: vec![0; k_star] }
    }

    /// What it takes.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        ColumnBlock::<u32>::bytes(sizes, sizes.word_topics) + Heap::exact::<u64>(sizes.k_star)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        let Self { blocks, topic_tokens } = self;
        ColumnBlock::heap_bytes(blocks) + crate::heap::held(topic_tokens)
    }

    /// The number of topics with at least one token.
    pub fn active_topics(&self) -> usize {
        self.topic_tokens.iter().filter(|&&tokens| tokens > 0).count()
    }

    /// Whether each topic has a token.
    pub(crate) fn are_active(&self) -> Vec<bool> {
        self.topic_tokens.iter().map(|&tokens| tokens > 0).collect()
    }

    /// Every word with its nonzero topics and their counts, by word number.
    pub fn columns(&self) -> impl Iterator<Item = Column<'_>> {
        self.blocks.iter().flat_map(ColumnBlock::columns)
    }
}

/// Empty blocks for runs of words.
pub(crate) fn empty_blocks<C: Copy>(blocks: impl Iterator<Item = Range<u32>>) -> Vec<ColumnBlock<C>> {
    blocks.map(ColumnBlock::new).collect()
}

/// The nonzero counts of one word, or whatever positive numbers `C` its topics have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column<'a, C = u32> {
    /// The word.
    pub word: u32,
    /// The topics, ascending.
    pub topic: &'a [u16],
    /// Their counts, all positive.
    pub count: &'a [C],
}

impl<C: Copy> Column<'_, C> {
    /// The topics with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (u16, C)> + '_ {
        self.topic.iter().copied().zip(self.count.iter().copied())
    }
}

/// The sparse columns of a run of words: the unit of parallel work on the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnBlock<C = u32> {
    words: Range<u32>,
    col_end: Vec<usize>,
    topic: Vec<u16>,
    count: Vec<C>,
}

impl<C: Copy> ColumnBlock<C> {
    /// A block without columns for the words `words`.
    pub fn new(words: Range<u32>) -> Self {
        let columns = words.len();
        Self { words, col_end: Vec::with_capacity(columns), topic: Vec::new(), count: Vec::new() }
    }

    /// What blocks of all words take, with so many nonzeros together.
    pub(super) fn bytes(sizes: &Sizes, nonzeros: f64) -> Heap {
        let blocks = most_blocks(sizes);
        Heap::exact::<Self>(blocks).at_most()
            + Heap::exact::<usize>(sizes.words)
            + Heap::grown::<u16>(blocks, nonzeros)
            + Heap::grown::<C>(blocks, nonzeros)
    }

    #[cfg(test)]
    pub(super) fn heap_bytes(blocks: &Vec<Self>) -> Heap {
        use crate::heap::held;
        let lists =
            |Self { words: _, col_end, topic, count }: &Self| held(col_end) + held(topic) + held(count);
        held(blocks) + blocks.iter().map(lists).sum::<Heap>()
    }

    /// The words of this block.
    pub fn words(&self) -> Range<u32> {
        self.words.clone()
    }

    /// The number of nonzero counts.
    pub fn nonzeros(&self) -> usize {
        self.topic.len()
    }

    /// Forgets all columns and keeps the memory.
    pub fn clear(&mut self) {
        self.col_end.clear();
        self.topic.clear();
        self.count.clear();
    }

    /// Adds a count to the column being filled; topics come in ascending order.
    #[inline]
    pub fn push(&mut self, topic: u16, count: C) {
        self.topic.push(topic);
        self.count.push(count);
    }

    /// Adds those of the counts to the column being filled that are not 0, without a branch for each of them; topics come in ascending
    /// order.
    #[inline]
    pub(super) fn extend_nonzero(&mut self, counts: impl ExactSizeIterator<Item = (u16, C)>)
    where
        C: Default + PartialEq,
    {
        let mut end = self.topic.len();
        self.topic.resize(end + counts.len(), 0);
        self.count.resize(end + counts.len(), C::default());
        for (topic, count) in counts {
            (self.topic[end], self.count[end]) = (topic, count);
            end += usize::from(count != C::default());
        }
        self.topic.truncate(end);
        self.count.truncate(end);
    }

    /// Ends the column being filled.
    #[inline]
    pub fn end_column(&mut self) {
        debug_assert!(self.col_end.len() < self.words.len());
        self.col_end.push(self.topic.len());
    }

    /// The columns, by word number.
    pub fn columns(&self) -> impl Iterator<Item = Column<'_, C>> {
        let mut start = 0;
        self.words.clone().zip(&self.col_end).map(move |(word, &end)| {
            let range = std::mem::replace(&mut start, end)..end;
            Column { word, topic: &self.topic[range.clone()], count: &self.count[range] }
        })
    }
}

/// The most blocks that [`word_blocks`] makes.
pub(super) fn most_blocks(sizes: &Sizes) -> f64 {
    let cost = sizes.tokens + WORD_COST as f64 * sizes.words;
    (cost / BLOCK_COST as f64).min(MOST_BLOCKS as f64).ceil() + 1.0
}

/// Cuts the vocabulary into runs of words of about equal cost, for parallel work.
///
/// Results never depend on the cut: draws are keyed by word. `word_tokens[v]` is N_v.
pub fn word_blocks(word_tokens: &[u64]) -> Vec<Range<u32>> {
    let total: u64 = word_tokens.iter().map(|tokens| tokens + WORD_COST).sum();
    let target = BLOCK_COST.max(total / MOST_BLOCKS);
    let mut blocks = Vec::new();
    let (mut start, mut cost) = (0, 0);
    for (v, tokens) in (0u32..).zip(word_tokens) {
        cost += tokens + WORD_COST;
        if cost >= target {
            blocks.push(start..v + 1);
            (start, cost) = (v + 1, 0);
        }
    }
    if start < word_tokens.len() as u32 {
        blocks.push(start..word_tokens.len() as u32);
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_the_vocabulary_once_and_in_order() {
        for tokens in [vec![0; 5], vec![1_000_000, 1, 1, 1_000_000], vec![100; 20_000], vec![7]] {
            let blocks = word_blocks(&tokens);
            let words: Vec<u32> = blocks.into_iter().flatten().collect();
            assert_eq!(words, (0..tokens.len() as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn columns_come_back_as_pushed() {
        let mut block = ColumnBlock::new(3..6);
        block.push(1, 5);
        block.push(9, 2);
        block.end_column();
        block.end_column();
        block.push(0, 1);
        block.end_column();
        let columns: Vec<_> = block.columns().map(|c| (c.word, c.iter().collect::<Vec<_>>())).collect();
        assert_eq!(columns, [(3, vec![(1, 5), (9, 2)]), (4, vec![]), (5, vec![(0, 1)])]);
    }
}
