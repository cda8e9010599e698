//! The library's errors as Python's, with settings called as the estimator calls them.

use hdp_gpu::Error;
use hdp_gpu::error::with_names;
use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};

create_exception!(hdp_gpu, DeviceError, PyRuntimeError, "A device did not do its work.");

/// As an exception of Python's.
pub(crate) fn exception(error: Error) -> PyErr {
    let message = spoken(&error.to_string());
    saying(error, message)
}

/// The same of work on new documents, whose settings have names of their own.
pub(crate) fn exception_of_inference(error: Error) -> PyErr {
    let message = with_names(&error.to_string(), |name| match name {
        "samples" | "thin" => format!("`infer_{name}`"),
        name => spoken(&format!("`{name}`")),
    });
    saying(error, message)
}

fn saying(error: Error, message: String) -> PyErr {
    match error {
        Error::Input { .. } | Error::Corpus { .. } | Error::Setting { .. } => PyValueError::new_err(message),
        Error::Read { path, source } | Error::Write { path, source } => {
            // Python makes FileNotFoundError and the like of it.
            match source.raw_os_error() {
                Some(number) => PyOSError::new_err((number, source.to_string(), path)),
                None => PyOSError::new_err(message),
            }
        }
        Error::Device { .. } => DeviceError::new_err(message),
        Error::Interrupted => PyKeyboardInterrupt::new_err(message),
        Error::Internal { .. } | Error::Rank { .. } => PyRuntimeError::new_err(message),
    }
}

/// A refusal of the setting `name`.
pub(crate) fn refused(name: &str, value: &str, remedy: &str) -> PyErr {
    PyValueError::new_err(format!("`{name}`: {value} cannot be used; {remedy}"))
}

/// A message with settings called as the estimator calls them.
pub(crate) fn spoken(message: &str) -> String {
    with_names(message, |name| match name {
        "iterations" => "`n_iter`".into(),
        "seed" => "`random_state`".into(),
        "threads" => "`n_jobs`".into(),
        "burn_in" => "`infer_burn_in`".into(),
        "devices" | "selftest" => format!("`hdp-gpu {name}`"),
        "resume" => "`HDP.load` and `continue_fit`".into(),
        "force" => "another folder, or an empty one,".into(),
        name => format!("`{name}`"),
    })
}
