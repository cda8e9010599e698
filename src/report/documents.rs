//! The documents that show a topic best, with a passage of each.

use std::collections::HashMap;

use super::Shown;
use super::data::{DocumentData, ReportData, TopicDocument};
use crate::estimate::DocTopics;
use crate::run::results::topic_docs::largest_shares;

/// How much is shown of documents.
pub(super) struct Passages {
    /// Documents of each topic.
    pub(super) docs: usize,
    /// Tokens of each passage.
    pub(super) tokens: usize,
}

impl Passages {
    /// Puts the documents of all topics into `data`, in place of those that are there.
    pub(super) fn add(&self, shown: Shown<'_>, data: &mut ReportData) {
        let Shown { corpus, z, model, .. } = shown;
        let tops = largest_shares(&DocTopics::of_state(model, &corpus.doc_start, z), self.docs);
        let mut places: HashMap<usize, usize> = HashMap::new();
        data.documents.clear();
        for topic in &mut data.topics {
            topic.docs.clear();
            for &((share, _), d) in &tops[usize::from(topic.topic)] {
                let d = d as usize;
                let place = *places.entry(d).or_insert_with(|| {
                    data.documents.push(document(shown, d));
                    data.documents.len() - 1
                });
                topic.docs.push(TopicDocument(place, share, self.passage(shown, d, topic.topic)));
            }
        }
    }

    /// Words of the document, with 1 if they are in the topic: the stretch with most of it, or, when their order is not known, the
    /// most frequent words.
    fn passage(&self, shown: Shown<'_>, d: usize, k: u16) -> Vec<(String, u8)> {
        let Shown { corpus, z, .. } = shown;
        let doc = corpus.doc(d);
        let (w, z) = (&corpus.w[doc.clone()], &z[doc]);
        let word = |v: u32, topic: u16| (corpus.vocab[v as usize].clone(), u8::from(topic == k));
        if shown.is_text {
            let from = best_stretch(z, k, self.tokens);
            let to = (from + self.tokens).min(w.len());
            return w[from..to].iter().zip(&z[from..to]).map(|(&v, &topic)| word(v, topic)).collect();
        }
        let mut counts: HashMap<u32, (usize, u16)> = HashMap::new();
        for (&v, &topic) in w.iter().zip(z) {
            let entry = counts.entry(v).or_insert((0, topic));
            entry.0 += 1;
            if topic == k {
                entry.1 = k;
            }
        }
        let mut frequent: Vec<(u32, (usize, u16))> = counts.into_iter().collect();
        frequent.sort_by_key(|&(v, (count, topic))| (topic != k, std::cmp::Reverse(count), v));
        frequent.into_iter().take(self.tokens).map(|(v, (_, topic))| word(v, topic)).collect()
    }
}

fn document(shown: Shown<'_>, d: usize) -> DocumentData {
    let corpus = shown.corpus;
    DocumentData {
        name: corpus.doc_name(d),
        number: d + 1,
        tokens: corpus.doc(d).len(),
        meta: corpus.metadata.columns.iter().map(|column| column.values[d].clone()).collect(),
    }
}

/// The first of the `length` neighbouring tokens of which most are in the topic.
fn best_stretch(z: &[u16], k: u16, length: usize) -> usize {
    let (mut inside, mut best, mut from) = (0usize, 0, 0);
    for i in 0..z.len() {
        inside += usize::from(z[i] == k);
        if i >= length {
            inside -= usize::from(z[i - length] == k);
        }
        if inside > best {
            (best, from) = (inside, (i + 1).saturating_sub(length));
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stretch_with_most_tokens_of_the_topic() {
        let z = [1, 2, 1, 1, 2, 2, 1, 1, 1, 2];
        assert_eq!(best_stretch(&z, 1, 3), 6);
        assert_eq!(best_stretch(&z, 1, 4), 0);
        assert_eq!(best_stretch(&z, 1, 20), 0);
        assert_eq!(best_stretch(&z, 7, 3), 0);
        assert_eq!(best_stretch(&[], 1, 3), 0);
    }
}
