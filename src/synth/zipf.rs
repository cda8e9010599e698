//! A corpus for measuring, with the true topics of its tokens: topics over a power-law vocabulary, documents with a few
//! topics each, about as many at every size.

use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rayon::prelude::*;

use crate::corpus::Corpus;
use crate::dist::urn::polya_urn;
use crate::rng::{Step, Stream};

/// Tokens in the mean document.
const DOC_TOKENS: u64 = 230;
const TOPICS: u32 = 300;
/// The urn's concentration: some twelve topics in a document.
const CONCENTRATION: f64 = 3.0;
/// Tokens from a background that all topics share, in hundredths.
const BACKGROUND: u64 = 30;
/// Tokens that a topic's rarest word is expected to have in it. Words that it has once or twice wander between topics, and
/// there would be more of them in small corpora: documents would have more topics there.
const LEAST_TOKENS: f64 = 10.0;

/// `num_tokens` tokens, over a vocabulary that grows with their square root (Heaps' law) and whose frequencies in a topic fall with
/// the rank (Zipf's law); and the topics that they were drawn from. Of the words, 1 million tokens use half and 100 million nine tenths. Any
/// number of threads makes the same corpus.
pub fn zipf_corpus(num_tokens: usize) -> (Corpus, Vec<u16>) {
    // A prime has no factor in common with any stride, so that no list has a word twice, whatever the size.
    let vocab_size = next_prime((27.0 * (num_tokens as f64).sqrt()) as u64);
    let topics = weighted((0..TOPICS).map(topic_weight));
    let words = word_lists(num_tokens as f64);
    let doc_start = doc_starts(num_tokens);
    let (mut w, mut z) = (vec![0; num_tokens], vec![0; num_tokens]);
    cut(&doc_start, &mut w).into_par_iter().zip(cut(&doc_start, &mut z)).enumerate().for_each(
        |(d, (w, z))| {
            let mut stream = doc_stream(d);
            doc_tokens(&mut stream);
            for i in 0..w.len() {
                z[i] = polya_urn(&z[..i], CONCENTRATION, &topics, &mut stream);
                let k = if stream.below(100) < BACKGROUND { 0 } else { u64::from(z[i]) + 1 };
                let rank = words[k as usize].sample(&mut stream) as u64;
                // Each list has words of its own: a stride that spreads its head over the vocabulary.
                w[i] = ((rank * (2 * k + 1) + k * 7919) % vocab_size) as u32;
            }
        },
    );
    let vocab = (0..vocab_size).map(|v| format!("w{v}")).collect();
    (Corpus::new(w, doc_start, vocab).expect("a corpus"), z)
}

fn topic_weight(k: u32) -> f64 {
    1.0 / (f64::from(k) + 10.0)
}

fn weighted(weights: impl Iterator<Item = f64>) -> WeightedIndex<f64> {
    WeightedIndex::new(weights).expect("weights are positive")
}

/// The ranks of the words of the background, which the mean topic decides, and then of every topic.
fn word_lists(num_tokens: f64) -> Vec<WeightedIndex<f64>> {
    let background = BACKGROUND as f64 / 100.0;
    let total: f64 = (0..TOPICS).map(topic_weight).sum();
    let own = (0..TOPICS).map(|k| (1.0 - background) * topic_weight(k) / total);
    let shares = std::iter::once(background / f64::from(TOPICS)).chain(own);
    shares.map(|share| zipf(share * num_tokens)).collect()
}

/// Zipf's law over so many ranks that the last one is expected [`LEAST_TOKENS`] times among `tokens`.
fn zipf(tokens: f64) -> WeightedIndex<f64> {
    let mut total = 0.0;
    // However few tokens there are, a topic has a word.
    let weights = (3..).map(|rank| 1.0 / f64::from(rank)).take_while(|weight| {
        let is_first = total == 0.0;
        total += weight;
        is_first || tokens * weight / total >= LEAST_TOKENS
    });
    weighted(weights)
}

/// The random numbers of document `d`: first its length, then its tokens.
fn doc_stream(d: usize) -> Stream {
    Stream::new(0, Step::SynthDocument, 0, d as u32)
}

/// The first draw of a document.
fn doc_tokens(stream: &mut Stream) -> usize {
    (DOC_TOKENS / 2 + stream.below(DOC_TOKENS)) as usize
}

/// Where the documents start; the last one is cut off at the end of the corpus.
fn doc_starts(num_tokens: usize) -> Vec<usize> {
    let mut starts = vec![0];
    let mut end = 0;
    while end < num_tokens {
        end = num_tokens.min(end + doc_tokens(&mut doc_stream(starts.len() - 1)));
        starts.push(end);
    }
    starts
}

/// The documents' parts of `tokens`.
fn cut<'a, T>(doc_start: &[usize], mut tokens: &'a mut [T]) -> Vec<&'a mut [T]> {
    let lengths = doc_start.windows(2).map(|doc| doc[1] - doc[0]);
    lengths.map(|len| tokens.split_off_mut(..len).expect("the documents are the corpus")).collect()
}

/// The first prime from `from` on.
fn next_prime(from: u64) -> u64 {
    let is_prime = |n: &u64| (2..).take_while(|p| p * p <= *n).all(|p| !n.is_multiple_of(p));
    (from..).find(is_prime).expect("primes have no end")
}
