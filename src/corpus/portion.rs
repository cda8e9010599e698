//! The documents that one of several processes has: a run of them, and what it knows of all.

use std::ops::Range;
use std::sync::Arc;

use super::{Corpus, Words};
use crate::ranks::Ranks;

/// The documents of one rank. A process by itself has all of them.
#[derive(Clone, Debug)]
pub struct Portion {
    /// This rank's documents; their draws are those of their places in the whole corpus.
    pub corpus: Arc<Corpus>,
    /// The ranks that have the others.
    pub ranks: Ranks,
    /// All documents, if others have some of them.
    whole: Option<Arc<Whole>>,
}

/// What every rank knows of all documents.
#[derive(Debug)]
struct Whole {
    /// Where each document of the whole corpus begins.
    doc_start: Vec<usize>,
    /// N_v of the whole corpus.
    word_tokens: Vec<u64>,
    /// The documents of each rank.
    docs: Vec<Range<usize>>,
}

impl From<Arc<Corpus>> for Portion {
    fn from(corpus: Arc<Corpus>) -> Self {
        Self { corpus, ranks: Ranks::alone(), whole: None }
    }
}

impl Whole {
    /// Divides documents that begin at these places between so many ranks, by their tokens. A rank may have none.
    fn new(doc_start: Vec<usize>, word_tokens: Vec<u64>, ranks: usize) -> Self {
        let docs = (0..ranks).map(|rank| share(&doc_start, rank, ranks)).collect();
        Self { doc_start, word_tokens, docs }
    }

    /// The tokens of a rank.
    fn tokens(&self, rank: usize) -> Range<usize> {
        let Range { start, end } = self.docs[rank];
        self.doc_start[start]..self.doc_start[end]
    }
}

/// Documents that begin at these places of a larger corpus, the last of which is where they end, with the words `w` of their tokens; their
/// draws are addressed by `stream_index` of where they begin.
fn some_docs(starts: &[usize], w: Words, vocab: Vec<String>, stream_index: impl Fn(usize) -> u64) -> Corpus {
    let docs = starts.len() - 1;
    Corpus {
        w,
        doc_start: starts.iter().map(|start| start - starts[0]).collect(),
        vocab,
        doc_names: None,
        metadata: super::Metadata::default(),
        stream_index: Some(starts[..docs].iter().map(|&start| stream_index(start)).collect()),
    }
}

/// The documents of share `number` of so many shares, by their tokens, of documents that begin at these places. A share may have none.
fn share(doc_start: &[usize], number: usize, shares: usize) -> Range<usize> {
    let (docs, tokens) = (doc_start.len() - 1, doc_start[doc_start.len() - 1]);
    let end = |number: usize| match number {
        number if number == shares => docs,
        // The first document that begins at or after this share of the tokens is the next one's.
        number => {
            let end = (tokens as u128 * number as u128 / shares as u128) as usize;
            doc_start[..docs].partition_point(|&first| first < end)
        }
    };
    end(number)..end(number + 1)
}

impl Corpus {
    /// The documents of share `number` of so many shares of this corpus, without names.
    pub(crate) fn part_of(&self, number: usize, shares: usize) -> Self {
        let Range { start, end } = share(&self.doc_start, number, shares);
        let tokens = self.tokens_of(&(start..end));
        let of_doc: Vec<u64> = (start..end).map(|d| self.stream_index(d)).collect();
        let part = some_docs(&self.doc_start[start..=end], self.w.part(tokens), self.vocab.clone(), |_| 0);
        Self { stream_index: Some(of_doc), ..part }
    }
}

impl Portion {
    /// The first rank's documents of `corpus`; it hands out those of the others, who take them with [`Self::taken`].
    pub(crate) fn handed_out(corpus: &Corpus, ranks: &Ranks) -> Self {
        let lengths: Vec<u32> = corpus.doc_lengths().map(|length| length as u32).collect();
        let whole = Whole::new(corpus.doc_start.clone(), corpus.word_tokens(), ranks.size());
        ranks.broadcast(&mut bytemuck::cast_slice(&lengths).to_vec());
        ranks.broadcast(&mut bytemuck::cast_slice(&whole.word_tokens).to_vec());
        let vocab = ranks.tell(Some(corpus.vocab.clone()));
        for rank in 1..ranks.size() {
            ranks.send(rank, bytemuck::cast_slice(&corpus.w[whole.tokens(rank)]));
        }
        corpus.w.let_go(0..corpus.num_tokens());
        let w = corpus.w.part(whole.tokens(0));
        Self::new(Arc::new(whole), w, vocab, ranks.clone())
    }

    /// This rank's documents, as the first one hands them out.
    pub(crate) fn taken(ranks: &Ranks) -> Self {
        let [mut lengths, mut word_tokens] = [Vec::new(), Vec::new()];
        ranks.broadcast(&mut lengths);
        ranks.broadcast(&mut word_tokens);
        let vocab = ranks.tell(None);
        let ends = bytemuck::pod_collect_to_vec::<u8, u32>(&lengths).into_iter().scan(0, |end, length| {
            *end += length as usize;
            Some(*end)
        });
        let doc_start = std::iter::once(0).chain(ends).collect();
        let whole = Whole::new(doc_start, bytemuck::pod_collect_to_vec(&word_tokens), ranks.size());
        let mut w = vec![0_u32; whole.tokens(ranks.rank()).len()];
        ranks.receive_into(0, &mut w);
        Self::new(Arc::new(whole), w.into(), vocab, ranks.clone())
    }

    /// The documents of this rank among those of `whole`, with the words `w` of their tokens.
    fn new(whole: Arc<Whole>, w: Words, vocab: Vec<String>, ranks: Ranks) -> Self {
        let Range { start, end } = whole.docs[ranks.rank()];
        let corpus = some_docs(&whole.doc_start[start..=end], w, vocab, |start| start as u64);
        Self { corpus: Arc::new(corpus), ranks, whole: Some(whole) }
    }

    /// The documents of this rank by their numbers in the whole corpus.
    pub fn docs(&self) -> Range<usize> {
        self.whole.as_ref().map_or(0..self.corpus.num_docs(), |whole| whole.docs[self.ranks.rank()].clone())
    }

    /// The tokens of this rank by their places in the whole corpus.
    pub fn tokens(&self) -> Range<usize> {
        self.tokens_of(self.ranks.rank())
    }

    /// Those of another rank.
    pub fn tokens_of(&self, rank: usize) -> Range<usize> {
        self.whole.as_ref().map_or(0..self.corpus.num_tokens(), |whole| whole.tokens(rank))
    }

    /// The documents of another rank.
    pub fn docs_of(&self, rank: usize) -> Range<usize> {
        self.whole.as_ref().map_or(0..self.corpus.num_docs(), |whole| whole.docs[rank].clone())
    }

    /// N of the whole corpus.
    pub fn num_tokens(&self) -> usize {
        *self.doc_start().last().expect("an end")
    }

    /// Where each document of the whole corpus begins, and the last one ends.
    pub fn doc_start(&self) -> &[usize] {
        self.whole.as_ref().map_or(&self.corpus.doc_start, |whole| &whole.doc_start)
    }

    /// N_v of the whole corpus.
    pub fn word_tokens(&self) -> Vec<u64> {
        self.whole.as_ref().map_or_else(|| self.corpus.word_tokens(), |whole| whole.word_tokens.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_some_ranks() {
        for doc_start in [vec![0, 3, 3, 10, 10, 12], vec![0, 1000, 1001], vec![0, 0, 0], vec![0, 5]] {
            for ranks in 1..7 {
                let whole = Whole::new(doc_start.clone(), Vec::new(), ranks);
                assert_eq!(whole.docs.len(), ranks);
                let docs: Vec<usize> = whole.docs.iter().cloned().flatten().collect();
                assert_eq!(docs, (0..doc_start.len() - 1).collect::<Vec<_>>());
            }
        }
        let whole = Whole::new(vec![0, 2, 4, 6, 8], Vec::new(), 2);
        assert_eq!(whole.docs, [0..2, 2..4]);
        assert_eq!(whole.tokens(1), 4..8);
    }
}
