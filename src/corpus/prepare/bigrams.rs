//! Pairs of neighbouring words that belong together become one word, `new_york`.

use std::collections::HashMap;

use super::settings::Bigrams;
use super::tokens::{GAP, Tokens};

/// Finds the pairs, adds them to the settings and joins them.
pub(super) fn find_and_join(tokens: &mut Tokens, settings: &mut Bigrams) {
    let chosen = find(tokens, settings);
    settings.pairs =
        chosen.iter().map(|&(a, b)| [a, b].map(|v| tokens.corpus.vocab[v as usize].clone())).collect();
    settings.pairs.sort_unstable();
    join(tokens, chosen);
}

/// Joins the pairs of the settings, which were found elsewhere.
pub(super) fn join_known(tokens: &mut Tokens, settings: &Bigrams) {
    let numbers: HashMap<&str, u32> = tokens.corpus.vocab.iter().map(String::as_str).zip(0..).collect();
    let number = |word: &String| numbers.get(word.as_str()).copied();
    let known = settings.pairs.iter().filter_map(|[a, b]| Some((number(a)?, number(b)?))).collect();
    join(tokens, known);
}

/// Joins pairs from left to right. A word that was taken out parts its neighbours.
fn join(tokens: &mut Tokens, chosen: Vec<(u32, u32)>) {
    // Nothing but a word with _ in it can be what a pair becomes.
    let names = tokens.corpus.vocab.iter().zip(0..).filter(|(word, _)| word.contains('_'));
    let mut numbers: HashMap<String, u32> = names.map(|(word, v)| (word.clone(), v)).collect();
    let mut joined = HashMap::new();
    for (a, b) in chosen {
        let [first, second] = [a, b].map(|v| &tokens.corpus.vocab[v as usize]);
        let word = format!("{first}_{second}");
        let v = numbers.get(&word).copied().unwrap_or_else(|| tokens.add_word(word.clone()));
        numbers.insert(word, v);
        joined.insert((a, b), v);
    }
    for d in 0..tokens.corpus.num_docs() {
        let doc = tokens.corpus.doc(d);
        let w = &mut tokens.corpus.w[doc];
        let mut i = 0;
        while i + 1 < w.len() {
            if let Some(&v) = joined.get(&(w[i], w[i + 1])) {
                w[i] = v;
                w[i + 1] = GAP;
                i += 1;
            }
            i += 1;
        }
    }
}

/// The pairs (a, b) with ln(p_ab / (p_a·p_b)) / −ln p_ab at or above the threshold, where every p is a count over
/// the number of tokens.
fn find(tokens: &Tokens, settings: &Bigrams) -> Vec<(u32, u32)> {
    let word_tokens = tokens.word_tokens();
    let total = word_tokens.iter().sum::<u64>() as f64;
    let p = |v: u32| word_tokens[v as usize] as f64 / total;
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for d in 0..tokens.corpus.num_docs() {
        let doc = &tokens.corpus.w[tokens.corpus.doc(d)];
        pairs.extend(doc.windows(2).filter(|pair| !pair.contains(&GAP)).map(|pair| (pair[0], pair[1])));
    }
    pairs.sort_unstable();
    let belongs = |pair: &[(u32, u32)]| {
        let (a, b) = pair[0];
        let p_ab = pair.len() as f64 / total;
        let npmi = libm::log(p_ab / (p(a) * p(b))) / -libm::log(p_ab);
        pair.len() as u64 >= settings.least_count && npmi >= settings.threshold
    };
    pairs.chunk_by(|a, b| a == b).filter(|pair| belongs(pair)).map(|pair| pair[0]).collect()
}
