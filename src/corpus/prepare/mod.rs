//! Preparation: which words of a corpus are kept, in which form, and which documents are long enough.
//!
//! The order is that of the functions below: stop words and short words go first, and what is left decides the thresholds
//! that were not given; then words become stems, then pairs are joined, then rare and too common words go, and last come
//! documents that have too little left.

mod bigrams;
mod chosen;
mod dropped;
mod intended;
mod language;
mod options;
mod settings;
mod split;
mod stem;
mod stopwords;
mod thresholds;
mod tokens;

use super::Corpus;
pub use chosen::Chosen;
pub use dropped::{Dropped, DroppedDocument, Tally};
pub(super) use intended::Intended;
pub use language::Language;
pub(super) use language::Sample;
pub use options::PrepareOptions;
pub use settings::{Bigrams, Preparation, StopWords, TextPreparation};
pub(super) use split::Splitter;
use stopwords::StopSet;
pub use stopwords::StopwordSource;
use tokens::{GAP, Tokens};

/// Prepares a corpus; thresholds that are decided here and pairs that were joined are added to the settings. The words of
/// text end up in byte order, those of counts stay in theirs.
pub(super) fn prepare(corpus: Corpus, intended: &mut Intended) -> (Corpus, Dropped) {
    if intended.settings.keeps_all() {
        return (corpus, Dropped::default());
    }
    let lengths: Vec<usize> = corpus.doc_lengths().collect();
    let mut tokens = Tokens::new(corpus);
    let mut dropped = Dropped::default();
    drop_listed(&mut tokens, &intended.settings, &mut dropped);
    intended.decide_thresholds(&tokens);
    let settings = &mut intended.settings;
    if let Some(text) = &mut settings.text {
        stem_words(&mut tokens, text);
        if let Some(bigrams) = &mut text.bigrams {
            bigrams::find_and_join(&mut tokens, bigrams);
        }
    }
    drop_by_frequency(&mut tokens, settings, &mut dropped);
    let before = tokens.word_tokens();
    empty_short_docs(&mut tokens, &lengths, settings, &mut dropped);
    let after = tokens.word_tokens();
    dropped.in_dropped_documents.words =
        before.iter().zip(&after).filter(|&(&before, &after)| before > 0 && after == 0).count() as u64;
    // A vocabulary that is given may have words without tokens.
    let is_text = settings.text.is_some();
    let mut corpus = tokens.close_gaps(|v| after[v] > 0 || (!is_text && before[v] == 0));
    if is_text {
        sort_vocab(&mut corpus);
    }
    (corpus, dropped)
}

/// Prepares other documents as those of `settings` were, but for what was asked of their numbers: no word is too rare or
/// too common here, and no document too short.
pub(super) fn prepare_alike(corpus: Corpus, settings: &Preparation) -> (Corpus, Dropped) {
    let (mut tokens, dropped) = listed_and_stemmed(corpus, settings);
    join_known(&mut tokens, settings);
    (tokens.close_gaps(|_| true), dropped)
}

/// What has become of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InPlace {
    /// Its word was taken out.
    Gone,
    /// It has a word, by number.
    Word(u32),
    /// It is the second word of the pair that the token before it begins.
    Joined,
}

/// As [`prepare_alike`], with every token in its place; and the words.
pub(super) fn prepare_in_place(corpus: Corpus, settings: &Preparation) -> (Vec<InPlace>, Vec<String>) {
    let (mut tokens, _) = listed_and_stemmed(corpus, settings);
    let before = tokens.corpus.w.to_vec();
    join_known(&mut tokens, settings);
    let place = |(&before, &v)| match v {
        GAP if before == GAP => InPlace::Gone,
        GAP => InPlace::Joined,
        v => InPlace::Word(v),
    };
    (before.iter().zip(&tokens.corpus.w).map(place).collect(), tokens.corpus.vocab)
}

/// Other documents as far as their words do not depend on each other.
fn listed_and_stemmed(corpus: Corpus, settings: &Preparation) -> (Tokens, Dropped) {
    let mut tokens = Tokens::new(corpus);
    let mut dropped = Dropped::default();
    drop_listed(&mut tokens, settings, &mut dropped);
    if let Some(text) = &settings.text {
        stem_words(&mut tokens, text);
    }
    (tokens, dropped)
}

/// Joins the pairs that were found elsewhere.
fn join_known(tokens: &mut Tokens, settings: &Preparation) {
    if let Some(bigrams) = settings.text.as_ref().and_then(|text| text.bigrams.as_ref()) {
        bigrams::join_known(tokens, bigrams);
    }
}

/// Puts stems in the place of words, when that is asked for.
fn stem_words(tokens: &mut Tokens, text: &TextPreparation) {
    if let Some(stemmer) = text.stem.as_deref().and_then(stem::stemmer) {
        tokens.rename_words(|word| stem::stem(&stemmer, word));
    }
}

/// Takes out stop words and words with too few characters.
fn drop_listed(tokens: &mut Tokens, settings: &Preparation, dropped: &mut Dropped) {
    let stop_set = StopSet::new(settings);
    dropped.stop_words = tokens.drop_words(|_, word| stop_set.contains(word));
    if settings.min_word_length > 1 {
        let is_short = |word: &str| (word.chars().count() as u64) < settings.min_word_length;
        dropped.short_words = tokens.drop_words(|_, word| is_short(word));
    }
}

/// Takes out rare words and words in too many documents.
fn drop_by_frequency(tokens: &mut Tokens, settings: &Preparation, dropped: &mut Dropped) {
    let word_tokens = tokens.word_tokens();
    let word_docs = settings.max_doc_share.map(|share| (share, tokens.word_docs()));
    // In text, a word without tokens has become part of pairs.
    let least = u64::from(settings.text.is_some());
    dropped.rare_words = tokens.drop_words(|v, _| (least..settings.min_count).contains(&word_tokens[v]));
    if let Some((share, word_docs)) = word_docs {
        let most = share * tokens.corpus.num_docs() as f64;
        dropped.common_words = tokens.drop_words(|v, _| word_docs[v] as f64 > most);
    }
}

/// Empties documents that have too little left.
fn empty_short_docs(tokens: &mut Tokens, lengths: &[usize], settings: &Preparation, dropped: &mut Dropped) {
    for (d, &length) in lengths.iter().enumerate() {
        let doc = tokens.corpus.doc(d);
        let w = &mut tokens.corpus.w[doc];
        let left = w.iter().filter(|&&v| v != GAP).count() as u64;
        if length > 0 && left < settings.min_doc_length.max(1) {
            w.fill(GAP);
            dropped.in_dropped_documents.tokens += left;
            dropped.documents.push(DroppedDocument { number: d as u64 + 1, tokens: length as u64, left });
        }
    }
}

/// Puts the words into byte order and renumbers the tokens.
fn sort_vocab(corpus: &mut Corpus) {
    let mut words: Vec<(String, u32)> = std::mem::take(&mut corpus.vocab).into_iter().zip(0..).collect();
    words.sort_unstable();
    let mut numbers = vec![0; words.len()];
    for (v, &(_, old)) in (0..).zip(&words) {
        numbers[old as usize] = v;
    }
    for v in corpus.w.iter_mut() {
        *v = numbers[*v as usize];
    }
    corpus.vocab = words.into_iter().map(|(word, _)| word).collect();
}
