//! How a corpus is to be prepared as long as its content has not been seen, and what that then decides.

use super::chosen::Chosen;
use super::language::{self, Sample};
use super::settings::{Bigrams, Preparation};
use super::split::Splitter;
use super::thresholds::Size;
use super::tokens::{GAP, Tokens};
use super::{stem, stopwords};
use crate::error::Result;

/// A pair that occurs less often says little about its words.
const LEAST_PAIRS: u64 = 5;

/// Settings, and which of them are open.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::corpus) struct Intended {
    pub(in crate::corpus) settings: Preparation,
    pub(super) open: Open,
    pub(in crate::corpus) chosen: Chosen,
}

/// What the content decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Open {
    /// What its language is has to be seen, if only to compare.
    pub(super) is_new_text: bool,
    pub(super) language: bool,
    pub(super) stopwords: bool,
    pub(super) stem: bool,
    pub(super) min_count: bool,
    pub(super) min_doc_length: bool,
}

impl From<Preparation> for Intended {
    /// Nothing is open.
    fn from(settings: Preparation) -> Self {
        Self { settings, open: Open::default(), chosen: Chosen::default() }
    }
}

impl Intended {
    /// Whether the language of the text is to be looked for.
    pub(in crate::corpus) fn wants_sample(&self) -> bool {
        self.open.is_new_text
    }

    /// Decides what the language decides.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::error::Error::Setting) when it has no stemmer and one is asked for.
    pub(in crate::corpus) fn decide_language(&mut self, sample: &Sample) -> Result<()> {
        let recognised = sample.language();
        let Self { settings, open, chosen } = self;
        let Some(text) = settings.text.as_mut().filter(|_| open.is_new_text) else { return Ok(()) };
        chosen.recognised = recognised.map(str::to_owned);
        chosen.language = open.language;
        if open.language {
            let assumed = settings.stopwords.language.as_deref().unwrap_or(language::DEFAULT);
            text.language = Some(recognised.unwrap_or(assumed).to_owned());
        }
        let language = text.language.as_deref().unwrap_or(language::DEFAULT);
        if open.stopwords {
            settings.stopwords.language = stopwords::of_language(language).map(|_| language.to_owned());
        }
        chosen.stopwords.clone_from(&settings.stopwords.language);
        if open.stem {
            text.stem = Some(stem::of_language(language)?);
        }
        Ok(())
    }

    /// Notes what `splitter` has seen of text without spaces.
    pub(in crate::corpus) fn note_segmentation(&mut self, splitter: &Splitter) {
        let Some(text) = self.settings.text.as_mut().filter(|_| self.open.is_new_text) else { return };
        let (is_seen, is_cut) = splitter.seen_without_spaces();
        text.segmenter = text.segmenter.take().filter(|_| is_cut);
        self.chosen.without_dictionaries = is_seen && !is_cut;
    }

    /// Decides thresholds by what is left when stop words and short words have gone.
    pub(super) fn decide_thresholds(&mut self, tokens: &Tokens) {
        let corpus = &tokens.corpus;
        let kept = |d| corpus.w[corpus.doc(d)].iter().filter(|&&v| v != GAP).count() as u64;
        let mut lengths: Vec<u64> = (0..corpus.num_docs()).map(kept).filter(|&length| length > 0).collect();
        lengths.sort_unstable();
        let median_length = lengths.get(lengths.len() / 2).copied().unwrap_or_default();
        let size = Size { tokens: lengths.iter().sum(), median_length };
        let Self { settings, open, chosen } = self;
        chosen.tokens = size.tokens;
        chosen.documents = corpus.doc_lengths().filter(|&length| length > 0).count() as u64;
        (chosen.min_count, chosen.min_doc_length) = (open.min_count, open.min_doc_length);
        if open.min_count {
            settings.min_count = size.min_count();
        }
        if open.min_doc_length {
            settings.min_doc_length = size.min_doc_length();
        }
        let min_count = settings.min_count;
        if let Some(Bigrams { least_count, .. }) =
            settings.text.as_mut().and_then(|text| text.bigrams.as_mut())
        {
            *least_count = min_count.max(LEAST_PAIRS);
        }
    }
}
