//! n and d from z on the host: the topics of each word's tokens side by side, then counted word by word.

use std::ops::Range;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use rayon::prelude::*;

use super::counts::{ColumnBlock, Counts, TopicWordCounts};
use super::histogram::DocTopicHistogram;
use super::z::DocTopics;
use crate::corpus::Corpus;
use crate::per_thread::PerThread;

/// Counts `z` anew, without room kept from before.
pub(crate) fn recount(corpus: &Corpus, z: &[u16], counts: &mut Counts) {
    Recount::new(corpus, counts.n.topic_tokens.len()).count(corpus, z, &mut counts.n);
    recount_docs(corpus, z, &mut counts.d);
}

/// Counts the documents of `z` anew.
pub(crate) fn recount_docs(corpus: &Corpus, z: &[u16], d: &mut DocTopicHistogram) {
    let parts: Vec<DocTopicHistogram> = doc_tasks(&corpus.doc_start, rayon::current_num_threads())
        .into_par_iter()
        .map(|docs| {
            let (mut doc, mut part) = (DocTopics::default(), DocTopicHistogram::new(d.k_star()));
            for docs in docs {
                doc.fill(&z[corpus.doc(docs)]);
                doc.drain_into(&mut part);
            }
            part
        })
        .collect();
    d.merge(parts.iter());
}

/// Room for counting n: 2 bytes a token, and 16 bytes a word and shard.
#[derive(Debug)]
pub(crate) struct Recount {
    /// The topics of all tokens, sorted by word. Atomic because shards write it together; no two of them
    /// write the same place, and a relaxed store costs what a plain one does.
    by_word: Vec<AtomicU16>,
    /// Word v's tokens are `word_start[v]..word_start[v + 1]` of `by_word`.
    word_start: Vec<usize>,
    shards: Vec<Shard>,
    scratch: PerThread<Scratch>,
}

/// A run of documents that one task spreads over `by_word`.
#[derive(Debug)]
struct Shard {
    tokens: Range<usize>,
    /// Where the shard's first token of each word goes.
    first: Vec<usize>,
    /// Where its next one goes.
    next: Vec<usize>,
}

/// One thread's room.
#[derive(Debug)]
struct Scratch {
    count: Vec<u32>,
    topics: Vec<u16>,
    topic_tokens: Vec<u64>,
}

impl Recount {
    pub(crate) fn new(corpus: &Corpus, k_star: usize) -> Self {
        let mut shards: Vec<Shard> = doc_tasks(&corpus.doc_start, rayon::current_num_threads())
            .into_par_iter()
            .map(|docs| {
                let tokens = corpus.doc_start[docs.start]..corpus.doc_start[docs.end];
                let mut first = vec![0; corpus.vocab_size()];
                for &v in &corpus.w[tokens.clone()] {
                    first[v as usize] += 1;
                }
                Shard { tokens, next: vec![0; first.len()], first }
            })
            .collect();
        let mut word_start = Vec::with_capacity(corpus.vocab_size() + 1);
        let mut end = 0;
        for v in 0..corpus.vocab_size() {
            word_start.push(end);
            for shard in &mut shards {
                end += std::mem::replace(&mut shard.first[v], end);
            }
        }
        word_start.push(end);
        let mut by_word = Vec::new();
        by_word.resize_with(corpus.num_tokens(), AtomicU16::default);
        let scratch = PerThread::new(|| Scratch {
            count: vec![0; k_star],
            topics: Vec::new(),
            topic_tokens: vec![0; k_star],
        });
        Self { by_word, word_start, shards, scratch }
    }

    /// Counts `z` into `n`, in parallel over documents and then over words.
    pub(crate) fn count(&mut self, corpus: &Corpus, z: &[u16], n: &mut TopicWordCounts) {
        let Self { by_word, word_start, shards, scratch } = self;
        shards.par_iter_mut().with_max_len(1).for_each(|Shard { tokens, first, next }| {
            next.copy_from_slice(first);
            for (&v, &k) in corpus.w[tokens.clone()].iter().zip(&z[tokens.clone()]) {
                let place = &mut next[v as usize];
                by_word[*place].store(k, Relaxed);
                *place += 1;
            }
        });
        n.blocks.par_iter_mut().for_each(|block| {
            let scratch = &mut *scratch.lock();
            block.clear();
            for v in block.words() {
                let tokens = word_start[v as usize]..word_start[v as usize + 1];
                scratch.count_word(&by_word[tokens], block);
            }
        });
        n.topic_tokens.fill(0);
        for scratch in scratch.iter_mut() {
            for (tokens, part) in n.topic_tokens.iter_mut().zip(&mut scratch.topic_tokens) {
                *tokens += std::mem::take(part);
            }
        }
    }
}

impl Scratch {
    /// Appends the column of one word, whose tokens have the topics `z`.
    fn count_word(&mut self, z: &[AtomicU16], block: &mut ColumnBlock) {
        for k in z {
            let k = k.load(Relaxed);
            let count = &mut self.count[usize::from(k)];
            if *count == 0 {
                self.topics.push(k);
            }
            *count += 1;
        }
        self.topics.sort_unstable();
        for k in self.topics.drain(..) {
            let count = std::mem::take(&mut self.count[usize::from(k)]);
            self.topic_tokens[usize::from(k)] += u64::from(count);
            block.push(k, count);
        }
        block.end_column();
    }
}

/// Cuts the documents into at most `most` runs of about equal numbers of tokens.
pub(crate) fn doc_tasks(doc_start: &[usize], most: usize) -> Vec<Range<usize>> {
    let docs = doc_start.len() - 1;
    let tokens = doc_start[docs];
    let mut tasks = Vec::with_capacity(most);
    let mut start = 0;
    for task in 1..=most {
        // The first document that starts at or after this share of the tokens begins the next task.
        let share = (tokens as u128 * task as u128 / most as u128) as usize;
        let end = if task == most { docs } else { doc_start[..docs].partition_point(|&first| first < share) };
        if end > start {
            tasks.push(start..end);
            start = end;
        }
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_cover_the_documents_once_and_in_order() {
        let starts = [vec![0, 0, 5, 5, 1_000_000, 1_000_001, 1_000_001], vec![0, 3], (0..500).collect()];
        for doc_start in starts {
            for most in [1, 2, 7, 64] {
                let tasks = doc_tasks(&doc_start, most);
                assert!(tasks.len() <= most);
                let docs: Vec<usize> = tasks.into_iter().flatten().collect();
                assert_eq!(docs, (0..doc_start.len() - 1).collect::<Vec<_>>());
            }
        }
    }
}
