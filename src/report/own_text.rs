//! The documents' own text as a run keeps it, and passages of it.

use std::path::PathBuf;

use rayon::prelude::*;

use super::passage::{Parts, passage};
use crate::corpus::{Corpus, KeptText, PlacedWord, Placer, Preparation, TextOfDoc};
use crate::error::Result;
use crate::run::RunRecord;
use crate::run::folder::Folder;
use crate::run::kept_text::open_kept_text;
use crate::run::record::damaged;

/// Bytes of text that are looked at together.
const BATCH: usize = 1 << 19;

/// The text of a run's documents, and how their words came out of it.
#[derive(Clone, Debug)]
pub struct OwnText {
    path: PathBuf,
    kept: KeptText,
    preparation: Preparation,
}

/// A passage that is to be found: of a document, for a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The document, from 0.
    pub document: usize,
    /// The topic.
    pub topic: u16,
}

impl OwnText {
    /// That of the run in `folder`, if it has kept it and its passages may be shown.
    ///
    /// # Errors
    /// [`crate::Error::Read`] or [`crate::Error::Input`] when its file is no plain one, or damaged.
    pub fn of_run(folder: &Folder, record: &RunRecord) -> Result<Option<Self>> {
        if record.settings.no_text || !record.is_text() {
            return Ok(None);
        }
        let preparation = record.corpus.preparation.settings.clone();
        let found = open_kept_text(folder)?;
        Ok(found.map(|(path, kept)| Self { path, kept, preparation }))
    }

    /// The passages of at most `most` characters that are `wanted`, in that order, of documents of `corpus` whose tokens have the
    /// topics `z`; nothing where the text is not that of the document.
    ///
    /// # Errors
    /// [`crate::Error::Input`] when the file is damaged.
    pub fn passages(
        &self,
        corpus: &Corpus,
        z: &[u16],
        wanted: &[Wanted],
        most: usize,
    ) -> Result<Vec<Option<Parts>>> {
        let mut passages = vec![None; wanted.len()];
        // A build without dictionaries cannot find the words that another has found.
        let Ok(mut placer) = Placer::new(&self.preparation, &corpus.vocab) else { return Ok(passages) };
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        order.sort_by_key(|&at| wanted[at].document);
        let by_doc: Vec<&[usize]> =
            order.chunk_by(|&a, &b| wanted[a].document == wanted[b].document).collect();
        for batch in self.batches(&by_doc, |of_doc| wanted[of_doc[0]].document) {
            let docs: Vec<usize> = batch.iter().map(|of_doc| wanted[of_doc[0]].document).collect();
            let texts = self.kept.texts(&docs).map_err(|problem| damaged(&self.path, problem))?;
            let pairs =
                texts.iter().zip(&docs).map(|(text, &d)| TextOfDoc { text, w: &corpus.w[corpus.doc(d)] });
            let words = placer.place(&pairs.collect::<Vec<_>>())?;
            let find = |((of_doc, text), words): ((&&[usize], &String), &Option<Vec<PlacedWord>>)| {
                let words = words.as_ref()?;
                let z = &z[corpus.doc(wanted[of_doc[0]].document)];
                let found = |&at: &usize| (at, passage(text, words, |i| z[i] == wanted[at].topic, most));
                Some(of_doc.iter().map(found).collect::<Vec<_>>())
            };
            let found: Vec<_> = batch.par_iter().zip(&texts).zip(&words).filter_map(find).collect();
            found.into_iter().flatten().for_each(|(at, passage)| passages[at] = passage);
        }
        Ok(passages)
    }

    /// Documents that have text here, ascending, in batches of some bytes.
    fn batches<'b, T>(&self, docs: &'b [T], number: impl Fn(&T) -> usize) -> Vec<&'b [T]> {
        let end = docs.partition_point(|doc| number(doc) < self.kept.num_docs());
        let (mut batches, mut start, mut bytes) = (Vec::new(), 0, 0);
        for at in 0..end {
            bytes += self.kept.length_of(number(&docs[at])).unwrap_or(0);
            if bytes >= BATCH || at + 1 == end {
                batches.push(&docs[start..=at]);
                (start, bytes) = (at + 1, 0);
            }
        }
        batches
    }
}
