//! The order in which documents are sampled: a run for each mapping, and in each the longest first.

use std::ops::Range;

use rayon::prelude::*;

use super::batch::Batch;
use super::kernel::Mapping;
use super::layout::Doc;
use crate::corpus::Corpus;

/// The documents of a batch that are sampled, in the order of the device.
#[derive(Debug, Default)]
pub(super) struct Order {
    pub(super) docs: Vec<Doc>,
    /// Documents next to each other that have one mapping.
    pub(super) runs: Vec<(Mapping, Range<usize>)>,
}

impl Order {
    /// The documents `docs` of a batch that have tokens, where document d has `topics[d]` topics.
    pub(super) fn new(
        corpus: &Corpus,
        batch: &Batch,
        docs: &Range<usize>,
        topics: &[u16],
        team: u32,
    ) -> Self {
        let with_tokens = docs.clone().filter(|&d| !corpus.doc(d).is_empty());
        let mut sorted: Vec<(Mapping, usize, usize)> = with_tokens
            .map(|d| {
                let tokens = corpus.doc(d).len();
                (Mapping::of(tokens, usize::from(topics[d]), team), tokens, d)
            })
            .collect();
        // Teams that work in step have documents of about the same length, and no long one comes last.
        sorted.par_sort_unstable_by(|(a, a_tokens, a_doc), (b, b_tokens, b_doc)| {
            a.cmp(b).then(b_tokens.cmp(a_tokens)).then(a_doc.cmp(b_doc))
        });
        let mut runs: Vec<(Mapping, Range<usize>)> = Vec::new();
        for (at, &(mapping, ..)) in sorted.iter().enumerate() {
            match runs.last_mut() {
                Some((last, run)) if *last == mapping => run.end += 1,
                _ => runs.push((mapping, at..at + 1)),
            }
        }
        Self { docs: sorted.iter().map(|&(_, _, d)| batch.doc(corpus, d)).collect(), runs }
    }

    /// The documents that have a workgroup each from the first token on.
    pub(super) fn whole(&self) -> Range<usize> {
        match self.runs.last() {
            Some((Mapping::Whole, run)) => run.clone(),
            _ => self.docs.len()..self.docs.len(),
        }
    }

    /// The runs of teams.
    pub(super) fn teams(&self) -> impl Iterator<Item = &(Mapping, Range<usize>)> {
        self.runs.iter().filter(|(mapping, _)| *mapping != Mapping::Whole)
    }
}

/// The number of topics of each document, whose tokens have the topics `z`.
pub(super) fn count_topics(corpus: &Corpus, docs: &Range<usize>, z: &[u16]) -> Vec<u16> {
    let start = corpus.doc_start[docs.start];
    docs.clone()
        .into_par_iter()
        .map_init(Vec::new, |topics, d| {
            let tokens = corpus.doc(d);
            topics.clear();
            topics.extend_from_slice(&z[tokens.start - start..tokens.end - start]);
            topics.sort_unstable();
            topics.dedup();
            topics.len() as u16
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_come_first_in_the_run_of_each_mapping() {
        let lengths = [3, 0, 70_000, 5, 4, 100, 90];
        let starts: Vec<usize> = std::iter::once(0)
            .chain(lengths.iter().scan(0, |end, length| {
                *end += length;
                Some(*end)
            }))
            .collect();
        let tokens = starts[lengths.len()];
        let corpus = Corpus::new(vec![0; tokens], starts, vec!["ash".to_owned()]).expect("a corpus");
        let batch = &Batch::cut(&corpus, u64::MAX)[0];
        let order = Order::new(&corpus, batch, &(0..7), &[1, 0, 1, 2, 1, 60, 1], 4);
        let lengths =
            |run: &Range<usize>| order.docs[run.clone()].iter().map(|doc| doc.tokens).collect::<Vec<_>>();
        let runs: Vec<_> = order.runs.iter().map(|(mapping, run)| (*mapping, lengths(run))).collect();
        let expected = [
            (Mapping::Team(4), vec![90, 5, 4, 3]),
            (Mapping::Team(16), vec![100]),
            (Mapping::Whole, vec![70_000]),
        ];
        assert_eq!(runs, expected);
        assert_eq!((order.whole(), order.teams().count()), (5..6, 2));
        assert!(Order::new(&corpus, batch, &(1..2), &[0; 7], 4).docs.is_empty());
    }

    #[test]
    fn topics_of_documents_are_counted() {
        let corpus = Corpus::new(vec![0; 5], vec![0, 2, 2, 5], vec!["ash".to_owned()]).expect("a corpus");
        assert_eq!(count_topics(&corpus, &(0..3), &[7, 7, 1, 2, 1]), [1, 0, 2]);
        assert_eq!(count_topics(&corpus, &(2..3), &[1, 2, 3]), [3]);
    }
}
