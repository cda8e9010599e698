//! The flags that say what a corpus is and how it is prepared, for every command that reads one.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::Resettable;
use hdp_gpu::corpus::{
    self, Delimiter, Format, Language, Loaded, NamePattern, Preparation, PrepareOptions, ReadOptions,
    StopwordSource, TextEncoding, TextOptions, VocabSource, sample,
};
use hdp_gpu::params::Preset;
use hdp_gpu::{Error, Result};

use super::bars::ShareBar;
use super::eprint_line;

#[derive(Debug, Args)]
#[command(next_help_heading = "Corpus")]
pub(super) struct CorpusArgs {
    /// A corpus, plain, .gz or .zst: text, with a document a line or a folder of files (.txt, .html, .docx) or a table
    /// (.csv, .tsv, .jsonl, .json); counts, as UCI bag of words, LDA-C, Matrix Market, SVMlight or a sparse matrix of scipy (.npz); a
    /// state of MALLET; or what `prepare` wrote. `-` is standard input, `sample` a corpus inside the program
    #[arg(help_heading = Resettable::Reset)]
    corpus: PathBuf,

    #[command(flatten)]
    format: FormatArgs,

    #[command(flatten)]
    prepare: PreparationArgs,
}

/// What a corpus file is; also for commands that have no say in its preparation.
#[derive(Debug, Args)]
#[command(next_help_heading = "Corpus")]
pub(super) struct FormatArgs {
    /// Format of the corpus: uci, ldac, mm, svmlight, npz, state, prepared, text, mallet (id label text), folder,
    /// csv, tsv, jsonl or json (an array of objects) [default: recognised from name and content]
    #[arg(long)]
    format: Option<Format>,

    /// File with the words of counts, one a line or as gensim's Dictionary.save_as_text writes it, or `none` to name
    /// words by their number [default: found beside the corpus]
    #[arg(long, value_name = "FILE|none")]
    vocab: Option<PathBuf>,

    /// The rows of a matrix (mm, npz) are words and its columns documents
    #[arg(long)]
    transpose: bool,

    /// The number of the first word in SVMlight [default: 0 if that number occurs, else 1]
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..=1))]
    index_base: Option<u8>,

    /// Encoding of the text, for example windows-1252 [default: utf-8]
    #[arg(long, value_name = "NAME")]
    encoding: Option<TextEncoding>,

    /// Column of a table, or field of a JSON object, with the text [default: text]
    #[arg(long, value_name = "NAME")]
    text_column: Option<String>,

    /// Column or field with the documents' names [default: they are numbered]
    #[arg(long, value_name = "NAME")]
    id_column: Option<String>,

    /// What separates the fields of a table: comma, semicolon, tab, pipe or another character [default: recognised from
    /// the header and the first rows]
    #[arg(long, value_name = "NAME")]
    delimiter: Option<Delimiter>,

    /// Table (.csv, .tsv, .jsonl, .json) with what is known of each document, joined by name: its column of names is called
    /// as --id-column, or name, id or document, or else is the first; the others become metadata
    #[arg(long, value_name = "FILE")]
    metadata: Option<PathBuf>,

    /// What documents' names are made of, with the parts that become metadata in braces: '{country}_{year}.txt', or with folders
    /// 'Session {session}/{country}_*.txt', where * is anything
    #[arg(long, value_name = "PATTERN")]
    name_pattern: Option<NamePattern>,

    /// Leave out files of a folder that cannot be read, with a warning, in place of ending with a list of them
    #[arg(long)]
    skip_bad: bool,
}

/// Flags marked (text) need text; the others also work on counts, where they are off unless given.
#[derive(Debug, Args)]
#[command(next_help_heading = "Preparation of words")]
struct PreparationArgs {
    /// Language of the text, by its two letters: decides on stop words, elision and possessives, and the stemmer of --stem auto
    /// (text) [default: auto, recognised from the first documents, or else en]
    #[arg(long, value_name = "CODE|auto")]
    language: Option<Language>,

    /// Regular expression for a word (text) [default: Unicode words that have a letter, hyphens inside words kept, apostrophes
    /// one, possessives, elisions and addresses gone]
    #[arg(long, value_name = "REGEX")]
    token_pattern: Option<String>,

    /// Leave capitals as they are (text) [default: lower case]
    #[arg(long)]
    keep_case: bool,

    /// Words to leave out: a language's by its two letters, a file's, or none [default: those of --language, for text]
    #[arg(long, value_name = "LANGUAGE|FILE|none")]
    stopwords: Option<StopwordSource>,

    /// File with more words to leave out; may be repeated
    #[arg(long, value_name = "FILE")]
    extra_stopwords: Vec<PathBuf>,

    /// Leave out words with fewer characters [default: 1]
    #[arg(long, value_name = "CHARACTERS", allow_negative_numbers = true)]
    min_word_length: Option<u64>,

    /// Put the stems of words in their place (text): english, german or another Snowball language, or auto
    #[arg(long, value_name = "LANGUAGE")]
    stem: Option<String>,

    /// Join neighbours into one word, new_york, from this normalised pointwise mutual information on, for
    /// example 0.5 (text)
    #[arg(long, value_name = "THRESHOLD", allow_negative_numbers = true)]
    bigrams: Option<f64>,

    /// Leave out words with fewer tokens in the corpus [default: for text from 2 to 10, by the size of the corpus; paper: 10]
    #[arg(long, value_name = "TOKENS", allow_negative_numbers = true)]
    min_count: Option<u64>,

    /// Leave out words in more than this share of the documents, for example 0.5
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    max_doc_share: Option<f64>,

    /// Empty documents with fewer tokens left; they keep their rows [default: for text from 1 to 10, by the size
    /// of the corpus and of its documents; paper: 10]
    #[arg(long, value_name = "TOKENS", allow_negative_numbers = true)]
    min_doc_length: Option<u64>,
}

/// How a corpus is read, beside what its flags say.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    /// Without a bar.
    pub(super) quiet: bool,
    /// The documents' own text is wanted later.
    pub(super) keep_text: bool,
}

/// Prints warnings on a corpus, and unless `quiet` what preparation left out.
pub(super) fn print_notes(loaded: &Loaded, quiet: bool) {
    for warning in loaded.notes.warnings() {
        eprint_line(format_args!("warning: {warning}"));
    }
    if quiet {
        return;
    }
    // For a prepared corpus it was chosen and told when that was made.
    if loaded.format != Format::Prepared.name() {
        for line in loaded.notes.chosen.lines(&loaded.preparation) {
            eprint_line(line);
        }
    }
    for line in loaded.notes.dropped.lines(&loaded.preparation) {
        eprint_line(line);
    }
}

impl CorpusArgs {
    /// The paths that are read from, as far as they were given.
    pub(super) fn inputs(&self) -> Vec<&Path> {
        let PreparationArgs { stopwords, extra_stopwords, .. } = &self.prepare;
        let stopwords = stopwords.iter().filter_map(|source| match source {
            StopwordSource::File(file) => Some(file),
            _ => None,
        });
        let mut inputs = self.format.inputs(&self.corpus);
        inputs.extend(stopwords.chain(extra_stopwords).map(PathBuf::as_path));
        inputs
    }

    /// Reads and prepares the corpus, with a bar unless `quiet`.
    pub(super) fn load(&self, quiet: bool) -> Result<Loaded> {
        self.format.load(&self.corpus, self.prepare.options(), None, Manner { quiet, keep_text: false })
    }

    /// Reads and prepares the corpus of a run with a preset; what is left out is as `before` if the run goes on.
    pub(super) fn load_for_run(
        &self,
        preset: Preset,
        before: Option<&Preparation>,
        manner: Manner,
    ) -> Result<Loaded> {
        let options = PrepareOptions { preset, before: before.cloned(), ..self.prepare.options() };
        self.format.load(&self.corpus, options, None, manner)
    }
}

impl FormatArgs {
    /// The paths that `corpus` is read from, as far as they were given.
    pub(super) fn inputs<'a>(&'a self, corpus: &'a Path) -> Vec<&'a Path> {
        std::iter::once(corpus).chain(self.vocab.as_deref()).chain(self.metadata.as_deref()).collect()
    }

    /// Reads a corpus and prepares it like another.
    pub(super) fn load_like(&self, corpus: &Path, like: &Preparation, quiet: bool) -> Result<Loaded> {
        self.load(corpus, PrepareOptions::default(), Some(like.clone()), Manner { quiet, keep_text: false })
    }

    fn load(
        &self,
        path: &Path,
        prepare: PrepareOptions,
        like: Option<Preparation>,
        manner: Manner,
    ) -> Result<Loaded> {
        if path.as_os_str() == sample::NAME {
            self.check_for_sample()?;
            return sample::load(&prepare);
        }
        let vocab = match &self.vocab {
            None => VocabSource::Beside,
            Some(path) if path.as_os_str() == "none" => VocabSource::None,
            Some(path) => VocabSource::File(path.clone()),
        };
        let text = TextOptions {
            encoding: self.encoding,
            text_column: self.text_column.clone(),
            id_column: self.id_column.clone(),
            delimiter: self.delimiter,
            skip_bad: self.skip_bad,
        };
        let Self { format, transpose, index_base, .. } = *self;
        let (metadata, name_pattern) = (self.metadata.clone(), self.name_pattern.clone());
        let options = ReadOptions {
            format,
            vocab,
            transpose,
            index_base,
            text,
            metadata,
            name_pattern,
            prepare,
            like,
            keep_text: manner.keep_text,
        };
        ShareBar::new("reading", manner.quiet).watched(|| corpus::read(path, &options))
    }

    /// Refuses what was said of the corpus inside the program.
    fn check_for_sample(&self) -> Result<()> {
        let settings = [
            ("vocab", self.vocab.is_some()),
            ("format", self.format.is_some()),
            ("transpose", self.transpose),
            ("index_base", self.index_base.is_some()),
            ("encoding", self.encoding.is_some()),
            ("text_column", self.text_column.is_some()),
            ("id_column", self.id_column.is_some()),
            ("delimiter", self.delimiter.is_some()),
            ("metadata", self.metadata.is_some()),
            ("name_pattern", self.name_pattern.is_some()),
            ("skip_bad", self.skip_bad),
        ];
        match settings.into_iter().find(|&(_, given)| given) {
            Some((setting, _)) => {
                Err(Error::setting(setting, "the sample has its own", "leave it out, or name a corpus file"))
            }
            None => Ok(()),
        }
    }
}

impl PreparationArgs {
    fn options(&self) -> PrepareOptions {
        PrepareOptions {
            language: self.language.clone(),
            token_pattern: self.token_pattern.clone(),
            keep_case: self.keep_case,
            stopwords: self.stopwords.clone(),
            extra_stopwords: self.extra_stopwords.clone(),
            min_count: self.min_count,
            max_doc_share: self.max_doc_share,
            min_doc_length: self.min_doc_length,
            min_word_length: self.min_word_length,
            bigrams: self.bigrams,
            stem: self.stem.clone(),
            ..PrepareOptions::default()
        }
    }
}
