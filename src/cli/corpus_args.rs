//! The flags that say what a corpus is, for every command that reads one.

use std::path::{Path, PathBuf};

use clap::Args;
use hdp_gpu::corpus::sample::sample;
use hdp_gpu::corpus::{self, Format, LoadNotes, Loaded, ReadOptions, VocabSource};
use hdp_gpu::{Corpus, Error, Result};

use super::tell;

#[derive(Debug, Args)]
pub(super) struct CorpusArgs {
    /// A corpus: UCI bag of words, LDA-C, Matrix Market, SVMlight, a sparse matrix of scipy (.npz), a state of MALLET,
    /// what `prepare` wrote, or text with a document a line, each also gzipped; or `sample`
    corpus: PathBuf,

    /// Format of the corpus [default: recognised from its content]
    #[arg(long, value_name = "uci|ldac|mm|svmlight|npz|state|prepared|text")]
    format: Option<Format>,

    /// File with the words, one a line or as gensim's Dictionary.save_as_text writes it, or `none` to name words by
    /// their number [default: found beside the corpus]
    #[arg(long, value_name = "FILE|none")]
    vocab: Option<PathBuf>,

    /// The rows of a matrix (mm, npz) are words and its columns documents
    #[arg(long)]
    transpose: bool,

    /// The number of the first word in SVMlight [default: 0 if that number occurs, else 1]
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..=1))]
    index_base: Option<u8>,
}

/// A corpus with what is known of where it came from.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) format: String,
    pub(super) corpus: Corpus,
    pub(super) notes: LoadNotes,
}

impl CorpusArgs {
    /// The paths that are read from, as far as they were given.
    pub(super) fn inputs(&self) -> Vec<&Path> {
        std::iter::once(&self.corpus).chain(&self.vocab).map(PathBuf::as_path).collect()
    }

    /// Reads the corpus, or makes the sample; warns of what is odd about it.
    pub(super) fn load(&self) -> Result<Source> {
        let source = self.read()?;
        for warning in source.notes.warnings() {
            tell(format_args!("warning: {warning}"));
        }
        Ok(source)
    }

    fn read(&self) -> Result<Source> {
        let name = self.corpus.display().to_string();
        if name == "sample" {
            self.check_sample()?;
            let notes = LoadNotes::default();
            return Ok(Source { format: name.clone(), name, corpus: sample().corpus, notes });
        }
        let vocab = match &self.vocab {
            None => VocabSource::Beside,
            Some(path) if path.as_os_str() == "none" => VocabSource::None,
            Some(path) => VocabSource::File(path.clone()),
        };
        let Self { format, transpose, index_base, .. } = *self;
        let options = ReadOptions { format, vocab, transpose, index_base };
        let Loaded { corpus, format, notes } = corpus::read(&self.corpus, &options)?;
        Ok(Source { name, format: format.to_string(), corpus, notes })
    }

    fn check_sample(&self) -> Result<()> {
        let flags = [
            ("--vocab", self.vocab.is_some()),
            ("--format", self.format.is_some()),
            ("--transpose", self.transpose),
            ("--index-base", self.index_base.is_some()),
        ];
        match flags.into_iter().find(|&(_, given)| given) {
            Some((flag, _)) => {
                Err(Error::flag(flag, "the sample has its own", "leave it out, or name a corpus file"))
            }
            None => Ok(()),
        }
    }
}
