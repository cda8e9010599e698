//! What a trained model says of documents: topics of new ones, and scores.

use hdp_gpu::Error;
use hdp_gpu::device::choice::DeviceRequest;
use hdp_gpu::device::{OpenOptions, Place};
use hdp_gpu::estimate::DocTopics;
use hdp_gpu::evaluate::coherence::Window;
use hdp_gpu::evaluate::completion::complete;
use hdp_gpu::evaluate::evaluation::{C_V_WINDOW, Measures, evaluate};
use hdp_gpu::evaluate::left_to_right::left_to_right;
use hdp_gpu::infer::{InferSettings, infer};
use pyo3::prelude::*;

use crate::corpus::Corpus;
use crate::errors::exception_of_inference;
use crate::guard;
use crate::listen::{Heard, Link, Message, listen};
use crate::named::parsed;
use crate::run::{Run, Shares, json};

/// Iterations before the first sample, samples, and iterations from one to the next; and the seed.
type Sampling = (u32, u32, u32, u64);

/// θ of the documents of `corpus`, with how many of their tokens the model does not know.
#[pyfunction]
pub(crate) fn infer_topics<'py>(
    run: &Run,
    corpus: &Corpus,
    sampling: Sampling,
    device: &str,
    threads: usize,
    watcher: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    guard::check()?;
    let device: DeviceRequest = parsed("device", device)?;
    let settings = settings(sampling);
    let new = &*corpus.docs;
    let (shares, unknown) = heard(listen(watcher, threads, |link| {
        let inference = infer(&run.last.model, new, settings, &place(&device)?, link)?;
        told(link, inference.device_error.as_ref());
        let unknown: Vec<u32> = inference.docs.iter().map(|doc| doc.unknown).collect();
        Ok((Shares::of(&DocTopics::of_new(&run.last.model, &inference.docs)), unknown))
    }))?;
    (shares.into_arrays(watcher.py()), unknown).into_pyobject(watcher.py()).map(Bound::into_any)
}

/// The score of the documents of `corpus` by document completion, as JSON; `null` when none has two known words.
#[pyfunction]
pub(crate) fn score(
    run: &Run,
    corpus: &Corpus,
    sampling: Option<Sampling>,
    device: &str,
    threads: usize,
    watcher: &Bound<'_, PyAny>,
) -> PyResult<String> {
    guard::check()?;
    let device: DeviceRequest = parsed("device", device)?;
    let settings = sampling.map_or(InferSettings::SCORE, settings);
    let (model, held_out) = (std::slice::from_ref(&run.last.model), &*corpus.docs);
    let score = heard(listen(watcher, threads, |link| {
        let completion = complete(model, held_out, settings, &place(&device)?, link)?;
        told(link, completion.device_error.as_ref());
        Ok(completion.score)
    }))?;
    Ok(json(&score))
}

/// The left-to-right estimate of the documents of `corpus`, as JSON.
#[pyfunction]
pub(crate) fn score_left_to_right(
    run: &Run,
    corpus: &Corpus,
    particles: u32,
    seed: u64,
    threads: usize,
    watcher: &Bound<'_, PyAny>,
) -> PyResult<String> {
    guard::check()?;
    let (model, held_out) = (&run.last.model, &*corpus.docs);
    let estimate =
        heard(listen(watcher, threads, |link| left_to_right(model, held_out, particles, seed, link)))?;
    Ok(json(&estimate))
}

/// Measures of all topics, as JSON: coherence is looked for in `reference`.
#[pyfunction]
pub(crate) fn measures(
    run: &Run,
    reference: &Corpus,
    words: usize,
    window: Option<usize>,
    threads: usize,
    watcher: &Bound<'_, PyAny>,
) -> PyResult<String> {
    guard::check()?;
    let is_text = reference.preparation.text.is_some();
    let measures = Measures {
        words,
        npmi_window: window.map_or(Window::Document, Window::Tokens),
        c_v_window: if is_text { Window::Tokens(C_V_WINDOW) } else { Window::Document },
    };
    let corpus = &*reference.docs;
    let measured = heard(listen(watcher, threads, |_| Ok(evaluate(&run.last.model, corpus, measures))))?;
    Ok(json(&measured))
}

fn settings((burn_in, samples, thin, seed): Sampling) -> InferSettings {
    InferSettings { burn_in, samples, thin, seed }
}

fn place(device: &DeviceRequest) -> hdp_gpu::Result<Place> {
    Ok(Place::choose(device, OpenOptions::default())?.with_cpu_in_reserve(true))
}

/// Tells of a device that was left for the CPU.
fn told(link: &Link, error: Option<&Error>) {
    if let Some(error) = error {
        link.tell(Message::Warning(format!("{error}; the CPU was used instead, with the same result")));
    }
}

/// What came of work, which is lost when something was raised.
fn heard<T>(heard: Heard<T>) -> PyResult<T> {
    match heard.raised {
        Some(raised) => Err(raised),
        None => heard.done.map_err(exception_of_inference),
    }
}
