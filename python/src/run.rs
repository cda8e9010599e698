//! A run that has ended or was stopped, read from its folder: arrays of its last state, verdict, report.

use std::path::{Path, PathBuf};

use hdp_gpu::Result;
use hdp_gpu::estimate::{DocTopic, DocTopics, PhiRow, PhiRows};
use hdp_gpu::evaluate::listing::Fold;
use hdp_gpu::report::{OwnText, RunFiles, Shown, report_path, write_report};
use hdp_gpu::run::folder::{Folder, chain_path, last_chain};
use hdp_gpu::run::results::ldavis::write_ldavis;
use hdp_gpu::run::settled::{Judged, Traces, Verdict, verdict};
use hdp_gpu::run::{LastState, RunRecord};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::corpus::Corpus;
use crate::guard;
use crate::listen::{detached, on_threads};

/// A sparse matrix by rows.
pub(crate) type Rows<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>);

/// θ: the topics of documents that have tokens of theirs; all topics that have a share of every document, ascending, with αΨ; and N_d.
/// Where document d has no tokens of such a topic, its share is αΨ_k / (Σ αΨ + N_d).
type Theta<'py> =
    (Rows<'py>, (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>), Bound<'py, PyArray1<i64>>);

/// The last state of a run, with the logs of its chains.
#[pyclass(frozen, module = "hdp_gpu._core")]
pub(crate) struct Run {
    pub(crate) last: LastState,
    /// The topics that results or the last state have, ascending: a run that was stopped may have some since its last sample.
    topics: Vec<u16>,
    chains: Vec<RunFiles>,
}

#[pymethods]
impl Run {
    /// Reads the run in a folder, which was trained on `corpus`.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, corpus: &Corpus, threads: usize) -> PyResult<Self> {
        on_threads(py, threads, || {
            let last = LastState::read(&path, &corpus.docs)?;
            let chains = (1..=last_chain(&path)).map(|number| read_files(&path, number));
            Ok(Self { topics: topics_of(&last), last, chains: chains.collect::<Result<_>>()? })
        })
    }

    /// Writes the results of the run to a folder that has its files, with the page of each chain.
    fn write_results(&self, py: Python<'_>, path: PathBuf, threads: usize) -> PyResult<()> {
        on_threads(py, threads, || {
            write_chain(&path, 1, &self.last)?;
            (2..=last_chain(&path)).try_for_each(|number| {
                write_chain(&path, number, &LastState::read(&chain_path(&path, number), &self.last.corpus)?)
            })
        })
    }

    /// Writes ldavis.json to a folder.
    fn write_ldavis(&self, py: Python<'_>, path: PathBuf, threads: usize) -> PyResult<()> {
        on_threads(py, threads, || write_ldavis(&Folder::unlocked(&path), &self.last.results()))
    }

    /// Writes the page of the run to a file.
    fn report(&self, py: Python<'_>, path: PathBuf, threads: usize) -> PyResult<()> {
        on_threads(py, threads, || write_report(&path, shown(&self.last, None), &self.chains, repeat))
    }

    /// The traces of all chains, judged: the verdict as JSON, and what it says in words.
    fn verdict(&self, py: Python<'_>) -> PyResult<(String, String)> {
        guard::check()?;
        let (found, judged) = detached(py, || Ok(self.judged()))?;
        Ok((json(&found), found.sentence(judged, false)))
    }

    /// The topics of the tokens.
    #[getter]
    fn z<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u16>> {
        PyArray1::from_slice(py, &self.last.z)
    }

    /// The topics that results or the last state have, ascending.
    #[getter]
    fn topics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        guard::check()?;
        Ok(self.topics.iter().map(|&k| i64::from(k)).collect::<Vec<_>>().into_pyarray(py))
    }

    /// n_k for every topic up to K*.
    #[getter]
    fn topic_tokens<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let tokens = self.last.model.n.topic_tokens.iter().map(|&tokens| tokens as i64);
        tokens.collect::<Vec<_>>().into_pyarray(py)
    }

    /// Ψ for every topic up to K*.
    #[getter]
    fn psi<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.last.model.psi)
    }

    /// α, β and γ.
    #[getter]
    fn concentrations(&self) -> (f64, f64, f64) {
        let model = &self.last.model;
        (model.alpha, model.beta, model.gamma)
    }

    /// θ of the documents it was trained on.
    fn theta<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<Theta<'py>> {
        let shares = on_threads(py, threads, || Ok(Shares::of(&docs_of(&self.last))))?;
        Ok(shares.into_arrays(py))
    }

    /// Φ: the cells of words with tokens in a topic, a row for each of `topics`, and what every other word has in it.
    fn phi<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<(Rows<'py>, Bound<'py, PyArray1<f64>>)> {
        let (starts, words, phi, floor) = on_threads(py, threads, || Ok(self.phi_cells()))?;
        let cells = (starts.into_pyarray(py), words.into_pyarray(py), phi.into_pyarray(py));
        Ok((cells, floor.into_pyarray(py)))
    }
}

impl Run {
    /// Φ of its topics: where each row begins, its words and what they have; and what every other word has.
    fn phi_cells(&self) -> (Vec<i64>, Vec<i32>, Vec<f64>, Vec<f64>) {
        let rows = self.phi_rows();
        let mut starts = vec![0];
        let (mut words, mut phi) = (Vec::new(), Vec::new());
        for row in &rows {
            words.extend(row.words.iter().map(|&word| word as i32));
            phi.extend_from_slice(&row.phi);
            starts.push(words.len() as i64);
        }
        (starts, words, phi, rows.iter().map(|row| row.floor).collect())
    }

    /// Φ of its topics: where samples do not tell of one, as the last state has it.
    fn phi_rows(&self) -> Vec<PhiRow> {
        let LastState { model, samples, .. } = &self.last;
        let Some(samples) = samples else { return rows_of(PhiRows::of_model(model), &self.topics) };
        let sampled = samples.shares().active().to_vec();
        let mut rows = rows_of(samples.phi(), &self.topics);
        if self.topics.len() > sampled.len() {
            let since = rows_of(PhiRows::of_model(model), &self.topics);
            for ((topic, row), own) in self.topics.iter().zip(&mut rows).zip(since) {
                if sampled.binary_search(topic).is_err() {
                    *row = own;
                }
            }
        }
        rows
    }

    /// What is said of its chains, and how many they are.
    fn judged(&self) -> (Verdict, Judged) {
        let spec = &self.chains[0].record.settings;
        let traces = |chain: &RunFiles| Traces::of(&chain.history.trace, &spec.model, spec.plan.trace_every);
        let traces: Vec<Traces> = self.chains.iter().map(traces).collect();
        let found = verdict(&traces, &spec.plan, spec.until, spec.model.anneal);
        let judged = if traces.len() > 1 { Judged::Chains(traces.len()) } else { Judged::Run };
        (found, judged)
    }
}

/// The topics of the documents that it was trained on.
fn docs_of(last: &LastState) -> DocTopics<'_> {
    match &last.samples {
        Some(samples) => DocTopics::of_samples(samples),
        None => DocTopics::of_state(&last.model, &last.corpus.doc_start, &last.z),
    }
}

/// The topics that results or the last state have, ascending.
fn topics_of(last: &LastState) -> Vec<u16> {
    let mut topics = last.model.active_topics();
    topics.extend(docs_of(last).shares().active());
    topics.sort_unstable();
    topics.dedup();
    topics
}

/// Those of `topics`.
fn rows_of(phi: PhiRows, topics: &[u16]) -> Vec<PhiRow> {
    let wanted = |(k, row)| topics.binary_search(&(k as u16)).is_ok().then_some(row);
    phi.rows.into_iter().enumerate().filter_map(wanted).collect()
}

/// θ, as it goes to Python.
pub(crate) struct Shares {
    starts: Vec<i64>,
    topics: Vec<i32>,
    shares: Vec<f64>,
    active: Vec<i64>,
    alpha_psi: Vec<f64>,
    tokens: Vec<i64>,
}

impl Shares {
    pub(crate) fn of(docs: &DocTopics<'_>) -> Self {
        let mut starts = vec![0];
        let (mut topics, mut shares) = (Vec::new(), Vec::new());
        let Ok(()) = docs.for_each(|_, of_doc: Vec<DocTopic>| {
            topics.extend(of_doc.iter().map(|topic| i32::from(topic.topic)));
            shares.extend(of_doc.iter().map(|topic| topic.share));
            starts.push(topics.len() as i64);
            Ok::<(), std::convert::Infallible>(())
        });
        let tokens = (0..docs.num_docs()).map(|d| docs.tokens(d) as i64).collect();
        let (active, alpha_psi) = (docs.shares().active(), docs.shares().alpha_psi());
        let alpha_psi = active.iter().map(|&k| alpha_psi[usize::from(k)]).collect();
        Self { starts, topics, shares, active: active.iter().map(|&k| k.into()).collect(), alpha_psi, tokens }
    }

    pub(crate) fn into_arrays(self, py: Python<'_>) -> Theta<'_> {
        let Self { starts, topics, shares, active, alpha_psi, tokens } = self;
        let rows = (starts.into_pyarray(py), topics.into_pyarray(py), shares.into_pyarray(py));
        (rows, (active.into_pyarray(py), alpha_psi.into_pyarray(py)), tokens.into_pyarray(py))
    }
}

/// As JSON.
pub(crate) fn json(info: &impl serde::Serialize) -> String {
    serde_json::to_string(info).expect("numbers, strings and lists of them are JSON")
}

fn read_files(run: &Path, number: u32) -> Result<RunFiles> {
    RunFiles::read(&Folder::unlocked(&chain_path(run, number)))
}

/// Writes the results of a chain and its page, on which the first of several shows them all.
fn write_chain(run: &Path, number: u32, last: &LastState) -> Result<()> {
    let path = chain_path(run, number);
    last.write_results(&path)?;
    let folder = Folder::open_run(&path)?;
    // A run that wrote no results may have left out its finish.
    let record = RunRecord::read(&folder)?;
    if record.finished != last.record.finished {
        RunRecord { finished: last.record.finished.clone(), ..record }.write(&folder)?;
    }
    let files = if number == 1 { RunFiles::read_chains(&folder)? } else { vec![RunFiles::read(&folder)?] };
    let own_text = OwnText::of_run(&folder, &last.record)?;
    write_report(&report_path(&folder), shown(last, own_text.as_ref()), &files, repeat)
}

fn shown<'a>(last: &'a LastState, own_text: Option<&'a OwnText>) -> Shown<'a> {
    let LastState { record, corpus, model, z, .. } = last;
    let (is_text, passages) = (record.is_text(), !record.settings.no_text);
    Shown { corpus, z, model, is_text, passages, own_text, fold: Fold::default() }
}

fn repeat(record: &RunRecord) -> String {
    record.command.join(" ")
}
