//! A corpus that Python has given, or a file of one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hdp_gpu::corpus::{
    self, Csr, Delimiter, DocumentOptions, Language, LoadNotes, Loaded, Metadata, MetadataColumn,
    Preparation, PrepareOptions, ReadOptions, SpooledText, StopwordSource, TextEncoding, TextOptions,
    VocabSource, labels_digest, sample,
};
use hdp_gpu::report::{RunFiles, read_run};
use hdp_gpu::run::checkpoint::Store;
use hdp_gpu::run::folder::Folder;
use hdp_gpu::{Error, Result};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::listen::until_ctrl_c;
use crate::named::{number, one_of, parsed, truth};
use crate::request::{PRESETS, Texts};

/// What may be said of documents in memory: their names, columns of values, and how they are prepared: by settings, or like others.
type About = (Option<Vec<String>>, Vec<(String, Vec<String>)>, Texts, Option<String>);

/// Documents with their words.
#[pyclass(frozen, module = "hdp_gpu._core")]
pub(crate) struct Corpus {
    /// The documents, which runs share.
    pub(crate) docs: Arc<corpus::Corpus>,
    pub(crate) preparation: Preparation,
    source: String,
    format: String,
    notes: LoadNotes,
    /// The documents' own text, of which a run shows passages.
    kept_text: Option<SpooledText>,
}

#[pymethods]
impl Corpus {
    /// Of a sparse matrix of counts, whose columns are called `vocab`.
    #[staticmethod]
    fn from_counts(
        py: Python<'_>,
        arrays: Arrays<'_>,
        columns: usize,
        vocab: Option<Vec<String>>,
        about: About,
    ) -> PyResult<Self> {
        let options = options(about)?;
        arrays.loaded(py, columns, vocab, &options).map(Self::of)
    }

    /// Of texts.
    #[staticmethod]
    fn from_texts(py: Python<'_>, texts: Vec<String>, about: About) -> PyResult<Self> {
        let options = options(about)?;
        until_ctrl_c(py, None, || corpus::from_texts(&texts, &options)).map(Self::of)
    }

    /// Of lists of words.
    #[staticmethod]
    fn from_tokens(py: Python<'_>, docs: Vec<Vec<String>>, about: About) -> PyResult<Self> {
        let options = options(about)?;
        until_ctrl_c(py, None, || corpus::from_tokens(&docs, &options)).map(Self::of)
    }

    /// Of a file in any format, or `sample`.
    #[staticmethod]
    fn from_file(
        path: PathBuf,
        settings: Texts,
        like: Option<String>,
        watcher: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let options = read_options(settings, like)?;
        let read = || match path.as_os_str() == sample::NAME {
            true => sample::load(&options.prepare),
            false => corpus::read(&path, &options),
        };
        until_ctrl_c(watcher.py(), Some(watcher), read).map(Self::of)
    }

    /// Of the run in a folder, which has it in its files.
    #[staticmethod]
    fn of_run(py: Python<'_>, run: PathBuf) -> PyResult<Self> {
        until_ctrl_c(py, None, || corpus_of_run(&run)).map(Self::of)
    }

    /// It as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = until_ctrl_c(py, None, || to_bytes(self))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// It from such bytes.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        until_ctrl_c(py, None, || from_bytes(bytes)).map(Self::of)
    }

    /// The words, by number.
    #[getter]
    fn vocab(&self) -> Vec<String> {
        self.docs.vocab.clone()
    }

    /// The documents' names.
    #[getter]
    fn doc_names(&self) -> Vec<String> {
        (0..self.docs.num_docs()).map(|d| self.docs.doc_name(d)).collect()
    }

    /// Columns of values, one per document.
    #[getter]
    fn metadata(&self) -> Vec<(String, Vec<String>)> {
        let columns = self.docs.metadata.columns.iter();
        columns.map(|column| (column.name.clone(), column.values.clone())).collect()
    }

    /// How it was prepared, as JSON, to prepare other documents like it.
    #[getter]
    fn preparation(&self) -> PyResult<String> {
        serde_json::to_string(&self.preparation).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Sentences on what was noticed in it.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.notes.warnings()
    }
}

impl Corpus {
    fn of(Loaded { source, format, corpus, preparation, notes, kept_text }: Loaded) -> Self {
        Self { docs: Arc::new(corpus), preparation, source, format, notes, kept_text }
    }

    /// A copy, to be trained on, which shares the words of the tokens.
    pub(crate) fn loaded(&self) -> Loaded {
        let Self { docs, preparation, source, format, notes, kept_text } = self;
        Loaded {
            source: source.clone(),
            format: format.clone(),
            corpus: (**docs).clone(),
            preparation: preparation.clone(),
            notes: notes.clone(),
            kept_text: kept_text.clone(),
        }
    }
}

/// The arrays of a matrix, by the types of their numbers.
#[derive(FromPyObject)]
enum Arrays<'py> {
    Small(PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, i32>),
    SmallPlaces(PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, i64>),
    SmallCounts(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i32>),
    Large(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>),
}

impl Arrays<'_> {
    fn loaded(
        &self,
        py: Python<'_>,
        columns: usize,
        vocab: Option<Vec<String>>,
        options: &DocumentOptions,
    ) -> PyResult<Loaded> {
        macro_rules! of {
            ($indptr:ident, $indices:ident, $data:ident) => {{
                let matrix = Csr {
                    indptr: $indptr.as_slice()?,
                    indices: $indices.as_slice()?,
                    data: $data.as_slice()?,
                    columns,
                };
                until_ctrl_c(py, None, || corpus::from_csr(&matrix, vocab, options))
            }};
        }
        match self {
            Self::Small(indptr, indices, data) => of!(indptr, indices, data),
            Self::SmallPlaces(indptr, indices, data) => of!(indptr, indices, data),
            Self::SmallCounts(indptr, indices, data) => of!(indptr, indices, data),
            Self::Large(indptr, indices, data) => of!(indptr, indices, data),
        }
    }
}

fn options((names, metadata, settings, like): About) -> PyResult<DocumentOptions> {
    let columns = metadata.into_iter().map(|(name, values)| MetadataColumn { name, values }).collect();
    let mut prepare = PrepareOptions::default();
    for (name, text) in &settings {
        if !set_preparation(&mut prepare, name, text)? {
            return Err(unknown(name));
        }
    }
    let keep_text = like.is_none();
    Ok(DocumentOptions { names, metadata: Metadata { columns }, prepare, like: alike(like)?, keep_text })
}

fn alike(like: Option<String>) -> PyResult<Option<Preparation>> {
    let read = |json: String| serde_json::from_str(&json);
    like.map(read).transpose().map_err(|error| PyValueError::new_err(error.to_string()))
}

fn unknown(name: &str) -> PyErr {
    PyTypeError::new_err(format!("there is no setting `{name}`"))
}

/// Sets `name` if it says which words are kept.
fn set_preparation(prepare: &mut PrepareOptions, name: &str, text: &str) -> PyResult<bool> {
    match name {
        "language" => prepare.language = Some(parsed::<Language>(name, text)?),
        "preset" => prepare.preset = one_of(name, text, &PRESETS)?,
        "token_pattern" => prepare.token_pattern = Some(text.to_owned()),
        "keep_case" => prepare.keep_case = truth(name, text)?,
        "stopwords" => prepare.stopwords = Some(parsed::<StopwordSource>(name, text)?),
        "extra_stopwords" => prepare.extra_stopwords.push(text.into()),
        "min_count" => prepare.min_count = Some(number(name, text)?),
        "max_doc_share" => prepare.max_doc_share = Some(number(name, text)?),
        "min_doc_length" => prepare.min_doc_length = Some(number(name, text)?),
        "min_word_length" => prepare.min_word_length = Some(number(name, text)?),
        "bigrams" => prepare.bigrams = Some(number(name, text)?),
        "stem" => prepare.stem = Some(text.to_owned()),
        _ => return Ok(false),
    }
    Ok(true)
}

fn read_options(settings: Texts, like: Option<String>) -> PyResult<ReadOptions> {
    // What is prepared like others is not trained on.
    let keep_text = like.is_none();
    let mut options = ReadOptions { like: alike(like)?, keep_text, ..ReadOptions::default() };
    for (name, text) in &settings {
        let known = set_file(&mut options, name, text)? || set_preparation(&mut options.prepare, name, text)?;
        if !known {
            return Err(unknown(name));
        }
    }
    Ok(options)
}

/// Sets `name` if it says what is in a file.
fn set_file(options: &mut ReadOptions, name: &str, text: &str) -> PyResult<bool> {
    let TextOptions { encoding, text_column, id_column, delimiter, skip_bad } = &mut options.text;
    match name {
        "format" => options.format = Some(parsed(name, text)?),
        "vocab" if text == "none" => options.vocab = VocabSource::None,
        "vocab" => options.vocab = VocabSource::File(text.into()),
        "transpose" => options.transpose = truth(name, text)?,
        "index_base" => options.index_base = Some(number(name, text)?),
        "encoding" => *encoding = Some(parsed::<TextEncoding>(name, text)?),
        "text_column" => *text_column = Some(text.to_owned()),
        "id_column" => *id_column = Some(text.to_owned()),
        "delimiter" => *delimiter = Some(parsed::<Delimiter>(name, text)?),
        "skip_bad" => *skip_bad = truth(name, text)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// A prepared corpus, which is a file.
fn to_bytes(corpus: &Corpus) -> Result<Vec<u8>> {
    let folder = scratch()?;
    let path = folder.path().join("corpus");
    let Corpus { docs, format, preparation, notes, .. } = corpus;
    corpus::write_prepared(&path, docs, format, preparation, notes)?;
    std::fs::read(&path).map_err(Error::read(&path))
}

fn from_bytes(bytes: &[u8]) -> Result<Loaded> {
    let folder = scratch()?;
    let path = folder.path().join("corpus");
    std::fs::write(&path, bytes).map_err(Error::write(&path))?;
    let mut loaded = corpus::read(&path, &ReadOptions::default())?;
    // The file goes now.
    loaded.corpus.w.to_mut();
    Ok(Loaded { source: "memory".into(), ..loaded })
}

fn scratch() -> Result<tempfile::TempDir> {
    tempfile::tempdir().map_err(Error::write(&std::env::temp_dir()))
}

/// The corpus that the run in `path` was trained on, as its files have it.
fn corpus_of_run(path: &Path) -> Result<Loaded> {
    let folder = Folder::open_run(path)?;
    let files = RunFiles::read(&folder)?;
    if files.record.holdout.is_some() {
        let problem = "documents were held out of the run";
        return Err(Error::input(path, problem, "evaluate it, and go on with it, by the command"));
    }
    let (mut corpus, _, _) = read_run(&folder, &files)?;
    // Its files give names to documents which had none.
    let checkpoint = Store::find(&folder)?.checkpoint;
    if checkpoint.is_some_and(|checkpoint| checkpoint.kept.labels != labels_digest(&corpus)) {
        corpus.doc_names = None;
    }
    let record = files.record.corpus;
    Ok(Loaded {
        source: record.source,
        format: record.format,
        corpus,
        preparation: record.preparation.settings,
        notes: LoadNotes { dropped: record.preparation.dropped, ..LoadNotes::default() },
        kept_text: None,
    })
}
