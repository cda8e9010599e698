//! n and d from z on the host: the topics of each word's tokens side by side, then counted word by word.

use std::ops::Range;

use rayon::prelude::*;

use super::counts::{ColumnBlock, Counts, TopicWordCounts};
use super::histogram::DocTopicHistogram;
use super::topic_set::TopicSet;
use super::z::DocTopicCounts;
use crate::corpus::Corpus;
use crate::heap::{Heap, Sizes};
use crate::model::per_thread::PerThread;

/// Counts `z` anew, without room kept from before.
pub(crate) fn recount(corpus: &Corpus, z: &[u16], counts: &mut Counts) {
    Recount::new(corpus, counts.n.topic_tokens.len()).count(corpus, z, &mut counts.n);
    recount_docs(corpus, z, &mut counts.d);
}

/// Counts the documents of `z` anew.
pub(crate) fn recount_docs(corpus: &Corpus, z: &[u16], d: &mut DocTopicHistogram) {
    recount_docs_of(corpus, &(0..corpus.num_docs()), z, d);
}

/// Counts some documents anew, whose tokens have the topics `z`.
pub(crate) fn recount_docs_of(corpus: &Corpus, docs: &Range<usize>, z: &[u16], d: &mut DocTopicHistogram) {
    let first = corpus.doc_start[docs.start];
    let tasks = doc_tasks(&corpus.doc_start[docs.start..=docs.end], rayon::current_num_threads());
    let parts: Vec<DocTopicHistogram> = tasks
        .into_par_iter()
        .map(|task| {
            let (mut doc, mut part) = (DocTopicCounts::default(), DocTopicHistogram::new(d.k_star()));
            for at in task {
                let tokens = corpus.doc(docs.start + at);
                doc.fill(&z[tokens.start - first..tokens.end - first]);
                doc.drain_into(&mut part);
            }
            part
        })
        .collect();
    d.merge(parts.iter());
}

/// Room for counting n.
#[derive(Debug)]
pub(crate) struct Recount {
    shards: Vec<Shard>,
    scratch: PerThread<Scratch>,
}

/// A run of documents that one task sorts by word, in memory of its own: threads that wrote to places side by side
/// would wait for each other.
#[derive(Debug)]
struct Shard {
    tokens: Range<usize>,
    /// The topics of the shard's tokens, sorted by word.
    by_word: Vec<u16>,
    /// Word v's tokens are `start[v]..start[v + 1]` of `by_word`.
    start: Vec<u32>,
    /// Where the next token of each word goes.
    next: Vec<u32>,
}

impl Shard {
    fn new(corpus: &Corpus, tokens: Range<usize>) -> Self {
        let mut start = vec![0; corpus.vocab_size() + 1];
        for &v in &corpus.w[tokens.clone()] {
            start[v as usize + 1] += 1;
        }
        let mut end = 0;
        for start in &mut start {
            end += *start;
            *start = end;
        }
        Self { by_word: vec![0; tokens.len()], next: start.clone(), tokens, start }
    }

    fn sort(&mut self, w: &[u32], z: &[u16]) {
        self.next.copy_from_slice(&self.start);
        for (&v, &k) in w[self.tokens.clone()].iter().zip(&z[self.tokens.clone()]) {
            let place = &mut self.next[v as usize];
            self.by_word[*place as usize] = k;
            *place += 1;
        }
    }

    fn topics(&self, v: u32) -> &[u16] {
        &self.by_word[self.start[v as usize] as usize..self.start[v as usize + 1] as usize]
    }
}

/// One thread's room.
#[derive(Debug)]
struct Scratch {
    count: Vec<u32>,
    topics: TopicSet,
    topic_tokens: Vec<u64>,
}

impl Recount {
    /// What it takes.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        let Sizes { tokens, words, shards, threads, k_star, .. } = *sizes;
        let places = Heap::exact::<u32>(words + 1.0);
        let each = Heap::exact::<u32>(k_star) + TopicSet::bytes() + Heap::exact::<u64>(k_star);
        Heap::exact::<u16>(tokens)
            + (places + places) * shards
            + Heap::grown::<Shard>(1.0, shards)
            + PerThread::<Scratch>::bytes(threads, each)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { shards, scratch } = self;
        let of_shard =
            |Shard { tokens: _, by_word, start, next }: &Shard| held(by_word) + held(start) + held(next);
        let of_thread = |Scratch { count, topics: _, topic_tokens }: &Scratch| {
            held(count) + TopicSet::bytes() + held(topic_tokens)
        };
        held(shards) + shards.iter().map(of_shard).sum::<Heap>() + scratch.heap_bytes(of_thread)
    }

    pub(crate) fn new(corpus: &Corpus, k_star: usize) -> Self {
        // Places in a shard have 32 bits.
        let shards = rayon::current_num_threads().max(corpus.num_tokens() >> 31);
        let shards = doc_tasks(&corpus.doc_start, shards)
            .into_par_iter()
            .map(|docs| Shard::new(corpus, corpus.doc_start[docs.start]..corpus.doc_start[docs.end]))
            .collect();
        let scratch = PerThread::new(|| Scratch {
            count: vec![0; k_star],
            topics: TopicSet::default(),
            topic_tokens: vec![0; k_star],
        });
        Self { shards, scratch }
    }

    /// Counts `z` into `n`, in parallel over documents and then over words.
    pub(crate) fn count(&mut self, corpus: &Corpus, z: &[u16], n: &mut TopicWordCounts) {
        let Self { shards, scratch } = self;
        shards.par_iter_mut().with_max_len(1).for_each(|shard| shard.sort(&corpus.w, z));
        n.blocks.par_iter_mut().for_each(|block| {
            let scratch = &mut *scratch.lock();
            block.clear();
            for v in block.words() {
                shards.iter().for_each(|shard| scratch.add(shard.topics(v)));
                scratch.drain_into(block);
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
    /// Counts tokens of one word, which have the topics `z`.
    fn add(&mut self, z: &[u16]) {
        for &k in z {
            let count = &mut self.count[usize::from(k)];
            if *count == 0 {
                self.topics.insert(k);
            }
            *count += 1;
        }
    }

    /// Appends the column of the word whose tokens have been added.
    fn drain_into(&mut self, block: &mut ColumnBlock) {
        let Self { count, topics, topic_tokens } = self;
        topics.drain(|k| {
            let count = std::mem::take(&mut count[usize::from(k)]);
            topic_tokens[usize::from(k)] += u64::from(count);
            block.push(k, count);
        });
        block.end_column();
    }
}

/// Cuts documents that follow each other into at most `most` runs of about equal numbers of tokens.
pub(crate) fn doc_tasks(doc_start: &[usize], most: usize) -> Vec<Range<usize>> {
    let docs = doc_start.len() - 1;
    let tokens = doc_start[docs] - doc_start[0];
    let mut tasks = Vec::with_capacity(most);
    let mut start = 0;
    for task in 1..=most {
        // The first document that starts at or after this share of the tokens begins the next task.
        let share = doc_start[0] + (tokens as u128 * task as u128 / most as u128) as usize;
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
        let starts = [
            vec![0, 0, 5, 5, 1_000_000, 1_000_001, 1_000_001],
            vec![0, 3],
            (0..500).collect(),
            vec![7, 9, 20],
        ];
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
