//! The extension module hdp_gpu._core: what the package asks of the library, in Python's types. Everything a user sees is in the
//! package; nothing here decides anything.

mod corpus;
mod errors;
mod guard;
mod infer;
mod listen;
mod named;
mod request;
mod run;
mod train;

use std::ffi::OsString;

use pyo3::prelude::*;

/// The extension of hdp_gpu.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::corpus::Corpus;
    #[pymodule_export]
    use super::errors::DeviceError;
    #[pymodule_export]
    use super::infer::{infer_topics, measures, score, score_left_to_right};
    #[pymodule_export]
    use super::request::defaults;
    #[pymodule_export]
    use super::run::Run;
    #[pymodule_export]
    use super::train::train;
    #[pymodule_export]
    use super::{main, version};
}

/// Runs a command line, the program's name first, and returns its exit code.
#[pyfunction]
fn main(py: Python<'_>, args: Vec<OsString>) -> PyResult<u8> {
    guard::check()?;
    listen::detached(py, || Ok(hdp_gpu::cli::main(args)))
}

/// The version of the package.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
