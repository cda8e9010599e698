//! Sums over samples as bytes, for checkpoints.
//!
//! All numbers are little-endian: the samples added and the topics; for each topic its sums; then for each document, and after that for
//! each word, the number of its topics and their sums.

use std::io::{self, Write};

use super::samples::{DocSums, Samples, TopicSums, WordSums};
use crate::corpus::Corpus;
use crate::heap::Sizes;

impl Samples {
    /// The bytes that [`Self::write`] writes.
    pub(crate) fn file_bytes(&self) -> usize {
        let sizes = Sizes {
            k_star: self.topics.len() as f64,
            docs: self.docs.len() as f64,
            doc_topics: self.docs.iter().map(Vec::len).sum::<usize>() as f64,
            words: self.words.len() as f64,
            word_topics: self.words.iter().map(Vec::len).sum::<usize>() as f64,
            ..Sizes::default()
        };
        Self::file_bytes_of(&sizes) as usize
    }

    /// The same for given sizes.
    pub(crate) fn file_bytes_of(sizes: &Sizes) -> f64 {
        let lists = |lengths: f64, items: f64| 4.0 * lengths + (2.0 + 3.0 * 8.0) * items;
        let topics = sizes.k_star * (4.0 + 4.0 * 8.0);
        4.0 + 4.0 + topics + lists(sizes.docs, sizes.doc_topics) + lists(sizes.words, sizes.word_topics)
    }

    /// Writes all sums.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.count.to_le_bytes())?;
        out.write_all(&(self.topics.len() as u32).to_le_bytes())?;
        for sums in &self.topics {
            out.write_all(&sums.active.to_le_bytes())?;
            write_floats(out, [sums.alpha_psi, sums.alpha_psi_squared, sums.floor, sums.floor_squared])?;
        }
        for doc in &self.docs {
            out.write_all(&(doc.len() as u32).to_le_bytes())?;
            for &DocSums { topic, m, m_squared, m_alpha_psi } in doc {
                out.write_all(&topic.to_le_bytes())?;
                out.write_all(&m.to_le_bytes())?;
                out.write_all(&m_squared.to_le_bytes())?;
                write_floats(out, [m_alpha_psi])?;
            }
        }
        for word in &self.words {
            out.write_all(&(word.len() as u32).to_le_bytes())?;
            for &WordSums { topic, nr, nr_squared, nr_floor } in word {
                out.write_all(&topic.to_le_bytes())?;
                write_floats(out, [nr, nr_squared, nr_floor])?;
            }
        }
        Ok(())
    }

    /// Reads what [`Self::write`] wrote of a chain on `corpus` that has K* topics by now; `Err` says what is wrong.
    pub(crate) fn read(bytes: &[u8], corpus: &Corpus, k_star: usize) -> Result<Self, String> {
        let mut bytes = Bytes { rest: bytes, is_active: Vec::new() };
        let sums = bytes.sums(corpus, k_star).ok_or("the sums over samples do not fit the corpus")?;
        if bytes.rest.is_empty() {
            Ok(sums)
        } else {
            Err("there are more sums over samples than topics".into())
        }
    }
}

fn write_floats<const COUNT: usize>(out: &mut impl Write, floats: [f64; COUNT]) -> io::Result<()> {
    floats.iter().try_for_each(|float| out.write_all(&float.to_le_bytes()))
}

/// What is left to read; every method gives `None` when it is not what it should be.
struct Bytes<'a> {
    rest: &'a [u8],
    /// The topics that may be in lists.
    is_active: Vec<bool>,
}

impl Bytes<'_> {
    fn take<const SIZE: usize>(&mut self) -> Option<[u8; SIZE]> {
        let (&bytes, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(bytes)
    }

    fn float(&mut self) -> Option<f64> {
        self.take().map(f64::from_le_bytes).filter(|float| float.is_finite())
    }

    /// The sums of a document or word, whose topics ascend.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self, u16) -> Option<T>) -> Option<Vec<T>> {
        let length = u32::from_le_bytes(self.take()?);
        let mut list = Vec::new();
        let mut least = 0;
        for _ in 0..length {
            let topic = u16::from_le_bytes(self.take()?);
            let k = usize::from(topic);
            if k < least || self.is_active.get(k) != Some(&true) {
                return None;
            }
            least = k + 1;
            list.push(item(self, topic)?);
        }
        Some(list)
    }

    fn topic(&mut self, count: u32) -> Option<TopicSums> {
        let active = u32::from_le_bytes(self.take()?);
        let [alpha_psi, alpha_psi_squared] = [self.float()?, self.float()?];
        let [floor, floor_squared] = [self.float()?, self.float()?];
        (active <= count).then_some(TopicSums { alpha_psi, alpha_psi_squared, active, floor, floor_squared })
    }

    /// Of a document of `tokens` tokens, in `count` samples.
    fn doc(&mut self, topic: u16, count: u32, tokens: usize) -> Option<DocSums> {
        let [m, m_squared] = [self.take()?, self.take()?].map(u64::from_le_bytes);
        let m_alpha_psi = self.float()?;
        let (count, tokens) = (u128::from(count), tokens as u128);
        let fits = u128::from(m) <= count * tokens && u128::from(m_squared) <= count * tokens * tokens;
        fits.then_some(DocSums { topic, m, m_squared, m_alpha_psi })
    }

    fn word(&mut self, topic: u16) -> Option<WordSums> {
        Some(WordSums { topic, nr: self.float()?, nr_squared: self.float()?, nr_floor: self.float()? })
    }

    fn sums(&mut self, corpus: &Corpus, k_star: usize) -> Option<Samples> {
        let count = u32::from_le_bytes(self.take()?);
        let topics = u32::from_le_bytes(self.take()?);
        if topics as usize > k_star {
            return None;
        }
        let topics: Vec<TopicSums> = (0..topics).map(|_| self.topic(count)).collect::<Option<_>>()?;
        self.is_active = topics.iter().map(|sums| sums.active > 0).collect();
        let doc_tokens: Vec<usize> = corpus.doc_lengths().collect();
        let doc = |&tokens: &usize| self.list(|bytes, topic| bytes.doc(topic, count, tokens));
        let docs = doc_tokens.iter().map(doc).collect::<Option<_>>()?;
        let words = (0..corpus.vocab_size()).map(|_| self.list(Self::word)).collect::<Option<_>>()?;
        (count > 0).then_some(Samples { count, topics, docs, doc_tokens, words })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::chain::Chain;
    use crate::chain::Sampler;
    use crate::params::{Init, Settings};

    #[test]
    fn sums_come_back_as_written_and_go_on_as_if_never_written() {
        let words = (0..7).map(|v| v.to_string()).collect();
        let w: Vec<u32> = (0..60).map(|i| i * i % 7).collect();
        let corpus = Arc::new(Corpus::new(w, vec![0, 20, 20, 35, 60], words).expect("a corpus"));
        let settings = Settings { init: Init::Random(6), max_topics: 20, alpha: 2.0, ..Settings::paper() };
        let mut chain = Sampler::on_cpu(Arc::clone(&corpus), settings.check().unwrap()).unwrap();
        let mut whole = Samples::new(chain.state());
        let mut again = None;
        for iteration in 0..6 {
            chain.step().unwrap();
            let z = chain.z().unwrap();
            if iteration == 3 {
                let mut bytes = Vec::new();
                whole.write(&mut bytes).unwrap();
                assert_eq!(bytes.len(), whole.file_bytes());
                for end in 0..bytes.len() {
                    assert!(Samples::read(&bytes[..end], &corpus, chain.state().params().k_star()).is_err());
                }
                again = Some(Samples::read(&bytes, &corpus, chain.state().params().k_star()).unwrap());
                bytes.push(0);
                assert!(Samples::read(&bytes, &corpus, chain.state().params().k_star()).is_err());
            }
            whole.add(chain.state(), &z);
            if let Some(again) = &mut again {
                again.add(chain.state(), &z);
            }
        }
        assert_eq!(again, Some(whole));
    }
}
