//! Names and metadata of documents that are put away: in a temporary file, from which they are read when results need them.

use std::env::temp_dir;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};

use super::{Corpus, Metadata};
use crate::error::{Error, Result};
use crate::files::temporary::nameless;

/// What a corpus calls its documents, in a file that nobody else sees.
#[derive(Debug)]
pub(crate) struct Labels(File);

impl Labels {
    /// Those of `corpus`.
    ///
    /// # Errors
    /// [`Error::Write`] when the folder for temporary files has no room.
    pub(crate) fn put_away(corpus: &Corpus) -> Result<Self> {
        let written = || {
            let file = nameless(&temp_dir())?;
            let mut out = BufWriter::new(&file);
            serde_json::to_writer(&mut out, &(&corpus.doc_names, &corpus.metadata.columns))?;
            out.flush()?;
            drop(out);
            Ok::<File, io::Error>(file)
        };
        written().map(Self).map_err(Error::write(&temp_dir()))
    }

    /// `corpus` with them.
    ///
    /// # Errors
    /// [`Error::Read`] when the disk fails.
    pub(crate) fn on(&self, corpus: &Corpus) -> Result<Corpus> {
        let Self(file) = self;
        let read = || {
            let mut from = BufReader::new(file);
            from.rewind()?;
            Ok::<_, io::Error>(serde_json::from_reader(from)?)
        };
        let (doc_names, columns) = read().map_err(Error::read(&temp_dir()))?;
        Ok(Corpus { doc_names, metadata: Metadata { columns }, ..corpus.clone() })
    }
}

impl Corpus {
    /// The same documents without names and metadata.
    pub(crate) fn without_labels(&self) -> Self {
        let Self { w, doc_start, vocab, stream_index, .. } = self;
        Self {
            w: w.clone(),
            doc_start: doc_start.clone(),
            vocab: vocab.clone(),
            doc_names: None,
            metadata: Metadata::default(),
            stream_index: stream_index.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::sample::sample;

    #[test]
    fn labels_come_back_as_often_as_they_are_asked_for() {
        let mut corpus = sample().corpus;
        for _ in 0..2 {
            let labels = Labels::put_away(&corpus).expect("a file");
            let bare = corpus.without_labels();
            assert!(bare.doc_names.is_none() && bare.metadata == Metadata::default());
            assert_eq!(labels.on(&bare).expect("the file"), corpus);
            assert_eq!(labels.on(&bare).expect("the file"), corpus);
            // Documents may have neither.
            corpus = bare;
        }
    }
}
