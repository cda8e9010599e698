//! Reads a corpus in any of the formats, with its vocabulary.

use std::path::{Path, PathBuf};

use super::documents::{self, TextOptions};
use super::join::{Beside, NamePattern};
use super::loaded::{Loaded, Raw};
use super::prepare::{Intended, Preparation, PrepareOptions};
use super::spool::{is_standard_input, rename, spool};
use super::vocab::VocabSource;
use super::{Corpus, Format, LoadNotes, detect, ldac, mm, npz, prepared, state, svmlight, uci};
use crate::error::{Error, Result};
use crate::files::source::{Kind, in_memory};
use crate::machine::Memory;
use crate::watch::will_read;

/// What the user may say about a corpus.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// The format; recognised by name and first lines when not given.
    pub format: Option<Format>,
    /// Where the words are; text and prepared corpora have their own.
    pub vocab: VocabSource,
    /// The rows of a matrix are words, not documents.
    pub transpose: bool,
    /// The number of SVMlight's first word: 0 or 1; recognised when not given.
    pub index_base: Option<u8>,
    /// Where the text is and how it is written.
    pub text: TextOptions,
    /// A table with a row for each document, whose other columns become metadata; its column of names is called as the text's, or name,
    /// id or document, or else it is the first.
    pub metadata: Option<PathBuf>,
    /// What documents' names are made of: its parts become metadata.
    pub name_pattern: Option<NamePattern>,
    /// Which words are kept, and in which form.
    pub prepare: PrepareOptions,
    /// Documents are prepared as others were, in place of `prepare`, and may have no tokens.
    pub like: Option<Preparation>,
    /// The documents' own text is kept, in a temporary file, if the format is one of text.
    pub keep_text: bool,
}

impl ReadOptions {
    /// Where the text is: in the columns that were named, else in those of the corpus that this one is like.
    fn text_of(&self, format: Format) -> TextOptions {
        let mut text = self.text.clone();
        let like = self.like.as_ref().and_then(|like| like.text.as_ref());
        if let (true, Some(like)) = (format.has_columns(), like) {
            text.text_column = text.text_column.or_else(|| like.text_column.clone());
            text.id_column = text.id_column.or_else(|| like.id_column.clone());
        }
        text
    }

    /// Adds what is said of the documents beside the corpus.
    fn add_metadata(
        &self,
        format: Format,
        corpus: &mut Corpus,
        notes: &mut LoadNotes,
        memory: &Memory,
    ) -> Result<()> {
        let text = self.text_of(format);
        let beside = Beside {
            table: self.metadata.as_deref(),
            id_column: text.id_column.as_deref(),
            encoding: text.encoding(),
            pattern: self.name_pattern.as_ref(),
        };
        beside.add(corpus, notes, memory)
    }
}

/// Reads the corpus in `path`: a file, plain, gzip or zstd; a folder; or `-`, standard input.
///
/// The tokens of a prepared corpus that is not compressed stay in its file, which must not be written to or cut off while
/// the corpus is in use: training and inference end with an error when it has changed, and on Unix a process whose file is cut
/// off may get SIGBUS, of which the program makes an error too. Replacing the file by
/// renaming another over it, as [`write_prepared`](super::write_prepared) does, is safe; Windows refuses it meanwhile.
///
/// # Errors
/// [`Error::Read`], [`Error::Input`] or [`Error::Setting`], whatever the file holds; [`Error::Write`] when
/// there is no room for standard input.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Loaded> {
    let memory = if in_memory(path).is_some() { Memory::of_tests() } else { Memory::of_machine() };
    if !is_standard_input(path) {
        return read_within(&memory, path, options);
    }
    let spooled = spool()?;
    let file = spooled.path();
    let read = || {
        let format = detect::detect(file, options.format, options.text.encoding())?;
        if !format.has_own_words() && options.vocab == VocabSource::Beside {
            let problem = format!("{} is read as {format}, and no vocabulary is beside it", file.display());
            return Err(Error::setting(
                "vocab",
                problem,
                "give a file, or none to name words by their number",
            ));
        }
        read_within(&memory, file, options)
    };
    let mut loaded = read().map_err(|error| rename(error, file))?;
    // The temporary file goes now, and Windows removes none that is mapped.
    loaded.corpus.w.to_mut();
    Ok(Loaded { source: path.display().to_string(), ..loaded })
}

fn read_within(memory: &Memory, path: &Path, options: &ReadOptions) -> Result<Loaded> {
    will_read(|| Kind::of(path).map_or(0, |kind| kind.length));
    check_no_run(path)?;
    let format = detect::detect(path, options.format, options.text.encoding())?;
    check_options(path, format, options)?;
    options.text.check_for(path, format)?;
    let name = format!("{} is read as {format}, which", path.display());
    let mut intended = match &options.like {
        Some(like) => Intended::from(like.for_other(format.is_text())),
        None if format.is_text() => options.prepare.check_for_text(&options.text)?,
        None => options.prepare.check_for_counts(&name)?,
    };
    let ReadOptions { vocab, transpose, index_base, .. } = options;
    let mut kept_text = None;
    let (mut corpus, mut notes) = match format {
        Format::Uci => uci::read(path, vocab, memory)?,
        Format::Ldac => ldac::read(path, vocab, memory)?,
        Format::Mm => mm::read(path, vocab, *transpose, memory)?,
        Format::Svmlight => svmlight::read(path, vocab, *index_base, memory)?,
        Format::Npz => npz::read(path, vocab, *transpose, memory)?,
        Format::State => {
            let state = state::read(path, vocab, memory)?;
            (state.corpus, state.notes)
        }
        Format::Prepared => {
            options.prepare.check_none(&name)?;
            let (mut corpus, mut notes, preparation) = prepared::read(path, memory)?;
            options.add_metadata(format, &mut corpus, &mut notes, memory)?;
            let (source, format) = (path.display().to_string(), format.to_string());
            return Ok(Loaded { source, format, corpus, preparation, notes, kept_text: None });
        }
        Format::Text
        | Format::Mallet
        | Format::Folder
        | Format::Csv
        | Format::Tsv
        | Format::Jsonl
        | Format::Json => {
            let text = options.text_of(format);
            let read = documents::read(path, format, &text, intended, options.keep_text, memory)?;
            (intended, kept_text) = (read.intended, read.kept_text);
            (read.corpus, read.notes)
        }
    };
    options.add_metadata(format, &mut corpus, &mut notes, memory)?;
    notes.is_one_document = format == Format::Folder && !path.is_dir() && options.like.is_none();
    let remedy = format!("give documents with words, or the right `format` ({})", Format::names());
    let (source, format) = (path.display().to_string(), format.name());
    let raw = Raw { path, source, format, corpus, notes, kept_text, remedy };
    raw.prepare(intended, options.like.is_some())
}

/// Refuses a folder that a run has left, whose files would else be read as documents.
fn check_no_run(path: &Path) -> Result<()> {
    if !["run.json", "trace.csv"].iter().all(|name| path.join(name).is_file()) {
        return Ok(());
    }
    Err(Error::input(path, "is the folder of a run, and no corpus", "give the corpus that it was trained on"))
}

/// Refuses options that mean nothing for `format`.
fn check_options(path: &Path, format: Format, options: &ReadOptions) -> Result<()> {
    let path = path.display();
    let refuse = |flag, why: &str| {
        Err(Error::setting(
            flag,
            format!("{path} is read as {format}, {why}"),
            "leave it out, or give another `format`",
        ))
    };
    let has_own_vocab = format.is_text() || format == Format::Prepared;
    if has_own_vocab && options.vocab != VocabSource::Beside {
        return refuse("vocab", "which has its own vocabulary");
    }
    if options.transpose && !matches!(format, Format::Mm | Format::Npz) {
        return refuse("transpose", "which is not a matrix");
    }
    if options.index_base.is_some() && format != Format::Svmlight {
        return refuse("index_base", "and only svmlight may count from 0 or 1");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::corpus::{Csr, DocumentOptions, from_csr, from_texts, from_tokens};
    use crate::watch::Meter;

    /// Reads `content` with room for 6000 tokens at most; returns the error.
    fn refused(content: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("corpus");
        std::fs::write(&path, content).expect("a file for the test");
        let options = ReadOptions { vocab: VocabSource::None, ..ReadOptions::default() };
        read_within(&Memory { total: 48_000 }, &path, &options).expect_err("too large").to_string()
    }

    #[test]
    fn counts_that_would_fill_the_memory_are_refused() {
        let in_order = refused("3\n1\n3\n1 1 4000\n2 1 4000\n3 1 4000\n");
        assert!(in_order.contains("corpus:5: 2 documents, 1 words and 8000 tokens need 1 MB"), "{in_order}");
        let in_any_order = refused("3\n1\n4\n1 1 4000\n2 1 1500\n1 1 1\n3 1 4000\n");
        assert!(in_any_order.contains("corpus:7: 3 documents, 1 words and 9501 tokens"), "{in_any_order}");
        let ldac = refused("1 0:4000\n1 0:4000\n1 0:4000\n");
        assert!(ldac.contains("corpus:2: 2 documents, 1 words and 8000 tokens"), "{ldac}");
    }

    #[test]
    fn whoever_reads_hears_that_he_is_to_stop() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let written = |name: &str, content: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for the test");
            std::fs::write(&path, content).expect("a file for the test");
            path
        };
        let counts = Csr { indptr: &[0, 1], indices: &[0], data: &[3], columns: 1 };
        let about = DocumentOptions::default();
        let numbered = ReadOptions { vocab: VocabSource::None, ..ReadOptions::default() };
        let paths = [
            (written("a.txt", "ash birch\n"), ReadOptions::default()),
            (written("b.csv", "text\nash birch\n"), ReadOptions::default()),
            (written("c/d.txt", "ash birch\n").with_file_name(""), ReadOptions::default()),
            (written("docword.e.txt", "1\n1\n1\n1 1 1\n"), numbered),
        ];
        let stopped = |work: &(dyn Fn() -> Result<Loaded> + Sync)| {
            let here = || {
                let meter = Arc::new(Meter::default());
                meter.count_here();
                meter.stop();
                matches!(work(), Err(Error::Interrupted | Error::Read { .. }))
            };
            assert!(std::thread::scope(|scope| scope.spawn(here).join().expect("no panic")));
        };
        stopped(&|| from_texts(&["ash birch"], &about));
        stopped(&|| from_tokens(&[["ash", "birch"]], &about));
        stopped(&|| from_csr(&counts, None, &about));
        paths.iter().for_each(|(path, options)| stopped(&|| read(path, options)));
    }

    #[test]
    fn numbers_that_would_fill_the_memory_are_refused() {
        assert!(refused("7000\n1\n1\n1 1 1\n").contains("corpus: 7000 documents"));
        assert!(refused("1\n1000\n1\n1 1 1\n").contains("corpus: 1 documents, 1000 words"));
        assert!(refused("1\n1\n7000\n1 1 1\n").contains("and 7000 tokens"));
        assert!(refused("1 1000:1\n").contains("corpus:1: 1 documents, 1001 words"));
        // Documents of a state have names.
        let state = "#doc source pos typeindex type topic\n1000 a 0 0 b 0\n";
        assert!(refused(state).contains("corpus:2: 1001 documents, 1 words and 1 tokens need 1 MB"));
    }
}
