//! The documents that show a topic best, with a passage of each.

use std::collections::HashMap;

use super::data::{DocumentData, PassageData, ReportData, TopicDocument};
use super::{Shown, Wanted};
use crate::error::Result;
use crate::estimate::DocTopics;
use crate::run::results::topic_docs::largest_shares;

/// How much is shown of documents.
pub(super) struct Passages {
    /// Documents of each topic.
    pub(super) docs: usize,
    /// Tokens of each passage that is a list of words.
    pub(super) tokens: usize,
    /// Characters of each that is text.
    pub(super) chars: usize,
}

impl Passages {
    /// Puts the documents of all topics into `data`, in place of those that are there.
    ///
    /// # Errors
    /// When the documents' own text is damaged.
    pub(super) fn add(&self, shown: Shown<'_>, data: &mut ReportData) -> Result<()> {
        let Shown { corpus, z, model, .. } = shown;
        let tops = largest_shares(&DocTopics::of_state(model, &corpus.doc_start, z), self.docs);
        let mut places: HashMap<usize, usize> = HashMap::new();
        let tops_of =
            |topic: u16| tops[usize::from(topic)].iter().map(|&((share, _), d)| (share, d as usize));
        let wanted = |topic: u16| tops_of(topic).map(move |(_, document)| Wanted { document, topic });
        let wanted: Vec<Wanted> = data.topics.iter().flat_map(|topic| wanted(topic.topic)).collect();
        let mut passages = self.passages(shown, &wanted)?.into_iter();
        data.documents.clear();
        for topic in &mut data.topics {
            topic.docs.clear();
            for (share, d) in tops_of(topic.topic) {
                let place = *places.entry(d).or_insert_with(|| {
                    data.documents.push(document(shown, d));
                    data.documents.len() - 1
                });
                let passage = passages.next().expect("one is found for each that is wanted");
                topic.docs.push(TopicDocument(place, share, passage));
            }
        }
        Ok(())
    }

    /// The passages that are wanted, as far as they may be shown: of the documents' own text, if there is any.
    fn passages(&self, shown: Shown<'_>, wanted: &[Wanted]) -> Result<Vec<PassageData>> {
        if !shown.passages || self.tokens == 0 {
            return Ok(vec![PassageData::Words(Vec::new()); wanted.len()]);
        }
        let texts = match shown.own_text {
            Some(own) => own.passages(shown.corpus, shown.z, wanted, self.chars)?,
            None => vec![None; wanted.len()],
        };
        let words =
            |&Wanted { document, topic }: &Wanted| PassageData::Words(self.words(shown, document, topic));
        let either = |(text, wanted): (Option<_>, _)| text.map_or_else(|| words(wanted), PassageData::Text);
        Ok(texts.into_iter().zip(wanted).map(either).collect())
    }

    /// Words of the document, with 1 if they are in the topic: the stretch with most of it, or, when their order is not known, the
    /// most frequent words.
    fn words(&self, shown: Shown<'_>, d: usize, k: u16) -> Vec<(String, u8)> {
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
