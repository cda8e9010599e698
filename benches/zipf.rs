//! A corpus for measuring, with the true topics of its tokens: topics over a power-law vocabulary, documents with a few
//! topics each, as many at every size.

use hdp_gpu::corpus::Corpus;
use hdp_gpu::dist::discrete::{Discrete, polya_urn};
use hdp_gpu::rng::{Step, Stream};
use rayon::prelude::*;

/// Tokens in the mean document.
const DOC_TOKENS: u64 = 230;
const TOPICS: u32 = 300;
/// The urn's concentration: some seven topics in a document.
const CONCENTRATION: f64 = 1.5;
/// Tokens from a background that all topics share, in hundredths.
const BACKGROUND: u64 = 30;

/// `num_tokens` tokens, over a vocabulary that grows with their square root (Heaps' law) and whose frequencies fall with
/// the rank (Zipf's law); and the topics that they were drawn from. Any number of threads makes the same corpus.
pub(crate) fn zipf_corpus(num_tokens: usize) -> (Corpus, Vec<u16>) {
    // A prime has no factor in common with a topic's stride, so every topic has all words, whatever the size.
    let vocab_size = next_prime((27.0 * (num_tokens as f64).sqrt()) as u64);
    let words = Discrete::new((0..vocab_size).map(|rank| 1.0 / (rank as f64 + 3.0)));
    let topics = Discrete::new((0..TOPICS).map(|k| 1.0 / (f64::from(k) + 10.0)));
    let doc_start = doc_starts(num_tokens);
    let (mut w, mut z) = (vec![0; num_tokens], vec![0; num_tokens]);
    cut(&doc_start, &mut w).into_par_iter().zip(cut(&doc_start, &mut z)).enumerate().for_each(
        |(d, (w, z))| {
            let mut stream = doc_stream(d);
            doc_tokens(&mut stream);
            for i in 0..w.len() {
                z[i] = polya_urn(&z[..i], CONCENTRATION, &topics, &mut stream);
                let rank = words.sample(&mut stream) as u64;
                let k = if stream.below(100) < BACKGROUND { 0 } else { u64::from(z[i]) + 1 };
                // Each topic has the ranks' words in an order of its own: a stride that spreads its head.
                w[i] = ((rank * (2 * k + 1) + k * 7919) % vocab_size) as u32;
            }
        },
    );
    let vocab = (0..vocab_size).map(|v| format!("w{v}")).collect();
    (Corpus::new(w, doc_start, vocab), z)
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
    let is_prime = |n: &u64| (2..).take_while(|p| p * p <= *n).all(|p| n % p != 0);
    (from..).find(is_prime).expect("primes have no end")
}
