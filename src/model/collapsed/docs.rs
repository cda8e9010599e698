//! m: the topics of every document with their tokens.

use super::Place;
use crate::corpus::Corpus;
use crate::heap::{Heap, Sizes};
use crate::model::histogram::DocTopicHistogram;

/// A list for each document, with room for as many topics as it has tokens.
#[derive(Debug)]
pub(super) struct DocLists {
    topic: Vec<u16>,
    m: Vec<u32>,
    /// How long each list is.
    len: Vec<u32>,
    /// Where a topic may be in the list of the document at hand, for every number that a topic can have.
    slots: Vec<usize>,
}

/// The topics of a document with m_dk > 0, in no order.
#[derive(Clone, Copy, Debug)]
pub(super) struct DocList<'a> {
    pub(super) topic: &'a [u16],
    pub(super) m: &'a [u32],
}

impl DocLists {
    pub(super) fn new(corpus: &Corpus) -> Self {
        let tokens = corpus.num_tokens();
        Self {
            topic: vec![0; tokens],
            m: vec![0; tokens],
            len: vec![0; corpus.num_docs()],
            slots: vec![0; 1 << 16],
        }
    }

    /// What they take.
    pub(super) fn bytes(sizes: &Sizes) -> Heap {
        Heap::exact::<u16>(sizes.tokens)
            + Heap::exact::<u32>(sizes.tokens)
            + Heap::exact::<u32>(sizes.docs)
            + Heap::exact::<[usize; 1 << 16]>(1.0).at_most()
    }

    #[cfg(test)]
    pub(super) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        held(&self.topic) + held(&self.m) + held(&self.len) + held(&self.slots)
    }

    /// Counts all documents, each topic where its first token comes.
    pub(super) fn fill(&mut self, corpus: &Corpus, z: &[u16]) {
        for d in 0..corpus.num_docs() {
            let tokens = corpus.doc(d);
            let (topic, m) = (&mut self.topic[tokens.clone()], &mut self.m[tokens.clone()]);
            let mut len = 0;
            for &k in &z[tokens] {
                let slot = &mut self.slots[usize::from(k)];
                if *slot >= len || topic[*slot] != k {
                    *slot = len;
                    (topic[len], m[len]) = (k, 0);
                    len += 1;
                }
                m[*slot] += 1;
            }
            self.len[d] = len as u32;
        }
    }

    /// The list of the document that a place is in.
    #[inline]
    pub(super) fn of(&self, corpus: &Corpus, place: Place) -> DocList<'_> {
        let start = corpus.doc_start[place.doc as usize];
        let list = start..start + self.len[place.doc as usize] as usize;
        DocList { topic: &self.topic[list.clone()], m: &self.m[list] }
    }

    /// Takes a token out of topic `k`.
    #[inline]
    pub(super) fn remove(&mut self, corpus: &Corpus, place: Place, k: u16) {
        let slot = position(self.of(corpus, place).topic, k);
        let at = corpus.doc_start[place.doc as usize] + slot;
        debug_assert_eq!(self.topic[at], k);
        self.m[at] -= 1;
        if self.m[at] == 0 {
            let len = &mut self.len[place.doc as usize];
            *len -= 1;
            let last = corpus.doc_start[place.doc as usize] + *len as usize;
            (self.topic[at], self.m[at]) = (self.topic[last], self.m[last]);
        }
    }

    /// Puts a token into the topic at `slot` of the list; returns the topic.
    #[inline]
    pub(super) fn add_to(&mut self, corpus: &Corpus, place: Place, slot: usize) -> u16 {
        let at = corpus.doc_start[place.doc as usize] + slot;
        self.m[at] += 1;
        self.topic[at]
    }

    /// Puts a token into topic `k`.
    pub(super) fn add(&mut self, corpus: &Corpus, place: Place, k: u16) {
        match self.of(corpus, place).topic.iter().position(|&topic| topic == k) {
            Some(slot) => drop(self.add_to(corpus, place, slot)),
            None => {
                let len = &mut self.len[place.doc as usize];
                let at = corpus.doc_start[place.doc as usize] + *len as usize;
                (self.topic[at], self.m[at]) = (k, 1);
                *len += 1;
            }
        }
    }

    /// Counts the documents in `d`.
    pub(super) fn count(&self, corpus: &Corpus, d: &mut DocTopicHistogram) {
        d.clear();
        for (&start, &len) in corpus.doc_start.iter().zip(&self.len) {
            let list = start..start + len as usize;
            self.topic[list.clone()].iter().zip(&self.m[list]).for_each(|(&k, &m)| d.add(k, m));
        }
        d.sort();
    }
}

/// Where `k`, which is there once, is in a list: without a branch for each topic, several are compared at once.
#[inline]
fn position(topics: &[u16], k: u16) -> usize {
    let slots = topics.iter().enumerate().map(|(slot, &topic)| if topic == k { slot as u16 } else { 0 });
    usize::from(slots.fold(0, |found, slot| found | slot))
}
